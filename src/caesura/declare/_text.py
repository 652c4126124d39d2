# SPDX-License-Identifier: Apache-2.0
"""Reading of texts such as ``WindowDiff(k=5)``, and help with misspelt names."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable
from typing import Any, cast

from caesura.errors import DeclarationError

_QUOTED = 80  # characters of a wrong value that a message repeats
# Of a stripped text, and no two runs of spaces side by side: the time must stay linear in the text.
_NAME = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_.\-]*)(\s*(?P<call>\(.*\)))?\Z", re.DOTALL)


def split_call(text: str, family: str, error: type[DeclarationError]) -> tuple[str, str]:
    """Return the name in a text such as ``WindowDiff(k=5)``, and the brackets after it."""
    match = _NAME.match(text.strip()) if isinstance(text, str) else None  # type: ignore[redundant-expr]
    if match is None:
        raise error(
            f"{text!r} is not {with_article(family)}; write a name, or a name with parameters: Name(k=5)"
        )
    return match["name"], match["call"] or "()"


def arguments(call: str, text: str, error: type[DeclarationError]) -> dict[str, Any]:
    """Read ``(k=5, edge="lamprier")`` through Python's own syntax tree, literals only; nothing is evaluated."""
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


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the words that help someone who misspelt a name: the nearest ones, or all of them."""
    names = sorted(set(known), key=str.casefold)
    folded = {n.casefold(): n for n in names}
    close = difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)
    if close:
        return "did you mean " + " or ".join(folded[c] for c in close) + "?"
    return "choose from " + ", ".join(names)


def with_article(noun: str) -> str:
    """Return a noun after "a" or "an"."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
