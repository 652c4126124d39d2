# SPDX-License-Identifier: Apache-2.0
"""From the text of a method to its segmenter; ``module:attribute`` is any function that segments."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect
import operator
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from caesura.declare import Card, arguments, nearest
from caesura.errors import DeclarationError, SegmentationError
from caesura.foreign import current_folder, foreign_code, set_apart
from caesura.scorers import Features
from caesura.segmentation import Segmentation
from caesura.segmenters.base import SEGMENTERS, Cut, Segmenter, package_of
from caesura.segmenters.others.base import Foreign, read_text
from caesura.segmenters.others.outputs import READINGS, agreed, as_cut
from caesura.selectors import selector

__all__ = ["FAMILIES", "foreign_forms", "segmenter", "split_called"]

_OURS = ("input", "returns", "selector")
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


def segmenter(text: str | Callable[..., object], **given: object) -> Segmenter:
    """Return a segmenter by its name and parameters, or one that is not ours by its family.

    Parameters
    ----------
    text : str or function
        ``Name(…)`` of a registered segmenter, ``module:attribute(…)`` of a function, ``command:PROGRAM …``,
        ``http:URL#MODEL``, ``model:FOLDER`` of a trained scorer, or a class of a library: ``chonkie:``, ``langchain:``, ``llama_index:``, ``semchunk:``,
        ``nltk:``, ``ruptures:``. Arguments are literals. ``NAME=`` before one that is not ours is all that results say of it. Or a function itself.
    **given
        Arguments of a function that is given itself, as they are written for ``module:attribute``, such as ``returns="lengths"``.

    Examples
    --------
    >>> str(segmenter("TextTiling(window=4)"))
    'TextTiling(window=4)'
    >>> from caesura.corpus import Document
    >>> document = Document(id="d", n_units=4, units=("a", "b", "c", "d"))
    >>> segmenter(lambda units: [1, 3], returns="lengths").segment(document).boundaries
    (1,)
    >>> segmenter("chonky:SemanticChunker")
    Traceback (most recent call last):
    caesura.errors.DeclarationError: 'chonky:SemanticChunker' is not a segmenter: there is no module chonky, installed, on
    PYTHONPATH or in the current folder (...); did you mean chonkie?
    """
    if callable(text):
        return _Given(text.__name__ if hasattr(text, "__name__") else type(text).__name__, given, function=text)
    if given:
        raise DeclarationError(f"{text!r}: write its arguments in its text, as in 'C99(per_100=8)'")
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
        raise DeclarationError(f"{text!r} is not a segmenter: {_nowhere(family)}; {close}")
    return _Function(f"{family}:{call['target']}", given)


def foreign_forms() -> list[str]:
    """Return how each kind of segmenter that is not ours is written."""
    return [_Function.form, *(_class(family).form for family in FAMILIES)]


def _class(family: str) -> type[Foreign]:
    module = importlib.import_module(f"caesura.segmenters.others.{_FILES.get(family, family)}")
    found: type[Foreign] = getattr(module, FAMILIES[family])
    return found


def _nowhere(module: str) -> str:
    """Say where a module was looked for in vain."""
    return f"there is no module {module}, installed, on PYTHONPATH or in the current folder ({os.getcwd()})"  # noqa: PTH109


def _importable(name: str) -> bool:
    try:
        with set_apart(), current_folder():
            return name in sys.modules or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


class _Function(Foreign):
    """A function of a module that can be imported, also from the current folder.

    It gets the units as a list of strings, or with ``input='text'``, and if its first parameter is annotated as ``str``, one text: the units
    joined by newlines or, where chunks are scored as they are, the text of the document. ``selector`` chooses
    boundaries if it returns scores, ``returns`` says what integers are. Other arguments are passed on by name. What it may return: see `outputs`.
    """

    form = "module:attribute"
    card = Card(title="a function of yours")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.arguments.get("input", "units") not in ("units", "text"):
            raise DeclarationError(f"{self}: input is {self.arguments['input']!r}; it must be 'units' or 'text'")
        if self.arguments.get("returns", "lengths") not in READINGS:
            raise DeclarationError(
                f"{self}: returns is {self.arguments['returns']!r}; it must be {', '.join(READINGS)}"
            )
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
        if not _importable(module.partition(".")[0]):
            raise DeclarationError(f"{self.target}: {_nowhere(module)}; go to its folder, or put that on PYTHONPATH")
        what = f"{self.target}: the module {module} cannot be imported"
        with foreign_code(what, "repair it", SegmentationError), current_folder():
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
        chars = self.arguments.get("input", "text" if _takes_text(function) else "units") == "text"
        chosen = self.arguments.get("selector", _SELECTOR)
        returns = READINGS.get(self.arguments.get("returns", ""), "")
        # What it returns is read here too: the methods of a foreign object may fail, print, and do everything else.
        what = f"{self} fails on document {features.document.id!r}"
        with foreign_code(what, "repair it", SegmentationError), current_folder():
            value = function(text.text if chars else list(features.units), **given)
            return as_cut(value, features, text, str(self), chars=chars, select=chosen, returns=returns)

    def reading(self, found: Sequence[tuple[str, Mapping[str, Segmentation]]]) -> str:
        """Return what the integers of all documents are."""
        return agreed(found, str(self), self._written)

    def _written(self, returns: str) -> str:
        given = {**self.arguments, "returns": returns}
        return f"{self.target}({', '.join(f'{name}={value!r}' for name, value in given.items())})"


def _takes_text(function: Callable[..., object]) -> bool:
    """Say whether the first parameter of a function is annotated as one string.

    >>> def chunk(text: str, size: int = 200) -> list[str]: ...
    >>> _takes_text(chunk), _takes_text(len)
    (True, False)
    """
    try:
        first = next(iter(inspect.signature(function).parameters.values()), None)
    except (TypeError, ValueError):
        return False
    return first is not None and first.annotation in (str, "str")


@dataclasses.dataclass(frozen=True, eq=False)
class _Given(_Function):
    """A function that was given itself."""

    function: Callable[..., object] = dataclasses.field(default=len, repr=False)

    def versions(self) -> Mapping[str, str]:
        """Return the version of the package that the function belongs to, if it is installed."""
        return package_of(getattr(self.function, "__module__", None) or "")

    def _found(self) -> Callable[..., object]:
        return self.function

    def _written(self, returns: str) -> str:
        return f"cz.segmenter({self.target}, returns={returns!r})"
