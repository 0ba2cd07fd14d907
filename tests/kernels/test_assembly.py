"""The hot loop as the compiler made it: no operand spilled, none loaded twice."""

import re
import shutil
import subprocess

import pytest

from paclearn.kernels import dispatch as native

if native._core is None or shutil.which("objdump") is None:
    pytest.skip("needs the compiled core and objdump", allow_module_level=True)


def loop_of(symbol, instruction):
    """The instructions of the innermost loop of a function that has some instruction, with their operands."""
    command = ["objdump", "-d", "--no-show-raw-insn", f"--disassemble={symbol}", native._core.__file__]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = re.findall(r"^ *([0-9a-f]+):[ \t]+(\S+)[ \t]*(.*?)[ \t]*$", listing, re.MULTILINE)
    if not lines:
        pytest.skip("built for another processor")
    addresses = {address: i for i, (address, _, _) in enumerate(lines)}
    back = [
        (addresses[target.split()[0]], i)
        for i, (_, name, target) in enumerate(lines)
        if name.startswith("j") and addresses.get(target.split()[0], i) < i
    ]
    begin, end = next(edge for edge in sorted(back) if any(n == instruction for _, n, _ in lines[edge[0] : edge[1]]))
    return [(name, operands) for _, name, operands in lines[begin : end + 1]]


@pytest.fixture(scope="module")
def loop():
    return loop_of("paclearn_tile_avx512", "vpopcntq")


def test_twenty_four_products_and_ten_loads():
    """Of the sums of numbers: no sum is copied, none is spilled."""
    loop = loop_of("paclearn_sum_tile_avx512", "vpdpwssd")
    products = [operands for name, operands in loop if name == "vpdpwssd"]
    assert len(products) == 24
    assert not any("(" in operands for operands in products)
    moves = [operands for name, operands in loop if name.startswith("vmov")]
    assert len(moves) == 10, moves
    assert all("(" in operands.rpartition(",")[0] for operands in moves), "a copy or a store"


def test_sixteen_popcounts_and_eight_loads(loop):
    count = {name: sum(n == name for n, _ in loop) for name in ("vpopcntq", "vpaddq", "vpandq")}
    assert count["vpopcntq"] == 16
    assert count["vpaddq"] == 16
    ands = sum(name.startswith("vpand") for name, _ in loop)
    assert ands == 16
    loads = [operands for name, operands in loop if name.startswith("vmov") and "(" in operands]
    assert len(loads) == 8, loads
    assert all("%zmm" in operands.rpartition(",")[2] for operands in loads), "a store"


def test_nothing_is_spilled_or_reloaded(loop):
    for name, operands in loop:
        assert "%rsp" not in operands, (name, operands)
        assert "%rbp" not in operands or not name.startswith("v"), (name, operands)
        if name.startswith(("vpand", "vpopcnt", "vpadd")):
            assert "(" not in operands, (name, operands)
