# SPDX-License-Identifier: Apache-2.0
"""The structure of a text: headings, code, tables, list items, quotes and paragraphs, as spans of characters.

Blocks follow one another and do not overlap. A block of Markdown or reStructuredText has the lines of its source, with their
markup; of HTML it has the visible text. An item has its own paragraphs; items, code and tables inside it are blocks of their
own, and a paragraph behind those is a paragraph. What is not shown is no block: front matter, comments, targets of links.
"""

from __future__ import annotations

from itertools import accumulate

import msgspec

from caesura.formats._spans import Span, trimmed

__all__ = ["Block", "Collector", "LineBlocks"]


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
