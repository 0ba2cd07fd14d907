"""What the classifier and the regressor share: from a table to a few named terms and their weights."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, field, replace
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paclearn._compat import make_frame
from paclearn._parameters import Nothing, OneOf, Rule, Whole
from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.encoding.distinct import distinct_signs
from paclearn.encoding.encoded_rows import Kinds, RowsElsewhere, first_kinds
from paclearn.encoding.folds import splits
from paclearn.learners.fitting import HELD_OUT
from paclearn.learners.learned import Learned, LearnedInPasses
from paclearn.learners.measuring import fitted_measure, layout_in, measures_from
from paclearn.learners.spectral.effect_estimator import EFFECT_PARAMETERS, EffectEstimator
from paclearn.learners.spectral.fitted_terms import FittedTerms, WeightedTerms
from paclearn.learners.spectral.forward import Design, grow_at_once, triples_say_something
from paclearn.learners.spectral.lasso import has_steps
from paclearn.learners.spectral.level_scales import most_levels, with_level_scales
from paclearn.learners.spectral.long_tables import encoded_rows, in_products, long_problem
from paclearn.learners.spectral.model_choice import Choice, Judging, average_if_better, choose
from paclearn.learners.spectral.phrases import Vocabulary
from paclearn.learners.spectral.points_choice import chosen_in_points
from paclearn.learners.spectral.rounding import log_binomial, price_of_integers
from paclearn.learners.spectral.smooth import beliefs_of
from paclearn.learners.spectral.term_reading import HasTerms
from paclearn.learners.spectral.term_scan import Standardised
from paclearn.learners.spectral.trials import SINGLES, Family, Trial, refit, sizes_up_to
from paclearn.learners.spectral.tuning import TUNING
from paclearn.learners.spectral.weighted_terms import Terms, spelled_out
from paclearn.models.terms import model_bits, signs_of
from paclearn.spectra.parities import in_parities
from paclearn.tables.remote import refuse_elsewhere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Bit, Domain
    from paclearn.encoding.encoded_rows import EncodedRows
    from paclearn.encoding.folds import Draws, Split
    from paclearn.learners.fitting import Rows
    from paclearn.learners.spectral.losses import Loss
    from paclearn.learners.spectral.target_views import TargetView
    from paclearn.measures.bit_layout import BitLayout
    from paclearn.models.additive_model import AdditiveModel
    from paclearn.models.linear import LinearModel

__all__ = ["SPECTRAL", "SpectralBase"]

_DEGREES = 3

SPECTRAL: dict[str, Rule] = {
    "degree": Whole(1, _DEGREES) | OneOf("auto"),
    "n_terms": Whole(0) | OneOf("auto"),
    "max_terms": Whole(1) | Nothing(),
    "terms": OneOf("auto", "xor"),
    **EFFECT_PARAMETERS,
    "basis": OneOf("parity", "orthonormal"),
    "selection": OneOf("residual", "coefficient"),
    **HELD_OUT,
}


@dataclass(eq=False, repr=False)
class SpectralBase(EffectEstimator, HasTerms):
    """A linear model over levels, thresholds and XORs of them; see `SpectralClassifier` for the parameters."""

    _SCALES: ClassVar[tuple[float, ...]] = (0.5,)  # by how much interactions may be held back
    _SHORT: ClassVar[tuple[int, ...]] = ()  # sizes of short models to try beside the rich ones
    _MAY_AVERAGE = False  # whether to try the mean of several models, where rows are few enough for several folds
    _MAY_BE_SPARSE = False  # whether to try terms that an absolute penalty leaves
    _MAY_BE_SMOOTH = False  # whether to try weights that go together where thresholds are near

    _parameters: ClassVar[dict[str, Rule]] = SPECTRAL

    model_: LinearModel | AdditiveModel = field(init=False)

    degree: int | str = "auto"
    n_terms: int | str = "auto"
    _: KW_ONLY
    max_terms: int | None = None
    terms: str = "auto"
    max_effects: int | None = None
    monotone: dict[str, int] | None = None
    measure: Any = "product"
    basis: str = "parity"
    selection: str = "residual"
    n_bins: int = 32
    min_count: float | str = "auto"
    max_levels: int | str = "auto"
    holdout: float | str | None = None
    delta: float = 0.05
    random_state: Any = None

    # ---- what differs ----

    @abstractmethod
    def _in_units(self, fitted: WeightedTerms) -> Terms:
        """Weights as they are kept: rounded, or in units of the target."""

    @abstractmethod
    def _model(self, domain: Domain, bits: Sequence[Bit], terms: Terms) -> LinearModel:
        """The model of some terms."""

    @abstractmethod
    def _view(self) -> TargetView:
        """From targets to what the loss takes, rows x outputs, on the scale that was chosen."""

    # ---- fitting ----

    def _refuse_single_rows(self) -> None:
        refuse_elsewhere("holdout", self.holdout is not None)
        refuse_elsewhere("a model of effects", self._wants_effects)

    def _check_parameters(self) -> None:
        measures_from(self.measure)
        self._check_effects()

    def _learn(self, train: Rows, rng: np.random.RandomState) -> Learned:
        if self._wants_effects:
            return self._learn_effects(train, rng)
        self.domain_, codes = self._encoded(train)
        self._bits = model_bits(self.domain_)
        rows, names = encoded_rows(train, codes), train.table.names
        kinds = self._kinds(rows, rng)
        if kinds is not None and kinds.n > TUNING.enough_rows:
            return self._learn_long(train, rows, kinds, names, rng)
        if kinds is None:
            kinds = Kinds.of(codes, train.targets, train.counts, train.groups)
        model, covariance = self._learn_short(kinds, names, rng)
        if isinstance(rows, RowsElsewhere):
            return LearnedInPasses.of_rows(model, self.domain_, rows, covariance)
        return Learned.of(model, self.domain_, codes, train.n, covariance)

    def _kinds(self, rows: EncodedRows, rng: np.random.RandomState) -> Kinds | None:
        """Different rows, up to more than enough of them; None where all rows are here and not too many to look at."""
        elsewhere = isinstance(rows, RowsElsewhere)
        many = self.basis == "parity" and not self._wants_many and rows.n > TUNING.enough_rows
        if not (many or elsewhere):
            return None
        seed = int(rng.randint(0, 2**31 - 1)) if many else 0  # which decides nothing where all of them are taken
        found = first_kinds(rows, TUNING.enough_rows + 1, seed)
        refuse_elsewhere("a model of other bases, or of so many terms,", found.n > TUNING.enough_rows and not many)
        return found

    def _learn_short(
        self, kinds: Kinds, names: Sequence[str], rng: np.random.RandomState
    ) -> tuple[LinearModel, NDArray[np.float64] | None]:
        """The model of rows that are all here, and the covariance of its weights."""
        signs = signs_of(self.domain_, self._bits, kinds.codes)
        signs, targets, draws = distinct_signs(signs, kinds.targets, kinds.weights, kinds.groups, kinds.n_rows)
        loss, view = self._prepare(targets, draws.weights)
        design = self._design(signs, view(targets), draws, loss, names, rng)
        fitted = self._best(design, targets, draws, rng)
        design = self._choice.best.family.of(design)
        return self._finished(fitted, design.words, design.rows_where_true(fitted.terms))

    @property
    def _wants_many(self) -> bool:
        return self.n_terms != "auto" and self.max_terms is None and int(self.n_terms) > TUNING.many_terms

    def _learn_long(
        self, train: Rows, rows: EncodedRows, kinds: Kinds, names: Sequence[str], rng: np.random.RandomState
    ) -> Learned:
        """Terms by some of very many rows, weights by all."""
        few = kinds.first(TUNING.rows_to_choose_by(rows.n, few=self.max_terms is not None))
        draws, shares = few.draws, few.weights / few.weights.sum()
        loss, view = self._prepare_many(few, train)
        signs = signs_of(self.domain_, self._bits, few.codes)
        design = replace(self._design(signs, view(few.targets), draws, loss, names, rng), frequent=None)
        judged = splits(draws, self._strata(few.targets), rng)
        design, self._choice = self._chosen_on_scale(design, few.targets, shares, np.arange(few.n), judged)
        best = self._choice.best
        some = refit(design, best)
        problem = long_problem(rows, some, best.family.of(design), self._view())
        fitted = WeightedTerms(some.terms, problem, problem.solve(best.penalty, in_products(some)))
        model, covariance = self._finished(fitted, design.words, problem.rows_where_true)
        return LearnedInPasses.of_rows(model, self.domain_, rows, covariance)

    def _prepare_many(self, few: Kinds, train: Rows) -> tuple[Loss, TargetView]:  # noqa: ARG002 - numbers have limits
        """As `_prepare`, by some of very many rows."""
        return self._prepare(few.targets, few.weights)

    def _design(
        self,
        signs: NDArray[np.int8],
        scaled: NDArray[np.float64],
        draws: Draws,
        loss: Loss,
        names: Sequence[str],
        rng: np.random.RandomState,
    ) -> Design:
        counts, bits = draws.weights, self._bits
        columns = np.array([bit.column for bit in bits], dtype=np.intp)
        basis, values = self._functions(signs, layout_in(self.domain_, bits, names), counts, rng)
        by_residual = self.selection == "residual"
        design = Design(signs, basis, values, columns, scaled, counts, loss, by_residual=by_residual)
        return self._with_beliefs(replace(design, vocabulary=Vocabulary(self.domain_, bits), groups=draws.groups))

    def _finished(
        self, fitted: WeightedTerms, words: Vocabulary, rows: tuple[NDArray[np.float64], float]
    ) -> tuple[LinearModel, NDArray[np.float64] | None]:
        """The model of the terms, and the covariance of their weights where it is known."""
        found = terms = self._in_units(fitted)
        if self._choice.best.family.name == "points":
            self._phrase_nats = price_of_integers([len(found.terms)]) + words.log_choices_of_all(found.terms)
            terms = spelled_out(found, words, *rows)
        self._keep(terms)
        model = self._model(self.domain_, terms.bits or self._bits, self._as_parities(terms))
        return model, terms.covariance if self.basis == "parity" else None

    def _with_beliefs(self, design: Design) -> Design:
        """What may be believed of the weights of single bits: of thresholds, or else of the levels of a column."""
        if self.basis != "parity" or (design.has_true_bits and not self._MAY_BE_SMOOTH):
            return with_level_scales(design)
        few = design.counts.sum() <= TUNING.few_rows
        often = design.shares @ (design.signs > 0) if few else None
        roots = beliefs_of(self.domain_, self._bits, smooth=self._MAY_BE_SMOOTH, few=few, often=often)
        return with_level_scales(replace(design, roots=roots, own_scales=few and not design.has_true_bits))

    def _encoded(self, train: Rows) -> tuple[Domain, Any]:
        """Codes of the columns, of as many levels as there is room for."""
        rules, room = self._rules(train), TUNING.most_signs // min(train.n, TUNING.enough_rows)
        found = learn_and_encode(train.table, rules, train.weights)
        if self.max_levels != "auto" or sum(found[0].sizes) <= room:
            return found
        return learn_and_encode(train.table, replace(rules, max_levels=most_levels(found[0], room)), train.weights)

    def _rules(self, train: Rows) -> EncodingRules:
        bins = TUNING.bins(self.n_bins, len(train.table.names), train.n if self._in_points else 0)
        levels = TUNING.fewer_levels[0 if self.max_terms is None else -1]
        rules = replace(self._level_rules(bins, levels), cut_new=True, cut_measured=self._in_points)
        rare = self.min_count == "auto" and self.max_terms is None
        return replace(rules, min_count=1, recurring=True) if rare else rules

    @property
    def _in_points(self) -> bool:
        """Whether terms are conditions and conjunctions of them."""
        return self.max_terms is not None and self.terms == "auto" and self.basis == "parity"

    def _best(
        self, design: Design, targets: NDArray[np.float64], draws: Draws, rng: np.random.RandomState
    ) -> FittedTerms:
        """The model that predicts rows left out best, fitted to all."""
        if self._wants_many:
            return self._many_terms(design, rng)
        some, enough = np.arange(len(targets)), TUNING.enough_rows if self.max_terms is None else TUNING.enough_for_few
        if len(some) > enough:
            some = np.sort(rng.permutation(some)[:enough])
            draws = draws.take(some)
        few = design if len(some) == len(design.counts) else design.rows(replace(draws.whole(), kinds=some))
        judged = splits(draws, self._strata(targets[some]), rng)
        few, self._choice = self._chosen_on_scale(self._begun(few, judged), targets, design.shares, some, judged)
        best = self._choice.best
        fitted = refit(few, best)
        if len(few.counts) < len(design.counts):  # the terms are chosen; their weights take all rows
            design = replace(design, targets=self._view()(targets), loss=few.loss)
            problem = best.family.of(design).problem(fitted.terms)
            fitted = FittedTerms(fitted.terms, problem, problem.solve(best.penalty, fitted.fit))
        return fitted

    def _many_terms(self, design: Design, rng: np.random.RandomState) -> FittedTerms:
        degree = 2 if self.degree == "auto" else int(self.degree)
        size, penalty = int(self.n_terms), TUNING.many_penalty
        trial = Trial(Family("rich", degree, (size,)), size, penalty, penalty)
        self._choice = Choice(trial, {}, np.empty(0))
        return grow_at_once(trial.family.of(design), penalty, size, rng)

    def _functions(
        self, signs: NDArray[np.int8], layout: BitLayout, counts: NDArray[np.float64], rng: np.random.RandomState
    ) -> tuple[NDArray[np.float32] | Standardised, NDArray[Any]]:
        """The functions of single bits that rank interactions, and those that terms are made of."""
        if self.measure == "product" and self.basis == "parity":
            self.measure_: Any = None
            return Standardised.under(signs, counts / counts.sum()), signs
        self.measure_ = fitted_measure(self.measure, signs, layout, counts, rng)
        basis = self.measure_.basis(signs).astype(np.float32)
        return basis, signs if self.basis == "parity" else basis

    def _begun(self, few: Design, judged: Sequence[Split]) -> Design:  # noqa: ARG002
        """The rows to choose by, with whatever is known before terms are chosen."""
        return few

    def _chosen_on_scale(
        self,
        few: Design,
        targets: NDArray[np.float64],  # noqa: ARG002 - for numbers, which have several scales
        shares: NDArray[np.float64],  # noqa: ARG002
        some: NDArray[np.intp],  # noqa: ARG002
        judged: Sequence[Split],
    ) -> tuple[Design, Choice]:
        """The rows to choose by, which are some of all, with targets as the model takes them, and the choice."""
        return few, self._chosen(few, judged)

    def _chosen(self, design: Design, splits: Sequence[Split]) -> Choice:
        """The best of what there is to try; of equally good ones, unless the size is limited anyway, the smallest."""
        enough = TUNING.short_splits[len(design.signs) > TUNING.some_rows]
        some = splits if self.max_terms is None else splits[:enough]
        degrees, judged = self._degrees(design), Judging.of(design, some)
        if self.max_terms is None:
            return self._chosen_freely(design, judged, degrees)
        sizes = sizes_up_to(self.max_terms)
        if self._in_points:
            longest = _DEGREES if self.degree == "auto" else int(self.degree)
            return chosen_in_points(design, judged, sizes, longest, self._rich(degrees, len(design.signs)))
        families = [Family("sparse", degree, sizes, cut_back=True) for degree in degrees]
        if design.counts.sum() <= TUNING.few_rows:  # where greed would learn much noise
            teacher = choose(judged, self._rich(degrees, len(design.signs)), TUNING.slack).best
            degree = teacher.family.degree
            families.append(Family("sparse", degree, sizes[-1:], cut_back=True, teacher=teacher))
        return choose(judged, families, 0.0)

    def _chosen_freely(self, design: Design, judged: Judging, degrees: list[int]) -> Choice:
        every = self._unlimited(degrees, len(design.signs))
        choice = choose(judged, [f for f in every if f.name != "lasso" or has_steps(design.loss)], TUNING.slack)
        (fewest, most), (n, d) = TUNING.rows_to_part, design.signs.shape
        cheap = n * (d + choice.best.size) ** 2 < TUNING.cheap_mean and not design.has_true_bits
        if self._MAY_AVERAGE and choice.best.size > 0 and cheap and fewest <= n <= most:
            return average_if_better(judged, choice, TUNING.slack)
        return choice

    def _degrees(self, design: Design) -> list[int]:
        if self.degree != "auto":
            return [int(self.degree)]
        (n, d), outputs = design.signs.shape, design.targets.shape[1]
        cheap = d <= TUNING.few_bits and n * outputs * d**3 / 6 < TUNING.cheap_triples
        return [2, 3] if cheap and triples_say_something(design) else [2]

    def _unlimited(self, degrees: list[int], n: int) -> list[Family]:
        if self.n_terms != "auto":
            return self._rich(degrees, n)
        short, few = self._SHORT, self._lasso(degrees, n)
        return [*self._rich(degrees, n), *(Family("sparse", k, short) for k in degrees if short), *few]

    def _lasso(self, degrees: list[int], n: int) -> list[Family]:
        """Terms that an absolute penalty leaves, where there are interactions to choose among and not too many rows."""
        (fewest, most), degree = TUNING.lasso_rows, max(degrees)
        wanted = self._MAY_BE_SPARSE and self.selection == "residual" and fewest <= n <= most
        return [Family("lasso", degree, TUNING.lasso_sizes)] if wanted and degree > 1 else []

    def _rich(self, degrees: list[int], n: int) -> list[Family]:
        steps = tuple(k for k in TUNING.sizes if k <= n) if self.n_terms == "auto" else (int(self.n_terms),)
        return [Family("rich", k, steps, scale) for k in degrees if k > 1 for scale in self._SCALES] or [SINGLES]

    def _errors(self, fitted: WeightedTerms) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Standard errors of the weights, and their covariance where there is room for it."""
        problem, penalty = fitted.problem, self._choice.best.penalty
        covariance = problem.covariance(fitted.fit, penalty)
        if covariance is None:
            return problem.standard_errors(fitted.fit, penalty), None
        return np.sqrt(np.maximum(np.diagonal(covariance, axis1=1, axis2=2), 0)).T, covariance

    def _keep(self, terms: Terms) -> None:
        self.intercept_ = terms.intercept
        self.n_terms_ = len(terms.terms)
        self.degree_ = max(map(len, terms.terms), default=0)
        self.terms_ = make_frame(self._term_columns(terms))

    def _as_parities(self, terms: Terms) -> Terms:
        """The same sum in products of signs; errors of terms are not those of the parities they are made of."""
        if self.basis == "parity":
            return terms
        constant, parities, weights = in_parities(self.measure_.network_, terms.terms, terms.weights)
        return Terms(tuple(parities), weights, terms.intercept + constant, None)

    def _term_columns(self, found: Terms) -> dict[str, list[Any]]:
        """One row a term, the largest weight first. An XOR of two is true where their signs differ."""
        weights, errors, names = found.true_weights, found.errors, found.names(self._bits)
        order = np.argsort(-np.abs(weights).max(axis=1, initial=0), kind="stable")
        columns: dict[str, list[Any]] = {"term": [names[i] for i in order]}
        columns["degree"] = [len(found.terms[i]) for i in order]
        if found.rows is not None:
            columns["rows"] = found.rows[order].tolist()
        for k, label in enumerate(self._output_labels()):
            columns[f"weight{label}"] = weights[order, k].tolist()
            columns[f"se{label}"] = [float("nan")] * len(order) if errors is None else errors[order, k].tolist()
        return columns

    def _output_labels(self) -> list[str]:
        return [""]

    def _log_choices(self) -> float:
        """Nats to write down which terms were chosen: the largest degree, how many, and which of all that there are."""
        if self._wants_effects:
            return self._effect_choices
        if self._choice.best.family.name == "points":
            return self._phrase_nats
        d = len(self._bits)
        candidates = sum(comb(d, k) for k in range(1, self.degree_ + 1))
        extra = self.n_terms_ - (d if self._choice.best.family.name == "rich" else 0)
        return float(np.log(_DEGREES + 1)) + price_of_integers([extra]) + log_binomial(candidates, extra)
