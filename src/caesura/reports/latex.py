# SPDX-License-Identifier: Apache-2.0
"""LaTeX: a booktabs table to paste, the best values bold, title and notes as comments."""

from __future__ import annotations

from caesura.table import Table

__all__ = ["render"]

_WORDS = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "|": "bar", "<": "less", ">": "greater"}
_SPECIAL = str.maketrans(
    {sign: rf"\text{word}{{}}" for sign, word in _WORDS.items()}
    | {sign: "\\" + sign for sign in "&%$#_{}"}
    | {"\n": " ", "\r": " "}
)
_ARROWS = {"higher": r" $\uparrow$", "lower": r" $\downarrow$", None: ""}


def render(table: Table) -> str:
    """Return the table as a LaTeX tabular; it needs the package booktabs."""
    best = table.best()
    heads = [
        _escaped(c.title)
        + (rf" $\rightarrow${c.target:g}" if c.direction == "target" else _ARROWS[c.direction])
        for c in table.columns
    ]
    notes = [note.replace("\n", " ").replace("\r", " ") for note in (table.title, *table.notes) if note]
    places = "".join("r" if c.direction else "l" for c in table.columns)
    lines = ["% needs \\usepackage{booktabs}", *(f"% {note}" for note in notes)]
    lines += [rf"\begin{{tabular}}{{{places}}}", r"\toprule", " & ".join(heads) + r" \\", r"\midrule"]
    for r, row in enumerate(table.texts()):
        cells = [rf"\textbf{{{_escaped(t)}}}" if (r, c) in best else _escaped(t) for c, t in enumerate(row)]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _escaped(text: str) -> str:
    return text.translate(_SPECIAL)
