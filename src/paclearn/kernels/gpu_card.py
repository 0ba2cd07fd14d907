"""The graphics card, where there is one: what it can do, and the CUDA text compiled for it."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module, resources
from importlib.util import find_spec
from typing import Any

__all__ = ["SOURCE", "card", "compiled_module", "why_no_card"]

SOURCE = "triples.cu"
_OLDEST, _NEWEST = 80, 90  # compute capabilities whose tensor cores AND bits; newer ones emulate it slowly


def card() -> Any:
    """CuPy, if it is installed and sees a card that counts bits on tensor cores; None elsewhere."""
    return None if why_no_card() else import_module("cupy")


@cache
def why_no_card() -> str:
    """Why there is no card to count with, in words; nothing where there is one."""
    if find_spec("cupy") is None:
        return "CuPy is not installed (pip install 'paclearn[gpu]')"
    try:
        cupy = import_module("cupy")
        if cupy.cuda.runtime.getDeviceCount() == 0:
            return "no card was found"
        capability = int(cupy.cuda.Device().compute_capability)
    except Exception as error:  # noqa: BLE001 - whatever a driver that is missing or too old says
        return f"CuPy finds no card: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
    if not _OLDEST <= capability <= _NEWEST and os.environ.get("PACLEARN_ENGINE") != "gpu":
        return f"the card has compute capability {capability / 10}, and only 8.0 to 9.0 are known to pay"
    if capability < _OLDEST:
        return f"the card has compute capability {capability / 10}, and 8.0 is the least"
    return ""


@cache
def compiled_module() -> Any:
    """The kernels, compiled for this card; CuPy keeps them on disk for the next time."""
    return import_module("cupy").RawModule(code=source(), options=("--std=c++17",))


def source() -> str:
    """The CUDA text."""
    return resources.files("paclearn.kernels").joinpath(SOURCE).read_text(encoding="utf-8")
