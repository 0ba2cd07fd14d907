"""``python -m fuzz --seconds 60``: try; ``python -m fuzz tables 1234``: one case again, made smaller."""

import argparse
import subprocess
import sys
import time

from fuzz import pool
from fuzz.call_cases import try_calls
from fuzz.command_cases import try_commands
from fuzz.file_cases import try_files
from fuzz.shrinking import smaller_table
from fuzz.table_laws import try_table

KINDS = {"tables": try_table, "calls": try_calls, "files": try_files, "commands": try_commands}
APART = 500_000  # seeds of one process and the next
SHARES = {"tables": 0.45, "calls": 0.25, "files": 0.15, "commands": 0.15}


def main():
    """Exit code 1 if anything was found."""
    asked = _arguments()
    if asked.seed_of_one is not None:
        return _one(asked.kind, asked.seed_of_one)
    others = [_other(asked, i) for i in range(1, asked.processes)]
    return max([_alone(asked), *(other.wait() for other in others)])


def _other(asked, i):
    """Another process with cases of its own; the seconds are those of all processes together."""
    kind = [asked.kind] if asked.kind else []
    numbers = ["--seconds", asked.seconds / asked.processes, "--seed", asked.seed + i * APART, "--cases", asked.cases]
    return subprocess.Popen([sys.executable, "-m", "fuzz", *kind, *map(str, numbers)])


def _alone(asked):
    found = [f for kind in ([asked.kind] if asked.kind else KINDS) for f in _tried(kind, asked)]
    print(f"{len(found)} finding(s)")
    return 1 if found else 0


def _arguments():
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("kind", nargs="?", choices=KINDS, help="what to try; all if not said")
    parser.add_argument("seed_of_one", nargs="?", type=int, help="one case to repeat and to make smaller")
    parser.add_argument("--seconds", type=float, default=60.0, help="for how long")
    parser.add_argument("--seed", type=int, default=0, help="the first case")
    parser.add_argument("--processes", type=int, default=1, help="that share the seconds, side by side")
    parser.add_argument("--cases", type=int, default=10**9, help="at most so many of each kind")
    return parser.parse_args()


def _tried(kind, asked):
    share = 1.0 if asked.kind else SHARES[kind]
    until = time.monotonic() + asked.seconds / asked.processes * share
    started, tries, found = time.monotonic(), 0, []
    for report in pool.run(kind, KINDS[kind], range(asked.seed, asked.seed + asked.cases), until, time.monotonic):
        if isinstance(report, int):
            tries += report
        else:
            found.append(report)
            print(f"FOUND {report}", flush=True)
    print(f"{kind}: {tries:,} tried in {time.monotonic() - started:.0f} s, {len(found)} found", flush=True)
    return found


def _one(kind, seed):
    reports = list(pool.run(kind, KINDS[kind], range(seed, seed + 1), float("inf"), time.monotonic))
    print(*reports, sep="\n")
    if kind == "tables" and not isinstance(reports[0], int):
        print(smaller_table(seed))
    return 0 if isinstance(reports[0], int) else 1


if __name__ == "__main__":
    sys.exit(main())
