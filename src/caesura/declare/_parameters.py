# SPDX-License-Identifier: Apache-2.0
"""Parameters, and the base class that checks them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, get_args

from caesura.errors import DeclarationError

_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "bool": (bool,),
    "None": (type(None),),
}
_LARGEST = 2**40  # the maximum length of a document; beyond it, sums in the kernels would overflow 64 bits


@dataclasses.dataclass(frozen=True, kw_only=True)
class Card:
    """The public facts of a declared class: what it is in a few words, and where it was published.

    ``equation`` is a locator checked in the publication ("Eq. 3, p. 190"), or "unverified".
    """

    title: str
    citation: str = ""
    equation: str = "unverified"


@dataclasses.dataclass(frozen=True)
class _Facts:
    help: str
    choices: tuple[Any, ...]
    minimum: float | None
    maximum: float | None
    positive: bool
    check: Callable[[Any], str | None] | None


def param(
    default: Any,
    help: str,  # noqa: A002  (the word a reader of a declaration expects)
    *,
    choices: Iterable[Any] = (),
    minimum: float | None = None,
    maximum: float | None = None,
    positive: bool = False,
    check: Callable[[Any], str | None] | None = None,
) -> Any:
    """Declare a parameter: its default, its meaning and its allowed values.

    Parameters
    ----------
    default : object
        The default value.
    help : str
        One line for the command line and the docs.
    choices : iterable, optional
        The only values allowed.
    minimum, maximum : float, optional
        Bounds for numbers, both inclusive.
    positive : bool
        Whether a number must be above zero.
    check : callable, optional
        Takes the value; returns what is wrong with it, or None.
    """
    facts = _Facts(help, tuple(choices), minimum, maximum, positive, check)
    return dataclasses.field(default=default, metadata={"caesura": facts})


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter of a declared class, as listed by `parameters`."""

    name: str
    type: str
    default: Any
    help: str
    choices: tuple[Any, ...]


def parameters(thing: type[Declared] | Declared) -> tuple[Parameter, ...]:
    """Return the parameters of a declared class, in order."""
    cls: Any = thing if isinstance(thing, type) else type(thing)
    return _parameters(cls)


@functools.lru_cache(maxsize=1024)
def _parameters(cls: Any) -> tuple[Parameter, ...]:
    """List them once for each class: a signature asks for them several times."""
    declared = [(f, f.metadata["caesura"]) for f in dataclasses.fields(cls) if "caesura" in f.metadata]
    return tuple(
        Parameter(f.name, " | ".join(_type_names(f.type)), f.default, facts.help, facts.choices)
        for f, facts in declared
    )


def _type_names(annotation: object) -> list[str]:
    """Return the names of the types in an annotation, which is a string under postponed evaluation.

    >>> _type_names("int | None"), _type_names(int | None), _type_names(float)
    (['int', 'None'], ['int', 'None'], ['float'])
    """
    if isinstance(annotation, str):
        return [word.strip() for word in annotation.split("|")]
    kinds = get_args(annotation) or (annotation,)
    return ["None" if kind is type(None) else getattr(kind, "__name__", str(kind)) for kind in kinds]


@dataclasses.dataclass(frozen=True)
class Declared:
    """Base of every declared class: checks its parameters, and prints as the text that creates it."""

    card: ClassVar[Card]
    error: ClassVar[type[DeclarationError]] = DeclarationError

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if "caesura" in field.metadata:
                value = given = getattr(self, field.name)
                if type(given).__module__ == "numpy" and hasattr(given, "item") and not getattr(given, "shape", ()):
                    # Numbers of NumPy do not print as literals.
                    value = given.item()
                self._check(field, value)
                if isinstance(value, str) and type(value) is not str:
                    value = str(value)
                if value is not given:
                    object.__setattr__(self, field.name, value)

    def _check(self, field: dataclasses.Field[Any], value: object) -> None:
        facts: _Facts = field.metadata["caesura"]
        wanted = _type_names(field.type)
        unknown = [word for word in wanted if word not in _TYPES]
        if unknown:
            raise self.error(
                f"{type(self).__name__}: parameter {field.name} is declared as {unknown[0]}; "
                f"declare it as one of {', '.join(_TYPES)}, or as several joined by |"
            )
        allowed = tuple(kind for word in wanted for kind in _TYPES[word])
        problem = None
        if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
            problem = f"must be {' or '.join(wanted)}"
        elif facts.choices and value not in facts.choices and not (value is None and type(None) in allowed):
            problem = "must be one of " + ", ".join(repr(choice) for choice in facts.choices)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            problem = _out_of_bounds(facts, value)
        if problem is None and facts.check is not None:
            problem = facts.check(value)
        if problem is not None:
            raise self.error(f"{type(self).__name__}: parameter {field.name} is {value!r}; it {problem}")

    @classmethod
    def name(cls) -> str:
        """Return the canonical name."""
        return cls.__name__

    def options(self) -> dict[str, Any]:
        """Return the value of every parameter."""
        return {p.name: getattr(self, p.name) for p in parameters(self)}

    def __str__(self) -> str:
        defaults = {p.name: p.default for p in parameters(self)}
        shown = [f"{name}={value!r}" for name, value in self.options().items() if value != defaults[name]]
        return f"{self.name()}({', '.join(shown)})" if shown else self.name()


def _out_of_bounds(facts: _Facts, value: float) -> str | None:
    if value != value:  # NaN would pass every comparison below
        return "must be a number"
    if facts.positive and value <= 0:
        return "must be above 0"
    if facts.minimum is not None and value < facts.minimum:
        return f"must be at least {facts.minimum}"
    if facts.maximum is not None and value > facts.maximum:
        return f"must be at most {facts.maximum}"
    if isinstance(value, int) and value > _LARGEST:
        return f"must be at most {_LARGEST}"
    return None
