# SPDX-License-Identifier: Apache-2.0
"""What all segmenters that are not ours share: arguments, errors, versions, and the text they read."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import importlib.metadata
import itertools
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from caesura.declare import Card
from caesura.errors import CaesuraError, DeclarationError, SegmentationError, reason
from caesura.scorers import Encoding, Features
from caesura.segmenters.base import Cut, Segmenter
from caesura.units.text import Text, text_of

__all__ = ["Foreign", "joined_text", "package_version", "read_text", "refusing"]

_LITERALS = (bool, int, float, str, type(None))


@dataclasses.dataclass(frozen=True, eq=False)
class Foreign(Segmenter):
    """A segmenter of somebody else, named ``family:target`` with arguments.

    Attributes
    ----------
    target : str
        What stands after the family: a class, an attribute, a command, a URL.
    arguments : mapping
        The arguments, as literals.
    family : str
        What stands before the colon.
    form : str
        How it is written, for messages.
    """

    target: str = ""
    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict)

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
        """Return the arguments."""
        return dict(self.arguments)

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.family}:{self.target}" + (f"({shown})" if shown else "")

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

    def cut(self, features: Features) -> Cut:
        """Segment one document; every kind has its own."""
        raise NotImplementedError  # pragma: no cover - every kind has its own


def _is_literal(value: object) -> bool:
    """Return whether JSON can hold a value, so that the output can say how it was made."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_literal, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_literal(item) for key, item in value.items())
    return isinstance(value, _LITERALS)


@contextlib.contextmanager
def refusing(what: str, remedy: str, kind: type[CaesuraError] = SegmentationError) -> Iterator[None]:
    """Report whatever other people's code raises in one line, as an error of a kind; our own errors pass."""
    try:
        yield
    except CaesuraError:
        raise
    except (Exception, SystemExit) as error:  # foreign code may raise anything, and may want to end the program
        raise kind(f"{what} ({reason(error)}); {remedy}") from error


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


_BREAKS = {ord(sign): " " for sign in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"}


def package_version(*packages: str) -> dict[str, str]:
    """Return the versions of installed packages, by name."""
    found = {}
    for package in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found
