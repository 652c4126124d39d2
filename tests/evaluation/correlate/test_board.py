"""A metric of one's own on a board: the same numbers as `correlate`, and what it takes."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from caesura.cli import cli
from caesura.errors import CaesuraError, ComparabilityError, FormatError, MetricError
from caesura.evaluation.correlate.board import BOARDS, PUBLISHED, board, own_metric
from caesura.evaluation.correlate.run import correlate
from caesura.segmenters import segmenter
from caesura.segmenters.run import run_method
from tests.corpora import corpus_file, needs
from tests.evaluation.correlate.test_correlate import GOLD

METHODS = ("TextTiling(window=2)", "Scatter", "C99", "VectorTiling(window=2)", "random_density", "even")
MINE = '''
import numpy as np
from caesura.metrics import metric

def gold(segmentation, units):
    """Follows the topics of the words: as good as a reference."""
    topics = ("cat kitten purr whisker", "rain cloud storm wind", "bread oven flour dough")
    of = [next(t for t, words in enumerate(topics) if unit.split()[0] in words.split()) for unit in units]
    right = {i for i in range(1, len(of)) if of[i] != of[i - 1]}
    return -len(right ^ set(segmentation.boundaries)) / len(units)

def arp(segmentation, vectors):
    return metric("ARPpair")(segmentation, vectors)

def never(segmentation):
    return float("nan")

def infinite(segmentation):
    return float("inf")

def other(reference, hypothesis):
    return 0.0

def raising(segmentation):
    raise KeyError("no")

number = 3
'''


def corpora(folder: Path):
    """The board of these tests, found by its entry point."""
    from caesura.evaluation.correlate.board import BoardCorpus

    made = {name: run_method(GOLD, segmenter(name)) for name in METHODS}
    yield BoardCorpus("topics", GOLD, {n: {d.id: d.segmentation for d in c} for n, c in made.items()})
    yield BoardCorpus("lost", None, {}, "which needs lost.jsonl")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with functions, an installed package with a board, and a folder of data without the corpora of others."""
    (tmp_path / "mine_on_board.py").write_text(MINE)
    about = tmp_path / "site" / "a_board-1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: a-board\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[{BOARDS}]\nsmall = {__name__}:corpora\n")
    (tmp_path / "data").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAESURA_DATA", str(tmp_path / "data"))
    yield tmp_path
    sys.modules.pop("mine_on_board", None)


def test_a_function_equal_to_a_published_metric_has_its_row(here):
    made = board("mine=mine_on_board:arp", resamples=600)
    rows = {(row[1], row[2]): row for row in made.table(text=False).rows if row[0] == "topics"}
    assert {metric for _, metric in rows} == {"mine", *PUBLISHED}
    for reading in ("systems only", "+ log BOR held"):
        mine, theirs = rows[reading, "mine"], rows[reading, "ARPpair"]
        for place in (4, 7, 10):  # Pk, WindowDiff, B
            assert mine[place] == pytest.approx(theirs[place])
            assert theirs[place + 2] == "-"  # equal metrics are not shown to differ
    assert any("lost, which needs lost.jsonl" in note for note in made.table().notes)


def test_numbers_are_those_of_correlate(here):
    made = board("mine=mine_on_board:gold", resamples=600)
    (whole,) = [one for name, one in made.correlations.items() if name == "topics"]
    ((_, _, systems, _), _) = corpora(here)
    same = correlate(GOLD, systems, ["ARPpair", "Pk"], resamples=600, check=False)
    ours = {row.reading: row for row in same.facts.rows}
    theirs = {row.reading: row for row in whole.facts.rows if (row.metric, row.reference) == ("ARPpair", "Pk")}
    for reading in ("systems only", "density removed"):
        assert theirs[reading].pearson == ours[reading].pearson
    mine = [row for row in whole.facts.rows if row.metric == "mine" and row.reading == "systems only"]
    assert all(row.pearson.value > 0.9 for row in mine if row.reference == "WindowDiff")


