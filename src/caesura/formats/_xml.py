# SPDX-License-Identifier: Apache-2.0
"""XML files: what makes them dangerous, and the line every element stands in, which the libraries do not tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from caesura.errors import FormatError

__all__ = ["Element", "elements", "refuse_dangers"]

_DECLARED = re.compile(r"""\s*<\?xml[^>]*?encoding\s*=\s*["'](?P<encoding>[^"']*)["']""")
_CUT_OFF = ("no element found", "unclosed token", "unclosed CDATA section", "partial character")


class Element(NamedTuple):
    """An element as its start tag has it: prefix and name, attributes, line, and how many elements are around it."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    depth: int


def refuse_dangers(text: str, path: Path, owner: str) -> None:
    """Refuse what makes XML dangerous, before any parser sees it; ``owner`` says whose files have no need of it."""
    declaration = re.search(r"<!(?:DOCTYPE|ENTITY)", text, re.IGNORECASE)
    if declaration is not None:
        raise FormatError(
            f"declares a document type or entities, which {owner} not have; refused, take it out",
            path,
            text.count("\n", 0, declaration.start()) + 1,
        )
    declared = _DECLARED.match(text)
    if declared is not None and declared["encoding"].casefold() not in ("utf-8", "utf8", "us-ascii", "ascii"):
        # In another encoding the check above could be passed by what a parser would still understand.
        line = text.count("\n", 0, declared.end()) + 1
        raise FormatError(f"is declared to be in {declared['encoding'][:20]!r}; save it as UTF-8", path, line)


def elements(text: str, path: Path, where: str = "") -> list[Element]:
    """Return every element of a text that `refuse_dangers` has let pass, in order of the start tags.

    Parameters
    ----------
    text : str
        The XML.
    path : Path
        The file that messages name.
    where : str
        What of the file it is, if not all of it, for messages.

    Raises
    ------
    FormatError
        If it is no XML.
    """
    found: list[Element] = []
    depth = 0
    parser = expat.ParserCreate("utf-8")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        found.append(Element(tag, attributes, parser.CurrentLineNumber, depth))
        depth += 1

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code) or "it cannot be understood"
        what = "the XML is cut off" if reason in _CUT_OFF else f"is no XML ({reason})"
        # A file that is cut off ends with its last filled line, not with the blank rest that the parser has seen.
        line = min(error.lineno, text.rstrip().count("\n") + 1)
        raise FormatError(f"{where}{what}; export the file again", path, line) from None
    return found
