"""A worker of a Dask cluster is killed in the middle of a fit: ours, XGBoost's and LightGBM's.

usage: python -m benchmarks.speed.lost_worker [--rows 1000000] [--only NAME ...]

Two processes on this machine; everybody fits the same rows, in eight parts that workers make themselves. Each fit runs
undisturbed first (twice, the first to get warm), and then once more while one of the two workers is sent SIGKILL after
half of that time. A fit that has not ended after ten times as long is said to hang. XGBoost and LightGBM have to be
there: peers are skipped that are not installed.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Any

import numpy as np

N_PARTS, N_COLUMNS = 8, 40
ENDS = "its process has died", "hangs"


def part(seed: int, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Some rows: columns of three levels, and a class that three of them decide, one label in ten wrong."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n_rows, N_COLUMNS))
    signal_ = (X[:, 3] + X[:, 11] + X[:, 30]) % 2
    return X.astype(float), np.where(rng.random(n_rows) < 0.1, 1 - signal_, signal_)


def arrays(n_rows: int):
    """Dask arrays whose blocks workers make, and make again where they are lost."""
    import dask
    import dask.array as da

    each = n_rows // N_PARTS
    made = [dask.delayed(part, nout=2, pure=True)(seed, each) for seed in range(N_PARTS)]
    X = da.concatenate([da.from_delayed(x, (each, N_COLUMNS), float) for x, _ in made])
    y = da.concatenate([da.from_delayed(y, (each,), np.int64) for _, y in made])
    return X, y


def ours(name: str, **settings):
    """The model file of one of our learners."""

    def fit(_, X, y):
        import paclearn
        from paclearn.export import to_json

        return to_json(getattr(paclearn, name)(**settings).fit(X, y).model_, "y")

    return fit


def xgboost_dask(client, X, y):
    from xgboost import dask as peer

    rows = peer.DaskDMatrix(client, X, y)
    settings = {"tree_method": "hist", "objective": "binary:logistic", "nthread": 1}
    return peer.train(client, settings, rows, num_boost_round=100)["booster"].save_raw("json")


def lightgbm_dask(client, X, y):
    import lightgbm

    model = lightgbm.DaskLGBMClassifier(n_estimators=200, client=client, n_jobs=1, verbose=-1).fit(X, y)
    return model.booster_.model_to_string()


FITS = {
    "JuntaClassifier(k=3)": ours("JuntaClassifier", k=3),
    "SpectralClassifier": ours("SpectralClassifier", random_state=0),
    "RegressionGraphClassifier": ours("RegressionGraphClassifier", random_state=0),
    "xgboost.dask": xgboost_dask,
    "lightgbm.dask": lightgbm_dask,
}


def run(name: str, n_rows: int, answers: multiprocessing.Queue) -> None:
    """Undisturbed, and with a worker that is killed."""
    import logging

    from distributed import Client, LocalCluster

    from paclearn.tables.remote_files import LOCAL

    logging.disable(logging.CRITICAL)
    with LocalCluster(n_workers=2, **LOCAL) as cluster, Client(cluster) as client:
        seconds, wanted = 0.0, b""
        for _ in range(2):
            started = time.perf_counter()
            wanted = FITS[name](client, *arrays(n_rows))
            seconds = time.perf_counter() - started
        answers.put(("undisturbed", seconds))
        victim = min(client.run(os.getpid).values())
        threading.Timer(seconds / 2, os.kill, (victim, signal.SIGKILL)).start()
        started = time.perf_counter()
        try:
            found = FITS[name](client, *arrays(n_rows))
        except BaseException as error:  # noqa: BLE001 - whatever they raise
            text = str(error).strip().splitlines() or [""]
            answers.put((f"ends with {type(error).__name__}: {text[-1][:100]}", time.perf_counter() - started))
            return
        same = "the same bytes" if digest(found) == digest(wanted) else "another model"
        answers.put((f"goes on to the end, {same}", time.perf_counter() - started))


def digest(model: str | bytes) -> str:
    """Of a model file."""
    return hashlib.sha256(model.encode() if isinstance(model, str) else bytes(model)).hexdigest()


def answer(process: Any, answers: Any, patience: float) -> tuple[str, float]:
    """What the process says, and how long that took it; or that it says nothing any more."""
    started = time.perf_counter()
    while (waited := time.perf_counter() - started) < patience:
        with suppress(queue.Empty):
            return answers.get(timeout=1)
        if not process.is_alive():
            return ENDS[0], waited
    return ENDS[1], patience


def judge(name: str, n_rows: int) -> None:
    """One library, in a process of its own that may be ended."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    process = context.Process(target=run, args=(name, n_rows, answers))
    process.start()
    print(name, flush=True)
    patience = 600.0
    for _ in range(2):
        what, seconds = answer(process, answers, patience)
        print(f"   {what}: {seconds:.1f} s", flush=True)
        if what in ENDS:
            break
        patience = 10 * seconds + 10
    with suppress(OSError):
        process.kill()
    process.join()


def main() -> None:
    """All that are named and installed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", nargs="*", default=list(FITS))
    asked = parser.parse_args()
    for name in asked.only:
        package = name.partition(".")[0]
        if name.endswith(".dask"):
            try:
                __import__(package)
            except ImportError:
                print(f"{name}: not installed", file=sys.stderr)
                continue
        judge(name, asked.rows)


if __name__ == "__main__":
    main()
