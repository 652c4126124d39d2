# SPDX-License-Identifier: Apache-2.0
"""The structure of a text: headings, code, tables, list items, quotes and paragraphs, as spans of characters.

Blocks follow one another and do not overlap. A block of Markdown or reStructuredText has the lines of its source, with their
markup; of HTML it has the visible text. An item has its own paragraphs; items, code and tables inside it are blocks of their
own, and a paragraph behind those is a paragraph. What is not shown is no block: front matter, comments, targets of links.
"""

from __future__ import annotations

import functools
import re
from itertools import accumulate
from typing import TYPE_CHECKING

import msgspec

from caesura.corpus import Document
from caesura.errors import ComparabilityError
from caesura.formats._spans import Span, layout, trimmed

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["KINDS", "STRUCTURE", "Block", "Collector", "LineBlocks", "structure_of", "structured"]

KINDS = {".md": "markdown", ".markdown": "markdown", ".mdx": "markdown"}
KINDS |= {".html": "html", ".htm": "html", ".xhtml": "html", ".rst": "rst"}
"""What a file of some suffix is written in."""
STRUCTURE = "structure"
"""The key of a document under which its blocks stand."""

_NESTING = 100
_FRONT = re.compile(r"(---|\+\+\+)[ \t]*\n(?=[^\n]*[:=#])(?:.*\n)*?(?:\1|\.\.\.)[ \t]*(?:\n|\Z)")
_MADE_OF_HTML = re.compile(r"\s*<(table|pre)\b", re.IGNORECASE)


class Block(msgspec.Struct, frozen=True, omit_defaults=True):
    """A block: its kind, its place in the text, the level of a heading or item, and the words of a heading.

    Kinds are heading, code, table, list_item, quote and paragraph.
    """

    kind: str
    start: int
    end: int
    level: int = 0
    title: str = ""


class Collector:
    """Blocks in order; paragraphs of one item that follow each other are one block."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._item = 0
        self._begun: set[int] = set()

    def add(self, block: Block, item: int = 0) -> None:
        """Add a block; ``item`` is the number of the list item whose text it is."""
        if block.kind == "list_item" and item == self._item:
            self.blocks[-1] = msgspec.structs.replace(self.blocks[-1], end=block.end)
            return
        if block.kind == "list_item" and item in self._begun:
            block = Block("paragraph", block.start, block.end)
        self._item = item if block.kind == "list_item" else 0
        self._begun.add(self._item)
        self.blocks.append(block)


class LineBlocks(Collector):
    """Blocks that are lines of a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text, self.lines = text, text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self.lines)]

    def put(self, kind: str, first: int, stop: int, level: int = 0, title: str = "", item: int = 0) -> None:
        """Add the lines before ``stop`` as a block, without white space at its edges."""
        start, end = trimmed(Span(self._starts[first], self._starts[stop]), self.text)
        if start < end:
            self.add(Block(kind, start, end, level, title), item)


def structured(source: str, kind: str) -> tuple[str, list[Block]]:
    r"""Return the text of a source and its blocks, whose offsets refer to that text.

    The text of ``"markdown"``, ``"rst"`` and ``"text"`` is the source itself, that of ``"html"`` what is visible.

    >>> structured("# One\n\nTwo.\n", "markdown")[1]
    [Block(kind='heading', start=0, end=5, level=1, title='One'), Block(kind='paragraph', start=7, end=11)]
    """
    if kind == "html":
        from caesura.formats._html import visible

        return visible(source)
    if kind == "rst":
        from caesura.formats._rst import rst

        return source, rst(LineBlocks(source))
    if kind == "markdown":
        return source, _markdown(LineBlocks(source))
    return source, [Block("paragraph", start, end) for start, end in layout(source, "paragraph").spans]


def structure_of(document: Document) -> list[Block]:
    """Return the blocks of a document in its ``text``: those that it was read with, or else the paragraphs of its text."""
    text = document.extra.get("text")
    if not isinstance(text, str):
        raise ComparabilityError(f"document {document.id!r} has no 'text', so its structure is not known; add it")
    records = document.extra.get(STRUCTURE)
    if records is None:
        return structured(text, "text")[1]
    try:
        blocks = msgspec.convert(records, list[Block])
        places = [place for block in blocks for place in (block.start, block.end)]
        if places == sorted(places) and all(0 <= block.start < block.end <= len(text) for block in blocks):
            return blocks
    except msgspec.ValidationError:
        pass
    raise ComparabilityError(
        f"document {document.id!r}: {STRUCTURE!r} must list blocks of its text in order, such as "
        '{"kind": "code", "start": 0, "end": 9}; correct it, or leave it out'
    )


@functools.cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": _NESTING}).enable("table")


def _markdown(found: LineBlocks) -> list[Block]:
    """Return the blocks of Markdown (CommonMark with tables)."""
    front = _FRONT.match(found.text)
    skipped = front.end() if front else 0
    source = "\n" * found.text.count("\n", 0, skipped) + found.text[skipped:]
    parser = _parser()
    tokens: list[Token] = []
    parser.block.parse(source, parser, {}, tokens)
    around: list[int] = []  # the number of each open list item, 0 for a quote
    items = 0
    for place, token in enumerate(tokens):
        name, lines = token.type.removesuffix("_open"), token.map or [0, 0]
        if token.type in ("list_item_close", "blockquote_close"):
            around.pop()
        elif name == "list_item":
            items += 1
            around.append(items)
        elif name == "blockquote":
            around.append(0)
        elif name == "heading":
            found.put("heading", *lines, int(token.tag[1]), " ".join(tokens[place + 1].content.split()))
        elif name in ("fence", "code_block", "table"):
            found.put("table" if name == "table" else "code", *lines)
        elif name == "html_block" and structured(token.content, "html")[0]:
            made = _MADE_OF_HTML.match(token.content)
            found.put({"table": "table", "pre": "code"}[made[1].lower()] if made else "paragraph", *lines)
        elif name == "paragraph" and around and around[-1]:
            found.put("list_item", *lines, sum(map(bool, around)), item=around[-1])
        elif name == "paragraph":
            found.put("quote" if around else "paragraph", *lines)
    return found.blocks
