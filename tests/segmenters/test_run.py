"""Runs of several methods, their files and recipes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from caesura.cli.segmenters import describe_segmenter, segmenter_table
from caesura.corpus import MADE_BY, Corpus, Document
from caesura.declare import Card, param
from caesura.errors import DeclarationError, FormatError, OutputExistsError, SegmentationError
from caesura.formats import load
from caesura.scorers import SCORERS, Scorer
from caesura.segmentation import Segmentation
from caesura.segmenters import Cut, ScoreThenSelect, Segmenter, segmenter
from caesura.segmenters.run import file_names, parse_methods, run_method, run_methods, save_segmented
from caesura.selectors import TopKSelector

CORPUS = Corpus([
    Document(id="a", n_units=4, units=("cat", "cat", "rain", "rain"), segmentation=Segmentation(4, (1,))),
    Document(id="b", n_units=3, units=("x", "y", "z"), segmentation=Segmentation(3)),
])  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Fails(Segmenter):
    card = Card(title="fails")

    def cut(self, features):
        raise SegmentationError("cannot")


@dataclasses.dataclass(frozen=True)
class Ranks(Scorer):
    """Not registered: an object is enough for ScoreThenSelect."""

    extra: int = param(0, "scores too many")
    card = Card(title="ranks gaps by place")

    def gap_scores(self, features):
        return np.arange(features.n_units - 1 + self.extra, dtype=float)


def test_a_failing_method_does_not_stop_the_others():
    found = list(run_methods(CORPUS, [Fails(), segmenter("none")]))
    assert str(found[0][1]) == "document 'a': cannot"
    assert isinstance(found[1][1], Corpus)


def test_any_scorer_and_selector():
    method = ScoreThenSelect(Ranks(), TopKSelector(k=1))
    assert str(method) == "ScoreThenSelect(scorer='Ranks', selector='TopKSelector')"
    assert method.segment(CORPUS)["a"].segmentation == Segmentation(4, (3,))
    assert method.segment(CORPUS)["a"].scores == (0.0, 1.0, 2.0)
    with pytest.raises(SegmentationError, match=r"document 'a': Ranks.* gave 4 scores for 3 gaps"):
        ScoreThenSelect(Ranks(extra=1), TopKSelector(k=1)).segment(CORPUS)
    with pytest.raises(DeclarationError, match="'Rank' is not a scorer"):
        ScoreThenSelect("Rank")
    assert "Ranks" not in SCORERS


def test_methods_are_named_once():
    assert [str(m) for m in parse_methods(["none", "TextTiling(window=6)"])] == ["none", "TextTiling"]
    with pytest.raises(DeclarationError, match="method TextTiling is given twice"):
        parse_methods(["TextTiling", "TextTiling(window=6)"])
    with pytest.raises(DeclarationError, match="no method given"):
        parse_methods([])


def test_unranked_methods_get_random_scores_that_respect_their_boundaries():
    made = run_method(CORPUS, segmenter("even(k=1)"), seed=4)["a"]
    assert made.extra[MADE_BY]["scores"] == "random"
    scores = np.array(made.scores)
    assert scores.argmax() + 1 == made.segmentation.boundaries[0]
    assert made.scores != run_method(CORPUS, segmenter("even(k=1)"), seed=5)["a"].scores


def test_oracles_are_marked():
    method = segmenter("every")
    assert method.label == "every (oracle)"
    assert run_method(CORPUS, method)["a"].extra[MADE_BY]["oracle"] is True
    assert segmenter("TextTiling(n_segments='oracle')").label == "TextTiling(n_segments='oracle')"
    assert "n_segments" in describe_segmenter("TextTiling")
    assert "oracle" in str(segmenter_table().rows)
    assert describe_segmenter("BlockDepth").startswith("BlockDepth: depth")


def test_file_names():
    methods = [segmenter("TextTiling(n_segments='oracle')"), Fails(), dataclasses.replace(Fails())]
    assert file_names([method.label for method in methods], "d", ".jsonl") == [
        "d/TextTiling-n_segments-oracle.jsonl", "d/Fails.jsonl", "d/Fails-2.jsonl",
    ]  # fmt: skip


def test_jsonl_comes_back_with_scores_and_recipe(tmp_path):
    path = tmp_path / "out.jsonl"
    made = run_method(CORPUS, segmenter("TextTiling(window=1)"))
    save_segmented(made, str(path), overwrite=False)
    back = load(path, strict=True)
    assert back["a"].segmentation == made["a"].segmentation
    assert back["a"].scores == made["a"].scores
    assert back["a"].extra[MADE_BY] == made["a"].extra[MADE_BY]


def test_chapters(tmp_path):
    times = ((0.0, 1.5), (1.6, 2.0), (2.6, 4.0), (4.1, 5.0))
    timed = Corpus([dataclasses.replace(CORPUS["a"], unit_times=times, unit="cue", segmentation=None)])
    cut = Corpus([dataclasses.replace(timed["a"], segmentation=Segmentation(4, (2,), unit="cue"))])
    save_segmented(cut, str(tmp_path / "c.vtt"), overwrite=False)
    assert "00:02.600 --> " in (tmp_path / "c.vtt").read_text()
    save_segmented(cut, str(tmp_path / "c.txt"), "youtube", overwrite=False)
    first, second = (tmp_path / "c.txt").read_text().splitlines()
    assert first.startswith("00:00 Words: ")
    assert second.startswith("00:03 Words: ")
    with pytest.raises(FormatError, match="document 'a' has no times, which chapters need"):
        save_segmented(CORPUS, str(tmp_path / "d.vtt"), overwrite=False)
    assert not (tmp_path / "d.vtt").exists()


def test_a_list_of_chapters_for_each_recording(tmp_path):
    texts = ("A ship sailed.", "The ship sank!", "We bake bread.", "Bread and more bread.")
    times = ((0.0, 60.0), (60.0, 120.0), (120.0, 180.0), (180.0, 250.0))
    cut = Segmentation(4, (2,), unit="cue")
    made = [
        Document(id=key, n_units=4, units=texts, unit="cue", unit_times=times, segmentation=cut)
        for key in ("日本", "a/b", "a-b")
    ]
    save_segmented(Corpus(made), str(tmp_path / "auto"), "chapters", overwrite=False)
    assert sorted(path.name for path in (tmp_path / "auto").iterdir()) == ["a-b-2.json", "a-b.json", "日本.json"]
    (back,) = load(tmp_path / "auto" / "日本.json")
    assert back.segmentation == Segmentation(250_000, (120_000,), unit="ms")
    assert back.extra["segment_titles"] == ["Words: ship, sailed, sank", "Words: bread, bake"]
    with pytest.raises(OutputExistsError):
        save_segmented(Corpus(made), str(tmp_path / "auto"), "chapters", overwrite=False)
    with pytest.raises(FormatError, match="has no times, which chapters need"):
        save_segmented(CORPUS, str(tmp_path / "none"), "chapters", overwrite=False)
    assert not (tmp_path / "none").exists()


def test_a_cut_of_one_document():
    assert Cut(Segmentation(3)).hierarchy == ()
    assert segmenter("every(n=2)").segment(CORPUS["a"]) == Segmentation(4, (2,))


def test_the_package_of_a_segmenter_stands_in_the_output():
    """Of one that another package declares, or whose function it holds; the packages here are those of the tests."""
    from caesura.segmenters.base import package_of

    assert package_of("caesura.segmenters.c99") == {}
    assert package_of("numpy.linalg") == {"numpy": np.__version__}
    assert package_of("nobodys.module") == {}
    made = run_method(Corpus([Document(id="d", n_units=3, units=("a", "b", "c"))]), segmenter("numpy:char.str_len"))
    assert made["d"].extra[MADE_BY]["numpy"] == np.__version__


def test_methods_that_differ_in_signs_only_have_files_of_their_own():
    methods = parse_methods(["command:cut a", "command:cut+a", "command:cut/a"])
    assert file_names([method.label for method in methods], "out", ".jsonl") == [
        "out/command-cut-a.jsonl",
        "out/command-cut-a-2.jsonl",
        "out/command-cut-a-3.jsonl",
    ]
