# SPDX-License-Identifier: Apache-2.0
"""``module:attribute``: any function that segments."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Mapping
from typing import Any

from caesura.declare import Card
from caesura.errors import DeclarationError
from caesura.scorers import Features
from caesura.segmenters.base import Cut, package_of
from caesura.segmenters.others.base import Foreign, read_text, refusing
from caesura.segmenters.others.outputs import as_cut
from caesura.selectors import selector

__all__ = ["Function"]

_OURS = ("input", "selector")
_SELECTOR = "DeviationSelector"


class Function(Foreign):
    """A function of a module that can be imported.

    It gets the units as a list of strings, or with ``input='text'`` one text: the units joined
    by newlines or, where chunks are scored as they are, the text of the document. ``selector`` chooses
    boundaries if it returns scores. Other arguments are passed on by name. What it may return: see `returned`.
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
        with refusing(
            f"{self.target}: the module {module} cannot be imported", "put its folder on PYTHONPATH, or repair it"
        ):
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
        with refusing(f"{self} fails on document {features.document.id!r}", "repair it"):
            value = function(text.text if chars else list(features.units), **given)
            if hasattr(value, "__next__"):
                value = list(value)
        chosen = self.arguments.get("selector", _SELECTOR)
        return as_cut(value, features, text, str(self), chars=chars, select=chosen)
