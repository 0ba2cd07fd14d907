"""Constants of the spectral learners in one place: time against rows, or taste; none is a parameter of the model."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TUNING", "SpectralTuning"]


@dataclass(frozen=True)
class SpectralTuning:
    """What the learners take for granted.

    The values were chosen by hand, by looking at synthetic tables with known answers (`make_parity`, `make_gam`,
    `make_nonlinear`) and at the tables of the public suite; where a single case decided, it is named.
    """

    # ---- from columns to bits, and how much work may be done ----
    most_bits: int = 3000  # with more columns than this allows, numbers are cut more coarsely
    fewest_bins: int = 8  # but not into fewer bins than these
    finer: int = 4  # times as many where terms are conditions: a threshold that lies within a bin takes three to say,
    rows_a_bin: int = 30  # unless these have fewer rows: with more, small tables were told no better
    fewer_levels: tuple[int, ...] = (10_000, 5000, 2000, 1000, 500)  # a column may have: as many as leave room, for
    by_chance: float = 1e-3  # share of tables in which so many times as many bins say more of a number than the few do,
    # though they have nothing to say
    most_signs: int = 2**29  # rows times bits are no more than these, half a gigabyte
    cheap_triples: float = 6e8  # products of rows, outputs and triples up to which degree 3 is tried: about a minute
    few_bits: int = 150  # and bits
    enough_rows: int = 50_000  # to choose terms by; weights take all rows
    enough_for_few: int = 12_000  # to choose the terms of a short model by: 20 000 of adult chose no better
    share_for_few: float = 0.04  # of very many rows, where that is more; as long as the weights of all rows take
    many_terms: int = 4000  # beyond, no choice among sizes and penalties: no second derivative can be kept
    many_penalty: float = 1e-3  # and this penalty, from MNIST with 45 000 terms

    # ---- growing ----
    first_round: int = 8  # interactions at once; later rounds double the model
    alike: float = 0.5  # squared correlation from which interactions of the same columns are near copies
    pool: int = 300  # pairs and triples that a short model compares exactly before it takes one
    least_new: float = 0.1  # share of a term's variance that the others must leave, or it is left out
    worth: tuple[float, float, float] = (1.0, 0.75, 0.6)  # of a term of one, two, three bits: an XOR is harder to read
    most_spare: int = 60  # terms by which a short model outgrows its limit, to be cut back
    idle_terms: int = 12  # of a short model that explain no more than chance, one after the other, and it stops growing
    sure: float = 4.0  # log-odds beyond which scores of a teacher all mean "surely"

    # ---- phrases: conditions and conjunctions of them ----
    phrases: int = 150  # pairs, and phrases grown from the best of them, that a short model compares exactly
    copies: int = 4  # of them on the same columns
    parents: int = 40  # pairs that may become longer phrases
    paired_bits: int = 800  # all of whose pairs are scanned; of more, about so many, spread over the columns,
    fewest_paired: int = 3  # and at least so many of each
    wordings: int = 3  # times that the codes of a chosen phrase are chosen anew
    most_listed: int = 4  # levels in a list
    phrase_worth: tuple[float, float, float] = (1.0, 0.85, 0.75)  # of one, two, three conditions
    length_slack: float = 1.0  # standard errors by which longer phrases must predict better
    next_to_nothing: float = 0.003  # share of the loss without terms that is not worth another term
    plain: tuple[float, ...] = (0.25, 0.5, 1.0)  # shares of the nats that plainer phrases save which they may cost
    plain_slack: float = 1.0  # standard errors by which rows left out must miss what was said at greater length
    plain_loss: float = 0.03  # and the share of what a model tells that fewer words are worth, if that is less
    clearly_odd: float = 2.0  # times as much as anything simpler about its columns a parity must explain

    # ---- choosing ----
    sizes: tuple[int, ...] = (0, 8, 16, 32, 64, 128, 256, 512, 1024)  # interactions beside all single bits
    largest_growth: float = 0.01  # penalty while interactions are looked for
    least_penalty: float = 2e-5
    largest_penalty: float = 10.0
    patience: int = 2  # sizes or penalties without an improvement, and then no more of them
    race_folds: int = 5  # in which families must keep up before they are tried in the others,
    race_slack: float = 1.0  # to so many standard errors; by as many thresholds have to ask for less than is believed
    lasso_sizes: tuple[int, ...] = (8, 16, 32, 64, 128, 256)  # terms that an absolute penalty may leave
    lasso_rows: tuple[int, int] = (300, 5000)  # from and up to which it is tried
    nothing_left: float = 0.01  # loss of other models below which it is not tried; and, as a share of the loss without
    # terms, below which models of classes grow no further
    promising: float = 0.97  # of their loss in the first fold, or it is not tried in the others
    first_folds: int = 2  # or, where terms are phrases, so many: longer ones must be the better ones there
    early_size: int = 128  # interactions up to which scales are compared, where rows are left out but once
    slack: float = 0.5  # standard errors within which the smaller model is taken
    short_splits: tuple[int, int] = (5, 2)  # folds that short models are chosen by, of few rows and of more: on eight
    # small tables fifteen chose no better, nor did three on five larger ones
    some_rows: int = 1000  # beyond which there are more
    few_rows: int = 2000  # up to which short models may be distilled from the model without a limit
    rows_a_pair: int = 16  # and interactions by which scales of numbers are compared
    rows_to_part: tuple[int, int] = (100, 20_000)  # from and up to which the mean of models of parts of them is tried
    cheap_mean: float = 5e9  # and up to which product of rows and squared terms, half a second for each model
    parts: int = 5  # models of such a mean, each without a fifth of the rows; of many rows
    many_to_part: int = 4000
    few_parts: int = 3  # of them, for time

    # ---- weights ----
    steps_a_weight: int = 64  # weights of classes are kept to this share of the largest
    correlation: float = 0.9  # of the weights of neighbouring thresholds, where curves are believed to be smooth
    beside_lines: float = 0.01  # variance of a weight beside a straight line, in units of that of the line: between
    # 0.005 and 0.02, the better of four on eleven tables and generators; at 0.02 lines alone were fitted less well
    reach: float = 30.0  # thresholds over which it falls to a third
    fewest_thresholds: int = 3  # of a column that has a curve
    passes: int = 6  # over the rows, for very many terms
    least_steps: int = 1500  # but at least so many batches
    batch: int = 256  # rows
    learning_rate: float = 5e-4  # of Adam, falling to nought

    def rows_to_choose_by(self, n_rows: int, *, few: bool) -> int:
        """Of very many rows, those by which the terms of a model are chosen, of one of few terms or of any number."""
        if not few:
            return self.enough_rows
        return min(max(self.enough_for_few, int(self.share_for_few * n_rows)), self.enough_rows)

    def bins(self, n_bins: int, n_columns: int, n_rows: int) -> int:
        """Into how many bins numbers are cut; finely, where conditions are asked of so many rows.

        Of very many rows, more to choose terms by say more than finer bins of fewer, and take as long.
        """
        asked = n_rows if n_rows <= self.enough_rows else 0
        most = max(n_bins, min(asked // self.rows_a_bin, self.finer * n_bins))
        return max(min(most, self.most_bits // max(n_columns, 1)), min(self.fewest_bins, n_bins))


TUNING = SpectralTuning()
