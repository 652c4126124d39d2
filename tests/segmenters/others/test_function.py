"""``module:attribute``: what a function may return, told apart by type; and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura.corpus import MADE_BY, Corpus, Document
from caesura.errors import CaesuraError, CaesuraWarning, DeclarationError, SegmentationError
from caesura.segmentation import Segmentation
from caesura.segmenters import Cut, segmenter
from caesura.segmenters.run import run_method

UNITS = ("One one.", "Two two.", "Three three.", "Four\nfour.", "Five five.")
DOCUMENT = Document(id="d", n_units=5, units=UNITS, segmentation=Segmentation(5, (1,)))
TEXT = "One one.\nTwo two.\nThree three.\nFour four.\nFive five."


@pytest.fixture
def returning(monkeypatch):
    """Return a way to segment by a function that returns a value, or by the function itself."""

    def made(value, call="", document=DOCUMENT):
        module = types.ModuleType("somebodys")
        module.cut = value if callable(value) else lambda units: value
        monkeypatch.setitem(sys.modules, "somebodys", module)
        return segmenter(f"somebodys:cut{call}").segment(document).boundaries

    return made


@pytest.mark.parametrize(
    ("value", "boundaries"),
    [
        ([2, 4], (2, 4)),
        ((2,), (2,)),
        (np.array([2, 4]), (2, 4)),
        (iter([2, 4]), (2, 4)),
        ([], ()),
        ([0, 1, 0, 1], (2, 4)),
        (np.array([False, True, False, True]), (2, 4)),
        ("0101", (2, 4)),
        ([2, 2, 1], (2, 4)),
        ([5], ()),
        (Segmentation(5, (2, 4)), (2, 4)),
        (Cut(Segmentation(5, (3,))), (3,)),
        ([(0, 2), (2, 5)], (2,)),
        (["One one. Two two.", "Three three. Four four. Five five."], (2,)),
        ([{"text": "One one.\nTwo two.", "start_index": 0}, {"text": "Three three.\nFour four.\nFive five."}], (2,)),
    ],
)
def test_boundaries_marks_lengths_and_chunks(returning, value, boundaries):
    assert returning(value) == boundaries


def test_scores_are_selected_and_kept(returning):
    scores = [0.1, 0.9, 0.2, 0.8]
    assert returning(scores, "(selector='TopKSelector(k=2)')") == (2, 4)
    out = run_method(Corpus([DOCUMENT]), segmenter("somebodys:cut(selector='TopKSelector(k=1)')"))
    assert out["d"].scores == tuple(scores)
    assert "scores" not in out["d"].extra[MADE_BY]
    assert out["d"].extra[MADE_BY]["parameters"] == {"selector": "TopKSelector(k=1)"}


def test_text_is_the_units_joined_by_newlines(returning):
    seen = []

    def cut(text, at):
        seen.append(text)
        return [(0, at), (at, len(text))]

    assert returning(cut, f"(input='text', at={TEXT.index('Three')})") == (2,)
    assert seen == [TEXT]


def test_arguments_are_passed_on(returning):
    assert returning(lambda units, every: list(range(every, len(units), every)), "(every=2)") == (2, 4)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([2, 3], r"may be boundaries \(segments of \[2, 1, 2\] units\) or lengths \(segments of \[2, 3\] units\)"),
        ([0, 3, 9], "neither increasing boundaries from 1 to 4"),
        ([True, False, True, False, True], "5 marks for 4 gaps"),
        ([0.5, 0.5], "2 numbers for 4 gaps"),
        ([0.5, float("nan"), 0.1, 0.2], "not finite"),
        ("some prose", "returned one string"),
        (None, "returned a NoneType"),
        ({"a": 1}, "returned a dict"),
        ([1, "a"], "with an item of type int"),
        ([object()], "with an item of type object"),
        ([(0, 2), (3, 5)], "do not tile"),
        ([(0, 2), (2, 4)], "of 4 units for 5"),
        (Segmentation(4), "segmentation of 4 units for 5"),
        (["Nothing of this.", "Nor this."], "not this text"),
    ],
)
def test_what_is_ambiguous_or_wrong_is_refused(returning, value, words):
    with pytest.raises(SegmentationError, match=words):
        returning(value)


def test_two_readings_that_agree_are_accepted(returning):
    two = Document(id="d", n_units=2, units=("a", "b"))
    assert returning([1], document=two) == (1,)
    assert returning([1, 1], document=two) == (1,)


def test_a_failing_function_is_one_line(returning):
    def cut(units):
        raise RuntimeError("many\nlines")

    with pytest.raises(SegmentationError) as caught:
        returning(cut)
    assert str(caught.value) == "somebodys:cut fails on document 'd' (RuntimeError: many lines); repair it"


def test_dropped_and_repeated_text_is_counted(returning):
    returning(["Two two. Three three.", "Three three. Four four. Five five."])
    with pytest.warns(CaesuraWarning, match=r"1 chunk overlaps an earlier one, by 11 characters in all.*7 characters"):
        out = run_method(Corpus([DOCUMENT]), segmenter("somebodys:cut"))
    assert out["d"].segmentation.boundaries == (2,)


def test_rewritten_text_is_aligned_by_words(returning):
    returning(["One ONE. Two two.", "Three three! Four four; five five."])
    with pytest.warns(CaesuraWarning, match="the words of 1 text were changed"):
        out = run_method(Corpus([DOCUMENT]), segmenter("somebodys:cut"))
    assert out["d"].segmentation.boundaries == (2,)


def test_chunks_that_tile_the_text_say_nothing(returning):
    returning(["One one. Two two.", "Three three. Four four. Five five."])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run_method(Corpus([DOCUMENT]), segmenter("somebodys:cut"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "no_such_module_here:cut",
            "there is no module no_such_module_here, installed, on PYTHONPATH or in the current",
        ),
        ("json:no_such", "has no no_such"),
        ("json:decoder", "name a function"),
        ("json:loads(input='words')", "must be 'units' or 'text'"),
        ("json:loads(x={1, 2})", "write a number"),
        ("json:loads(x=open('f'))", "must be a number or a quoted word"),
        ("json:", "write module:attribute"),
        ("chonki:SemanticChunker", "did you mean chonkie"),
        ("json:loads(selector='Nope')", "not a selector"),
    ],
)
def test_a_wrong_spec_is_refused(text, words):
    with pytest.raises(CaesuraError, match=words) as caught:
        segmenter(text)
    assert isinstance(caught.value, DeclarationError | SegmentationError)


class Silent(Exception):
    def __str__(self):
        raise ValueError("no words")


class Odd(BaseException):
    pass


class Unreadable(list):
    def __iter__(self):
        raise Odd("no items")


class Endless:
    def __next__(self):
        raise Silent


@pytest.mark.parametrize(
    ("value", "says"),
    [(Silent(), "Silent"), (Odd("x"), "Odd: x"), (Unreadable([1]), "no items"), (Endless(), "Endless")],
)
def test_whatever_it_raises_or_returns_costs_its_document_only(returning, value, says):
    def cut(units):
        if isinstance(value, BaseException):
            raise value
        return value

    with pytest.raises(SegmentationError, match=f"somebodys:cut fails on document 'd'.*{says}|{says}"):
        returning(cut)


def test_what_it_prints_and_where_it_goes_do_not_reach_the_output(tmp_path):
    """Prints at import and at work, and a change of directory: lines of JSON alone, in the file that was named."""
    (tmp_path / "somebodys.py").write_text(
        "import os\nprint('Loading')\ndef cut(units):\n    print('cutting')\n    os.chdir('/')\n    return [1]\n"
    )
    (tmp_path / "d.jsonl").write_text('{"id": "a", "units": ["x", "y"]}\n{"id": "b", "units": ["x", "y"]}\n')
    paths = os.pathsep.join([str(tmp_path), str(Path(caesura.__file__).parents[1])])

    def run(*args):
        known = {**os.environ, "PYTHONPATH": paths}
        command = [sys.executable, "-m", "caesura", "segment", "d.jsonl", "--method", "somebodys:cut", *args]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=known, check=True)

    done = run()
    assert [json.loads(line)["boundaries"] for line in done.stdout.splitlines()] == [[1], [1]]
    assert done.stderr.split() == ["Loading", "cutting", "cutting"]
    run("-o", "out.jsonl")
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2


def test_a_parameter_that_is_a_string_gets_the_text() -> None:
    document = Document(id="d", n_units=3, units=("One.", "Two.", "Three."))

    def halves(text: str) -> list[str]:
        assert text == "One.\nTwo.\nThree."
        return [text[:9], text[9:]]

    assert segmenter(halves).segment(document).boundaries == (2,)

    def slices(text):
        return [text[at : at + 2] for at in range(0, len(text), 2)]

    with pytest.raises(SegmentationError, match="needs input='text'"):
        segmenter(slices).segment(document)
    assert segmenter(slices, input="text").segment(document).boundaries
