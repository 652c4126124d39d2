"""Every number that can be exact is, by a list of printed numbers that is not ours; it is found beside the data."""

from __future__ import annotations

import json
from pathlib import Path

from caesura_reproductions.expected import walk
from tests.corpora import corpus_file, needs

EXPECTED = "../expected.json"


@needs(EXPECTED)
def test_every_number_that_can_be_exact_is():
    found = list(walk(corpus_file(EXPECTED)))
    assert len(found) == 750
    assert sum(one.required for one in found) == 282
    assert [one.entry for one in found if one.required and one.status != "exact"] == []
    assert [one.entry for one in found if one.status in ("missing", "printed otherwise")] == []
    assert all(one.cell.note for one in found if one.cell is not None and one.status == "unavailable")


def test_a_number_that_is_missing_or_printed_otherwise_is_seen(tmp_path: Path):
    entries = [
        {"paper": "000", "item": "T2", "cell": {"row": "SegReFree", "column": column}, "printed": printed, "exact": "arithmetic"}
        for column, printed in [("Pk mean", "0.10"), ("Pk mean", "0.99"), ("no such", "1")]
    ]  # fmt: skip
    (tmp_path / "list.json").write_text(json.dumps({"entries": entries}))
    assert [one.status for one in walk(tmp_path / "list.json")] == ["exact", "printed otherwise", "missing"]
