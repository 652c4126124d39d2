# SPDX-License-Identifier: Apache-2.0
"""The one pattern for named, parametrised, registered things: metrics, formats, and whatever families come later.

A thing is a frozen dataclass in a file of its own. Its fields are its parameters (declared with `param`), its
``card`` holds its public facts. ``@FAMILY.register`` puts it into the registry of its family; the family's package
walks its own folder with `Registry.discover`, so that nothing else anywhere has to name the thing. ``parse`` and
``str`` are inverse to each other: ``parse("WindowDiff(k=5)")`` and ``str(metric)``.

This module imports no family.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import functools
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar, cast, get_args

from caesura.errors import DeclarationError

__all__ = ["Card", "Declared", "Registry", "nearest", "param", "parameters"]

_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "bool": (bool,),
    "None": (type(None),),
}
_LARGEST = 2**40  # as long as a document may be; above, sums in the kernels would no longer fit 64 bits
_NAME = re.compile(r"\s*(?P<name>[A-Za-z][A-Za-z0-9_.\-]*)\s*(?P<call>\(.*\))?\s*\Z", re.DOTALL)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Card:
    """The public facts of a declared thing.

    Attributes
    ----------
    title : str
        What it is, in a few words.
    citation : str
        Where it was published.
    equation : str
        A locator somebody has looked up ("Eq. 3, p. 190"), or "unverified".
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
    """Declare a parameter: its default, what it means, and which values it may take.

    Parameters
    ----------
    default : object
        The value when nothing is said.
    help : str
        One line for the command line and the docs.
    choices : iterable, optional
        The only values allowed.
    minimum, maximum : float, optional
        Bounds for numbers, both inclusive.
    positive : bool
        Whether a number must be above zero.
    check : callable, optional
        Given the value, returns what is wrong with it, or None.
    """
    facts = _Facts(help, tuple(choices), minimum, maximum, positive, check)
    return dataclasses.field(default=default, metadata={"caesura": facts})


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter of a declared thing, as `parameters` lists it."""

    name: str
    type: str
    default: Any
    help: str
    choices: tuple[Any, ...]


def parameters(thing: type[Declared] | Declared) -> tuple[Parameter, ...]:
    """Return the parameters of a declared class, in order."""
    return tuple(
        Parameter(
            f.name,
            " | ".join(_type_names(f.type)),
            f.default,
            f.metadata["caesura"].help,
            f.metadata["caesura"].choices,
        )
        for f in dataclasses.fields(thing)
        if "caesura" in f.metadata
    )


def _type_names(annotation: object) -> list[str]:
    """Return the names of the types of an annotation, which is a text only under postponed evaluation.

    >>> _type_names("int | None"), _type_names(int | None), _type_names(float)
    (['int', 'None'], ['int', 'None'], ['float'])
    """
    if isinstance(annotation, str):
        return [word.strip() for word in annotation.split("|")]
    kinds = get_args(annotation) or (annotation,)
    return ["None" if kind is type(None) else getattr(kind, "__name__", str(kind)) for kind in kinds]


@dataclasses.dataclass(frozen=True)
class Declared:
    """Base of every declared thing: checks its parameters, and prints as the text that makes it."""

    card: ClassVar[Card]
    error: ClassVar[type[DeclarationError]] = DeclarationError

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if "caesura" in field.metadata:
                value = getattr(self, field.name)
                self._check(field, value)
                # NumPy's float64 and str_ pass as float and str but do not print as literals.
                for plain in (float, str):
                    if isinstance(value, plain) and type(value) is not plain:
                        object.__setattr__(self, field.name, plain(value))

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
        """Return every parameter with its value."""
        return {p.name: getattr(self, p.name) for p in parameters(self)}

    def __str__(self) -> str:
        shown = [
            f"{p.name}={getattr(self, p.name)!r}"
            for p in parameters(self)
            if getattr(self, p.name) != p.default
        ]
        return f"{self.name()}({', '.join(shown)})" if shown else self.name()


def _out_of_bounds(facts: _Facts, value: float) -> str | None:
    if value != value:  # NaN, which passes every comparison below
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


T = TypeVar("T", bound=Declared)


class Registry(Generic[T]):
    """All things of one family, by name.

    Parameters
    ----------
    family : str
        What one of them is called in a message: "metric".
    group : str
        The entry-point group through which other packages add theirs.
    error : type of DeclarationError
        What is raised for an unknown name.
    """

    def __init__(self, family: str, group: str, error: type[DeclarationError] = DeclarationError) -> None:
        self.family = family
        self.group = group
        self.error = error
        self._classes: dict[str, type[T]] = {}
        self._aliases: dict[str, tuple[type[T], dict[str, Any]]] = {}
        self._plugins_loaded = False
        self._remembered = functools.lru_cache(maxsize=1024)(self._parse)

    def register(self, *aliases: str, **presets: Mapping[str, Any]) -> Callable[[type[T]], type[T]]:
        """Return a decorator that registers a class, with aliases.

        ``aliases`` are other names of the class as it is; ``presets`` map an alias to the parameters it stands for
        (use ``**{"W-F1": {"tolerance": 1}}`` where the alias is not a Python name).
        """

        def add(cls: type[T]) -> type[T]:
            cls.error = self.error
            for name in (cls.name(), *aliases, *presets):
                if name in self._classes or name in self._aliases:
                    raise self.error(
                        f"{self.family} {name!r} is declared twice; give one of them another name"
                    )
            self._remembered.cache_clear()
            self._classes[cls.name()] = cls
            self._aliases.update({alias: (cls, {}) for alias in aliases})
            self._aliases.update({alias: (cls, dict(preset)) for alias, preset in presets.items()})
            return cls

        return add

    def forget(self, cls: type[T]) -> None:
        """Take a class and its aliases out again, so that another may be declared under its name."""
        self._remembered.cache_clear()
        self._classes.pop(cls.name(), None)
        self._aliases = {alias: entry for alias, entry in self._aliases.items() if entry[0] is not cls}

    def discover(self, path: Iterable[str], package: str) -> None:
        """Import every module of a package's folder, so that each registers what it declares."""
        for module in pkgutil.iter_modules(path, prefix=package + "."):
            if not module.name.rpartition(".")[2].startswith("_"):
                importlib.import_module(module.name)

    def _load_plugins(self) -> None:
        if self._plugins_loaded:
            return
        self._plugins_loaded = True
        from importlib.metadata import entry_points

        for entry in entry_points(group=self.group):
            thing = entry.load()
            # A plugin that registers itself when it is imported is there already.
            if isinstance(thing, type) and issubclass(thing, Declared) and thing.name() not in self._classes:
                self.register()(cast(type[T], thing))

    def __iter__(self) -> Iterator[type[T]]:
        self._load_plugins()
        return iter([self._classes[name] for name in sorted(self._classes, key=str.casefold)])

    def __contains__(self, name: object) -> bool:
        if name in self._classes or name in self._aliases:
            return True
        self._load_plugins()
        return name in self._classes or name in self._aliases

    def names(self) -> list[str]:
        """Return the canonical names, sorted."""
        return [cls.name() for cls in self]

    def aliases(self) -> dict[str, str]:
        """Return what each alias stands for, as canonical text."""
        self._load_plugins()
        return {alias: str(cls(**preset)) for alias, (cls, preset) in sorted(self._aliases.items())}

    def aliases_of(self, cls: type[T]) -> dict[str, dict[str, Any]]:
        """Return the aliases of one class with the parameters each sets."""
        return {alias: preset for alias, (owner, preset) in sorted(self._aliases.items()) if owner is cls}

    def lookup(self, name: str) -> tuple[type[T], dict[str, Any]]:
        """Return the class of a name or alias, with the parameters the alias sets."""
        for attempt in (False, True):
            if attempt:
                self._load_plugins()
            if name in self._aliases:
                cls, preset = self._aliases[name]
                return cls, dict(preset)
            if name in self._classes:
                return self._classes[name], {}
        raise self.unknown(name, [*self._classes, *self._aliases])

    def unknown(self, name: str, known: Iterable[str]) -> DeclarationError:
        """Return the error for a name that nothing has."""
        return self.error(f"{name!r} is not {_with_article(self.family)}; {nearest(name, known)}")

    def parse(
        self,
        text: str,
        defaults: Mapping[str, Mapping[str, Any]] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> T:
        """Return the thing that a text such as ``"WindowDiff(k=5)"`` names; a text that was seen before costs little.

        Parameters
        ----------
        text : str
            A name or alias, optionally with parameters as literals.
        defaults : mapping, optional
            Other defaults by class name (a profile); what the text or its alias says wins over them.
        parameters : mapping, optional
            Parameters beside those of the text; they win over an alias.
        """
        if not defaults and not parameters and isinstance(text, str):
            return self._remembered(text)
        return self._parse(text, defaults, parameters)

    def _parse(
        self,
        text: str,
        defaults: Mapping[str, Mapping[str, Any]] | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> T:
        match = _NAME.match(text) if isinstance(text, str) else None  # type: ignore[redundant-expr]
        if match is None:
            raise self.error(
                f"{text!r} is not {_with_article(self.family)}; write a name, or a name with parameters: Name(k=5)"
            )
        cls, options = self.lookup(match["name"])
        written = self._arguments(match["call"] or "()", text)
        twice = sorted(set(written) & set(given or {}))
        if twice:
            raise self.error(
                f"{text!r}: parameter {twice[0]} is given twice, in the text and beside it; give it once"
            )
        options |= {**written, **(given or {})}
        names = [p.name for p in parameters(cls)]
        for option in options:
            if option not in names:
                hint = nearest(option, names) if names else "it has no parameters"
                raise self.error(f"{cls.name()}: unknown parameter {option!r}; {hint}")
        inherited = {k: v for k, v in (defaults or {}).get(cls.name(), {}).items() if k in names}
        return cls(**{**inherited, **options})

    def _arguments(self, call: str, text: str) -> dict[str, Any]:
        """Read ``(k=5, edge="lamprier")`` through Python's own syntax tree, literals only; nothing is evaluated."""
        try:
            tree = ast.parse("f" + call, mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise self.error(
                f"{text!r} cannot be read; write parameters as Name(k=5, edge='lamprier')"
            ) from None
        if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
            raise self.error(f"{text!r} cannot be read; write parameters as Name(k=5, edge='lamprier')")
        if tree.args or any(keyword.arg is None for keyword in tree.keywords):
            raise self.error(f"{text!r}: parameters are given by name, such as (k=5)")
        options: dict[str, Any] = {}
        for keyword in tree.keywords:
            name = cast(str, keyword.arg)
            if name in options:
                raise self.error(f"{text!r}: parameter {name} is given twice")
            try:
                options[name] = ast.literal_eval(keyword.value)
            except (TypeError, ValueError):
                shown = ast.unparse(keyword.value)
                raise self.error(
                    f"{text!r}: parameter {keyword.arg} is {shown}; it must be a number or a quoted word ({shown!r})"
                ) from None
        return options


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the words that help someone who misspelt a name: the nearest ones, or all of them."""
    names = sorted(set(known), key=str.casefold)
    folded = {n.casefold(): n for n in names}
    close = difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)
    if close:
        return "did you mean " + " or ".join(folded[c] for c in close) + "?"
    return "choose from " + ", ".join(names)


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
