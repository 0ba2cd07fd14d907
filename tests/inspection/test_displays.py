"""Pictures and notebook views of fitted models."""

import matplotlib as mpl
import matplotlib.figure
import numpy as np
import pandas as pd
import pytest

from paclearn import (
    JuntaClassifier,
    JuntaRegressor,
    RegressionGraphClassifier,
    SpectralClassifier,
    SpectralRegressor,
    inspection,
)
from paclearn.exceptions import InputError
from paclearn.inspection import Display

mpl.use("Agg")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"<b>a": rng.choice(["x<y", "$z$"], 200), "n": rng.normal(size=200), "c": rng.choice(list("uvw"), 200)}
    )


@pytest.fixture(scope="module")
def target(table):
    return np.where((table["<b>a"] == "x<y") ^ (table["n"] > 0), "<yes>", "no")


@pytest.fixture(scope="module")
def models(table, target):
    unfitted = (
        JuntaClassifier(k=2),
        SpectralClassifier(degree=2, max_terms=5, n_bins=8, random_state=0),
        RegressionGraphClassifier(max_leaves=4, random_state=0),
    )
    return {type(model): model.fit(table, target) for model in unfitted}


@pytest.mark.parametrize("kind", [JuntaClassifier, SpectralClassifier, RegressionGraphClassifier])
def test_a_notebook_shows_the_model_once_it_is_there(kind, models):
    assert "sk-" in kind()._repr_html_()  # scikit-learn's box
    shown = models[kind]._repr_mimebundle_()
    assert shown["text/html"] == models[kind]._repr_html_()
    assert "<b>a" not in shown["text/html"]
    assert "&lt;b&gt;a" in shown["text/html"]
    assert shown["text/plain"] == models[kind].to_text()


def test_terms_are_drawn_with_their_errors(models):
    model = models[SpectralClassifier]
    display = model.plot_terms(most=3)
    bars = [patch.get_width() for patch in display.ax_.patches]
    assert bars == pytest.approx(model.terms_["weight"][:3].tolist())
    display.figure_.canvas.draw()  # names with dollars and tags are text
    with pytest.raises(InputError, match="output=3"):
        model.plot_terms(output=3)


@pytest.mark.parametrize("model", [JuntaClassifier(k=2), JuntaRegressor(k=2)], ids=lambda m: type(m).__name__)
def test_cells_and_subsets_are_drawn(model, table, target):
    y = target if isinstance(model, JuntaClassifier) else table["n"].to_numpy()
    model.fit(table, y)
    cells = model.plot_table()
    cells.figure_.canvas.draw()
    assert len(cells.ax_.patches) == min(32, model.truth_table_.n_cells)
    subsets = model.plot_subsets(most=2)
    assert [p.get_height() for p in subsets.ax_.patches] == pytest.approx(model.search_.scores[:2].tolist())


def test_a_certificate_is_drawn(table, models):
    model = SpectralRegressor(1, max_terms=2, holdout=0.3, random_state=0).fit(table, table["n"].to_numpy())
    for certificate in (model.certificate_, models[JuntaClassifier].certificate_):
        display = certificate.plot()
        assert [p.get_width() for p in display.ax_.patches] == [certificate.bound, certificate.observed]
        display.figure_.canvas.draw()


LINKS = ({"a": 1.0}, [(("a", "b"), 2.0), (("a", "b", "c"), -1.0)])
DISPLAYS = [
    inspection.BarDisplay(["a", "long name"], [1.0, 2.0], "weight"),
    inspection.CellsDisplay(["0 0", "0 1"], [0.5, 0.9], ["no", "yes"], [3, 4], "a, b", "probability"),
    inspection.CertificateDisplay(["Occam bound"], [0.1], [0.2], 0.5, "error"),
    inspection.EffectBarsDisplay(["a = u", "a was never seen"], [1.0, -1.0], [0.1, 0.1], [3, 0], "a"),
    inspection.EffectMapDisplay(("a", "b"), (["u", "v"], ["0", "1"]), [[1.0, -1.0], [0.0, 2.0]], [[3, 0], [1, 2]]),
    inspection.EffectStepsDisplay("n", [1.0, 2.0], [0.1, 0.2], [5, 6], [3.0], (), [("n is missing", 0.5)]),
    inspection.EffectStepsDisplay("n", [1.0, 2.0], None, None, None, ["1", "2"]),
    inspection.EffectsDisplay([inspection.EffectStepsDisplay("n", [1.0, 2.0], edges=[3.0])] * 4),
    inspection.EffectDisplay("a", ["u", "v"], [1.0, 2.0], [0.1, 0.1]),
    inspection.EffectDisplay("n", ["<1", "<2", ">2", "missing"], [1.0, 2.0, 0.0, 1.0], None, [1.0, 2.0]),
    inspection.GraphDisplay(["a?"], [(1, 2)], [(3, 4)], [0.5, 0.1, 0.9], [7, 3, 4]),
    inspection.HeatmapDisplay(*LINKS),
    inspection.MarginCurveDisplay({"a": ([0.0, 0.1], [0.2, 0.3])}, {"b": 0.25}),
    inspection.NetworkDisplay(*LINKS),
    inspection.PathDisplay({"a": [(1, 0.5), (2, 0.4)]}, 2),
    inspection.StemDisplay(["a", "b"], [0.5, -0.2], [1, 2], [0.1, 0.1]),
    inspection.StructureDisplay(["a", "b", "c"], [("a", "b", 0.5)]),
    inspection.TermsDisplay(["a", "b"], [1.0, -1.0], [0.1, np.nan], "weight"),
]


def test_every_display_is_tried():
    assert {type(display).__name__ for display in DISPLAYS} == set(inspection.__all__) - {"Display"}


@pytest.mark.parametrize("display", DISPLAYS, ids=lambda d: type(d).__name__)
def test_a_display_is_drawn_on_its_own_axes_or_on_given_ones(display):
    assert isinstance(display, Display)
    assert display.plot() is display
    own = display.figure_
    own.canvas.draw()
    ax = mpl.figure.Figure().add_subplot()
    assert display.plot(ax).ax_ is ax
    assert display.figure_ is ax.figure
    assert display.figure_ is not own
    display.figure_.canvas.draw()
