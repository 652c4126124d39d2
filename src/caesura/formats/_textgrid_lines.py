# SPDX-License-Identifier: Apache-2.0
"""The lines of the values of a TextGrid, and whether all announced values are present.

Long and short TextGrids hold the same values in the same order: quoted strings, numbers, and the flag ``<exists>``; the
long form adds words around them. The library that reads them reports no lines, silently accepts a truncated short file,
and drops the sign of a negative time, so this module checks the values as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from caesura.errors import FormatError

__all__ = ["TierLines", "odd_line", "tier_lines"]

_VALUE = re.compile(
    r"""
      (?P<text>"[^"]*(?:""[^"]*)*"(?=[ \t]*$)|"[^\n]*"(?=[ \t]*$))  # closed at the end of its line
    | (?P<open>")
    | (?P<flag><[a-z]+>)
    | =[ \t]*(?P<assigned>[^\s"<]+|(?=$))                           # xmin = 0
    | ^[ \t]*(?P<alone>[^\s"=<\[]+)[ \t]*$                          # a number on a line of its own
    """,
    re.VERBOSE | re.MULTILINE,
)
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?\Z")
_HEADING = re.compile(r"[ \t]*(?P<kind>item|intervals|points) ?\[(?P<number>[0-9]{1,9})\]")
_KEYS = re.compile(
    r"[ \t]*(?:File type|Object class|xmin|xmax|tiers\?|size|item ?\[\]|class|name|(?:intervals|points): size|"
    r"text|mark|number|time)[ \t]*(?:[:=\"<]|\Z)"
)
_ZERO = re.compile(r"-0*(?:\.0*)?\Z")


class _Value(NamedTuple):
    is_text: bool
    shown: str
    line: int

    def fault(self, what: str, wanted: str) -> FormatError:
        """Return the error for this value."""
        return FormatError(f"{what} is {self.shown[:30]!r}; it must be {wanted}", line=self.line)


class TierLines(NamedTuple):
    """The line of a tier's end time, and of each of its entries."""

    end: int
    entries: list[int]


def tier_lines(text: str) -> list[TierLines]:
    """Return the lines of the tiers of a TextGrid; refuse a value that is missing, superfluous, or not a valid time."""
    walk = _Walk(text)
    walk.text("the file type")
    walk.text("the object class")
    walk.number("xmin")
    walk.number("xmax")
    tiers = []
    for tier in range(1, walk.count("the number of tiers") + 1):
        of = f"of tier {tier}"
        line, kind = walk.text(f"the class {of}")
        if kind not in ("IntervalTier", "TextTier"):
            message = f"the class {of} is {kind[:30]!r}; it must be IntervalTier or TextTier"
            raise FormatError(message, line=line)
        walk.text(f"the name {of}")
        walk.number(f"xmin {of}")
        end = walk.number(f"xmax {of}")
        entries = []
        for entry in range(1, walk.count(f"the number of entries {of}") + 1):
            this = f"entry {entry} {of}"
            entries.append(walk.number(f"the time of {this}"))
            if kind == "IntervalTier":
                walk.number(f"the end of {this}")
            walk.text(f"the label of {this}")
        tiers.append(TierLines(end, entries))
    walk.done()
    return tiers


def odd_line(text: str) -> int | None:
    """Return the first line of a long TextGrid that is not part of the format, or is a heading out of sequence."""
    if "item [" not in text:
        return None
    # A label may contain line breaks; its lines are not lines of the format.
    flat = _VALUE.sub(lambda match: '"' * bool(match["text"]) + "\n" * match[0].count("\n"), text)
    item = entry = 0
    for number, line in enumerate(flat.rstrip().split("\n"), start=1):
        heading = _HEADING.match(line)
        if heading is None:
            if line.strip(' \t"') and not _KEYS.match(line):
                return number
            continue
        count = int(heading["number"])
        if heading["kind"] == "item":
            expected, item, entry = item + 1, count, 0
        else:
            expected, entry = entry + 1, count
        if count != expected:
            return number
    return None


class _Walk:
    """Steps through the values of a file, checking the kind of each."""

    def __init__(self, text: str) -> None:
        self._last = text.rstrip().count("\n") + 1
        self._values = self._found(text)

    def _found(self, text: str) -> Iterator[_Value]:
        line, at = 1, 0
        for match in _VALUE.finditer(text):
            line += text.count("\n", at, match.start())
            at = match.start()
            if match["open"]:
                causes = "the file is truncated, or a quote inside a string is not doubled"
                raise FormatError(f"a quoted string is not closed; {causes}", line=line)
            if match["text"]:
                yield _Value(True, match["text"][1:-1], line)
            elif not match["flag"]:
                yield _Value(False, match["assigned"] or match["alone"] or "", line)

    def _next(self, what: str) -> _Value:
        value = next(self._values, None)
        if value is None:
            message = f"ends before {what}; the file is truncated, save it again from Praat"
            raise FormatError(message, line=self._last)
        return value

    def text(self, what: str) -> tuple[int, str]:
        """Return a string with its line."""
        value = self._next(what)
        if not value.is_text and value.line == self._last:
            # A truncated keyword of the long form, which would precede the string.
            self._values = iter(())
            self._next(what)
        if not value.is_text:
            raise value.fault(what, "a quoted string")
        return value.line, value.shown

    def number(self, what: str) -> int:
        """Return the line of a time."""
        value = self._next(what)
        if value.is_text or not _NUMBER.match(value.shown):
            raise value.fault(what, "a number of seconds")
        if value.shown.startswith("-") and not _ZERO.match(value.shown):
            message = f"{what} is {value.shown[:30]}; it must be a time in seconds, at least 0"
            raise FormatError(message, line=value.line)
        return value.line

    def count(self, what: str) -> int:
        """Return an integer."""
        value = self._next(what)
        if value.is_text or not re.fullmatch(r"[0-9]{1,9}", value.shown):
            raise value.fault(what, "an integer")
        return int(value.shown)

    def done(self) -> None:
        """Check that nothing follows."""
        value = next(self._values, None)
        if value is not None:
            what = "there are more values than the numbers of tiers and entries announce"
            raise FormatError(f"{what}; correct them, or save it again from Praat", line=value.line)
