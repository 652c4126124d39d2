# SPDX-License-Identifier: Apache-2.0
"""The registry of a family."""

from __future__ import annotations

import importlib.abc
import importlib.util
import pkgutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar, cast

from caesura.declare._parameters import Declared, parameters
from caesura.declare._text import arguments, in_any_case, nearest, split_call, with_article
from caesura.errors import CaesuraWarning, DeclarationError, reason

T = TypeVar("T", bound=Declared)
Options = Mapping[str, Any]
_REMEMBERED = 1_024  # the maximum number of cached texts
Defaults = Mapping[str, Options]


class Registry(Generic[T]):
    """The declared classes of one family, by name; a name is found in any case, unless two differ only by it.

    ``family`` is the noun for one of them in messages ("metric"), ``group`` the entry-point group through which other
    packages add classes, ``error`` what an unknown name raises.
    """

    def __init__(self, family: str, group: str, error: type[DeclarationError] = DeclarationError) -> None:
        self.family = family
        self.group = group
        self.error = error
        self._classes: dict[str, type[T]] = {}
        self._aliases: dict[str, tuple[type[T], dict[str, Any]]] = {}
        self._pending: dict[str, str] = {}
        self._plugins_loaded = False
        self._broken: dict[str, str] = {}
        self._remembered: dict[str, T] = {}

    def register(self, *aliases: str, **presets: Options) -> Callable[[type[T]], type[T]]:
        """Return a decorator that registers a class, with aliases.

        ``aliases`` are other names of the class with its defaults; ``presets`` map an alias to the parameters it sets
        (use ``**{"W-F1": {"tolerance": 1}}`` if the alias is not a Python identifier).
        """

        def add(cls: type[T]) -> type[T]:
            cls.error = self.error
            for name in (cls.name(), *aliases, *presets):
                if name in self._classes or name in self._aliases:
                    raise self.error(f"{self.family} {name!r} is declared twice; give one of them another name")
            self._remembered.clear()
            self._classes[cls.name()] = cls
            self._aliases.update({alias: (cls, {}) for alias in aliases})
            self._aliases.update({alias: (cls, dict(preset)) for alias, preset in presets.items()})
            return cls

        return add

    def discover(self, path: Iterable[str], package: str, *, lazy: bool = False) -> None:
        """Import the members of a package: every module that is neither private nor named ``base``.

        With ``lazy``, a module is imported when its name, or one that its source mentions, is looked up, and all modules
        when the registry is listed or a name is unknown.
        """
        for module in pkgutil.iter_modules(path):
            if not (module.ispkg or module.name.startswith("_") or module.name == "base"):
                self._pending[module.name] = f"{package}.{module.name}"
        if not lazy:
            self._import_pending()

    def _import_pending(self) -> None:
        while self._pending:
            importlib.import_module(self._pending.popitem()[1])

    def _holds(self, name: object) -> bool:
        """Return whether a name is registered, after importing the module of that name, or those that mention it."""
        while isinstance(name, str) and not (name in self._classes or name in self._aliases):
            file = name if name in self._pending else next((f for f in self._pending if self._mentions(f, name)), None)
            if file is None:
                return False
            importlib.import_module(self._pending.pop(file))
        return isinstance(name, str)

    def _mentions(self, file: str, name: str) -> bool:
        """Return whether the source of a module has the name as that of a class or in quotes; True if there is no source."""
        spec = importlib.util.find_spec(self._pending[file])
        loader = None if spec is None else spec.loader
        source = loader.get_source(self._pending[file]) if isinstance(loader, importlib.abc.InspectLoader) else None
        return source is None or f"class {name}(" in source or f'"{name}"' in source

    def _load_plugins(self) -> None:
        self._import_pending()
        if self._plugins_loaded:
            return
        self._plugins_loaded = True
        from importlib.metadata import entry_points

        for entry in entry_points(group=self.group):
            try:
                thing = entry.load()
                # A plugin may have registered itself on import.
                if isinstance(thing, type) and issubclass(thing, Declared) and thing.name() not in self._classes:
                    self.register()(cast(type[T], thing))
            except (Exception, SystemExit) as error:  # foreign code may raise anything
                package = getattr(entry.dist, "name", "another package")
                self._broken[entry.name] = (
                    f"{self.family} {entry.name} of {package} cannot be loaded ({reason(error)}); repair or uninstall it"
                )
                warnings.warn(CaesuraWarning(self._broken[entry.name]), stacklevel=3)

    def __iter__(self) -> Iterator[type[T]]:
        self._load_plugins()
        return iter([self._classes[name] for name in sorted(self._classes, key=str.casefold)])

    def __contains__(self, name: object) -> bool:
        return self._found(name) is not None

    def _found(self, name: object) -> str | None:
        """Return the registered name or alias that a name stands for, which may be written in another case."""
        if self._holds(name):
            return str(name)
        self._load_plugins()
        # A plugin that cannot be loaded has its name for itself.
        known = () if name in self._broken else (*self._classes, *self._aliases)
        return in_any_case(name, known) if isinstance(name, str) else None

    def spelled(self, text: str) -> str:
        """Return a text with its name as it is registered: ``"WD(k=5)"`` for ``"wd(k=5)"``."""
        name, _ = split_call(text, self.family, self.error)
        return text.strip().replace(name, self._found(name) or name, 1)

    def names(self) -> list[str]:
        """Return the canonical names, sorted."""
        return [cls.name() for cls in self]

    def aliases(self) -> dict[str, str]:
        """Return the canonical text of each alias."""
        self._load_plugins()
        return {alias: str(cls(**preset)) for alias, (cls, preset) in sorted(self._aliases.items())}

    def aliases_of(self, cls: type[T]) -> dict[str, dict[str, Any]]:
        """Return the aliases of one class with the parameters that each sets."""
        return {alias: preset for alias, (owner, preset) in sorted(self._aliases.items()) if owner is cls}

    def lookup(self, name: str) -> tuple[type[T], dict[str, Any]]:
        """Return the class of a name or alias, with the parameters the alias sets."""
        found = self._found(name)
        if found is None:
            if name in self._broken:
                raise self.error(self._broken[name])
            raise self.unknown(name, [*self._classes, *self._aliases])
        cls, preset = self._aliases.get(found) or (self._classes[found], {})
        return cls, dict(preset)

    def unknown(self, name: str, known: Iterable[str]) -> DeclarationError:
        """Return the error for an unknown name."""
        return self.error(f"{name!r} is not {with_article(self.family)}; {nearest(name, known)}")

    def parse(self, text: str, defaults: Defaults | None = None, parameters: Options | None = None) -> T:
        """Create the object that a text such as ``"WindowDiff(k=5)"`` names; plain texts are cached.

        ``defaults`` are other defaults by class name (a profile), which the text and its alias override; ``parameters`` come in
        addition to those of the text, and override an alias.
        """
        if defaults or parameters or not isinstance(text, str):
            return self._parse(text, defaults, parameters)
        thing = self.remembered(text)
        if thing is None:
            if len(self._remembered) >= _REMEMBERED:
                self._remembered.clear()
            self._remembered[text] = thing = self._parse(text)
        return thing

    def remembered(self, text: str) -> T | None:
        """Return the cached result of `parse` for a text, or None."""
        return self._remembered.get(text)

    def _parse(self, text: str, defaults: Defaults | None = None, given: Options | None = None) -> T:
        name, call = split_call(text, self.family, self.error)
        cls, options = self.lookup(name)
        written = arguments(call, text, self.error)
        twice = sorted(set(written) & set(given or {}))
        if twice:
            raise self.error(
                f"{text!r}: parameter {twice[0]} is given twice, in the text and as an argument; give it once"
            )
        options |= {**written, **(given or {})}
        names = [p.name for p in parameters(cls)]
        for option in options:
            if option not in names:
                hint = nearest(option, names) if names else "it has no parameters"
                raise self.error(f"{cls.name()}: unknown parameter {option!r}; {hint}")
        inherited = {k: v for k, v in (defaults or {}).get(cls.name(), {}).items() if k in names}
        return cls(**{**inherited, **options})
