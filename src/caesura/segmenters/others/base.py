# SPDX-License-Identifier: Apache-2.0
"""What all segmenters that are not ours share: arguments, errors, versions, the text they read, and classes of libraries."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import importlib.metadata
import inspect
import itertools
import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from caesura.declare import Card, nearest
from caesura.errors import DeclarationError, SegmentationError, reason, shareable
from caesura.foreign import foreign_code, set_apart
from caesura.scorers import Encoding, Features
from caesura.segmenters.base import Cut, Segmenter
from caesura.segmenters.others.outputs import chunks_cut
from caesura.units.text import Text, text_of

__all__ = ["Foreign", "Library", "joined_text", "read_text"]

_SEGMENTS = ("Chunker", "Splitter", "Parser", "Tokenizer")
_LITERALS = (bool, int, float, str, type(None))
_BREAKS = {ord(sign): " " for sign in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"}


@dataclasses.dataclass(frozen=True, eq=False)
class Foreign(Segmenter):
    """A segmenter of somebody else, named ``family:target`` with arguments.

    ``target`` is a class, an attribute, a command or a URL, ``arguments`` are literals, ``form`` is how it is written, for messages.
    Whoever gives it a name (``called``) sees that alone in results; otherwise it is shown without keys and folders.
    """

    target: str = ""
    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    called: str = ""

    family: ClassVar[str] = ""
    form: ClassVar[str] = ""
    card = Card(title="a segmenter of another program")

    def __post_init__(self) -> None:
        for name, value in self.arguments.items():
            if not _is_literal(value):
                raise DeclarationError(
                    f"{self.family}:{self.target}: parameter {name} is {value!r}; write a number, a quoted word, or a "
                    "list of them"
                )

    def options(self) -> dict[str, Any]:
        """Return the arguments as they may be shown; none, if it has a name of its own."""
        shown = {} if self.called else self.arguments
        # Beside its name a key is known.
        masked = {name: shareable(f"{name}={value!r}").partition("=")[2] for name, value in shown.items()}
        return {
            name: value if masked[name] == repr(value) else masked[name].strip("'\"") for name, value in shown.items()
        }

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return self.called or shareable(f"{self.family}:{self.target}" + (f"({shown})" if shown else ""))

    def kept(self, features: Features) -> Any:
        """Return what `build` makes for the encoder and the kind of text of a document, made once."""
        found: tuple[Encoding, bool, Any] | None = self.__dict__.get("_kept")
        if found is None or found[0] is not features.encoding or found[1] is not features.whole_text:
            found = (features.encoding, features.whole_text, self.build(features))
            object.__setattr__(self, "_kept", found)
        return found[2]

    def build(self, features: Features) -> Any:
        """Make the object of the library that segments documents such as this one."""
        raise NotImplementedError  # pragma: no cover - who calls `kept` has its own


def _is_literal(value: object) -> bool:
    """Return whether JSON can hold a value, so that the output can say how it was made."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_literal, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_literal(item) for key, item in value.items())
    return isinstance(value, _LITERALS)


def read_text(features: Features) -> Text:
    """Return what a chunker reads: the text of the document as it is, or its units, one per line."""
    return text_of(features.document) if features.whole_text and features.units else joined_text(features)


def joined_text(features: Features, separator: str = "\n") -> Text:
    r"""Return the units of a document as one text, with a separator between them and nowhere else.

    Line breaks inside a unit become blanks, so that a chunker that splits at lines keeps units whole.

    >>> from caesura.corpus import Document
    >>> joined_text(Features(Document(id="d", n_units=2, units=("One\ntwo.", "Three."))))
    Text(text='One two.\nThree.', starts=[0, 9], ends=[8, 15])
    """
    units = [unit.translate(_BREAKS) for unit in features.units]
    ends = list(itertools.accumulate(len(unit) + len(separator) for unit in units))
    return Text(separator.join(units), [0, *ends[:-1]], [end - len(separator) for end in ends])


class _NotInstalledError(DeclarationError):
    """A library that is not installed."""


class Library(Foreign):
    """A class of a library, made with literal arguments; those that take an encoder get the one of the run.

    The class is looked for in ``modules`` of ``packages``, whose versions are recorded; ``encoder_argument`` takes an encoder.
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
            raise DeclarationError(
                f"{self.family}:{self.target}: unknown parameter {wrong[0]!r}; {nearest(wrong[0], known or ())}"
            )

    @functools.cached_property
    def found(self) -> Any:
        """The class or function that is named."""
        names: list[str] = []
        missing = ""
        for module, package in zip(self.modules, self.packages, strict=True):
            try:
                with warnings.catch_warnings(), set_apart(connecting=False):
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
        found = {}
        for package in self.packages:
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                found[package] = importlib.metadata.version(package)
        return found

    def accepted(self, thing: object) -> Mapping[str, inspect.Parameter] | None:
        """Return the parameters by name, of the class and of those it passes them on to; None if it takes any."""
        return parameters_of(thing)

    def build(self, features: Features) -> Any:
        """Make the object, with the encoder of the run and, if units are lines, the settings that keep them whole."""
        given = {**({} if features.whole_text else self.whole_units()), **self.arguments}
        if self.encodes:
            given[self.encoder_argument] = self.encoder(features.encoding)
        with self.making(features):
            return self.found(**given)

    def making(self, features: Features) -> AbstractContextManager[None]:
        """Run the code that makes the object of the library, without a connection unless downloads are allowed."""
        allowed = features.encoding.allow_download
        return foreign_code(f"{self} cannot be made", "check its parameters", DeclarationError, connecting=allowed)

    def segmenting(self, features: Features) -> AbstractContextManager[None]:
        """Run the library on a document, without a connection unless downloads are allowed."""
        what = f"{self} fails on document {features.document.id!r}"
        remedy = "check its parameters, or leave the document out"
        return foreign_code(what, remedy, SegmentationError, connecting=features.encoding.allow_download)

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
            with self.segmenting(features):
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
