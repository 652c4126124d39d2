# SPDX-License-Identifier: Apache-2.0
"""From the text of a method to its segmenter; ``module:attribute`` is any function that segments."""

from __future__ import annotations

import importlib
import importlib.util
import operator
import re
from collections.abc import Mapping
from typing import Any

from caesura.declare import Card, arguments, nearest
from caesura.errors import DeclarationError, SegmentationError
from caesura.foreign import foreign_code, set_apart
from caesura.scorers import Features
from caesura.segmenters.base import SEGMENTERS, Cut, Segmenter, package_of
from caesura.segmenters.others.base import Foreign, read_text
from caesura.segmenters.others.outputs import as_cut
from caesura.selectors import selector

__all__ = ["FAMILIES", "foreign_forms", "segmenter", "split_called"]

_OURS = ("input", "selector")
_SELECTOR = "DeviationSelector"
FAMILIES = {
    "chonkie": "Chonkie", "langchain": "Langchain", "llama_index": "LlamaIndex", "semchunk": "Semchunk", "nltk": "Nltk",
    "ruptures": "Ruptures", "command": "Command", "http": "Chat", "model": "Model",
}  # fmt: skip
"""What may stand before the colon of a method, with the class of its file."""
_FILES = {"http": "chat"}
_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_CALLED = re.compile(r"(?:([^=(:]+)=)?(.*)", re.DOTALL)
_FAMILY = re.compile(r"\s*(?P<family>[^\W\d][\w.]*)\s*:(?P<rest>.*)\Z", re.DOTALL)
_CALL = re.compile(rf"(?P<target>{_NAME})(\s*(?P<call>\(.*\)))?\Z", re.DOTALL)


def segmenter(text: str) -> Segmenter:
    """Return a segmenter by its name and parameters, or one that is not ours by its family.

    Parameters
    ----------
    text : str
        ``Name(…)`` of a registered segmenter, ``module:attribute(…)`` of a function, ``command:PROGRAM …``,
        ``http:URL#MODEL``, ``model:FOLDER`` of a trained scorer, or a class of a library: ``chonkie:``, ``langchain:``, ``llama_index:``, ``semchunk:``,
        ``nltk:``, ``ruptures:``. Arguments are literals. ``NAME=`` before one that is not ours is all that results say of it.

    Examples
    --------
    >>> str(segmenter("TextTiling(window=4)"))
    'TextTiling(window=4)'
    >>> segmenter("chonky:SemanticChunker")
    Traceback (most recent call last):
    caesura.errors.DeclarationError: 'chonky:SemanticChunker' is not a segmenter, and there is no module chonky; did you mean chonkie?
    """
    called, text = split_called(text) if isinstance(text, str) else (None, text)  # type: ignore[redundant-expr]
    made = _made(text)
    if called and isinstance(made, Foreign):
        object.__setattr__(made, "called", called)
    return made


def split_called(text: str) -> tuple[str | None, str]:
    """Return the name and the method of ``NAME=METHOD``; None for the name of a method without one.

    >>> split_called("mine=command:cut --fast=1"), split_called("command:cut --fast=1")
    (('mine', 'command:cut --fast=1'), (None, 'command:cut --fast=1'))
    """
    name, method = _CALLED.fullmatch(text).groups()  # type: ignore[union-attr]
    return name and name.strip(), method


def _made(text: str) -> Segmenter:
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
        form = _class(family).form if family in FAMILIES else _Function.form
        raise DeclarationError(f"{text!r} is not a segmenter; write {form}")
    given = arguments(call["call"] or "()", text, DeclarationError)
    if family in FAMILIES:
        return _class(family)(call["target"], given)
    close = nearest(family, FAMILIES)
    if close.startswith("did you mean") and not _importable(family):
        raise DeclarationError(f"{text!r} is not a segmenter, and there is no module {family}; {close}")
    return _Function(f"{family}:{call['target']}", given)


def foreign_forms() -> list[str]:
    """Return how each kind of segmenter that is not ours is written."""
    return [_Function.form, *(_class(family).form for family in FAMILIES)]


def _class(family: str) -> type[Foreign]:
    module = importlib.import_module(f"caesura.segmenters.others.{_FILES.get(family, family)}")
    found: type[Foreign] = getattr(module, FAMILIES[family])
    return found


def _importable(name: str) -> bool:
    try:
        with set_apart():
            return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


class _Function(Foreign):
    """A function of a module that can be imported.

    It gets the units as a list of strings, or with ``input='text'`` one text: the units joined
    by newlines or, where chunks are scored as they are, the text of the document. ``selector`` chooses
    boundaries if it returns scores. Other arguments are passed on by name. What it may return: see `outputs`.
    """

    form = "module:attribute"
    card = Card(title="a function of yours")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.arguments.get("input", "units") not in ("units", "text"):
            raise DeclarationError(f"{self}: input is {self.arguments['input']!r}; it must be 'units' or 'text'")
        if self.arguments.get("selector") is not None:
            selector(self.arguments["selector"])
        object.__setattr__(self, "_kept", (None, self._found()))

    def __str__(self) -> str:
        return super().__str__().removeprefix(":")

    def versions(self) -> Mapping[str, str]:
        """Return the version of the package that the module belongs to, if it is installed."""
        return package_of(self.target.partition(":")[0])

    def _found(self) -> Any:
        module, _, attribute = self.target.partition(":")
        what = f"{self.target}: the module {module} cannot be imported"
        with foreign_code(what, "put its folder on PYTHONPATH, or repair it", SegmentationError):
            imported: Any = importlib.import_module(module)
        try:
            found = operator.attrgetter(attribute)(imported)
        except AttributeError:
            raise DeclarationError(f"{self.target}: the module {module} has no {attribute}; check the name") from None
        if not callable(found):
            raise DeclarationError(f"{self.target} is a {type(found).__name__}; name a function or another callable")
        return found

    def cut(self, features: Features) -> Cut:
        """Call the function on one document."""
        function: Any = self.__dict__["_kept"][1]
        given = {name: value for name, value in self.arguments.items() if name not in _OURS}
        text = read_text(features)
        chars = self.arguments.get("input") == "text"
        chosen = self.arguments.get("selector", _SELECTOR)
        # What it returns is read here too: the methods of a foreign object may fail, print, and do everything else.
        with foreign_code(f"{self} fails on document {features.document.id!r}", "repair it", SegmentationError):
            value = function(text.text if chars else list(features.units), **given)
            return as_cut(value, features, text, str(self), chars=chars, select=chosen)
