# SPDX-License-Identifier: Apache-2.0
"""Tables as text for a target: plain, CSV for programs, Markdown, LaTeX."""

from __future__ import annotations

import csv
import io
import math
import re
from typing import Literal

from caesura.errors import visible
from caesura.table import Table, Value

__all__ = ["FORMATS", "TableFormat", "escaped", "render"]

TableFormat = Literal["table", "csv", "markdown", "latex"]
FORMATS: tuple[TableFormat, ...] = ("table", "csv", "markdown", "latex")

_FORMULA_STARTS = ("=", "+", "-", "@")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
_MARKUP = str.maketrans({c: "\\" + c for c in "\\`*_[]<>|#"} | {"\n": " ", "\r": " "})
_WORDS = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "|": "bar", "<": "less", ">": "greater"}
_MATHS = {
    "\u0394": r"\Delta", "\u00b1": r"\pm", "\u00d7": r"\times", "\u2212": "-", "\u2264": r"\le", "\u2265": r"\ge",
    "\u2191": r"\uparrow", "\u2193": r"\downarrow", "\u2192": r"\rightarrow",
}  # fmt: skip
_SPECIAL = str.maketrans(
    {sign: rf"\text{word}{{}}" for sign, word in _WORDS.items()}
    | {sign: "\\" + sign for sign in "&%$#_{}"}
    | {"\n": " ", "\r": " "}
    | {sign: f"${maths}$" for sign, maths in _MATHS.items()}
)


def render(table: Table, target: TableFormat) -> str:
    """Return a table as text for a target: ``table`` (plain), ``csv``, ``markdown`` or ``latex``."""
    if target == "csv":
        return _csv(table.for_programs())
    if target == "table":
        return str(table) + "\n"
    return _markdown(table) if target == "markdown" else _latex(table)


def _csv(table: Table) -> str:
    """Return full precision without marks and notes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_text(column.title) for column in table.columns])
    for row in table.rows:
        writer.writerow([_value(value) for value in row])
    return out.getvalue()


def _value(value: Value) -> str | float | int:
    if value is None or isinstance(value, tuple):
        return ""
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return _text(value) if isinstance(value, str) else value


def _text(text: str) -> str:
    """Quote formulas of spreadsheets and escape terminal control characters, since ids come from outside.

    A number kept as it was printed, such as "-0.05", is no formula.
    """
    text = visible(text)
    return "'" + text if text.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(text) else text


def _markdown(table: Table) -> str:
    """Return a Markdown table, the best values bold, with the notes below."""
    best = table.best()
    lines = [f"**{escaped(table.title)}**", ""] if table.title else []
    lines.append(_line([f"{escaped(c.title)} {c.arrow}".strip() for c in table.columns]))
    lines.append(_line(["---:" if c.direction else "---" for c in table.columns]))
    for r, row in enumerate(table.texts()):
        lines.append(_line([f"**{escaped(t)}**" if (r, c) in best else escaped(t) for c, t in enumerate(row)]))
    if table.notes:
        lines += ["", *(f"- {escaped(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def escaped(text: str) -> str:
    """Return a text with all Markdown markup escaped."""
    return text.translate(_MARKUP)


def _latex(table: Table) -> str:
    """Return a tabular for the package booktabs, the best values bold, with the notes below it in small print."""
    best = table.best()
    lines = ["% needs \\usepackage{booktabs}", *([f"% {table.title}"] if table.title else [])]
    places = "".join("r" if table.is_numeric(c) else "l" for c in range(len(table.columns)))
    heads = [c.heading.translate(_SPECIAL) for c in table.columns]
    lines += [rf"\begin{{tabular}}{{{places}}}", r"\toprule", " & ".join(heads) + r" \\", r"\midrule"]
    for r, row in enumerate(table.texts()):
        cells = [text.translate(_SPECIAL) for text in row]
        lines.append(" & ".join(rf"\textbf{{{t}}}" if (r, c) in best else t for c, t in enumerate(cells)) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.notes:
        # Long recipes have few places to break a line.
        small = (note.translate(_SPECIAL).replace(r"\textbar{}", r"\textbar{}\allowbreak{}") for note in table.notes)
        lines += ["", r"\smallskip", r"{\footnotesize\raggedright", "\\\\\n".join(small) + r"\par}"]
    return "\n".join(lines) + "\n"
