# SPDX-License-Identifier: Apache-2.0
"""What every format must do, run over the registry: a new format is tested the moment its file exists."""

from __future__ import annotations

import dataclasses
import gzip
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.batches.flat import first_fault
from caesura.corpus import Corpus, Document
from caesura.declare import parameters
from caesura.errors import CaesuraError, FormatError, OutputExistsError
from caesura.formats import FORMATS, Format, load, save
from caesura.segmentation import Segmentation

ALL = [cls for cls in FORMATS if cls.name() not in ("parquet", "arrow") or find_spec("pyarrow")]
WRITABLE = [cls for cls in ALL if cls.writable]
SAMPLES = sorted((Path(__file__).parent.parent / "formats" / "samples").iterdir())

# How a file is read back that was written from cues: as cues, not as the chapters they make.
READERS = {"webvtt": "webvtt(kind='cues')", "whisperx": "whisperx(kind='cues')"}

WORDS = st.text("abc XYZ,.;'\"&|éß漢0123", min_size=1, max_size=20).map(str.strip).filter(bool)
NAMES = st.text("abcXYZ0123_", min_size=1, max_size=8)


def names_of(classes: list[type[Format]]) -> list[str]:
    return [cls.name() for cls in classes]


@st.composite
def gaps(draw: st.DrawFn, n_units: int) -> list[int]:
    return sorted(draw(st.sets(st.integers(1, n_units - 1), max_size=6))) if n_units > 1 else []


