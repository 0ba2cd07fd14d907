"""What every instruction set finds, each in a process of its own: the choice is made when the module loads."""

import json
import os
import subprocess
import sys

INSTRUCTION_SETS = ("avx512", "avx2", "popcnt", "plain")


def ask(isa):
    """What the tests of counting and of sums find with it, which of them failed being left out; and what went wrong."""
    environment = {**os.environ, "PACLEARN_ISA": isa, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, timeout=300)
    found = {"used": None, "counted": None, "summed": None, "errors": f"exit code {done.returncode}: {done.stderr}"}
    return found | dict(map(json.loads, done.stdout.splitlines()))


def tell(name, find):
    try:
        sys.stdout.write(json.dumps([name, find()]) + "\n")
    except Exception as problem:  # noqa: BLE001 - the others are still to be asked
        sys.stderr.write(f"{name}: {problem!r}\n")


if __name__ == "__main__":
    from counting import test_sums
    from kernels import test_kernels

    tell("used", test_kernels.dispatch.instruction_set)
    tell("counted", test_kernels.what_is_counted)
    tell("summed", test_sums.what_is_summed)
