# SPDX-License-Identifier: Apache-2.0
"""Parsing of texts such as ``WindowDiff(k=5)``, and suggestions for misspelt names."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable
from typing import Any, cast

from caesura.errors import DeclarationError

_QUOTED = 80  # maximum characters of an invalid value quoted in a message
# For stripped text; no two adjacent runs of spaces, so that matching takes linear time.
_NAME = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_.\-]*)(\s*(?P<call>\(.*\)))?\Z", re.DOTALL)

# What stands between two commas: brackets, quoted words, and single characters; a bracket or quote that is not closed is one.
_LISTED = re.compile(r"""(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|'[^']*'|"[^"]*"|[^,])+""")


def split_call(text: str, family: str, error: type[DeclarationError]) -> tuple[str, str]:
    """Return the name and the parenthesised parameters of a text such as ``WindowDiff(k=5)``."""
    match = _NAME.match(text.strip()) if isinstance(text, str) else None  # type: ignore[redundant-expr]
    if match is None:
        raise error(f"{text!r} is not {with_article(family)}; write a name, or a name with parameters: Name(k=5)")
    return match["name"], match["call"] or "()"


def arguments(call: str, text: str, error: type[DeclarationError]) -> dict[str, Any]:
    """Parse ``(k=5, edge="lamprier")`` with Python's syntax tree, literals only; nothing is evaluated."""
    try:
        tree = ast.parse("f" + call, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        tree = None
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise error(f"{text!r} cannot be read; write parameters as Name(k=5, edge='lamprier')")
    if tree.args or any(keyword.arg is None for keyword in tree.keywords):
        raise error(f"{text!r}: parameters are given by name, such as (k=5)")
    options: dict[str, Any] = {}
    for keyword in tree.keywords:
        name = cast(str, keyword.arg)
        if name in options:
            raise error(f"{text!r}: parameter {name} is given twice")
        try:
            options[name] = ast.literal_eval(keyword.value)
        except (TypeError, ValueError, MemoryError, RecursionError):
            shown = (ast.get_source_segment(f"f{call}", keyword.value) or "a text")[:_QUOTED]
            raise error(
                f"{text!r}: parameter {name} is {shown}; it must be a number or a quoted word ({shown!r})"
            ) from None
    return options


def snake_case(name: str) -> str:
    """Return the name of a class as a registered name.

    >>> snake_case("LabelStudio"), snake_case("Jsonl")
    ('label_studio', 'jsonl')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def split_names(text: str) -> list[str]:
    """Split a text at the commas outside brackets and quotes.

    >>> split_names("none, BoundaryF1(matching='a,b', tolerance=1),even(k=3)")
    ['none', "BoundaryF1(matching='a,b', tolerance=1)", 'even(k=3)']
    """
    return [part.strip() for part in _LISTED.findall(text) if part.strip()]


def in_any_case(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a name is, in whatever case it is written; None if there is none, or several.

    >>> in_any_case("wd", ["Pk", "WD"]), in_any_case("ab", ["AB", "ab"]), in_any_case("Ab", ["AB", "ab"])
    ('WD', 'ab', None)
    """
    names = set(known)
    if name in names:
        return name
    folded = [each for each in names if each.casefold() == name.casefold()]
    return folded[0] if len(folded) == 1 else None


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint for a misspelt name: the closest names, or all of them."""
    names = sorted(set(known), key=str.casefold)
    folded = {n.casefold(): n for n in names}
    close = difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)
    if close:
        return "did you mean " + " or ".join(folded[c] for c in close) + "?"
    return "choose from " + ", ".join(names)


def with_article(noun: str) -> str:
    """Return a noun with its indefinite article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
