# SPDX-License-Identifier: Apache-2.0
"""No reader of JSON keeps one of two equal keys in silence."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.encoders.safetensors import Safetensors
from caesura.errors import CaesuraError, EncoderError, FormatError
from caesura.evaluation.spans.files import read_spans
from caesura.formats import load
from caesura.results.store import read_results
from caesura.strict_json import RepeatedKeyError, decode, refuse_repeated_keys
from caesura.tuning.calibrate import read_temperature
from caesura.tuning.policy import read_policy
from tests.seeds import Seed, seeds

JSON = [seed for seed in seeds() if seed.content.lstrip()[:1] in (b"{", b"[")]
TWICE = r"the key '.*' appears twice in one object; keep one"


def repeated(text: str) -> Iterator[tuple[int, str]]:
    """Yield JSON with the first pair of each of its objects written twice, and the line of the second."""
    inside = False
    for token in re.finditer(r'\\.|"|\{(?=\s*")', text):
        if token[0] == '"':
            inside = not inside
        elif token[0] == "{" and not inside:
            start = token.end()
            _, colon = json.JSONDecoder().raw_decode(text, text.index('"', start))
            value = re.compile(r"\s*:\s*").match(text, colon)
            assert value is not None
            _, end = json.JSONDecoder().raw_decode(text, value.end())
            line = text.count("\n", 0, end) + text.count("\n", start, text.index('"', start)) + 1
            yield line, text[:end] + "," + text[start:end] + text[end:]


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@pytest.mark.parametrize("seed", JSON, ids=str)
def test_every_object_of_every_format(seed: Seed, tmp_path: Path) -> None:
    changed = list(repeated(seed.content.decode()))
    assert changed
    for line, text in changed[:: max(len(changed) // 12, 1)]:
        path = seed.place(tmp_path, text.encode())
        with pytest.raises(CaesuraError, match=rf"{re.escape(seed.name)}:{line}: {TWICE}"):
            load(path, seed.format)


KEYS = st.sampled_from(["id", "n_units", "boundaries"])
IDS = st.one_of(st.integers(0, 99), st.text('a:"\\\u00e9{,', min_size=1, max_size=5))


@given(
    ids=st.lists(IDS, min_size=1, max_size=4, unique_by=str),
    twice=st.none() | st.tuples(st.integers(0, 3), KEYS),
    ascii_only=st.booleans(),
    spaced=st.booleans(),
    wide=st.booleans(),
)
def test_the_fast_reader_of_bare_lines(
    tmp_path_factory: pytest.TempPathFactory,
    ids: list[str | int],
    twice: tuple[int, str] | None,
    ascii_only: bool,
    spaced: bool,
    wide: bool,
) -> None:
    lines = []
    for place, name in enumerate(ids):
        pairs: list[tuple[str, object]] = [("id", name), ("n_units", 9), ("boundaries", [2, 5])]
        pairs += [("unit", "a:b")] if wide else []
        if twice is not None and twice[0] % len(ids) == place:
            pairs.append((twice[1], dict(pairs)[twice[1]]))
        colon = ": " if spaced else ":"
        text = [f"{json.dumps(key)}{colon}{json.dumps(value, ensure_ascii=ascii_only)}" for key, value in pairs]
        lines.append("{" + ",".join(text) + "}\n")
    path = tmp_path_factory.getbasetemp() / "lean.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    if twice is None:
        assert load(path).ids == [str(name) for name in ids]
    else:
        with pytest.raises(FormatError, match=rf"lean.jsonl:{twice[0] % len(ids) + 1}: {TWICE}"):
            load(path)


@pytest.mark.parametrize("unit", ['""', "null", "3"])
@pytest.mark.parametrize("rest", ["", ', "scores": [1, 2]'], ids=["lean", "full"])
def test_both_readers_of_jsonl_refuse_the_same_units(unit: str, rest: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"id": "a", "n_units": 3, "boundaries": [1], "unit": {unit}{rest}}}\n')
    with pytest.raises(FormatError, match=r"a.jsonl:1: .*unit"):
        load(path)


@pytest.mark.parametrize("key", ["boundaries", "masses", "n_units"])
def test_null_is_not_nothing(key: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"id": "a", "n_units": 3, "boundaries": [1], "{key}": null}}\n')
    with pytest.raises(FormatError, match=rf"a.jsonl:1: (the key|{key} is null)"):
        load(path)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_results, '{"schema": "caesura-results/2",\n "inputs": {"a": 1, "a": 2}}'),
        (read_policy, '{"schema": "x",\n "selector": "greedy", "selector": "argmax"}'),
        (read_temperature, '{"reason": "", "interior": true, "temperature": 1.0,\n "temperature": 2.0}'),
        (read_spans, '{"id": "a", "spans": []}\n{"id": "d", "spans": [[0, 1]], "spans": []}'),
    ],
    ids=["results", "policy", "temperature", "spans"],
)  # fmt: skip
def test_other_files(read: object, text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    assert callable(read)
    with pytest.raises(FormatError, match=rf"a.json:2: {TWICE}"):
        read(path)


def test_the_head_of_a_safetensors_file(tmp_path: Path) -> None:
    entry = '"a": {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4]}'
    for head in (f"{{{entry}, {entry}}}", f"{{{entry[:-1]}, " + '"dtype": "F32"}}'):
        path = tmp_path / "a.safetensors"
        path.write_bytes(len(head).to_bytes(8, "little") + head.encode() + bytes(4))
        with pytest.raises(EncoderError, match=TWICE):
            Safetensors.open(path)


@given(
    st.recursive(
        st.none() | st.integers() | st.text('a:"{\\'),
        lambda inner: st.lists(inner) | st.dictionaries(st.text("ab:"), inner),
    )
)
def test_json_without_repeated_keys_is_accepted(value: object) -> None:
    assert decode(json.dumps(value).encode()) == value


def test_escapes_do_not_hide_a_key() -> None:
    with pytest.raises(RepeatedKeyError, match="the key 'a' appears twice"):
        refuse_repeated_keys(b'{"a": 1, "\\u0061": 2}')
    with pytest.raises(msgspec.ValidationError):
        decode(b'{"a": 1, "a": 2}', dict[str, int])


def test_long_numbers_and_open_strings_cost_little(tmp_path: Path) -> None:
    refuse_repeated_keys(b'{"a": ' + b"1" * 10_000 + b"}")
    path = tmp_path / "a.json"
    path.write_bytes(b'{"items": "' + b'\\"' * 100_000)
    start = time.process_time()
    with pytest.raises(FormatError):
        load(path)
    assert time.process_time() - start < 5
