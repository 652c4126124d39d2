# SPDX-License-Identifier: Apache-2.0
"""LaTeX: a booktabs table to paste, the best values bold, title and notes as comments."""

from __future__ import annotations

from caesura.table import Table

__all__ = ["render"]

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "|": r"\textbar{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "\n": " ",
        "\r": " ",
    }
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
    lines = ["% needs \\usepackage{booktabs}"]
    lines += [
        f"% {note}".replace("\n", " ").replace("\r", " ") for note in (table.title, *table.notes) if note
    ]
    lines += [
        rf"\begin{{tabular}}{{{''.join('r' if c.direction else 'l' for c in table.columns)}}}",
        r"\toprule",
    ]
    lines += [" & ".join(heads) + r" \\", r"\midrule"]
    for r, row in enumerate(table.texts()):
        cells = [rf"\textbf{{{_escaped(t)}}}" if (r, c) in best else _escaped(t) for c, t in enumerate(row)]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _escaped(text: str) -> str:
    return text.translate(_SPECIAL)