def test_a_metric_that_is_better_is_shown_to_be(here):
    cells = [cell for cell in board("mine=mine_on_board:gold")._cells() if cell.corpus == "topics"]
    assert "more" in {cell.own for cell in cells if cell.metric == "SegReFree"}
    assert "less" not in {cell.own for cell in cells if cell.reading == "systems only"}


def test_from_the_command_line(here):
    said = CliRunner().invoke(cli, ["correlate", "--board", "mine=mine_on_board:gold"])
    assert said.exit_code == 0, said.output
    assert "Systems only: mine has a mean correlation of" in said.stdout
    csv = CliRunner().invoke(cli, ["correlate", "--board", "mine=mine_on_board:gold", "--format", "csv"])
    assert csv.stdout.splitlines()[0].startswith("corpus,reading,metric,n,Pk,Pk low,Pk high,own agrees by Pk,")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--board", "x=mine_on_board:arp", "gold.jsonl"], "has its own corpora"),
        (["--board", "x=mine_on_board:arp", "-o", "a.json"], "--output is not for --board"),
        ([], "name GOLD and at least three SYSTEMS"),
        (["gold.jsonl"], "name GOLD and at least three SYSTEMS"),
    ],
)
def test_what_does_not_go_together_is_refused(here, arguments, line):
    said = CliRunner().invoke(cli, ["correlate", *arguments])
    assert said.exit_code == 2
    assert line in said.output


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("mine", "write NAME=module:attribute"),
        ("mine=mine_on_board", "write NAME=module:attribute"),
        ("Pk=mine_on_board:arp", "give it another name"),
        ("mine=mine_on_board:nothing", "has no nothing"),
        ("mine=no_such_module:f", "cannot be imported"),
        ("mine=mine_on_board:number", "is a int"),
        ("mine=mine_on_board:other", "takes reference, hypothesis"),
    ],
)
def test_what_is_no_metric_is_refused_in_one_line(here, text, line):
    with pytest.raises(MetricError, match=line) as caught:
        own_metric(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "line"), [("raising", "no"), ("infinite", "finite number"), ("never", "not defined without a reference")]
)
def test_values_that_cannot_be_used_are_one_line(here, name, line):
    with pytest.raises(CaesuraError, match=line):
        board(f"mine=mine_on_board:{name}", resamples=600)


def test_a_published_metric_and_too_few_resamples_are_refused(here):
    with pytest.raises(MetricError, match="on the board already"):
        board("mine=caesura.metrics.cohesion.silhouette:Silhouette")
    with pytest.raises(ComparabilityError, match="600 resamples or more"):
        board("mine=mine_on_board:arp", resamples=599)


def test_without_data_it_says_what_to_set(here, monkeypatch):
    monkeypatch.delenv("CAESURA_DATA")
    with pytest.raises(FormatError, match="set CAESURA_DATA"):
        board("mine=mine_on_board:arp")


@needs("choi")
def test_the_outputs_of_the_reproductions_are_a_board(tmp_path):
    """Its entry point names a function that yields the corpora whose documents are there."""
    declared = tomllib.loads((Path(__file__).parents[3] / "reproductions/pyproject.toml").read_text())
    module, _, name = declared["project"]["entry-points"][BOARDS]["paper000"].partition(":")
    (tmp_path / "choi").symlink_to(corpus_file("choi"))
    found = {one.name: one for one in getattr(__import__(module, fromlist=[name]), name)(tmp_path)}
    assert list(found) == ["Choi 3-11", "Wiki-50", "QMSum", "WikiSection-PT"]
    assert [one.name for one in found.values() if one.gold is not None] == ["Choi 3-11"]
    choi = found["Choi 3-11"]
    assert len(choi.gold) == 100
    assert len(choi.systems) == 9
    assert np.mean([len(cuts) == 100 for cuts in choi.systems.values()]) == 1
