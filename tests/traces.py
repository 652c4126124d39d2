"""Where a number of a table stands in the results file, and whether a rendering shows it: without the code that makes tables.

A number of the file is known by its key and by its surroundings: the keys above it, and the texts beside it and above it (the system,
the metric, the document). A cell of a table is right if the file has its number, to the last bit, in surroundings that hold
all that the cell's row and title name.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from caesura.table import Column, Table, Value

NAMES = frozenset(
    ("annotator", "column", "comparison", "dataset", "document", "encoder", "first", "item", "logits", "metric", "metrics", "reading", "reference", "row", "scorer", "second", "setting", "system")
)  # fmt: skip
"""Columns that say what a row is about."""

_KEYS = {
    "p (adjusted)": ("p_corrected",), "per 100": ("segments_per_100", "per_100", "per_100_units"), "peak MB": ("peak_memory_mb",), "chance": ("chance", "expected"),
    "by chance": ("mean", "density"), "error": ("error", "total"), "change of kappa": ("kappa_change",), "interval of density": ("density_interval",),
    "Pearson": ("pearson",), "Spearman": ("spearman",), "Kendall": ("kendall",), "BOR": ("bor",),
    "boundaries": ("boundaries", "commits"), "loss": ("loss", "validation_loss"), "random": ("random", "z_chance", "chance", "marked_chance"), "METRIC chance": ("expected", "chance"), "METRIC chance error": ("error",), "METRIC skill": ("skill",),
}  # fmt: skip
"""Keys that a title means, where they are not its own words; METRIC stands for the name of a metric."""

_COMPUTED: dict[str, Callable[[float], float]] = {
    "1-unit %": lambda share: 100 * share, "ms/doc": lambda seconds: 1000 * seconds, "segments/100": lambda units: 100 / units if units else math.nan,
}  # fmt: skip
"""Columns that show a number of the file in another unit."""

_CORPUS = {
    "units of a document": "units", "segments of a coding": "segments", "units of a segment": "segment_length",
    "support at the gap": "support_exact", "within half a window": "support_half", "within a window": "support_full",
}  # fmt: skip
_STATISTICS = {"mean": "mean", "sd": "sd", "25 %": "q25", "median": "median", "75 %": "q75"}
"""The statistic that a row and a column of the table of a corpus mean."""

_DERIVED = {
    "ΔBOR": "the difference of two numbers that the CSV has", "share": "a share of a list in the file",
    "support exact": "a mean", "half a window": "a mean", "a window": "a mean", "mean delay": "a mean", "rate error": "a mean",
}  # fmt: skip
"""Columns that are computed from several numbers of the file."""


_CONSTANT = {("temperature", 1.0)}  # before a temperature is chosen
_ENDS = {"low", "high"}
_OF_OTHERS = {"gaps_by"}
"""Texts that say nothing of the numbers beside them: the metric of two tables is not that of the densities."""


class Leaf(NamedTuple):
    """A number of a results file."""

    value: float | None
    key: str
    around: frozenset[str]


def leaves(value: Any, documents: list[str], around: frozenset[str] = frozenset(), key: str = "") -> Iterator[Leaf]:
    """Yield every number of a results file, None where it is undefined, and the lengths of its lists."""
    if isinstance(value, dict):
        beside = {text for name, text in value.items() if isinstance(text, str) and name not in _OF_OTHERS}
        for name, inner in value.items():
            yield from leaves(inner, documents, around | beside | {name}, name)
    elif isinstance(value, list):
        plain = all(inner is None or isinstance(inner, (int, float)) for inner in value)
        names: list[str] = [] if not plain else ["low", "high"] if len(value) == 2 else documents
        names = names if len(names) == len(value) else []
        yield Leaf(len(value), key, around)
        for place, inner in enumerate(value):
            yield from leaves(inner, documents, around | set(names[place : place + 1]), key)
    elif value in ("inf", "-inf"):
        yield Leaf(float(value), key, around)
    elif value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        yield Leaf(value, key, around)


def texts(value: Any) -> Iterator[str]:
    """Yield every text of a results file; a number is none."""
    if isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


class File:
    """A results file as plain JSON data."""

    def __init__(self, plain: dict[str, Any]) -> None:
        self.leaves = list(leaves(plain, plain.get("documents") or []))
        self.metrics = sorted(plain.get("metrics") or {}, key=len, reverse=True)
        self.around: dict[str, set[str]] = {}
        for leaf in self.leaves:
            self.around.setdefault(leaf.key, set()).update(leaf.around)
        self.known = set().union(*self.around.values())

    def untraced(self, table: Table) -> list[str]:
        """Return the cells of a table that the file does not hold, and the empty ones for which it holds a number."""
        table = table.for_programs()
        titles = [column.title for column in table.columns]
        wrong = []
        for row in table.rows:
            labels = self._labels(titles, row)
            for title, value in zip(titles, row, strict=True):
                if isinstance(value, str) or title in _DERIVED or (title, value) in _CONSTANT:
                    continue
                asked, keys = self._asked(title)
                if titles[0] == "what" and row[0] in _CORPUS:
                    if title == "number":
                        continue  # of lists in the file
                    keys = {f"{_CORPUS[row[0]]}_{_STATISTICS[title]}"}
                fitting = [leaf for leaf in self.leaves if self._fits(leaf, labels, asked, keys)]
                named = [
                    leaf for leaf in fitting if (leaf.key in keys or asked & _ENDS) and labels | asked <= leaf.around
                ]
                if value is None and str(row[0]).startswith("people ("):
                    continue  # annotators are no system, and nothing is placed at random at their density
                if value is None or math.isnan(value) or (value == 0 and isinstance(value, int) and not named):
                    # Of what the row and the title name, nothing may be known; a count that is not there is 0.
                    fault = bool(named) and all(leaf.value is not None for leaf in named)
                else:
                    turned = _COMPUTED.get(title, float)
                    fault = all(leaf.value is None or turned(leaf.value) != value for leaf in fitting)
                if fault:
                    wrong.append(f"{table.title}: {title} of {', '.join(sorted(labels))} is {value}")
        return wrong

    def _labels(self, titles: list[str], row: list[Any]) -> set[str]:
        """Return what a row is about, as far as the file knows it."""
        texts = [str(cell) for title, cell in zip(titles, row, strict=True) if title.partition(" ")[0] in NAMES]
        parts = {part for text in texts for part in (text, text.removesuffix(" (blind)"), *re.split(" - | ~ ", text))}
        return parts & self.known

    def _asked(self, title: str) -> tuple[set[str], set[str]]:
        """Return what a title asks of the surroundings of a number, and the keys that it may stand under, if it names any."""
        if title == "clock" or title.endswith(" clock"):
            return (
                ({"clocks"}, {"score"})
                if "clocks" in self.known
                else ({"blind", title.removesuffix("clock").strip()} - {""}, {"clock"})
            )
        asked = {end[1]} if (end := re.search(r"(?:^| )(low|high)$", title)) else set()
        rest = re.sub(r"(?:^| )(low|high)$", "", title)
        name = next((name for name in self.metrics if rest == name or rest.startswith(f"{name} ")), None)
        if name is not None:
            asked.add(name)
            rest = rest.replace(name, "METRIC", 1)
        own = rest.removeprefix("METRIC").strip().replace(" ", "_")
        keys = _KEYS.get(rest, (f"{own}_interval", own) if end else (own,))
        known = [key for key in keys if key in self.around]
        return asked, set(known[:1] if end else known)

    def _fits(self, leaf: Leaf, labels: set[str], asked: set[str], keys: set[str]) -> bool:
        """Return whether a number stands where it should; what no number of its key has around it is not asked."""
        return (not keys or bool(keys & leaf.around)) and (labels | asked) & self.around[leaf.key] <= leaf.around

    def intervals_behind(self, table: Table) -> list[str]:
        """Return the intervals behind the scores of a table for a paper that the file does not hold."""
        titles = [column.title for column in table.columns]
        wrong = []
        for (row, place), text in table.after.items():
            labels, (asked, keys) = self._labels(titles, table.rows[row]), self._asked(titles[place])
            for end, shown in zip(("low", "high"), re.findall(r"-?[0-9]+\.[0-9]+", text), strict=False):
                fitting = (leaf for leaf in self.leaves if self._fits(leaf, labels, asked | {end}, keys))
                if all(
                    leaf.value is None or end not in leaf.around or not _rounds(leaf.value, shown) for leaf in fitting
                ):
                    wrong.append(f"{end} end of {titles[place]} of {', '.join(sorted(labels))} is {shown}")
        return wrong


def cells_of(text: str, target: str) -> list[list[list[str]]]:
    """Return the rows of every table of a text, heads first, as a reader of CSV, Markdown or LaTeX gets them."""
    if target == "csv":
        return [list(csv.reader(io.StringIO(text)))]
    if target == "markdown":
        blocks = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
        found = [[re.split(r"(?<!\\)\|", line)[1:-1] for line in block.splitlines()] for block in blocks]
        return [[[_plain(cell, target) for cell in row] for row in (rows[0], *rows[2:])] for rows in found]
    blocks = re.findall(r"\\toprule\n(.*?)\\bottomrule", text, re.DOTALL)
    lines = [[line for line in block.split("\n") if line.endswith(r" \\")] for block in blocks]
    return [[[_plain(c, target) for c in re.split(r"(?<!\\)&", line[:-3])] for line in rows] for rows in lines]


def _plain(cell: str, target: str) -> str:
    """Return the text of a cell without the markup of its target."""
    cell = cell.strip()
    if target == "markdown":
        return re.sub(r"\\(.)", r"\1", cell.removeprefix("**").removesuffix("**") if cell.startswith("**") else cell)
    if bold := re.fullmatch(r"\\textbf\{(.*)\}", cell):
        cell = bold[1]
    cell = re.sub(r"\$\\?([A-Za-z]+|-)\$", lambda sign: _SIGNS[sign[1]], cell)
    cell = re.sub(r"\\text(\w+)\{\}", lambda sign: _SIGNS[sign[1]], cell)
    return re.sub(r"\\([&%$#_{}])", r"\1", cell)


_SIGNS = {
    "backslash": "\\", "asciitilde": "~", "asciicircum": "^", "bar": "|", "less": "<", "greater": ">", "Delta": "Δ", "pm": "±", "times": "×",
    "-": "−", "le": "≤", "ge": "≥", "uparrow": "↑", "downarrow": "↓", "rightarrow": "→",
}  # fmt: skip


def misread(rows: list[list[str]], table: Table, *, exact: bool = False) -> list[str]:
    """Return the cells of a rendered table that do not show the value of the table, ``exact`` to the last bit."""
    heads, *body = rows
    if len(body) != len(table.rows) or len(heads) != len(table.columns):
        return [f"{table.title}: {len(body)} rows of {len(heads)} for {len(table.rows)} of {len(table.columns)}"]
    wrong = [
        f"{head} for {column.title}"
        for head, column in zip(heads, table.columns, strict=True)
        if not _squeezed(head).startswith(_squeezed(column.title))
    ]
    for number, (texts, values) in enumerate(zip(body, table.rows, strict=True)):
        for place, (text, value, column) in enumerate(zip(texts, values, table.columns, strict=True)):
            behind = table.after.get((number, place), "")
            shows = _holds(text, value) if exact else _shows(text.removesuffix(behind), value, column)
            if not shows or not text.endswith(behind):
                wrong.append(f"{table.title}: {column.title}: {text} for {value}")
    return wrong


def _holds(text: str, value: Value) -> bool:
    if isinstance(value, (int, float)):
        return text == "" if math.isnan(value) else bool(text) and float(text) == value
    return text.removeprefix("'") == (value or "")


def _shows(text: str, value: Value, column: Column) -> bool:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return text == "-"
    if isinstance(value, str):
        return _squeezed(text) == _squeezed(value)
    if isinstance(value, tuple):
        ends = re.fullmatch(r"\[(.*), (.*)\]", text)
        return text == "-" if None in value else bool(ends) and all(map(_rounds, value, ends.groups()))
    if column.style == "p" and value < 0.001:
        return text == "< 0.001"
    if column.style == "percent":
        return text.endswith(" %") and _rounds(100 * value, text[:-2])
    return _rounds(value, text)


def _rounds(value: float, text: str) -> bool:
    """Return whether a text is a number rounded to the digits that it shows."""
    if isinstance(value, int) or math.isinf(value):
        return text == str(value)
    return bool(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text)) and f"{value:.{len(text.partition('.')[2])}f}" == text


def _squeezed(text: str) -> str:
    return " ".join(text.split())
