"""What the scanner of plain lines accepts, it reads as `json` does; compiled and uncompiled alike."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.batches.flat import starts_of
from caesura.corpus import Packed
from caesura.formats._jsonl_lean import LEAN
from caesura.kernels import plain_lines
from tests.kernels.test_compiled_equals_uncompiled import load

MODULES = [plain_lines, load("plain_lines", shim=True)]
Read = tuple[list[tuple[str, int, list[int]]], list[str], bool]
RICH = ("units", "speakers", "scores")


def scan(module: ModuleType, block: bytes) -> Read | None:
    """Return id, length and boundaries of every document, the given units, and whether one has more; None if not plain."""
    named: list[bytes] = []
    letters = np.full(len(block), 255, dtype=np.uint8)
    id_sizes, n_units, sizes, pos = (np.full(len(block) // 2 + 1, -1, dtype=np.int64) for _ in range(4))
    tally = np.full(module.TALLY, 77, dtype=np.int64)
    number = module.scan_lines(block, block, module.KEYS, named, letters, id_sizes, n_units, sizes, pos, tally)
    if number < 0:
        return None
    ids = Packed(letters.tobytes(), starts_of(id_sizes[:number]))
    ends = np.cumsum(sizes[:number]).tolist()
    rows = zip(ids, n_units[:number].tolist(), [0, *ends], ends, strict=False)
    documents = [(key, units, pos[start:end].tolist()) for key, units, start, end in rows]
    return documents, [unit.decode() for unit in named], bool(tally[0])


def wanted(documents: list[dict[str, Any]]) -> Read:
    """Return the same of documents as they were written."""
    return (
        [(d["id"], d.get("n_units", len(d.get("units", ()))), d["boundaries"]) for d in documents],
        [d["unit"] for d in documents if "unit" in d],
        any(key in d for d in documents for key in RICH),
    )


plain_text = st.text(st.characters(min_codepoint=32, exclude_characters='"\\', exclude_categories=("Cs",)), max_size=9)
any_text = st.text(st.characters(exclude_categories=("Cs",)), max_size=9)
numbers = st.integers(0, 10**15 - 1)
scores = st.floats(-1e14, 1e14).filter(lambda score: score == 0 or abs(score) > 1e-90) | st.integers(-99, 99)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a document with any of the keys, in any order."""
    made: dict[str, Any] = {"id": draw(plain_text), "boundaries": draw(st.lists(numbers, max_size=6))}
    if draw(st.booleans()):
        made["unit"] = draw(plain_text.filter(bool))
    if draw(st.booleans()):
        made["n_units"] = draw(numbers)
    else:
        size = draw(st.integers(0, 5))
        made["units"] = draw(st.lists(any_text, min_size=size, max_size=size))
        if draw(st.booleans()):
            made["n_units"] = size
        if draw(st.booleans()):
            made["speakers"] = draw(st.lists(any_text, min_size=size, max_size=size))
        if size and draw(st.booleans()):
            made["scores"] = draw(st.lists(scores, min_size=size - 1, max_size=size - 1))
    return {key: made[key] for key in draw(st.permutations(list(made)))}


@given(
    documents=st.lists(documents(), max_size=5),
    separators=st.sampled_from([(", ", ": "), (",", ":"), (" ,  ", " :   ")]),
    escaped=st.booleans(),
    ended=st.booleans(),
)
def test_plain_lines_are_read(
    documents: list[dict[str, Any]], separators: tuple[str, str], escaped: bool, ended: bool
) -> None:
    escaped = escaped and all((d["id"] + d.get("unit", "")).isascii() for d in documents)
    lines = [json.dumps(each, separators=separators, ensure_ascii=escaped) for each in documents]
    block = ("\n".join(lines) + "\n" * (ended and bool(lines))).encode()
    for module in MODULES:
        assert scan(module, block) == wanted(documents)


PIECES = [
    *'{}:,[]"10- eE.+\n\\ubDdC8é\x7f\t',
    *(f'"{key}"' for key in ("id", "n_units", "boundaries", "unit", "units", "speakers", "scores", "d", "e:")),
    "\\ud83d", "\\ude00", "\\n", "0.5", "1e3",
]  # fmt: skip
START = '{"id":"d","n_units":3,"boundaries":[1,2],"units":["a","b\\u00e9","c"],"scores":[0.5,-1e3]}'


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=6), at=st.integers(0, len(START)), cut=st.integers(0, 4))
def test_damaged_lines_are_read_as_by_others_or_not_at_all(pieces: list[str], at: int, cut: int) -> None:
    block = (START + "\n" + START[:at] + "".join(pieces) + START[at + cut :]).encode()
    read = [scan(module, block) for module in MODULES]
    assert read[0] == read[1]
    if read[0] is not None:
        lines = block.decode().split("\n")
        pairs = [json.loads(line, object_pairs_hook=list) for line in lines if line]
        assert all(len({key for key, _ in each}) == len(each) for each in pairs)
        assert read[0] == wanted([dict(each) for each in pairs])
        decoded = [LEAN.decode(line) for line in lines if line]
        for (_, length, _), each in zip(read[0][0], decoded, strict=True):
            sizes = {key: getattr(each, key) for key in RICH}
            assert all(
                value is msgspec.UNSET or len(value) == length - (key == "scores") for key, value in sizes.items()
            )


