"""What the scanner of bare lines accepts, it reads as `json` does; compiled and uncompiled alike."""

from __future__ import annotations

import json
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.kernels import bare_lines
from tests.kernels.test_compiled_equals_uncompiled import load

MODULES = [bare_lines, load("bare_lines", shim=True)]
Read = list[tuple[str, int, list[int]]]


def scan(module: ModuleType, block: bytes) -> Read | None:
    ids: list[str] = []
    n_units, sizes, pos = (np.full(len(block) // 2 + 1, -1, dtype=np.int64) for _ in range(3))
    number = module.scan_lines(block, block.decode("latin-1"), module.KEYS, ids, n_units, sizes, pos)
    if number < 0:
        return None
    assert len(ids) == number
    ends = np.cumsum(sizes[:number]).tolist()
    rows = zip(ids, n_units[:number].tolist(), [0, *ends], ends, strict=False)
    return [(key, units, pos[start:end].tolist()) for key, units, start, end in rows]


documents = st.fixed_dictionaries(
    {
        "id": st.text(
            st.characters(min_codepoint=32, max_codepoint=126, exclude_characters='"\\'), max_size=9
        ),
        "n_units": st.integers(0, 10**15 - 1),
        "boundaries": st.lists(st.integers(0, 10**15 - 1), max_size=6),
    }
)


@given(
    documents=st.lists(documents, max_size=5),
    separators=st.sampled_from([(", ", ": "), (",", ":"), (" ,  ", " :   ")]),
    order=st.permutations(["id", "n_units", "boundaries"]),
    ended=st.booleans(),
)
def test_bare_lines_are_read(
    documents: list[dict[str, object]], separators: tuple[str, str], order: list[str], ended: bool
) -> None:
    lines = [json.dumps({key: each[key] for key in order}, separators=separators) for each in documents]
    block = ("\n".join(lines) + "\n" * (ended and bool(lines))).encode()
    for module in MODULES:
        assert scan(module, block) == [(d["id"], d["n_units"], d["boundaries"]) for d in documents]


PIECES = [*"{}:,[]10- e.\n\\é", '"id"', '"n_units"', '"boundaries"', '"d"']
START = '{"id":"d","n_units":9,"boundaries":[1,2]}'


@given(
    pieces=st.lists(st.sampled_from(PIECES), max_size=6),
    at=st.integers(0, len(START)),
    cut=st.integers(0, 4),
)
def test_damaged_lines_are_read_as_json_does_or_not_at_all(pieces: list[str], at: int, cut: int) -> None:
    block = (START + "\n" + START[:at] + "".join(pieces) + START[at + cut :]).encode()
    read = [scan(module, block) for module in MODULES]
    assert read[0] == read[1]
    if read[0] is not None:
        wanted = [json.loads(line, object_pairs_hook=list) for line in block.decode().split("\n") if line]
        assert all(sorted(key for key, _ in each) == ["boundaries", "id", "n_units"] for each in wanted)
        assert read[0] == [(d["id"], d["n_units"], d["boundaries"]) for d in (dict(each) for each in wanted)]


@pytest.mark.parametrize(
    "line",
    [
        '{"id":"d","n_units":9}',
        '{"id":"d","n_units":9,"boundaries":[1],"id":"e"}',
        '{"id":"d","n_units":09,"boundaries":[1]}',
        '{"id":"d","n_units":9,"boundaries":[1,]}',
        '{"id":"d","n_units":9,"boundaries":[1.5]}',
        '{"id":"d","n_units":9,"boundaries":[-1]}',
        '{"id":"d","n_units":9999999999999999,"boundaries":[]}',
        '{"id":"\\u0064","n_units":9,"boundaries":[1]}',
        '{"id":7,"n_units":9,"boundaries":[1]}',
        '{"id":"d","n_units":9,"boundaries":[1]} {}',
        "",
    ],
)
def test_other_lines_are_left_to_others(line: str) -> None:
    for module in MODULES:
        assert scan(module, f"{START}\n{line}\n{START}\n".encode()) is None
