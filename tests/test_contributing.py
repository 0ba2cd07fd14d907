"""The recipes of CONTRIBUTING do what they say."""

import re
from pathlib import Path

import numpy as np
import pytest

from paclearn import JuntaClassifier, JuntaRegressor
from paclearn.counting import BitTable, engine_for
from paclearn.datasets import load_tic_tac_toe, make_parity
from paclearn.models import KINDS
from paclearn.search import exhaustive
from paclearn.spectra import Spectrum
from paclearn.views import model_file

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def recipes():
    blocks = re.findall(r"(?ms)^```python\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    names = {}
    for block in blocks:
        exec(block, names)
    return names


def test_files_that_recipes_name_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|tests|docs|views|learners|kernels|\.github|\.ci)/[\w./]+)`", text)
    assert len(named) > 15
    for name in named:
        assert (ROOT / name).exists() or (ROOT / "src" / "paclearn" / name).exists(), name


def test_a_score_finds_the_columns(recipes):
    data = make_parity(500, n_columns=8, k=2, noise=0.0, random_state=0)
    codes = [(column > 0).astype(np.uint8) for column in data.data.T]
    engine = engine_for(BitTable.pack(codes, [2] * 8, (data.target > 0).astype(int), 2))
    found = exhaustive(engine, recipes["PurityScore"](2), 2)
    assert tuple(found.subsets[0]) == data.relevant
    assert found.scores[0] == 1


def test_a_measure_has_an_orthonormal_basis(recipes):
    measure = recipes["PairMeasure"]().fit(np.random.default_rng(0).choice([-1, 1], (200, 4)))
    assert measure.network_.parents == ((), (0,), (), (2,))
    squares = Spectrum.exact(lambda bits: bits[:, 0] * bits[:, 3], measure).weight_by_degree()
    assert squares.sum() == pytest.approx(1)  # Parseval


def test_a_model_predicts_and_comes_back_from_a_file(recipes, monkeypatch):
    like = JuntaRegressor(k=1).fit(np.arange(20.0).reshape(-1, 1) % 4, np.arange(20.0)).model_
    model = recipes["ConstantModel"](like.about, like.columns, (2.5,))
    codes = [np.zeros(3, dtype=np.uint8)]
    assert model.predictions(codes).tolist() == [[2.5]] * 3
    assert [why.score.tolist() for why in model.explain(codes)] == [[2.5]] * 3
    assert model.effects().scores(codes).tolist() == [[2.5]] * 3
    monkeypatch.setitem(KINDS, "constant", recipes["ConstantModel"])
    assert model_file.from_json(model_file.to_json(model)).value == (2.5,)


def test_a_view_reads_any_model(recipes):
    boards = load_tic_tac_toe(as_frame=True)
    model = JuntaClassifier(k=2).fit(boards.data, boards.target).model_
    assert " × ".join(column.name for column in model.columns) in recipes["to_outline"](model)