@pytest.mark.parametrize(
    "line",
    [
        '{"id":"d","n_units":9}',
        '{"id":"d","boundaries":[1]}',
        '{"n_units":9,"boundaries":[1]}',
        '{"id":"d","n_units":9,"boundaries":[1],"id":"e"}',
        '{"id":"d","n_units":9,"boundaries":[1],"boundaries":[]}',
        '{"id":"d","n_units":09,"boundaries":[1]}',
        '{"id":"d","n_units":9,"boundaries":[1,]}',
        '{"id":"d","n_units":9,"boundaries":[,1]}',
        '{"id":"d","n_units":9,"boundaries":[1.5]}',
        '{"id":"d","n_units":9,"boundaries":[-1]}',
        '{"id":"d","n_units":9999999999999999,"boundaries":[]}',
        '{"id":"\\u0064","n_units":9,"boundaries":[1]}',
        '{"id":7,"n_units":9,"boundaries":[1]}',
        '{"id":"d","n_units":9,"boundaries":[1],"masses":[9]}',
        '{"id":"d","n_units":9,"boundaries":[1],"":1}',
        '{"id":"d","n_units":9,"boundaries":[1],"\0":1}',
        '{"id":"d","n_units":9,"boundaries":[1],"unit":""}',
        '{"id":"d","n_units":2,"boundaries":[1],"units":["a"]}',
        '{"id":"d","n_units":2,"boundaries":[1],"speakers":["a","b","c"]}',
        '{"id":"d","n_units":2,"boundaries":[1],"scores":[1,2]}',
        '{"id":"d","n_units":2,"boundaries":[1],"scores":[1e999]}',
        '{"id":"d","n_units":2,"boundaries":[1],"scores":[1.]}',
        '{"id":"d","n_units":2,"boundaries":[1],"scores":[01]}',
        '{"id":"d","n_units":2,"boundaries":[1],"scores":[NaN]}',
        '{"id":"d","boundaries":[],"units":["\\ud83d"]}',
        '{"id":"d","boundaries":[],"units":["\\ude00\\ud83d"]}',
        '{"id":"d","boundaries":[],"units":["\\u12g4"]}',
        '{"id":"d","boundaries":[],"units":["\\u12:4"]}',
        '{"id":"d","boundaries":[],"units":["\\x"]}',
        '{"id":"d","boundaries":[],"units":["a\tb"]}',
        '{"id":"d","boundaries":[],"units":[1]}',
        '{"id":"d","n_units":9,"boundaries":[1]} {}',
        "",
    ],
)
def test_other_lines_are_left_to_others(line: str) -> None:
    for module in MODULES:
        assert scan(module, f"{START}\n{line}\n{START}\n".encode()) is None


def differ(module: ModuleType, ids: list[bytes], slots: int) -> bool:
    """Return whether the ids are seen to differ."""
    starts = starts_of(list(map(len, ids)))
    return bool(module.hashes_differ(b"".join(ids), starts, np.zeros(slots, dtype=np.uint32)))


@given(ids=st.lists(st.binary(max_size=3), max_size=30))
def test_repeated_ids_are_noticed(ids: list[bytes]) -> None:
    for module in MODULES:
        assert differ(module, ids, 64) == (len(set(ids)) == len(ids))


def test_similar_ids_differ_and_a_long_search_ends() -> None:
    ids = [b"d%d" % number for number in range(4_000)]
    for module in MODULES:
        assert differ(module, ids, 8_192)
        assert not differ(module, ids, 4_096)  # so full that a search is given up
        assert not differ(module, [*ids, b"d1234"], 8_192)


@given(texts=st.lists(st.text(max_size=4), max_size=9), before=st.integers(0, 3))
def test_slices(texts: list[str], before: int) -> None:
    starts = starts_of([before, *map(len, texts)])[1:]
    for module in MODULES:
        assert module.slices("".join(texts), starts) == texts
