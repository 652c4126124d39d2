# SPDX-License-Identifier: Apache-2.0
"""XML files: refusal of dangerous declarations, and the line of every element, which parsers do not report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat

from caesura.errors import FormatError
from caesura.limits import ATTRIBUTES, DEPTH, ELEMENTS

_DECLARED = re.compile(r"""\s*<\?xml[^>]*?encoding\s*=\s*["'](?P<encoding>[^"']*)["']""")
_TRUNCATED = ("no element found", "unclosed token", "unclosed CDATA section", "partial character")


class Element(NamedTuple):
    """A start tag: prefix and name, attributes, line, and nesting depth."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    depth: int


def refuse_dangers(text: str, owner: str) -> None:
    """Refuse dangerous declarations before any parser runs; ``owner`` names the format in the message."""
    declaration = re.search(r"<!(?:DOCTYPE|ENTITY)", text, re.IGNORECASE)
    if declaration is not None:
        message = f"declares a document type or entities, which {owner} not need; remove the declaration"
        raise FormatError(message, line=text.count("\n", 0, declaration.start()) + 1)
    declared = _DECLARED.match(text)
    if declared is not None and declared["encoding"].casefold() not in ("utf-8", "utf8", "us-ascii", "ascii"):
        # In another encoding, a declaration could pass the check above and still be understood by a parser.
        line = text.count("\n", 0, declared.end()) + 1
        raise FormatError(f"is declared to be in {declared['encoding'][:20]!r}; save it as UTF-8", line=line)


def elements(text: str, where: str = "") -> list[Element]:
    """Return every element of XML that has passed `refuse_dangers`, in document order.

    XML that is not well-formed or exceeds a limit is refused; ``where`` names the part of the file in the message.
    """
    result: list[Element] = []
    depth = 0
    parser = expat.ParserCreate("utf-8")
    most, widest, deepest = ELEMENTS.value, ATTRIBUTES.value, DEPTH.value

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        line = parser.CurrentLineNumber
        if len(result) >= most:
            raise FormatError(where + ELEMENTS.refusal("has more than"), line=line)
        if len(attributes) > widest:
            raise FormatError(where + ATTRIBUTES.refusal(f"the element {tag[:60]!r} has more than"), line=line)
        if depth >= deepest:
            raise FormatError(where + DEPTH.refusal("its elements are nested in more than"), line=line)
        result.append(Element(tag, attributes, line, depth))
        depth += 1

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code) or "syntax error"
        what = "the XML is truncated" if reason in _TRUNCATED else f"is not well-formed XML ({reason})"
        # Report the last non-blank line of a truncated file, not the trailing blank lines.
        line = min(error.lineno, text.rstrip().count("\n") + 1)
        raise FormatError(f"{where}{what}; export the file again", line=line) from None
    return result


def parsed(text: str, owner: str) -> dict[ElementTree.Element, int]:
    """Return the elements of XML in document order, the first of them the root, each with its line; see `refuse_dangers`."""
    refuse_dangers(text, owner)
    lines = [element.line for element in elements(text)]
    try:
        root = ElementTree.fromstring(text.encode("utf-8", "surrogatepass"))  # noqa: S314  (no entities, within limits)
    except (ElementTree.ParseError, ValueError):
        raise FormatError("cannot be read as XML; export the file again") from None
    return dict(zip(root.iter(), lines, strict=True))
