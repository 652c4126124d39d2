# SPDX-License-Identifier: Apache-2.0
"""From the text of a method to its segmenter."""

from __future__ import annotations

import importlib
import importlib.util
import re

from caesura.declare import arguments, nearest
from caesura.errors import DeclarationError
from caesura.segmenters.base import SEGMENTERS, Segmenter
from caesura.segmenters.others.base import Foreign
from caesura.segmenters.others.function import Function

__all__ = ["FAMILIES", "foreign_forms", "segmenter"]

FAMILIES = {
    "chonkie": "Chonkie", "langchain": "Langchain", "llama_index": "LlamaIndex", "semchunk": "Semchunk", "nltk": "Nltk",
    "ruptures": "Ruptures", "command": "Command", "http": "Chat", "model": "Model",
}  # fmt: skip
"""What may stand before the colon of a method, with the class of its file."""

_FILES = {"http": "chat"}
_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_FAMILY = re.compile(r"\s*(?P<family>[^\W\d][\w.]*)\s*:(?P<rest>.*)\Z", re.DOTALL)
_CALL = re.compile(rf"(?P<target>{_NAME})(\s*(?P<call>\(.*\)))?\Z", re.DOTALL)


def segmenter(text: str) -> Segmenter:
    """Return a segmenter by its name and parameters, or one that is not ours by its family.

    Parameters
    ----------
    text : str
        ``Name(…)`` of a registered segmenter, ``module:attribute(…)`` of a function, ``command:PROGRAM …``,
        ``http:URL#MODEL``, ``model:FOLDER`` of a trained scorer, or a class of a library: ``chonkie:``, ``langchain:``, ``llama_index:``, ``semchunk:``,
        ``nltk:``, ``ruptures:``. Arguments are literals.

    Examples
    --------
    >>> str(segmenter("TextTiling(window=4)"))
    'TextTiling(window=4)'
    >>> segmenter("chonky:SemanticChunker")
    Traceback (most recent call last):
    caesura.errors.DeclarationError: 'chonky:SemanticChunker' is not a segmenter, and there is no module chonky; did you mean chonkie?
    """
    match = _FAMILY.match(text) if isinstance(text, str) else None  # type: ignore[redundant-expr]
    if match is None:
        return SEGMENTERS.parse(text)
    family, rest = match["family"], match["rest"]
    if family in ("http", "https"):
        family, rest = "http", text.strip() if rest.startswith("//") else rest.strip()
    if family in ("command", "http", "model"):
        return _class(family)(rest.strip())
    call = _CALL.match(rest.strip())
    if call is None:
        raise DeclarationError(f"{text!r} is not a segmenter; write {_form(family)}")
    given = arguments(call["call"] or "()", text, DeclarationError)
    if family in FAMILIES:
        return _class(family)(call["target"], given)
    close = nearest(family, FAMILIES)
    if close.startswith("did you mean") and not _importable(family):
        raise DeclarationError(f"{text!r} is not a segmenter, and there is no module {family}; {close}")
    return Function(f"{family}:{call['target']}", given)


def foreign_forms() -> list[str]:
    """Return how each kind of segmenter that is not ours is written."""
    return [Function.form, *(_class(family).form for family in FAMILIES)]


def _class(family: str) -> type[Foreign]:
    module = importlib.import_module(f"caesura.segmenters.others.{_FILES.get(family, family)}")
    found: type[Foreign] = getattr(module, FAMILIES[family])
    return found


def _form(family: str) -> str:
    return _class(family).form if family in FAMILIES else Function.form


def _importable(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
