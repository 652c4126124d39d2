# SPDX-License-Identifier: Apache-2.0
"""Markdown: the best values bold, the notes below."""

from __future__ import annotations

from caesura.table import Table

__all__ = ["escaped", "render"]

_SPECIAL = str.maketrans({c: "\\" + c for c in "\\`*_[]<>|#"} | {"\n": " ", "\r": " "})


def render(table: Table) -> str:
    """Return the table as a Markdown table."""
    best = table.best()
    heads = [f"{escaped(c.title)} {c.arrow}".strip() for c in table.columns]
    rules = ["---:" if c.direction else "---" for c in table.columns]
    lines = [f"**{escaped(table.title)}**", ""] if table.title else []
    lines += [_line(heads), _line(rules)]
    for r, row in enumerate(table.texts()):
        cells = [f"**{escaped(t)}**" if (r, c) in best else escaped(t) for c, t in enumerate(row)]
        lines.append(_line(cells))
    if table.notes:
        lines += ["", *(f"- {escaped(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def escaped(text: str) -> str:
    """Return a text with all Markdown markup escaped."""
    return text.translate(_SPECIAL)
