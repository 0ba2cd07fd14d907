"""Constants of the graph learners in one place: time against rows, or taste; none is a parameter of the model."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TUNING", "GraphTuning"]


@dataclass(frozen=True)
class GraphTuning:
    """What the learners take for granted.

    The values were chosen by hand, by looking at tables with known answers (`make_gam`, means of bits) and at the
    tables of the public suite; what comes from elsewhere says so.
    """

    # ---- growing ----
    least_gain: float = 1e-12  # a row: with 0, leaves of equal value are split by rounding and merged for ever
    most_histogram_bytes: int = 2**30  # of all leaves; larger histograms are counted anew instead of being kept
    most_exact_bytes: int = 2**31  # of codes where every threshold is tried
    many_leaves: int = 256  # leaves that this is reckoned for
    checked_rows: int = 20  # different ones from which on rows left out decide between a graph and a constant
    checked_once: int = 2000  # rows or groups from which on one fold says it as well as five
    # standard errors by which it is to be better, after as many splits as look best: of noisy means of bits one graph
    # in fifty was worse than a constant with two of them, and one in two hundred with three
    clear_gain: float = 3.5
    clear_share: float = 0.5  # or the share of a constant's error that it may leave
    side_weights: tuple[float, ...] = (1, 10, 40)  # least weights of a side of a split that validation chooses from

    enough_rows: int = 50_000  # different ones that are dealt out to folds; more are left out by the hash of each

    # ---- both kinds of ensembles ----
    few_rows: int = 3000  # different ones; below, rows are left out several times over
    repeats: int = 3  # so many times

    # ---- bagging (Breiman, 1996) ----
    n_bagged: int = 50  # graphs
    pilots: int = 10  # graphs that are tried to choose a size; how much they differ says what more of them would do
    first_size: int = 4  # splits
    size_factor: float = 1.5  # from one size to the next
    most_splits: int = 2000
    clearly_better: float = 0.995  # share of the least error so far below which a larger size is worth its while
    worse_in_a_row: int = 3  # sizes that are not, and then no more of them

    # ---- boosting (Friedman, 2001 and, for rows drawn, 2002) ----
    most_boosted: int = 500  # graphs
    boosted_splits: int = 60  # of each
    boosted_side_weight: float = 5  # least weight of a side of a split
    boosted_patience: int = 25  # graphs without an improvement, and then no more of them
    subsample: float = 0.7  # share of the rows that each graph sees


TUNING = GraphTuning()
