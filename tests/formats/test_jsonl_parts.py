"""Parts of JSONL files: any cut gives the documents of the whole file, and faults keep their lines."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import CaesuraError, FormatError
from caesura.formats import jsonl, load
from caesura.formats.jsonl import pieces_of

ENDINGS = ["jsonl", "jsonl.gz", "jsonl.zst"]


def write(path: Path, text: bytes) -> Path:
    if path.suffix == ".gz":
        text = gzip.compress(text)
    elif path.suffix == ".zst":
        text = pytest.importorskip("zstandard", reason="needs zstandard (caesura-eval[zstd])").compress(text)
    path.write_bytes(text)
    return path


def lines(number, *, rich=False, gaps=(2,)):
    more = {"units": ["w"] * 4, "speakers": ["s"] * 4} if rich else {"n_units": 4}
    return [json.dumps({"id": f"d{i}", **more, "boundaries": list(gaps)}).encode() for i in range(number)]


def parts(path, pieces):
    return [load(f"{path}::jsonl(start={p.start}, stop={p.stop}, line={p.line})") for p in pieces]


@settings(max_examples=60, deadline=None)
@given(
    number=st.integers(1, 40),
    step=st.integers(1, 7),
    documents=st.integers(1, 12),
    size=st.sampled_from([1, 100, 300, 10_000]),
    end=st.sampled_from([b"\n", b"\r\n"]),
    blank=st.sets(st.integers(0, 40)),
    mark=st.booleans(),
    closed=st.booleans(),
    ending=st.sampled_from(ENDINGS[:2]),
    rich=st.booleans(),
)
def test_any_cut_gives_the_whole_file(
    tmp_path_factory, number, step, documents, size, end, blank, mark, closed, ending, rich
):
    made = lines(number, rich=rich)
    for place in sorted(blank, reverse=True):
        made.insert(min(place, len(made)), b" \t")
    text = (b"\xef\xbb\xbf" if mark else b"") + end.join(made) + (end if closed else b"")
    path = write(tmp_path_factory.mktemp("p") / f"x.{ending}", text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "_STEP", step)
        (pieces,) = pieces_of([path], documents, size)
        read = parts(path, pieces)
    whole = load(path)
    assert [d for part in read for d in part] == list(whole)
    assert all(len(part) <= max(step, documents) for part in read)
    assert pieces[-1].stop is None
    for piece in pieces:
        assert text.count(b"\n", 0, piece.start) + 1 == piece.line


@pytest.mark.parametrize("ending", ENDINGS)
def test_parts_are_read_in_any_order_and_packed_files_once_in_theirs(tmp_path, ending, monkeypatch):
    monkeypatch.setattr(jsonl, "_STEP", 5)
    path = write(tmp_path / f"x.{ending}", b"\n".join(lines(40)))
    (pieces,) = pieces_of([path], 10, 1 << 20)
    assert len(pieces) == 4
    opened = []
    original = jsonl.open_binary
    monkeypatch.setattr(jsonl, "open_binary", lambda p: opened.append(p) or original(p))
    in_order = [list(part.ids) for part in parts(path, pieces)]
    assert len(opened) == (4 if ending == "jsonl" else 1)
    assert not jsonl._LEFT_OPEN
    assert [list(part.ids) for part in parts(path, pieces[::-1])][::-1] == in_order
    parts(path, pieces[3:])


@pytest.mark.parametrize("rich", [False, True])
def test_a_fault_keeps_its_line(tmp_path, rich, monkeypatch):
    monkeypatch.setattr(jsonl, "_STEP", 5)
    made = lines(20, rich=rich)
    made[12] = made[12].replace(b"[2]", b"[9]")
    made[18] = made[17]
    path = write(tmp_path / "x.jsonl", b"\n".join(made))
    (pieces,) = pieces_of([path], 5, 1 << 20)
    with pytest.raises(FormatError, match=r"x\.jsonl:13: document 'd12'"):
        parts(path, pieces[2:3])
    with pytest.raises(CaesuraError, match=r"x\.jsonl:19: document 'd17' appears twice, first on line 18"):
        parts(path, pieces[3:])


def test_files_that_do_not_go_together_are_not_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "_STEP", 5)
    path = write(tmp_path / "x.jsonl", b"\n".join(lines(20)))
    same = write(tmp_path / "same.jsonl.gz", b"\n\n".join(lines(20, rich=True)))
    fewer = write(tmp_path / "fewer.jsonl", b"\n".join(lines(19)))
    turned = write(tmp_path / "turned.jsonl", b"\n".join(lines(20)[::-1]))
    broken = write(tmp_path / "broken.jsonl", b"\n".join([*lines(5), b"{", *lines(20)[6:]]))
    one, other = pieces_of([path, same], 5, 1 << 20)
    assert [list(part.ids) for part in parts(path, one)] == [list(part.ids) for part in parts(same, other)]
    assert pieces_of([path, fewer], 5, 1 << 20) is None
    assert pieces_of([path, turned], 5, 1 << 20) is None
    assert pieces_of([path, broken], 5, 1 << 20) is None
