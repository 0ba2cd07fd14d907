"""Constants of the halfspaces in one place: time and memory against rows; none is a parameter of the model."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TUNING", "HalfspaceTuning"]


@dataclass(frozen=True)
class HalfspaceTuning:
    """What the solvers take for granted.

    The values were chosen by hand on `make_halfspace` with and without bad labels and on tables of categories of the
    public suite; those of the alternating direction method are within what Boyd and others (2011, section 3.4) advise.
    """

    # ---- which solver ----
    batch_rows: int = 3000  # different rows up to which "auto" is "batch", and nu and B are judged by the kernel itself
    most_batch_rows: int = 30_000  # beyond, a matrix of all pairs is refused: 7 GiB

    # ---- choosing nu and B ----
    # a small nu is nearly linear, so few rows suffice; one half is the kernel of Shalev-Shwartz, Shamir and Sridharan;
    # each with the least and the most B: below, functions hardly leave nought, and above they fit every row
    nus: tuple[tuple[float, float, float], ...] = ((0.02, 10.0, 1e9), (0.5, 1.0, 1e6))
    # finer where one radius more or less decides between a function that hardly reaches one half and one that does
    radii: tuple[float, ...] = (
        *(1.0, 1.3, 1.8, 2.4, 3.2, 4.2, 5.6, 7.5, 10.0, 32.0, 100.0, 320.0, 1e3, 3.2e3, 1e4, 3.2e4, 1e5, 3.2e5, 1e6),
        *(3.2e6, 1e7, 3.2e7, 1e8, 3.2e8, 1e9),
    )
    radius_folds: int = 5  # all of them for few rows, one for many
    radius_rows: int = 20_000  # enough to judge them by
    radius_tolerance: float = 1e-3
    radius_steps: int = 500

    # ---- subgradient steps ----
    block: int = 128  # rows whose kernel values with all earlier ones are one product of matrices

    # ---- explicit features ----
    most_features: int = 20_000_000  # rows times features that are solved at once: 160 MB
    rows_at_once: int = 4096  # whose features are computed together
    least_landmark: float = 1e-10  # share of the largest eigenvalue below which directions of landmarks are left out

    # ---- the alternating direction method ----
    least_direction: float = 1e-13  # the same for all rows
    relaxation: float = 1.6
    first_penalty: float = 3.0  # over the number of rows
    look_every: int = 10  # steps between two looks at the gap
    balance_every: int = 20  # steps between two changes of the penalty
    balance_until: int = 600  # steps, and then it stays as it is


TUNING = HalfspaceTuning()
