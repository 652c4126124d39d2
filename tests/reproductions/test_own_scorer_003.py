"""``reproduce 003 T8 … T12 --model``: a scorer of the user beside the printed one, on the documents that are there."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from caesura.cli import cli
from caesura.errors import DeclarationError, FormatError
from caesura.evaluation.evaluate import evaluate
from caesura.formats import save
from caesura.scorers import Encoding
from caesura.segmenters import segmenter
from caesura.training import train
from caesura.training.data import make_data
from caesura_reproductions.data import Data
from caesura_reproductions.paper_003.trained import _own_rows
from caesura_reproductions.run import reproduce
from tests.corpora import corpus_file, needs
from tests.training.toy import config, corpus, source

DOCUMENTS = corpus(5, seed=9)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A small scorer, trained here, without torch."""
    folder = tmp_path_factory.mktemp("own") / "scorer"
    made = config()
    train(made, folder, make_data(made, {"toy": source()}), encoding=Encoding())
    return folder


@pytest.fixture
def data(tmp_path):
    """A folder with documents in the place of TIAGE, and no other corpus."""
    (tmp_path / "tiage").mkdir()
    save(DOCUMENTS, tmp_path / "tiage" / "tiage_test.jsonl.gz")
    return tmp_path


def test_scores_are_those_of_evaluate_on_what_the_scorer_cuts(model, data):
    columns = ["W-F1", "BOR", "Purity", "Coverage", "F1", "Pred", "Gold"]
    values = {(v.row, v.column): v for v in _own_rows(Data(data, model), ["TIAGE", "QMSum"], columns)}
    cut = segmenter(f"model:{model}").segment(DOCUMENTS, encoding=Encoding())
    made = evaluate(DOCUMENTS, {"own": cut}, ["W-F1", "BOR", "Purity", "Coverage"], profile="as_run").scores["own"]
    for name, score in made.items():
        assert values["own scorer | TIAGE", name].ours == pytest.approx(score)
    assert values["own scorer | TIAGE", "Pred"].ours == sum(d.segmentation.n_boundaries for d in cut)
    assert values["own scorer | TIAGE", "Gold"].ours == sum(d.segmentation.n_boundaries for d in DOCUMENTS)
    lacking = values["own scorer | QMSum", "every score"]
    assert lacking.ours is None
    assert "needs qmsum/" in lacking.note


def test_without_a_model_nothing_is_added(data):
    assert list(_own_rows(Data(data), ["TIAGE"], ["W-F1"])) == []


def test_a_model_where_none_is_scored_and_one_without_texts_are_refused(model, data, monkeypatch):
    with pytest.raises(DeclarationError, match="T1 has no table of a trained scorer"):
        reproduce("001", "T1", data, model)
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    with pytest.raises(FormatError, match="name their folder with --data"):
        reproduce("003", "T9", None, model)


@needs("reproduction/tiage_masses.json")
def test_printed_numbers_are_as_before_and_the_own_ones_are_not_printed(model, data):
    (data / "reproduction").symlink_to(corpus_file("reproduction/tiage_masses.json").parent)
    for name in ("T8", "T9", "T10", "T12"):
        before, after = (reproduce("003", name, data, given).cells for given in (None, model))
        own = [cell for cell in after if cell.row.startswith("own scorer")]
        assert [cell for cell in after if cell not in own] == before
        assert own
        assert all(cell.printed is None or cell.printed == "" for cell in own)
        assert any(cell.ours is not None for cell in own)


@needs("reproduction/tiage_masses.json")
def test_from_the_command_line(model, data):
    (data / "reproduction").symlink_to(corpus_file("reproduction/tiage_masses.json").parent)
    said = CliRunner().invoke(cli, ["reproduce", "003", "T9", "--data", str(data), "--model", str(model), "--full"])
    assert said.exit_code == 0, said.output
    assert "own scorer | TIAGE" in said.stdout
