"""The table model and its renderers."""

from __future__ import annotations

import csv
import io

import pytest

from caesura.reports import FORMATS, render
from caesura.table import Column, Table

NAN = float("nan")


def table(*rows, direction="higher"):
    return Table([Column("system"), Column("m", direction)], rows)


@pytest.mark.parametrize(
    ("direction", "best"), [("higher", {(1, 1)}), ("lower", {(0, 1)}), ("target", {(2, 1)}), (None, set())]
)
def test_best_follows_the_direction(direction, best):
    assert table(["a", 0.1], ["b", 2.5], ["c", 1.1], direction=direction).best() == best


def test_ties_are_all_marked_and_equal_columns_not_at_all():
    assert table(["a", 0.5], ["b", 0.5], ["c", 0.1]).best() == {(0, 1), (1, 1)}
    assert table(["a", 0.5], ["b", 0.5]).best() == frozenset()
    assert table(["a", 0.5]).best() == frozenset()


def test_undefined_is_never_best():
    assert table(["a", NAN], ["b", 0.1], ["c", None], ["d", 0.0]).best() == {(1, 1)}
    assert table(["a", float("inf")], ["b", 1.2], direction="target").best() == {(1, 1)}


def test_plain_text():
    text = str(table(["long name", 0.25], ["b", NAN], ["c", 0.125]))
    assert text.splitlines() == [
        "system        m ↑",
        "---------  ------",
        "long name  0.250*",
        "b              -",
        "c          0.125",
    ]


def test_wrapped_text_keeps_its_columns():
    text = str(Table([Column("a"), Column("b", width=10)], [["x", "one two three four"]]))
    lines = text.splitlines()[2:]
    assert len(lines) == 2
    assert all(line[3:].strip() for line in lines)


HOSTILE = ["=cmd|' /C calc'!A0", "a|b\nc", r"\input{x} $ & % # _ { } ~ ^", "<script>alert(1)</script>", "*bold*"]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("target", FORMATS)
def test_hostile_names_stay_data(name, target):
    out = render(table([name, 0.5], ["b", 0.25]), target)
    if target == "csv":
        rows = list(csv.reader(io.StringIO(out)))
        assert len(rows) == 3
        assert not rows[1][0].startswith("=")
    if target == "markdown":
        assert "<script>" not in out
        assert len([line for line in out.splitlines() if line.startswith("|")]) == 4
    if target == "latex":
        assert r"\input" not in out
        body = out.split(r"\midrule")[1]
        assert body.count(r" \\") == 2


def test_csv_keeps_all_digits():
    value = 1 / 3
    rows = list(csv.reader(io.StringIO(render(table(["a", value], ["b", NAN]), "csv"))))
    assert float(rows[1][1]) == value
    assert rows[2][1] == ""


def test_latex_compiles_structurally():
    out = render(Table([Column("s"), Column("BOR", "target")], [["a", 1.0], ["b", 2.0]], notes=["x|k:2"]), "latex")
    assert out.count(r"\begin{tabular}{lr}") == 1
    assert out.count(r"\end{tabular}") == 1
    assert r"\textbf{1.000}" in out
    assert r"x\textbar{}\allowbreak{}k:2" in out.partition(r"\end{tabular}")[2]
