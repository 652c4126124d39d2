# SPDX-License-Identifier: Apache-2.0
"""What the adapters of libraries share: finding a class, giving it the encoder of the run, calling it."""

from __future__ import annotations

import functools
import importlib
import inspect
import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

from caesura.declare import nearest
from caesura.errors import DeclarationError, reason
from caesura.scorers import Encoding, Features
from caesura.segmenters.base import Cut
from caesura.segmenters.others.base import Foreign, package_version, read_text, refusing
from caesura.segmenters.others.outputs import chunks_cut

__all__ = ["Library"]


_SEGMENTS = ("Chunker", "Splitter", "Parser", "Tokenizer")


class _NotInstalledError(DeclarationError):
    """A library that is not installed."""


class Library(Foreign):
    """A class of a library, made with literal arguments; those that take an encoder get the one of the run.

    Attributes
    ----------
    packages : tuple of str
        The packages whose versions are recorded, first the one to install.
    modules : tuple of str
        The modules in which the class is looked for.
    encoder_argument : str
        The argument that takes an encoder.
    """

    packages: ClassVar[tuple[str, ...]] = ()
    modules: ClassVar[tuple[str, ...]] = ()
    encoder_argument: ClassVar[str] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            known = self.accepted(self.found)
        except _NotInstalledError:  # said when it is used, so that other methods are run
            return
        if self.encoder_argument in self.arguments:
            raise DeclarationError(
                f"{self}: {self.encoder_argument} is filled with the encoder of the run, which all systems share; leave it "
                "out, and use --encoder"
            )
        wrong = [name for name in self.arguments if known is not None and name not in known]
        if wrong:
            hint = nearest(wrong[0], known or ())
            raise DeclarationError(f"{self.family}:{self.target}: unknown parameter {wrong[0]!r}; {hint}")

    @functools.cached_property
    def found(self) -> Any:
        """The class or function that is named."""
        names: list[str] = []
        missing = ""
        for module, package in zip(self.modules, self.packages, strict=True):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # about the library's own parts, not ours
                    imported = importlib.import_module(module)
            except ModuleNotFoundError as error:
                if error.name is None or not f"{module}.".startswith(f"{error.name}."):
                    raise self._broken(module, error) from error
                missing = missing or package
                continue
            except Exception as error:  # foreign code may raise anything
                raise self._broken(module, error) from error
            thing = getattr(imported, self.class_name, None)
            if callable(thing) and not self.target.startswith("_"):
                return thing
            names += [name for name in dir(imported) if name[0].isupper() and isinstance(getattr(imported, name), type)]
        if missing:
            raise _NotInstalledError(
                f"{self} needs the package {missing}, which is not installed; run: pip install {missing}"
            )
        likely = [name for name in names if name.endswith(_SEGMENTS)] or names
        raise DeclarationError(f"{self.family} has no {self.target!r}; {nearest(self.target, likely)}")

    @property
    def class_name(self) -> str:
        """The name in the library."""
        return self.target

    def _broken(self, module: str, error: Exception) -> DeclarationError:
        return DeclarationError(f"{self}: {module} cannot be imported ({reason(error)}); repair the installation")

    @property
    def encodes(self) -> bool:  # type: ignore[override]
        """Whether the class takes an encoder."""
        return bool(self.encoder_argument) and self.encoder_argument in (self.accepted(self.found) or ())

    def versions(self) -> dict[str, str]:
        """Return the versions of the library."""
        return package_version(*self.packages)

    def accepted(self, thing: object) -> Mapping[str, inspect.Parameter] | None:
        """Return the parameters by name, of the class and of those it passes them on to; None if it takes any."""
        return parameters_of(thing)

    def build(self, features: Features) -> Any:
        """Make the object, with the encoder of the run and, if units are lines, the settings that keep them whole."""
        given = {**({} if features.whole_text else self.whole_units()), **self.arguments}
        if self.encodes:
            given[self.encoder_argument] = self.encoder(features.encoding)
        with refusing(f"{self} cannot be made", "check its parameters", DeclarationError):
            return self.found(**given)

    def encoder(self, encoding: Encoding) -> object:
        """Return the encoder of the run as the library wants it."""
        raise NotImplementedError  # pragma: no cover - who has an encoder argument has its own

    def whole_units(self) -> dict[str, object]:
        """Return arguments that make the class split at the ends of units; the user's take precedence."""
        return {}

    def chunks(self, made: Any, text: str) -> list[object]:
        """Return the chunks of a text."""
        raise NotImplementedError  # pragma: no cover - who does not override `cut` has its own

    def cut(self, features: Features) -> Cut:
        """Chunk one document."""
        made = self.kept(features)
        text = read_text(features)
        found: list[object] = []
        if text.text.strip():
            with refusing(
                f"{self} fails on document {features.document.id!r}", "check its parameters, or leave the document out"
            ):
                found = list(self.chunks(made, text.text))
        return chunks_cut(found, features, text, str(self))


def parameters_of(thing: object) -> dict[str, inspect.Parameter] | None:
    """Return the named parameters of a class or function; None if they cannot be known."""
    found: dict[str, inspect.Parameter] = {}
    makers = [thing]
    if isinstance(thing, type):
        makers = [vars(cls)["__init__"] for cls in thing.__mro__ if "__init__" in vars(cls) and cls is not object]
    for maker in filter(callable, makers):
        try:
            declared = inspect.signature(maker).parameters
        except (TypeError, ValueError):
            return None
        found |= {
            name: one for name, one in declared.items() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        }
        if all(one.kind is not one.VAR_KEYWORD for one in declared.values()):
            break
    found.pop("self", None)
    for name in getattr(thing, "model_fields", ()):  # a model of pydantic takes its fields
        found.setdefault(name, inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY))
    return found
