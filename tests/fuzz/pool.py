"""Cases in a child of their own, so that a crash or a hang is caught and named by its seed."""

import json
import os
import resource
import select
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

LONGEST = 30  # seconds of the processor that a case may take
ASLEEP = 120  # seconds by the clock without any of the processor, for one that waits for what never comes


@dataclass(frozen=True)
class Finding:
    """What went wrong, and the case that shows it."""

    kind: str
    seed: int
    what: str

    def __str__(self):
        return f"{self.kind} {self.seed}: {self.what}"


class DisagreementError(AssertionError):
    """Two that should say the same do not, or an error that nobody understands."""


def run(kind: str, case: Callable[[int], int], seeds: range, until: float, clock) -> Iterator[Finding | int]:
    """Try all seeds until it is late: what was found, and the number of tries of every case that was fine."""
    todo = iter(seeds)
    seed = next(todo, None)
    while seed is not None and clock() < until:
        child = _Child(case, seed, seeds.stop, until, clock)
        for seed, tries, what in child.reports():
            yield tries if what is None else Finding(kind, seed, what)
        seed = child.next_seed


class _Child:
    """A process that tries one seed after another, says so before each, and what came of it after it."""

    def __init__(self, case, first, stop, until, clock):
        self.case, self.stop, self.until, self.clock = case, stop, until, clock
        self.next_seed = first
        self.reader, writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.reader)
            self._work(first, os.fdopen(writer, "w"))
        os.close(writer)

    def _work(self, first, out):
        """In the child, which never comes back."""
        for seed in range(first, self.stop):
            if self.clock() >= self.until:
                break
            out.write(json.dumps([seed, None, None]) + "\n")
            out.flush()
            _end_after(LONGEST)
            out.write(json.dumps([seed, *_tried(self.case, seed)]) + "\n")
        out.flush()
        os._exit(0)

    def reports(self):
        """Of every case that ended, and of the one that did not."""
        begun, lines = None, self._lines()
        for seed, tries, what in lines:
            self.next_seed = seed + 1 if seed + 1 < self.stop else None
            begun = seed if tries is None else None
            if tries is not None:
                yield seed, tries, what
        _, status = os.waitpid(self.pid, 0)
        os.close(self.reader)
        if begun is not None:
            yield begun, 1, _how(status)

    def _lines(self):
        rest = b""
        while True:
            before = _computed(self.pid)
            ready, _, _ = select.select([self.reader], [], [], ASLEEP)
            if not ready and _computed(self.pid) > before:
                continue
            if not ready:
                os.kill(self.pid, signal.SIGKILL)
                return
            got = os.read(self.reader, 65536)
            if not got:
                return
            *lines, rest = (rest + got).split(b"\n")
            yield from map(json.loads, lines)


def _end_after(seconds):
    """The system ends this process once it has computed for so long from now on."""
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + seconds + 1, most))


def _computed(pid):
    """Seconds of the processor that a process has had, where the system says so: on a busy machine the clock alone
    would name cases that are at work.
    """
    try:
        parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def _tried(case, seed):
    """How many tries a case had, and what is wrong with it, if anything is."""
    try:
        return case(seed), None
    except DisagreementError as found:
        return 1, str(found)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is a finding
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        return 1, f"unclear error: {type(error).__name__}: {str(error)[:300]} ({where})"


def _how(status):
    """How a process ended that did not come to its end."""
    signal_number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    hung = {signal.SIGXCPU: f"took more than {LONGEST} s", signal.SIGKILL: f"did nothing for {ASLEEP} s"}
    return hung.get(signal_number, f"the process died ({_words(status)})")


def _words(status):
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit code {status >> 8}"
