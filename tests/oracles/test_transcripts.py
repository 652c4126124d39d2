"""What is read and written of WebVTT, SRT, TextGrid, ELAN and UIMA CAS, against the libraries of these formats."""

from __future__ import annotations

import importlib
import itertools
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.corpus import Corpus, Document
from caesura.formats import load, save
from caesura.segmentation import Segmentation

WORDS = st.text(st.sampled_from("abä <>&\"'\\5"), min_size=1, max_size=12).map(lambda text: f"x{text}".strip())
CHAPTERS = st.lists(st.tuples(st.integers(1, 10**7), WORDS), min_size=1, max_size=6)


def library(name: str) -> ModuleType:
    return pytest.importorskip(name) if "." not in name else importlib.import_module(name)


def timed(chapters: list[tuple[int, str]]) -> Document:
    """A recording whose chapters have these lengths in milliseconds and titles."""
    ends = list(itertools.accumulate(length for length, _ in chapters))
    coding = Segmentation(ends[-1], ends[:-1], unit="ms")
    titles = {"segment_titles": [" ".join(title.split()) for _, title in chapters]}
    return Document(id="a", n_units=ends[-1], segmentation=coding, unit="ms", extra=titles)


def spoken(chapters: list[tuple[int, str]]) -> Document:
    ends = list(itertools.accumulate(length for length, _ in chapters))
    times = tuple((start / 1000, end / 1000) for start, end in itertools.pairwise([0, *ends]))
    return Document(id="a", n_units=len(ends), unit="cue", units=tuple(text for _, text in chapters), unit_times=times)


def written(document: Document, folder: Path, name: str) -> Path:
    save(Corpus([document], ids_are_given=False), folder / name)
    return folder / name


@given(CHAPTERS)
def test_textgrid(tmp_path_factory: pytest.TempPathFactory, chapters: list[tuple[int, str]]) -> None:
    pytest.importorskip("praatio")
    textgrid_io = library("praatio.utilities.textgrid_io")
    document, folder = timed(chapters), tmp_path_factory.mktemp("tg")
    path = written(document, folder, "a.TextGrid")
    assert list(load(path)) == [document]
    (tier,) = textgrid_io.parseTextgridStr(path.read_text("utf-8"), includeEmptyIntervals=True)["tiers"]
    assert [round(float(start) * 1000) for start, _, _ in tier["entries"]] == [
        s for s, _ in document.segmentation.spans
    ]
    assert [label for _, _, label in tier["entries"]] == document.extra["segment_titles"]
    entries = [(float(start), float(end), label) for start, end, label in tier["entries"]]
    limits = {"xmin": 0.0, "xmax": float(tier["xmax"])}
    content = {**limits, "tiers": [{**tier, **limits, "entries": entries}]}
    for form in ("short_textgrid", "long_textgrid"):
        theirs = textgrid_io.getTextgridAsStr(content, format=form, includeBlankSpaces=False)
        (folder / "b.TextGrid").write_text(theirs, "utf-8")
        (read,) = load(folder / "b.TextGrid")
        assert (read.segmentation, read.extra) == (document.segmentation, document.extra)


@given(CHAPTERS)
def test_elan(tmp_path_factory: pytest.TempPathFactory, chapters: list[tuple[int, str]]) -> None:
    pympi = library("pympi")
    document, folder = timed(chapters), tmp_path_factory.mktemp("eaf")
    path = written(document, folder, "a.eaf")
    spans, titles = document.segmentation.spans, document.extra["segment_titles"]
    told = [(*span, title) for span, title in zip(spans, titles, strict=True)]
    theirs = pympi.Eaf(str(path), suppress_version_warning=True)
    assert sorted(theirs.get_annotation_data_for_tier("topics")) == told
    theirs.to_file(str(folder / "b.eaf"))
    for name in ("a.eaf", "b.eaf"):
        (read,) = load(folder / name)
        assert (read.segmentation, read.extra) == (document.segmentation, document.extra)


@given(CHAPTERS)
def test_webvtt(tmp_path_factory: pytest.TempPathFactory, chapters: list[tuple[int, str]]) -> None:
    webvtt = library("webvtt")
    document, folder = spoken(chapters), tmp_path_factory.mktemp("vtt")
    path = written(document, folder, "a.vtt")
    theirs = webvtt.read(str(path))
    assert [(c.start_in_seconds, c.end_in_seconds) for c in theirs.captions] == [
        pytest.approx((start, end), abs=1) for start, end in document.unit_times
    ]
    assert list(load(path, "webvtt(kind='cues')")) == [document]
    theirs.save(str(folder / "b.vtt"))
    (read,) = load(folder / "b.vtt", "webvtt(kind='cues')")
    assert (read.units, read.unit_times) == (document.units, document.unit_times)


@given(CHAPTERS)
def test_srt(tmp_path_factory: pytest.TempPathFactory, chapters: list[tuple[int, str]]) -> None:
    pysubs2 = library("pysubs2")
    document, folder = spoken(chapters), tmp_path_factory.mktemp("srt")
    path = written(document, folder, "a.srt")
    events = list(pysubs2.SSAFile.from_string(path.read_text("utf-8"), format_="srt", keep_html_tags=True))
    read = load(path, "srt(kind='cues')")["a"]
    assert [(e.start, e.end) for e in events] == [(round(s * 1000), round(e * 1000)) for s, e in read.unit_times]
    assert (read.n_units, read.unit_times) == (document.n_units, document.unit_times)
    assert [event.text for event in events] == list(document.units)


@given(st.lists(st.text(st.sampled_from("ab é😊𝔘."), min_size=1, max_size=8), min_size=2, max_size=6), st.data())
def test_uima_cas(tmp_path_factory: pytest.TempPathFactory, lines: list[str], data: st.DataObject) -> None:
    cassis = library("cassis")
    text = "\n".join(f"{number}{line}" for number, line in enumerate(lines))
    starts = [0, *(place + 1 for place, letter in enumerate(text) if letter == "\n")]
    cut = data.draw(st.integers(1, len(starts) - 1))
    types = cassis.TypeSystem()
    topic = types.create_type("webanno.custom.Topic")
    cas = cassis.Cas(types)
    cas.sofa_string, cas.sofa_mime = text, "text"
    for begin, end in ((0, starts[cut] - 1), (starts[cut], len(text))):
        cas.add(topic(begin=begin, end=end))
    folder = tmp_path_factory.mktemp("cas")
    cas.to_xmi(str(folder / "a.xmi"))
    cas.to_json(str(folder / "a.json"))
    for name in ("a.xmi", "a.json"):
        (read,) = load(folder / name, "uima_cas(unit='line', marks='segments')")
        assert (read.units, read.segmentation.boundaries) == (tuple(map(str.strip, text.split("\n"))), (cut,))
