"""RuleClassifier: the few rules that tell the classes."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paclearn._compat import make_frame
from paclearn._parameters import Between, Nothing, Rule, Whole
from paclearn.certificates import occam_kl
from paclearn.encoding import EncodingRules, learn_and_encode_compared
from paclearn.learners.fitting import HELD_OUT, ClassLearner, ModelLearner
from paclearn.learners.learned import Learned
from paclearn.learners.rules.rule_assembly import assembled
from paclearn.learners.rules.rule_choice import by_frequency, choose, orders_of, prices_of
from paclearn.learners.rules.rule_growth import Plan, grow, path
from paclearn.learners.rules.rule_length import rules_log_size
from paclearn.learners.rules.rule_rows import RuleRows
from paclearn.learners.rules.rule_set import Budget
from paclearn.learners.rules.rule_settling import settle
from paclearn.learners.rules.rule_work import Work
from paclearn.models.rule_model import RuleModel

if TYPE_CHECKING:
    from paclearn.certificates import Certificate
    from paclearn.encoding import Domain
    from paclearn.learners.fitting import Rows
    from paclearn.learners.learned import Judged
    from paclearn.learners.rules.rule_choice import Choice
    from paclearn.learners.rules.rule_growth import Block
    from paclearn.learners.rules.rule_settling import Optimality

__all__ = ["RuleClassifier"]

_FEWEST = 4000  # different rows that rules are looked for in, at the least where there are so many
_CELLS, _MOST_CELLS = 60_000, 600_000  # of those rows: a unit of effort, and at the most


@dataclass(eq=False, repr=False)
class RuleClassifier(ClassLearner, ModelLearner):
    """The smallest set of rules that tells the classes: yes if any applies.

    A rule is a conjunction of a few conditions: ``colour = red and 24 < age <= 41``. With two classes all rules say the
    same one, and the other is said where none applies; whichever of the two needs less is told by rules. With more, the
    rarest class has its rules first, then the next of the rows that are left, and the most frequent is the rest.

    Candidates come from looking at all conjunctions; a set of them is chosen that has few errors and few literals
    (an interval has two, a list one a level), exactly where that is little enough work: ``optimality_`` says how far
    from the best it may be. How many errors a literal must save is settled by rows left out.

    Parameters
    ----------
    max_rules : int or None, default=None
        The most rules.
    max_conditions : int, default=3
        The most conditions a rule may have.
    max_literals : int or None, default=None
        The most literals of all rules together.
    n_bins, min_count, max_levels : default=8, 5, 16
        How columns become levels, see `BooleanEncoder`.
    effort : float, default=10.0
        How much work is begun at the most: about so many seconds of an ordinary core, but counted and not clocked, so
        that the same rows give the same rules. With less, fewer rows are left out to choose by, and the set of rules is
        not proved to be the best. ``optimality_`` and ``choice_`` say so. In a large table (60 000 cells of different
        rows a unit, 600 000 at the most) rules are looked for in a part of the rows, and judged by all.
    time_limit : float, default=None
        Seconds by the clock after which nothing new is begun, whatever the effort; the rules may then be others on
        another machine, or another day.
    holdout : float or "auto", default=None
        Share of the rows to keep out of the fit and to bound the error with; ``"auto"``: a fifth, of 200 rows or more.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    random_state : int, RandomState instance or None, default=None
        Draws the held-out rows and the folds.

    Attributes
    ----------
    model_ : RuleModel
        The rules: it predicts, explains and can be exported.
    rules_ : data frame
        The rules in words, the class each says, the rows it applies to, and the share of the class among them.
    optimality_ : Optimality
        Whether a smaller set of rules could have as few errors.
    choice_ : Choice
        In which order the classes are asked for, how many errors a literal must save, and how many folds said so.
    certificate_, certificates_ : Certificate, list of Certificate
        The tightest bound on the error: Occam's, for few rules are a short description, or Clopper-Pearson's on the
        rows held out; and all of them.
    heldout_rows_, classes_, domain_ : as of `JuntaClassifier`
        Which rows were kept out of the fit, the class labels, and what the codes of the columns mean.

    Examples
    --------
    >>> from paclearn import RuleClassifier
    >>> from paclearn.datasets import load_tic_tac_toe
    >>> boards = load_tic_tac_toe()
    >>> model = RuleClassifier(random_state=0).fit(boards.data, boards.target)
    >>> len(model.rules_), model.score(boards.data, boards.target)
    (8, 1.0)
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        "max_rules": Whole(1) | Nothing(),
        "max_conditions": Whole(1),
        "max_literals": Whole(1) | Nothing(),
        "effort": Between(0, inf),
        "time_limit": Between(0, inf) | Nothing(),
        **HELD_OUT,
    }

    model_: RuleModel = field(init=False)
    domain_: Domain = field(init=False)
    choice_: Choice = field(init=False)
    optimality_: Optimality = field(init=False)

    max_rules: int | None = None
    max_conditions: int = 3
    _: KW_ONLY
    max_literals: int | None = None
    n_bins: int = 8
    min_count: float = 5
    max_levels: int = 16
    effort: float = 10.0
    time_limit: float | None = None
    holdout: float | str | None = None
    delta: float = 0.05
    random_state: Any = None

    def _learn(self, train: Rows, rng: np.random.RandomState) -> Learned:
        work = Work(self.effort, self.time_limit)
        encoding = EncodingRules(self.n_bins, self.min_count, self.max_levels)
        self.domain_, read = learn_and_encode_compared(train.table, encoding, train.weights)
        codes = list(read)
        every = RuleRows.of(self.domain_, codes, train)
        rows = every.some(self._most_rows())
        most = min(self.max_conditions, len(self.domain_.columns))
        plan = Plan(most, self._budget(), orders_of(rows.class_weights), work)
        self.choice_ = choose(rows, plan, rng)
        blocks, self.optimality_ = settle(self._blocks(rows, plan), self.choice_.price, plan)
        if not any(block.rules for block in blocks):  # what is said of all rows is the most frequent class
            self.choice_ = replace(self.choice_, order=by_frequency(plan.orders, rows))
        if rows.n < every.n:  # what is proved of some rows is not of all
            self.optimality_ = replace(self.optimality_, proved=False, gap=1.0)
        model = assembled(self._about(self.classes_), blocks, self.choice_.order, every)
        return Learned.of(model, self.domain_, codes, train.n)

    def _most_rows(self) -> int:
        """Different rows to look for rules in: by the effort and not the clock, so that they are the same again."""
        cells = min(_CELLS * self.effort, _MOST_CELLS)
        return max(_FEWEST, int(cells / len(self.domain_.columns)))

    def _budget(self) -> Budget:
        return Budget(self.max_rules or inf, self.max_literals or inf)

    def _blocks(self, rows: RuleRows, plan: Plan) -> list[Block]:
        """The rules of all rows, at the price that did best."""
        order, price = self.choice_.order, self.choice_.price
        pools = {label: rows.pool(label) for label in order[:-1]}
        prices = [cheaper for cheaper in prices_of(rows.weights.sum()) if cheaper <= price]
        grown = grow(rows, pools, order, plan, prices[0])
        return list(path(grown, prices, plan))[-1]

    def _certify(self, train: Judged, held: Judged | None) -> list[Certificate]:
        """Every row of positive weight counts once."""
        assert isinstance(train.model, RuleModel)  # noqa: S101 - it was learned here
        size = rules_log_size(train.model, self.domain_, self.max_conditions)
        share, trivial = self._share_of_delta, train.trivial
        found = [occam_kl(train.missed, train.n, size, share, trivial)]
        return [*found, *self._exam(held, trivial)]

    # ---- what was found ----

    @property
    def rules_(self) -> Any:
        """The rules as a data frame."""
        self._check_fitted()
        model = self.model_
        said, covered = model.said[:-1], model.covered[:-1]
        rows = covered.sum(axis=1)
        return make_frame(
            {
                "rule": model.rule_names,
                "class": self.classes_[said].tolist(),
                "rows": rows.tolist(),
                "share": (covered[np.arange(len(said)), said] / np.maximum(rows, 1e-300)).tolist(),
            }
        )

    def plot_rules(self, most: int = 20, ax: Any = None) -> Any:
        """Draw how many rows every rule applies to, as a `BarDisplay`.

        Parameters
        ----------
        most : int, default=20
            How many rules, the first ones.
        ax : matplotlib Axes, default=None
            Where to draw.
        """
        from paclearn.inspection import BarDisplay

        self._check_fitted()
        rows = self.model_.covered[:-1].sum(axis=1)
        return BarDisplay(self.model_.rule_names[:most], rows[:most].tolist(), "rows that it applies to").plot(ax)

    def _notes(self) -> list[str]:
        return [str(self.optimality_)]
