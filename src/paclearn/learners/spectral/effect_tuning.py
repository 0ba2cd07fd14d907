"""Constants of the search for few effects, in one place."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EFFECTS", "EffectTuning"]


@dataclass(frozen=True)
class EffectTuning:
    """What the search takes for granted; chosen by hand on synthetic tables and on those of the public suite."""

    # ---- shapes ----
    finer: int = 4  # times as many bins as terms have: curves of concrete at 32 bins are 1.1 R2 points behind 128
    most_of_all: int = 1024  # and never more
    most_levels: int = 64  # of a column of categories; rarer ones are pooled
    steps: tuple[int, ...] = (2, 3, 4, 6, 8)  # of a number
    few_steps: int = 3  # and so many are simpler than a curve
    groups: tuple[int, ...] = (2, 3, 4, 5, 6, 8)  # of levels that act alike
    smooth: int = 5  # waves of a smooth curve; a rough one has as many as bins, up to
    waves: int = 63  # of a rough curve, at most
    most_bins: int = 32  # of a column in a pair
    quantiles: int = 16  # of each column of a surface
    few_bins: int = 24  # or as many as it has, up to these
    products: int = 64  # of functions of two columns, each of which may bend as it likes
    few_grids: int = 3  # grids that are simpler than a surface
    scanned: int = 2000  # functions of all columns up to which pairs are looked for by all their cells: 800 columns of
    # numbers took twice as long with them
    cuts: int = 8  # of a grid of two columns, both together

    # ---- judging ----
    rows_an_effect: int = 5  # at least, whatever rows left out say: of four rows that mean nothing, six were found
    splits: int = 10  # at most: a choice among so many shapes is much by chance, however often rows are shared out
    many_rows: tuple[int, int] = (4000, 20_000)  # between which there are
    folds_of_many: int = 2  # so many: adult has 0.3 points more than with one, and beyond there is no need
    simpler: float = 1.5  # standard errors within which the simpler shape of a number is taken
    merged: float = 0.5  # and fewer groups of levels: a weight a level, held back, is no great risk
    fewer_cells: float = 0.5  # and of a pair
    richer: float = 1.0  # by which a richer shape has to add to the one that an effect has, to be tried
    single: float = 0.0  # standard errors by which a further effect of one column has to help
    several: float = 1.0  # and one of several columns, beside the price of choosing it among so many
    strengths: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # of the penalty, in rows
    first_strength: float = 3.0
    plain_columns: int = 20  # by which the least strength is chosen
    beyond: float = 0.25  # share of the limit by which the search goes beyond it, to come back
    apart: float = 1.0  # standard errors by which strengths of their own have to help
    rounds: int = 3  # of forward and back again, once the limit is reached
    tuned_at: tuple[int, ...] = (3, 8)  # sizes at which the penalty is chosen again

    # ---- work ----
    looked_into: int = 3  # columns whose shapes are all tried, of those that help most in one shape
    pairs: int = 12  # and pairs, of those that a scan of all ranks highest
    again: int = 3  # pairs that are looked into again after each step
    coarse: int = 8  # bits of a column in that scan
    cheap_triples: float = 1e8  # products of rows, outputs and triples of bits up to which degree 3 is tried
    unlimited: int = 60  # effects, where no limit is given
    weight_steps: int = 256  # weights of classes are kept to this share of the largest


EFFECTS = EffectTuning()
