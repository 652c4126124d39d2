# SPDX-License-Identifier: Apache-2.0
"""The structure of a text in Markdown, HTML or reStructuredText, and of a document that was read from one."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

import msgspec

from caesura.corpus import Document
from caesura.errors import ComparabilityError
from caesura.formats._blocks import Block, LineBlocks
from caesura.formats._html import visible
from caesura.formats._rst import rst
from caesura.formats._spans import layout

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["KINDS", "STRUCTURE", "structure_of", "structured"]

KINDS = {".md": "markdown", ".markdown": "markdown", ".mdx": "markdown"}
KINDS |= {".html": "html", ".htm": "html", ".xhtml": "html", ".rst": "rst"}
"""What a file of some suffix is written in."""
STRUCTURE = "structure"
"""The key of a document under which its blocks stand."""

_NESTING = 100
_FRONT = re.compile(r"(---|\+\+\+)[ \t]*\n(?=[^\n]*[:=#])(?:.*\n)*?(?:\1|\.\.\.)[ \t]*(?:\n|\Z)")
_MADE_OF_HTML = re.compile(r"\s*<(table|pre)\b", re.IGNORECASE)


def structured(source: str, kind: str) -> tuple[str, list[Block]]:
    r"""Return the text of a source and its blocks, whose offsets refer to that text.

    The text of ``"markdown"``, ``"rst"`` and ``"text"`` is the source itself, that of ``"html"`` what is visible.

    >>> [(block.kind, block.start, block.end) for block in structured("# One\n\nTwo.\n", "markdown")[1]]
    [('heading', 0, 5), ('paragraph', 7, 11)]
    """
    if kind == "html":
        return visible(source)
    if kind == "rst":
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
        name, (first, stop) = token.type.removesuffix("_open"), token.map or (0, 0)
        if token.type in ("list_item_close", "blockquote_close"):
            around.pop()
        elif name == "list_item":
            items += 1
            around.append(items)
        elif name == "blockquote":
            around.append(0)
        elif name == "heading":
            found.put("heading", first, stop, int(token.tag[1]), " ".join(tokens[place + 1].content.split()))
        elif name in ("fence", "code_block", "table"):
            found.put("table" if name == "table" else "code", first, stop)
        elif name == "html_block" and structured(token.content, "html")[0]:
            made = _MADE_OF_HTML.match(token.content)
            found.put({"table": "table", "pre": "code"}[made[1].lower()] if made else "paragraph", first, stop)
        elif name == "paragraph" and around and around[-1]:
            found.put("list_item", first, stop, sum(map(bool, around)), item=around[-1])
        elif name == "paragraph":
            found.put("quote" if around else "paragraph", first, stop)
    return found.blocks
