"""Runs that are kept line by line in a file: what was stopped goes on where it was, in as many processes as wanted."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path


def kept_runs(file, tasks, run, jobs=1):
    """All runs of a file, once those tasks that it lacks are done; a task is what ``run`` is called with."""
    found = _read(file)
    known = {_name(line["task"]) for line in found}
    missing = [task for task in tasks if _name(task) not in known]
    with Path(file).open("a", encoding="utf-8") as kept, ProcessPoolExecutor(jobs) as pool:
        started = {pool.submit(run, **task): task for task in missing}
        for done in as_completed(started):
            line = {"task": started[done], **done.result()}
            found.append(line)
            kept.write(json.dumps(line) + "\n")
            kept.flush()
    return found


def _read(file):
    path = Path(file)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def _name(task):
    return json.dumps(task, sort_keys=True)
