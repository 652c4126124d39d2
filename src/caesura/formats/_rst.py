# SPDX-License-Identifier: Apache-2.0
"""The blocks of reStructuredText, found line by line from indentation, without its directives being run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from caesura.formats._blocks import Block, LineBlocks

__all__ = ["rst"]

_DIRECTIVE = re.compile(r"\.\. (?:\|[^|]*\| )?([\w:+.-]+?)::(?:\s+(.*)|\Z)")
_CODE = re.compile("code|code-block|sourcecode|parsed-literal|literalinclude|math|doctest|testcode|prompt")
_TABLE = re.compile("csv-table|list-table|table")
_UNSEEN = re.compile("contents|default-role|figure|highlight|image|include|index|meta|raw|replace|role|toctree|auto.*|")
_LINE = re.compile(r"([^\w\s])\1{2,}")
_UNDERLINE = re.compile(r"(?!::\Z)([^\w\s])\1*")  # at least as long as a short title
_BORDER = re.compile(r"=+(?: +=+)+")
_GRID = re.compile(r"\+[-=+]{3,}\+")
_PARTS = 100  # of a simple table, between blank lines
_ITEM = re.compile(r"(?:[-*+•]|\(?(?:\d+|#)[.)]|:[^:\s][^:]*:)(?:\s|\Z)")


def rst(found: LineBlocks) -> list[Block]:
    """Return the blocks of reStructuredText."""
    lines, blank = found.lines, _blank(found.lines)
    inside: list[
        tuple[int, int]
    ] = []  # of each item or directive the least indentation within, and the number of the item
    styles: list[tuple[str, bool]] = []  # of headings, by level
    place = items = 0
    while place < len(lines):
        line = lines[place].strip()
        if not line:
            place += 1
            continue
        first, indent = place, _indent(lines[place])
        while inside and indent < inside[-1][0]:
            inside.pop()
        below = lines[place + 1].strip() if place + 1 < len(lines) else ""
        overlined = bool(
            _LINE.fullmatch(line) and below and [each.strip() for each in lines[place + 2 : place + 3]] == [line]
        )
        if line == ".." or (line.startswith(".. ") and not line.startswith(".. [")):
            place = _directive(found, place, blank[place], indent, inside)
        elif _GRID.fullmatch(line) or _BORDER.fullmatch(line):
            place = _table(lines, place, blank)
            found.put("table", first, place)
        elif overlined or (
            not _LINE.fullmatch(line) and _UNDERLINE.fullmatch(below) and len(below) >= min(len(line), 4)
        ):
            style = (line[0], True) if overlined else (below[0], False)
            styles += [] if style in styles else [style]
            place += 3 if overlined else 2
            found.put("heading", first, place, styles.index(style) + 1, below if overlined else line)
        elif _LINE.fullmatch(line):
            place += 1  # a line between two parts
        elif line.startswith(">>> "):
            place = blank[place]
            found.put("code", first, place)
        elif _ITEM.match(line):
            items += 1
            inside.append((indent + 1, items))
            place = _deeper(lines, place + 1, indent, blank[place])
            found.put("list_item", first, place, sum(number > 0 for _, number in inside), item=items)
        else:
            place = blank[place]
            item = inside[-1][1] if inside else 0
            kind = "list_item" if item else "quote" if indent and not inside else "paragraph"
            if line != "::":
                found.put(kind, first, place, item=item)
        if lines[place - 1].rstrip().endswith("::") and not line.startswith(".."):
            after = _deeper(lines, place, indent)
            found.put("code", place, after)
            place = after
    return found.blocks


def _directive(found: LineBlocks, place: int, stop: int, indent: int, inside: list[tuple[int, int]]) -> int:
    """Add the block of a directive, if it is one, and return the line to go on with: its content, or what follows."""
    after = _deeper(found.lines, place + 1, indent)
    match = _DIRECTIVE.match(found.lines[place].strip())
    name = match[1].lower() if match else ""
    kind = "code" if _CODE.fullmatch(name) else "table" if _TABLE.fullmatch(name) else ""
    if kind:
        found.put(kind, place, after)
    if kind or match is None or _UNSEEN.fullmatch(name):
        return after
    inside.append((indent + 1, 0))
    stop = min(stop, after)
    if match[2]:
        found.put("paragraph", place, stop)
        return stop
    content = (n for n in range(place + 1, stop) if not found.lines[n].strip().startswith(":"))
    return next(content, stop)


def _table(lines: Sequence[str], place: int, blank: Sequence[int]) -> int:
    """Return the line after a table: a simple table has blank lines between its borders."""
    stop = blank[place]
    for _ in range(_PARTS if _BORDER.fullmatch(lines[place].strip()) else 0):
        if _BORDER.fullmatch(lines[stop - 1].strip()) and stop > place + 1:
            return stop
        stop = blank[min(stop + 1, len(lines))]
    return blank[place]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _blank(lines: Sequence[str]) -> list[int]:
    """Return for each line, and for the end, the next blank line, or the number of lines."""
    stops = [len(lines)]
    for place in reversed(range(len(lines))):
        stops.append(stops[-1] if lines[place].strip() else place)
    return stops[::-1]


def _deeper(lines: Sequence[str], place: int, indent: int, stop: int | None = None) -> int:
    """Return the line after those that are blank or indented more, ``stop`` at most."""
    last = len(lines) if stop is None else stop
    return next((n for n in range(place, last) if lines[n].strip() and _indent(lines[n]) <= indent), last)
