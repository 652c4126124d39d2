# SPDX-License-Identifier: Apache-2.0
"""The model of every displayed table: columns with a direction, rows, marked best values, notes."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar

from caesura.errors import visible

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "BETWEEN",
    "Column",
    "Direction",
    "Style",
    "Table",
    "Value",
    "as_html",
    "as_lines",
    "badness",
    "columns_of",
    "format_number",
    "one_line",
]

BETWEEN = 2
"""Spaces between two columns."""
Value = float | int | str | tuple[float | None, float | None] | None
Direction = Literal["higher", "lower", "target"]
Style = Literal["number", "p", "percent", "interval"]
"""How the numbers of a column are shown: p never as 0.000, a share in percent, the two ends of an interval in one cell."""
N = TypeVar("N", float, "npt.NDArray[np.float64]")


def badness(value: N, direction: Direction, target: float = 1.0) -> N:
    """Return the badness of a value, or of each value of an array; the minimum is the best.

    >>> badness(0.75, "higher"), badness(0.75, "lower"), badness(0.75, "target")
    (-0.75, 0.75, 0.25)
    """
    if direction == "lower":
        return value
    return abs(value - target) if direction == "target" else -value


@dataclasses.dataclass(frozen=True)
class Column:
    """One column."""

    title: str
    direction: Direction | None = None  # which way is better; None to mark nothing
    target: float = 1.0  # the ideal value, for direction "target"
    digits: int = 3  # decimals shown; files keep full precision
    width: int | None = None  # width at which plain text wraps; None for no wrapping
    detail: bool = False  # whether a command shows it with --full only
    style: Style = "number"  # how its numbers are shown; files for programs have the numbers themselves

    @property
    def arrow(self) -> str:
        """Return an arrow in the direction of better values."""
        return {"higher": "↑", "lower": "↓", "target": f"→{self.target:g}", None: ""}[self.direction]

    @property
    def heading(self) -> str:
        """Return the title with its arrow."""
        return one_line(f"{self.title} {self.arrow}".strip())


@dataclasses.dataclass(frozen=True)
class Table:
    """Rows and columns, with notes below them."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]  # one value per column: text, number, ends, or None where it is not defined
    notes: Sequence[str] = ()  # lines that belong under the table
    title: str = ""  # the line above it
    detail: bool = False  # whether a command shows it with --full only
    after: Mapping[tuple[int, int], str] = dataclasses.field(
        default_factory=dict
    )  # text after the value at (row, column)
    marked: frozenset[tuple[int, int]] | None = None  # the values to mark; None for the best of each column

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", one_line(self.title))
        object.__setattr__(self, "notes", [one_line(note) for note in self.notes])
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"a row of the table {self.title!r} does not have {len(self.columns)} values")

    def best(self) -> frozenset[tuple[int, int]]:
        """Return the (row, column) of the values to mark: by default the best of each column with a direction.

        All ties are marked; nothing is marked if there is only one row or all rows are equal.
        """
        if self.marked is not None:
            return self.marked
        marks: set[tuple[int, int]] = set()
        for place, column in enumerate(self.columns):
            if column.direction is None or len(self.rows) < 2:
                continue
            ranked = {}
            for row, values in enumerate(self.rows):
                value = values[place]
                if isinstance(value, (int, float)) and not math.isnan(value):
                    ranked[row] = badness(float(value), column.direction, column.target)
            if ranked and min(ranked.values()) < max(ranked.values()):
                least = min(ranked.values())
                marks.update((row, place) for row, value in ranked.items() if value == least)
        return frozenset(marks)

    def widths(self) -> list[int]:
        """Return the width of each column in plain text."""
        cells = self._cells()
        return [
            max([len(column.heading), *(len(line) for row in cells for line in row[place])])
            for place, column in enumerate(self.columns)
        ]

    def at(self, places: Sequence[int]) -> Table:
        """Return the table with only the columns ``places``."""
        new = {place: position for position, place in enumerate(places)}
        return dataclasses.replace(
            self,
            columns=[self.columns[place] for place in places],
            rows=[[row[place] for place in places] for row in self.rows],
            after={(row, new[place]): text for (row, place), text in self.after.items() if place in new},
            marked=frozenset((row, new[place]) for row, place in self.best() if place in new),
        )

    def is_numeric(self, place: int) -> bool:
        """Return whether a column holds numbers or only undefined values, and is therefore right-aligned."""
        values = [row[place] for row in self.rows]
        return any(isinstance(v, (int, float, tuple)) for v in values) or all(v is None for v in values)

    def texts(self) -> list[list[str]]:
        """Return every value as displayed."""
        return [
            [
                _shown(value, column) + self.after.get((row, place), "")
                for place, (value, column) in enumerate(zip(values, self.columns, strict=True))
            ]
            for row, values in enumerate(self.rows)
        ]

    def for_programs(self) -> Table:
        """Return the table with the two ends of every interval in columns of their own.

        >>> table = Table([Column("a"), Column("95 %", style="interval")], [["x", (0.25, 0.5)], ["y", None]])
        >>> print(table.for_programs())
        a  95 % low  95 % high
        -  --------  ---------
        x     0.250      0.500
        y         -          -
        """
        columns: list[Column] = []
        for c in self.columns:
            ends = (" low", " high") if c.style == "interval" else ("",)
            columns += [dataclasses.replace(c, title=c.title + end, style="number") for end in ends]
        rows: list[list[Value]] = []
        for row in self.rows:
            cells: list[Value] = []
            for value, c in zip(row, self.columns, strict=True):
                single = c.style != "interval"
                cells += [value] if single else value if isinstance(value, tuple) else (None, None)
            rows.append(cells)
        return Table(columns, rows, title=self.title)

    def records(self) -> list[dict[str, Value]]:
        """Return the rows as dictionaries, for programs."""
        table = self.for_programs()
        return [dict(zip((c.title for c in table.columns), row, strict=True)) for row in table.rows]

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        return as_html((), [self])

    def _cells(self) -> list[list[list[str]]]:
        """Return the plain-text lines of every cell, with the best values starred."""
        best = self.best()
        return [
            [
                _wrapped(text + ("*" if (r, c) in best else " " if column.direction else ""), column)
                for c, (text, column) in enumerate(zip(row, self.columns, strict=True))
            ]
            for r, row in enumerate(self.texts())
        ]

    def __str__(self) -> str:
        """Return the table as plain text, with the best values starred."""
        widths = self.widths()
        numeric = [self.is_numeric(c) for c in range(len(widths))]
        head = [[[column.heading] for column in self.columns], [["-" * width] for width in widths]]
        lines = [self.title] if self.title else []
        for row in [*head, *self._cells()]:
            for parts in itertools.zip_longest(*row, fillvalue=""):
                lines.append(
                    (" " * BETWEEN)
                    .join(
                        part.rjust(width) if right else part.ljust(width)
                        for part, width, right in zip(parts, widths, numeric, strict=True)
                    )
                    .rstrip()
                )
        return "\n".join(filter(None, [*lines, as_lines(self.notes)]))


