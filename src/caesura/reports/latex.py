# SPDX-License-Identifier: Apache-2.0
"""LaTeX: a booktabs table with the best values in bold and the notes below it in small print."""

from __future__ import annotations

from caesura.table import Table

__all__ = ["render"]

_WORDS = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "|": "bar", "<": "less", ">": "greater"}
_SPECIAL = str.maketrans(
    {sign: rf"\text{word}{{}}" for sign, word in _WORDS.items()}
    | {sign: "\\" + sign for sign in "&%$#_{}"}
    | {"\n": " ", "\r": " "}
    | {
        "\u0394": r"$\Delta$",
        "\u00b1": r"$\pm$",
        "\u00d7": r"$\times$",
        "\u2212": "$-$",
        "\u2264": r"$\le$",
        "\u2265": r"$\ge$",
    }
    | {"\u2191": r"$\uparrow$", "\u2193": r"$\downarrow$", "\u2192": r"$\rightarrow$"}
)
_ARROWS = {"higher": r" $\uparrow$", "lower": r" $\downarrow$", None: ""}


def render(table: Table) -> str:
    """Return the table as a LaTeX tabular; it needs the package booktabs."""
    best = table.best()
    heads = [
        _escaped(c.title) + (rf" $\rightarrow${c.target:g}" if c.direction == "target" else _ARROWS[c.direction])
        for c in table.columns
    ]
    title = [f"% {table.title}"] if table.title else []
    places = "".join("r" if table.is_numeric(c) else "l" for c in range(len(table.columns)))
    lines = ["% needs \\usepackage{booktabs}", *title]
    lines += [rf"\begin{{tabular}}{{{places}}}", r"\toprule", " & ".join(heads) + r" \\", r"\midrule"]
    for r, row in enumerate(table.texts()):
        cells = [rf"\textbf{{{_escaped(t)}}}" if (r, c) in best else _escaped(t) for c, t in enumerate(row)]
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.notes:
        # Long recipes have few places to break a line.
        small = (_escaped(note).replace(r"\textbar{}", r"\textbar{}\allowbreak{}") for note in table.notes)
        lines += ["", r"\smallskip", r"{\footnotesize\raggedright", "\\\\\n".join(small) + r"\par}"]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.translate(_SPECIAL)
