# SPDX-License-Identifier: Apache-2.0
"""Messages are one line, safe to print, and not longer than a few hundred characters."""

from __future__ import annotations

import json
import pickle
import unicodedata
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import errors
from caesura.errors import LONGEST, CaesuraError, CaesuraWarning, FormatError, visible
from caesura.formats import load
from caesura.reports import render
from caesura.table import Column, Table

HOSTILE = "\x1b[31m\x07\0\u202e\u2028\u200f\u2066\x9b\n\r"
KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type)
    and issubclass(kind, (CaesuraError, CaesuraWarning))
    and kind is not errors.MissingExtraError
]


def is_safe(text: str) -> bool:
    """Say whether a text has no character that is obeyed or changes the direction of others."""
    return not any(
        unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(sign) in ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")
        or sign in "\u200e\u200f\u061c\ufeff"
        for sign in text
    )


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_and_warning(kind: type[Exception]) -> None:
    said = str(kind(f"the id {HOSTILE} is wrong" + HOSTILE * 20_000 + "; rename it"))
    assert is_safe(said)
    assert len(said) <= LONGEST
    assert said.startswith("the id \\x1b[31m\\x07\\x00\\u202e\\u2028\\u200f\\u2066\\x9b\\n\\r is wrong")
    assert said.endswith("; rename it")
    assert str(pickle.loads(pickle.dumps(kind("a")))) == "a"


@given(st.text())
def test_what_is_shown_is_safe_and_stays_so(text: str) -> None:
    assert is_safe(visible(text))
    assert visible(visible(text)) == visible(text)
    if text.isprintable():
        assert visible(text) == text


def test_what_people_write_is_left_alone() -> None:
    for text in ("naïve 漢字 עברית نص", "می\u200cخواهم", "👩\u200d🔬", "a\u00a0b"):
        assert visible(text) == text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "id,{}\n1,x\n"),
        ("a.rttm", "SPEAKER {} 1 x y <NA> <NA> a <NA> <NA>\n"),
        ("a.json", '{{"items": {{"{}": [1]}}, "segmentation_type": "linear"}}'),
        ("a.jsonl", '{{"id": "{}", "n_units": 2, "boundaries": [9]}}\n'),
        ("a.jsonl", '{{"id": "a", "n_units": 2, "boundaries": [1], "{}": 9}}\n'),
        ("a.masses", "6 {} 3\n"),
        ("a.eaf", '<ANNOTATION_DOCUMENT><TIER TIER_ID="{}"/><TIER TIER_ID="{}"/></ANNOTATION_DOCUMENT>'),
    ],
)
def test_what_readers_quote(name: str, content: str, tmp_path: Path) -> None:
    bad = "a\u202e\u2028\x7f\x9b" * 50_000
    path = tmp_path / name
    path.write_text(content.format(*[json.dumps(bad)[1:-1] if ".json" in name else bad] * 2), encoding="utf-8")
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        try:
            load(path)
        except FormatError as error:
            said = [str(error)]
        else:
            said = [str(note.message) for note in noted]
    assert said
    for message in said:
        assert is_safe(message)
        assert len(message) <= LONGEST
        assert message.startswith(str(path))


def test_csv_has_no_characters_that_steer() -> None:
    text = render(
        Table([Column(f"id{HOSTILE}"), Column("score")], [[f"a{HOSTILE}", 1.0], ["=1+1", None], ["\t=2", 2]]), "csv"
    )
    assert all(is_safe(line) for line in text.split("\n"))
    assert text.count("\n") == 4
    assert "'=1+1" in text