@st.composite
def timed_documents(draw: st.DrawFn, key: str, *, whole_seconds: bool) -> Document:
    step = 1000 if whole_seconds else 1
    masses = [step * mass for mass in draw(st.lists(st.integers(1, 5_000_000 // step), min_size=1, max_size=6))]
    n_units = sum(masses[:-1]) + 1 if whole_seconds else sum(masses)
    segmentation = Segmentation(n_units, Segmentation.from_masses(masses).boundaries, unit="ms")
    titles = draw(st.lists(NAMES, min_size=len(masses), max_size=len(masses)))
    return Document(
        id=key,
        n_units=n_units,
        segmentation=segmentation,
        unit="ms",
        open_ended=whole_seconds,
        extra={"segment_titles": titles},
    )


@st.composite
def documents(draw: st.DrawFn, key: str, cls: type[Format]) -> Document:
    """Draw a document with everything that the format says it keeps."""
    if cls.unit == "ms":
        document = draw(timed_documents(key, whole_seconds="n_units" not in cls.keeps))
        return document if "segment_titles" in cls.keeps else dataclasses.replace(document, extra={})
    n = draw(st.integers(2 if cls.name() == "bits" else 1, 12))
    own = cls.name() == "jsonl"
    fields: dict[str, Any] = {"unit": "cue" if "unit_times" in cls.keeps else "unit"}
    segmentation = Segmentation(n, draw(gaps(n)), unit=fields["unit"])
    if "segmentation" in cls.keeps:
        fields["segmentation"] = segmentation
    if "units" in cls.keeps:
        fields["units"] = tuple(draw(st.lists(WORDS, min_size=n, max_size=n)))
    if "speakers" in cls.keeps:
        fields["speakers"] = tuple(draw(st.lists(NAMES, min_size=n, max_size=n)))
    if "unit_times" in cls.keeps:
        edges = sorted(draw(st.lists(st.integers(0, 10_000_000), min_size=2 * n, max_size=2 * n)))
        fields["unit_times"] = tuple((edges[2 * i] / 1000, edges[2 * i + 1] / 1000) for i in range(n))
    if "segment_titles" in cls.keeps:
        count = segmentation.n_segments
        titles = draw(st.lists(NAMES, min_size=count, max_size=count, unique=True))
        fields["extra"] = {"segment_titles": titles}
    if own:
        fields["annotations"] = {
            name: Segmentation(n, draw(gaps(n)), unit="cue") for name in draw(st.lists(WORDS, unique=True, max_size=3))
        }
        fields["scores"] = tuple(draw(st.lists(st.floats(-9, 9), min_size=n - 1, max_size=n - 1)))
        fields["hierarchy"] = (Segmentation(n, unit="cue"), segmentation)
        fields["open_ended"] = draw(st.booleans())
    return Document(id=key, n_units=n, **fields)


@st.composite
def corpora(draw: st.DrawFn, cls: type[Format]) -> Corpus:
    count = draw(st.integers(1, 4)) if cls.many else 1
    given_ids = "ids" in cls.keeps
    keys = draw(st.lists(NAMES, min_size=count, max_size=count, unique=True))
    if not given_ids:
        keys = [str(place) for place in range(1, count + 1)]
    return Corpus([draw(documents(key, cls)) for key in keys], ids_are_given=given_ids)


def kept(document: Document, cls: type[Format]) -> dict[str, Any]:
    """Return what of a document the format keeps, as far as the document has it."""
    facts = {
        name: getattr(document, name)
        for name in ("units", "speakers", "unit_times", "scores", "hierarchy", "n_units", "open_ended")
        if name in cls.keeps
    }
    if "segmentation" in cls.keeps and document.segmentation is not None:
        facts["boundaries"] = document.segmentation.boundaries
    if "segment_titles" in cls.keeps:
        facts["titles"] = document.extra.get("segment_titles")
    if cls.name() == "jsonl":
        facts["annotations"] = document.annotations
        facts["unit"] = document.unit
    return facts


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    left = [path.name for path in tmp_path.rglob("*.tmp")]
    assert not left, f"a scratch file was left behind: {left}"


@pytest.mark.parametrize("cls", WRITABLE, ids=names_of(WRITABLE))
@given(data=st.data())
def test_write_then_read_gives_the_same(cls: type[Format], data: st.DataObject) -> None:
    corpus = data.draw(corpora(cls))
    with tempfile.TemporaryDirectory() as name:
        ending = data.draw(st.sampled_from(["", ".gz"]))
        path = Path(name) / f"made{cls.suffixes[0]}{ending}"
        save(corpus, path, cls.name())
        back = load(path, READERS.get(cls.name(), cls.name()))
    if "ids" in cls.keeps:
        assert back.ids == corpus.ids
    assert [kept(document, cls) for document in back] == [kept(document, cls) for document in corpus]
    assert back.unit == corpus.unit


@pytest.mark.parametrize("cls", ALL, ids=names_of(ALL))
def test_is_declared_in_full(cls: type[Format]) -> None:
    assert cls.card.title
    assert cls.__doc__ is not None
    assert len(cls.__doc__) > 100
    assert cls.suffixes
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in cls.suffixes)
    assert cls.name() == cls.name().lower()
    assert FORMATS.parse(str(cls())) == cls()
    assert all(parameter.help for parameter in parameters(cls))


@pytest.mark.parametrize("cls", WRITABLE, ids=names_of(WRITABLE))
def test_nothing_is_half_written(cls: type[Format], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / f"made{cls.suffixes[0]}"
    path.write_bytes(b"what was there before")

    def encode(self: Format, corpus: Corpus) -> Iterator[bytes]:
        yield b"half of it"
        raise FormatError("the other half cannot be written")

    monkeypatch.setattr(cls, "encode", encode)
    corpus = Corpus([Document(id="1", n_units=2, segmentation=Segmentation(2, unit="ms"), unit="ms")])
    with pytest.raises(FormatError, match=r"made\..*: the other half cannot be written"):
        save(corpus, path, cls.name()) if cls.unit == "ms" else cls().write(corpus, path)
    assert path.read_bytes() == b"what was there before"
    with pytest.raises(OutputExistsError, match="exists already; write to another file"):
        save(corpus, path, cls.name(), overwrite=False)
    assert path.read_bytes() == b"what was there before"


@pytest.mark.parametrize("cls", ALL, ids=names_of(ALL))
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"\0\1\2\xff\xfe",
        b"\xef\xbb\xbf",
        b"{",
        b"[[[[" * 5000,
        b"<a>" * 5000,
        b'{"a":' * 5000,
        b"1,2\n3",
        b"\xff\xfe\0",
    ],
    ids=["empty", "blank", "binary", "mark only", "open", "nested", "xml", "deep", "table", "half utf-16"],
)
def test_garbage_is_one_line(cls: type[Format], content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"gar\nbage{cls.suffixes[0]}"
    path.write_bytes(content)
    fault = fault_of(path, cls.name())
    if fault is None:
        # Any characters are a text.
        assert cls.name() in ("text", "documents") or (cls.name() == "masses" and content == b"1,2\n3")
    else:
        assert "\n" not in fault
        assert "gar\\nbage" in fault


@pytest.mark.parametrize("cls", ALL, ids=names_of(ALL))
@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@settings(max_examples=2 * settings.default.max_examples)
@given(data=st.data())
def test_damaged_files_never_break_it(cls: type[Format], data: st.DataObject) -> None:
    whole = (
        data.draw(st.sampled_from([p for p in SAMPLES if p.suffix.lower() in cls.suffixes])).read_bytes()
        if any(p.suffix.lower() in cls.suffixes for p in SAMPLES)
        else b'{"id": "d1", "masses": [6, 3, 4], "annotations": {"a": [1]}}\n{"id": "d2", "units": ["a", "b"]}\n'
    )
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged)))
        length = data.draw(st.integers(0, 12))
        damaged[place : place + length] = data.draw(
            st.one_of(
                st.binary(max_size=8),
                st.sampled_from(
                    [
                        b"\n",
                        b"-1",
                        b"1e999",
                        b"99999999999999999999999",
                        b"NaN",
                        b"null",
                        b"\0",
                        b"<!DOCTYPE",
                        b'"',
                        b"==========",
                        b"-->",
                        b"0.5",
                    ]
                ),
            )
        )
    _only_caesura_errors(bytes(damaged), cls)


@pytest.mark.parametrize("cls", ALL, ids=names_of(ALL))
@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@given(
    content=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
)
def test_random_files_never_break_it(cls: type[Format], content: bytes) -> None:
    _only_caesura_errors(content, cls)


def _only_caesura_errors(content: bytes, cls: type[Format]) -> None:
    with tempfile.TemporaryDirectory() as name:
        for ending, data in (("", content), (".gz", gzip.compress(content)), (".gz", content)):
            path = Path(name) / f"any{cls.suffixes[0]}{ending}"
            path.write_bytes(data)
            for chosen in (cls.name(), None):
                fault = fault_of(path, chosen)
                assert fault is None or (fault and "\n" not in fault)


def fault_of(path: Path, chosen: str | None) -> str | None:
    """Return what Caesura says is wrong with a file, or None if it holds documents."""
    try:
        corpus = load(path, chosen)
    except CaesuraError as error:
        return str(error)
    assert len(corpus) > 0
    assert first_fault(corpus.flat.n_units, corpus.flat.ptr, corpus.flat.pos) is None
    return None
