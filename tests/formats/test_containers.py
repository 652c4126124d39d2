# SPDX-License-Identifier: Apache-2.0
"""Compressed files of every format: what was written is read back; a part of a file is refused, and so is a bomb."""

from __future__ import annotations

import gzip
import io
import itertools
import sys
import tracemalloc
import warnings
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from caesura.corpus import Corpus
from caesura.errors import CaesuraError, DeclarationError, FormatError
from caesura.formats import FORMATS, Format, load, save
from caesura.limits import ALLOWANCE, RATIO
from tests.seeds import COMPANION, SAMPLES, Seed, readable, rich, seeds

ZSTANDARD = sys.version_info >= (3, 14) or find_spec("zstandard") is not None
ENDINGS = [
    "",
    ".gz",
    pytest.param(".zst", marks=pytest.mark.skipif(not ZSTANDARD, reason="Zstandard is not installed")),
]
PACKED = ENDINGS[1:]
WRITABLE = [cls for cls in FORMATS if cls.writable and readable(cls)]
# A file that was written from cues is read back as cues, not as the chapters they make.
READERS = {"webvtt": "webvtt(kind='cues')", "whisperx": "whisperx(kind='cues')"}


def packed(data: bytes, ending: str) -> bytes:
    """Return one gzip member or Zstandard frame."""
    if ending == ".gz":
        return gzip.compress(data)
    if ending == "":
        return data
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        import zstandard as zstd
    buffer = io.BytesIO()
    with zstd.open(buffer, "wb", **({} if hasattr(zstd, "ZstdFile") else {"closefd": False})) as stream:
        stream.write(data)
    return buffer.getvalue()


def quietly(path: Path, name: str | None = None) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load(path, name)


def contents(corpus: Corpus) -> list[object]:
    """Return the documents, without the id that a format takes from the name of its file."""
    return [(document if corpus.ids_are_given else None, document.n_units, document.units, document.speakers,
             document.unit_times, document.annotations, document.segmentation) for document in corpus]  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("cls", WRITABLE, ids=lambda cls: cls.name())
