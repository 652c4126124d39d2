"""Plain text that fits a width."""

from __future__ import annotations

from caesura.reports.text import render
from caesura.table import Column, Table


def test_a_wide_table_and_a_long_note_fit() -> None:
    wide = Table(
        [Column("system"), *(Column(f"metric {i}", "higher") for i in range(12))],
        [["a", *[0.123] * 12], ["b", *[0.456] * 12]],
        notes=["a note that is long " * 10],
        title="Scores",
    )
    lines = render(wide, 60).splitlines()
    assert all(len(line) <= 60 for line in lines)
    assert lines[0] == "Scores"
    assert " ".join(lines).count("0.456*") == 12


def test_what_fits_is_as_it_was() -> None:
    narrow = Table([Column("system"), Column("Pk", "lower")], [["a", 0.5], ["b", 0.25]], notes=["a recipe"])
    assert render(narrow, 80) == f"{narrow}\n"


def test_texts_behind_values_stay_behind_them() -> None:
    wide = Table(
        [Column("system"), Column("first metric"), Column("second metric")],
        [["a", 0.5, 0.25]],
        after={(0, 2): " (low)"},
    )
    assert "0.250 (low)" in render(wide, 24)
    assert "0.500 (low)" not in render(wide, 24)
