"""The graphics card, where there is one: what it can do, and CUDA text compiled for it."""

from __future__ import annotations

import hashlib
import os
import re
from functools import cache
from importlib import import_module, resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["capability", "card", "compiled_for", "cuda_text", "why_no_card"]

_INCLUDED = re.compile(r'^#include "(.+)"\n', flags=re.MULTILINE)
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
        if import_module("cupy").cuda.runtime.getDeviceCount() == 0:
            return "no card was found"
        known = capability()
    except Exception as error:  # noqa: BLE001 - whatever a driver that is missing or too old says
        return f"CuPy finds no card: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
    newest = _NEWEST if os.environ.get("PACLEARN_ENGINE") != "gpu" else known
    if not _OLDEST <= known <= newest:
        return f"the card has compute capability {known / 10}, and only 8.0 to 9.0 are known to pay"
    return ""


def capability() -> int:
    """The compute capability of the card, times ten."""
    return int(import_module("cupy").cuda.Device().compute_capability)


@cache
def compiled_for(name: str, architecture: str) -> Any:
    """The kernels of a CUDA text for an architecture; kept on disk, beside what CuPy itself compiles."""
    cupy, text = import_module("cupy"), cuda_text(name)
    version = cupy.cuda.runtime.runtimeGetVersion()
    key = hashlib.sha256(f"{version} {architecture} {text}".encode()).hexdigest()[:32]
    kept = Path(os.environ.get("CUPY_CACHE_DIR") or Path.home() / ".cupy" / "kernel_cache") / f"paclearn_{key}.cubin"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        new = kept.with_suffix(f".{os.getpid()}")
        new.write_bytes(_machine_code(text, architecture))
        new.replace(kept)
    return cupy.RawModule(path=str(kept))


def _machine_code(text: str, architecture: str) -> bytes:
    """By NVIDIA's compiler for run time; CuPy's own way knows no architectures of one chip alone."""
    compiler = import_module("cupy_backends.cuda.libs.nvrtc")
    program = compiler.createProgram(text, "paclearn.cu", (), ())
    try:
        compiler.compileProgram(program, ("--std=c++17", f"--gpu-architecture={architecture}"))
        return bytes(compiler.getCUBIN(program))
    finally:
        compiler.destroyProgram(program)


def cuda_text(name: str) -> str:
    """A CUDA text of this folder, with what it includes of others put in."""
    text = resources.files("paclearn.kernels").joinpath(name).read_text(encoding="utf-8")
    return _INCLUDED.sub(lambda found: cuda_text(found[1]), text)