def as_lines(sentences: Sequence[str], width: int = 80) -> str:
    """Return sentences as plain text, one per line, wrapped with a hanging indent.

    >>> print(as_lines(["a is better than b.", "c is not."], width=12))
    a is better
      than b.
    c is not.
    >>> print(as_lines(["Support|language:auto=english|docs:8"], width=24))
    Support|
      language:auto=english|
      docs:8
    """
    wrapper = textwrap.TextWrapper(width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    lines = []
    for sentence in sentences:
        # A number and its per cent sign stay on one line, and a recipe is broken between its parts.
        text = sentence.replace(" %", "\N{NO-BREAK SPACE}%")
        long = len(text) > width and " " not in text
        lines.append(wrapper.fill(text.replace("|", "| ")).replace("| ", "|") if long else wrapper.fill(text))
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}%", " %")


def as_html(sentences: Sequence[str], tables: Sequence[Table]) -> str:
    """Return sentences and tables as HTML for a notebook, with the best values in bold.

    >>> as_html(["a < b"], [])
    '<p>a &lt; b</p>'
    """
    import html

    parts = [f"<p>{html.escape(sentence)}</p>" for sentence in sentences]
    for table in tables:
        best = table.best()
        right = [' style="text-align: right"' if table.is_numeric(c) else "" for c in range(len(table.columns))]
        heads = [html.escape(column.heading) for column in table.columns]
        rows = ["".join(f"<th{place}>{head}</th>" for place, head in zip(right, heads, strict=True))]
        for r, texts in enumerate(table.texts()):
            cells = [html.escape(text) for text in texts]
            bold = [f"<b>{cell}</b>" if (r, c) in best else cell for c, cell in enumerate(cells)]
            rows.append("".join(f"<td{place}>{cell}</td>" for place, cell in zip(right, bold, strict=True)))
        caption = f"<caption>{html.escape(table.title)}</caption>" if table.title else ""
        parts.append(f"<table>{caption}{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")
        parts += [f"<small>{html.escape(note)}</small><br>" for note in table.notes]
    return "\n".join(parts)


def one_line(text: str) -> str:
    r"""Return a text that cannot break a table or control a terminal, since names and ids come from outside.

    >>> print(one_line("a\nb \x1b[31mred"))
    a b \x1b[31mred
    """
    return text if text.isprintable() else visible(re.sub(r"\s", " ", text))


def _wrapped(text: str, column: Column) -> list[str]:
    return (textwrap.wrap(text, column.width) or [""]) if column.width else [text]


def _shown(value: Value, column: Column) -> str:
    """Return a value as its column shows it.

    >>> _shown(0.0001, Column("p", style="p")), _shown(0.254, Column("", style="percent")), _shown((0.25, 1), Column(""))
    ('< 0.001', '25 %', '[0.250, 1]')
    """
    if isinstance(value, (int, float)) and column.style == "p" and value < 0.001:
        return "< 0.001"
    if isinstance(value, (int, float)) and column.style == "percent":
        return f"{100 * value:.0f} %"
    return format_number(value, column.digits)


def format_number(value: Value, digits: int = 3) -> str:
    """Return a value as displayed in a table.

    >>> format_number(0.54545), format_number(None), format_number(float("inf")), format_number(12)
    ('0.545', '-', 'inf', '12')
    """
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return "-" if None in value else f"[{', '.join(format_number(end, digits) for end in value)}]"
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return "-"
    return "inf" if math.isinf(value) else f"{value:.{digits}f}"


_P = ("p", "p (adjusted)")


def columns_of(*titles: str) -> list[Column]:
    """Return plain columns with these titles; one that is called p holds p-values."""
    return [Column(title, style="p" if title in _P else "number") for title in titles]
