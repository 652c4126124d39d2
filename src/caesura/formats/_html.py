# SPDX-License-Identifier: Apache-2.0
"""The visible text of an HTML page, with its blocks.

Markup is split as browsers split it, each character once: a tag that is never closed ends with the file, as do comments and
scripts. Python's own parser takes quadratic time for such pages in some of its versions. Only white space is put between
blocks, lines and cells, so that chunks of the same page, whoever extracted its text, are found in it.
"""

from __future__ import annotations

import dataclasses
import html
import re

from caesura.formats._blocks import Block, Collector

__all__ = ["visible"]

_TOKEN = re.compile(
    r"(?P<text>[^<]++|<(?![a-zA-Z/!?]))"
    r"|<!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|<(?P<end>/?)(?P<tag>[a-zA-Z][^\s/>]*+)(?:[^>=]++|=\s*+\"[^\"]*+(?:\"|\Z)|=\s*+'[^']*+(?:'|\Z)|=)*+(?:>|\Z)"
    r"|<[^>]*+(?:>|\Z)",
    re.DOTALL,
)
_HIDDEN = frozenset({"iframe", "math", "noscript", "script", "style", "svg", "template", "title"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ITEMS = frozenset({"li", "dd", "dt"})
_LISTS = frozenset({"dl", "menu", "ol", "ul"})
_KNOWN = _HEADINGS | _ITEMS | _LISTS | {"blockquote", "pre", "table"}
_ROWS = frozenset({"br", "caption", "tr"})
_BLOCKS = re.compile(
    "address|article|aside|body|button|caption|center|details|dialog|div|fieldset|figcaption|figure|footer|form|header|hr|html"
    "|legend|main|nav|option|p|section|select|summary|tbody|td|textarea|tfoot|th|thead|tr|" + "|".join(sorted(_KNOWN))
)
_LINE, _CELL = "\0", "\1"  # stand for what is put in place of tags until white space is joined
_DEEPEST = 100  # lists, items and quotes inside one another; what is deeper belongs to the last of them


@dataclasses.dataclass(eq=False)
class _Element:
    tag: str
    number: int
    used: bool = False


class _Page:
    """The text and blocks found so far, the text of the current block, and the open elements that matter for its kind."""

    def __init__(self) -> None:
        self.found = Collector()
        self.parts: list[str] = []
        self._length = 0
        self.pieces: list[str] = []
        self._open: list[_Element] = []
        self._count = 0

    def start(self, tag: str) -> None:
        """Open an element."""
        if tag == "body":
            self._open.clear()
        table = next((each for each in self._open if each.tag == "table"), None)
        if table is not None and (tag in _HEADINGS or tag == "table"):
            self.flush()
            table.tag, table = "div", None  # a table with headings or tables inside places parts of a page
        if table is not None or tag == "br":
            cell = _CELL if tag in ("td", "th") else " " if _BLOCKS.fullmatch(tag) else ""
            self.pieces.append(_LINE if tag in _ROWS else cell)
        elif _BLOCKS.fullmatch(tag):
            self.flush()
            if self._open and self._open[-1].tag in _HEADINGS and self._open[-1].used:
                self._open.pop()  # the heading was not closed
        if tag in _ITEMS:
            self._end_item()
        if tag in _KNOWN and len(self._open) < _DEEPEST:
            self._count += 1
            self._open.append(_Element(tag, self._count))

    def end(self, tag: str) -> None:
        """Close an element, and those inside it that were not closed."""
        if not _BLOCKS.fullmatch(tag):
            return
        if any(each.tag == "table" for each in self._open) and tag != "table":
            self.pieces.append(" ")
        else:
            self.flush()
        if any(each.tag == tag for each in self._open):
            while self._open.pop().tag != tag:
                pass

    def _end_item(self) -> None:
        """Close the item of the same list, which needs no end tag."""
        for place in reversed(range(len(self._open))):
            if self._open[place].tag in _ITEMS:
                del self._open[place:]
            if place == len(self._open) or self._open[place].tag in _LISTS:
                return

    def flush(self) -> None:
        """End the current block."""
        raw = "".join(self.pieces)
        self.pieces.clear()
        kind, level, element = self._kind()
        if kind == "code":
            body = raw.replace(_LINE, "\n").strip("\n").rstrip()
        else:
            body = re.sub(r"[ \t\n\r\f]+", " ", raw)
            body = re.sub(rf" ?{_LINE}(?: ?{_CELL})? ?", "\n", body)
            body = re.sub(rf" ?{_CELL} ?", "\t", body).strip()
        if not body.strip():
            return
        gap = "\n\n" if self._length else ""
        start = self._length + len(gap)
        self.parts += (gap, body)
        self._length = start + len(body)
        title = " ".join(body.split()) if kind == "heading" else ""
        block = Block(kind, start, self._length, level, title)
        self.found.add(block, element.number if element is not None else 0)
        if element is not None:
            element.used = True

    def _kind(self) -> tuple[str, int, _Element | None]:
        """Return the kind and level of the current block, with the element that it is in."""
        if any(each.tag == "table" for each in self._open):
            return "table", 0, None
        for element in reversed(self._open):
            if element.tag in _HEADINGS:
                return "heading", int(element.tag[1]), element
            if element.tag in _ITEMS:
                return "list_item", sum(each.tag in _ITEMS for each in self._open), element
            if element.tag in ("pre", "blockquote"):
                return ("code" if element.tag == "pre" else "quote"), 0, element
        return "paragraph", 0, None


def visible(source: str) -> tuple[str, list[Block]]:
    r"""Return the text that a browser would show, and its blocks.

    >>> visible("<title>T</title><h2>One &amp; two</h2><ul><li>a<li>b</ul>")[0]
    'One & two\n\na\n\nb'
    """
    page = _Page()
    place = 0
    while match := _TOKEN.match(source, place):
        place = match.end()
        if match["text"]:
            page.pieces.append(html.unescape(match["text"]))
        elif match["tag"]:
            tag = match["tag"].lower()
            if match["end"]:
                page.end(tag)
            elif tag not in _HIDDEN:
                page.start(tag)
            elif not match[0].endswith("/>"):
                closing = re.compile(rf"</{tag}\b", re.IGNORECASE).search(source, place)
                place = len(source) if closing is None else closing.start()
    page.flush()
    return "".join(page.parts), page.found.blocks