def test_what_was_written_is_read_back(cls: type[Format], ending: str, tmp_path: Path) -> None:
    corpus = rich(cls)
    path = tmp_path / f"made{cls.suffixes[0]}{ending}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save(corpus, path, cls.name())
    back = quietly(path, READERS.get(cls.name(), cls.name()))
    for before, after in zip(corpus, back, strict=True):
        for aspect in cls.keeps & {"units", "speakers", "unit_times", "scores", "hierarchy", "annotations"}:
            assert getattr(after, aspect) == getattr(before, aspect), aspect
        if "segmentation" in cls.keeps and (cls.name() == "jsonl" or "annotations" not in cls.keeps):
            assert after.segmentation == before.segmentation


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("seed", seeds(), ids=str)
def test_every_file_is_read_from_every_container(seed: Seed, ending: str, tmp_path: Path) -> None:
    plain = contents(quietly(seed.place(tmp_path), seed.format))
    whole = seed.content
    assert contents(quietly(seed.place(tmp_path, packed(whole, ending), ending), seed.format)) == plain
    # Several members or frames, one after another, are one file; an empty one adds nothing.
    cuts = [0, len(whole) // 3, len(whole) // 2, len(whole) // 2, len(whole)]
    parts = [packed(whole[a:b], ending) for a, b in itertools.pairwise(cuts)]
    assert contents(quietly(seed.place(tmp_path, b"".join(parts), ending), seed.format)) == plain


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("seed", seeds(), ids=str)
def test_a_part_of_a_container_is_refused(seed: Seed, ending: str, tmp_path: Path) -> None:
    half = len(seed.content) // 2
    first = packed(seed.content[:half], ending)
    # Between two members, a file that is cut is whole, though shorter.
    for whole, edge in ((packed(seed.content, ending), 0), (first + packed(seed.content[half:], ending), len(first))):
        lengths = {*range(1, len(whole), max(len(whole) // 12, 1)), edge + 1, edge + 2, len(whole) - 1}
        for length in lengths - {edge}:
            path = seed.place(tmp_path, whole[:length], ending)
            with pytest.raises(FormatError) as refused:
                quietly(path, seed.format)
            said = str(refused.value)
            assert "\n" not in said
            if seed.format == "jsonl":  # its lines are read before the end of the file is known
                assert said.startswith((f"{path}: is not a complete ", f"{path}:")), said
            else:
                assert said.startswith(f"{path}: is not a complete "), said


@pytest.mark.parametrize("ending", PACKED)
def test_what_follows_the_last_member_is_not_ignored(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.masses{ending}"
    path.write_bytes(packed(b"6 3\n", ending) + b"and more")
    with pytest.raises(FormatError, match=r"is not a complete (gzip|Zstandard) file \(.*\); compress it again"):
        load(path)


@pytest.mark.parametrize("ending", PACKED)
def test_a_long_file_of_several_frames_is_read_to_its_end(ending: str, tmp_path: Path) -> None:
    lines = [f'{{"id":"d{i}","n_units":9,"boundaries":[{i % 8 + 1}]}}\n' for i in range(30_000)]
    path = tmp_path / f"a.jsonl{ending}"
    frames = [packed("".join(lines[a : a + 7000]).encode(), ending) for a in range(0, len(lines), 7000)]
    path.write_bytes(b"".join(frames))
    corpus = load(path)
    assert len(corpus) == len(lines)
    assert corpus.ids[-1] == "d29999"


BOMBS = {
    ".eaf": b"<ANNOTATION_DOCUMENT>" + b"<a>" * (1 << 21),
    ".jsonl": b'{"id":"a","n_units":9,"boundaries":[2]}\n' * (1 << 18),
    ".json": b"[" + b"{}," * (1 << 21),
    ".masses": b"6 3\n" * (1 << 21),
    ".bits": b"0" * (1 << 23) + b"\n",
    ".txt": b"a" * (1 << 23),
    ".xmi": b"<xmi:XMI http://www.omg.org/XMI>" + b" " * (1 << 23),
}


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("suffix", BOMBS)
def test_a_bomb_is_refused_with_the_way_to_read_it(
    suffix: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAESURA_LIMITS", "0.25")  # smaller bombs are faster
    (tmp_path / COMPANION.name).write_bytes(COMPANION.read_bytes())
    path = tmp_path / f"a{suffix}{ending}"
    path.write_bytes(packed(BOMBS[suffix], ending))
    name = {".json": "chunks", ".txt": "text"}.get(suffix)
    tracemalloc.start()
    try:
        with pytest.raises(CaesuraError, match="expands to more than 25 times its size, the limit; if you trust"):
            load(path, name)
        assert tracemalloc.get_traced_memory()[1] < 6 * ALLOWANCE.value
    finally:
        tracemalloc.stop()
    if suffix == ".bits":
        monkeypatch.setenv("CAESURA_LIMITS", "2000")
        assert len(load(path)) == 1


def test_the_allowance_is_for_every_file(tmp_path: Path) -> None:
    path = tmp_path / "a.bits.gz"
    content = b"0" * (1 << 20) + b"1\n"
    path.write_bytes(gzip.compress(content, 9))
    assert len(content) > RATIO.usual * path.stat().st_size
    (document,) = load(path)
    assert document.n_units == (1 << 20) + 2


def test_a_bomb_in_an_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(COMPANION, COMPANION.name)
        archive.writestr("a.xmi", (SAMPLES / "annotation/xmi/anna.xmi").read_bytes() + b" " * (1 << 25))
    with pytest.raises(FormatError, match="expands to more than 100 times its size, the limit"):
        load(path, "uima_cas")


@pytest.mark.parametrize("value", ["many", "0", "-1", "nan", "inf"])
def test_a_wrong_factor_is_refused(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.masses"
    path.write_bytes(b"6 3\n")
    monkeypatch.setenv("CAESURA_LIMITS", value)
    with pytest.raises(DeclarationError, match=f"CAESURA_LIMITS is '{value}'; write a factor for all limits"):
        load(path)


def test_limits_say_how_to_raise_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAESURA_LIMITS", "1e-6")
    path = tmp_path / "a.masses"
    path.write_bytes(b"6 3\n" * 1000)
    with pytest.raises(FormatError, match=r"masses: is larger than 1,074 bytes, the limit; .* CAESURA_LIMITS=2e-06 to"):
        load(path)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id": "a", "units": ["' + b"x" * 400 + b'"]}')
    with pytest.raises(FormatError, match=r"jsonl:1: the line is longer than 269 bytes, the limit; if you trust"):
        load(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<a>" * 200, "its elements are nested in more than 10 levels, the limit"),
        (b"<a/>" * 100_001, "has more than 100,000 elements, the limit"),
        (b"<a " + b" ".join(b'a%d="1"' % i for i in range(100_000)) + b"/>",
         "the element 'a' has more than 100 attributes, the limit"),
    ],
    ids=["deep", "many", "wide"],
)  # fmt: skip
def test_xml_is_refused_before_it_costs_much(
    content: bytes, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAESURA_LIMITS", "0.1")
    (tmp_path / COMPANION.name).write_bytes(COMPANION.read_bytes())
    for name, root in (("a.eaf", b"<ANNOTATION_DOCUMENT>"), ("a.xmi", b'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI">')):
        path = tmp_path / name
        path.write_bytes(root + b"\n" + content + root.split()[0].replace(b"<", b"</").rstrip(b">") + b">")
        with pytest.raises(FormatError, match=rf"{name}:2: {words}; if you trust the file, set CAESURA_LIMITS=0.2"):
            load(path)
