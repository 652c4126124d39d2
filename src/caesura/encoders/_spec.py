# SPDX-License-Identifier: Apache-2.0
"""From a spec to the encoder it names."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import operator
import os
import re
from typing import Any

from caesura.declare import nearest
from caesura.encoders._precomputed import Precomputed
from caesura.encoders.base import ENCODERS, Encoder
from caesura.errors import CaesuraError, DeclarationError, EncoderError, reason
from caesura.foreign import current_folder, foreign_code, set_apart

__all__ = ["encoder", "source"]

_PIN = re.compile(r"@sha256:(?P<digest>[0-9a-fA-F]*)\Z")
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*\Z")
_SHORTEST_PIN = 8
_ATTRIBUTES = ("name", "dim", "normalized", "fingerprint", "encode")


def encoder(spec: str | Encoder, *, allow_download: bool = False) -> Encoder:
    """Return the encoder that a spec names.

    Parameters
    ----------
    spec : str or Encoder
        ``default``, ``onnx:minilm``, ``onnx:FOLDER``, ``numpy:FOLDER``, ``st:NAME``, ``hf:NAME``, ``hf:NAME@REVISION``,
        ``http:URL#MODEL``, ``module:attribute``, or the name of an entry point of the group ``caesura.encoders``. ``@sha256:DIGITS`` at the
        end pins the weights. An encoder is returned as it is.
    allow_download : bool
        Whether weights that are not on this machine may be downloaded. By default nothing is.

    Raises
    ------
    EncoderError
        If the encoder cannot be opened.
    MissingExtraError
        If an optional dependency is not installed.

    Examples
    --------
    >>> encoder("onxx:minilm")
    Traceback (most recent call last):
    caesura.errors.DeclarationError: 'onxx:minilm' is not an encoder; did you mean onnx?
    """
    found = source(spec, allow_download=allow_download)
    if isinstance(found, Precomputed):
        raise EncoderError(
            f"{found.name} holds vectors of given documents and cannot encode other texts; "
            "name an encoder, such as default"
        )
    return found


def source(spec: str | Encoder | Precomputed, *, allow_download: bool = False) -> Encoder | Precomputed:
    """Return the encoder, or the file of vectors, that a spec names; see `encoder`.

    In addition to the specs of `encoder`: ``npz:FILE``, ``npy:FILE`` and ``safetensors:FILE``; ``#KEY`` selects one array of
    an npz or safetensors file.
    """
    if not isinstance(spec, str):
        return spec if isinstance(spec, Precomputed) else _checked(spec, "the encoder")
    text, digest = _without_pin(spec.strip())
    head, colon, rest = text.partition(":")
    if head in ("http", "https") and rest.startswith("//"):
        head, rest = "http", text
    if head in ENCODERS:
        cls, _ = ENCODERS.lookup(head)
        if bool(rest) != bool(cls.takes):
            wanted = f"write {head}:{cls.takes}" if cls.takes else f"write {head} alone"
            raise DeclarationError(f"{spec!r} is not an encoder; {wanted}")
        try:
            return cls(where=rest, sha256=digest).load(allow_download=allow_download)
        except (OSError, ValueError) as error:  # a name that no file can have
            if isinstance(error, CaesuraError):
                raise
            raise EncoderError(f"{spec[:300]} cannot be opened ({reason(error)}); check the name") from None
    if digest:
        raise DeclarationError(f"{spec!r}: only weights of a known kind can be pinned; remove @sha256:")
    if not colon:
        thing = _entry_point(text)
        if thing is not None:
            return _made(thing, text)
    elif _MODULE.match(head) and _MODULE.match(rest):
        if _is_module(head):
            return _made(_attribute(head, rest, spec), spec)
        if not difflib.get_close_matches(head.casefold(), ENCODERS.names()):  # not a misspelt kind
            raise EncoderError(
                f"{spec}: no kind of encoder is called {head}, and there is no module {head}, installed, on PYTHONPATH or "
                f"in the current folder ({os.getcwd()}); go to its folder, or put that on PYTHONPATH"  # noqa: PTH109
            )
    raise DeclarationError(f"{spec!r} is not an encoder; {nearest(head, ENCODERS.names())}")


def _without_pin(text: str) -> tuple[str, str]:
    match = _PIN.search(text)
    if match is None:
        return text, ""
    digest = match["digest"].lower()
    if not _SHORTEST_PIN <= len(digest) <= 64:
        raise DeclarationError(f"{text!r}: a sha256 pin has {_SHORTEST_PIN} to 64 hexadecimal digits")
    return text[: match.start()], digest


def _entry_point(name: str) -> Any:
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENCODERS.group, name=name):
        with foreign_code(f"{name}: {entry.value} cannot be imported", "repair or uninstall it"):
            return entry.load()
    return None


def _is_module(name: str) -> bool:
    """Return whether a module can be found; a misspelt kind (``onxx:minilm``) is not a module."""
    try:
        with set_apart(), current_folder():
            return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError as error:  # a parent package is missing, or one of its imports
        return error.name is None or not f"{name}.".startswith(f"{error.name}.")
    except ValueError:
        return False
    except Exception:  # a parent package fails, which importing the module will report
        return True


def _attribute(module: str, attribute: str, spec: str) -> Any:
    with foreign_code(f"{spec}: the module {module} cannot be imported", "repair it"), current_folder():
        thing: Any = importlib.import_module(module)
    try:
        return operator.attrgetter(attribute)(thing)
    except AttributeError:
        raise EncoderError(f"{spec}: the module {module} has no {attribute}; check the name") from None


def _made(thing: Any, spec: str) -> Encoder:
    """Return the encoder of a plugin: the object itself, or what a class or function without arguments returns."""
    if isinstance(thing, type) or (callable(thing) and not isinstance(thing, Encoder)):
        remedy = "repair it, or name an encoder"
        with foreign_code(f"{spec}: calling it without arguments fails", remedy):
            thing = thing()
    return _checked(thing, spec)


def _checked(thing: Any, who: str) -> Encoder:
    missing = [name for name in _ATTRIBUTES if not hasattr(thing, name)]
    if missing:
        raise EncoderError(f"{who} is a {type(thing).__name__} without {', '.join(missing)}; an encoder must have them")
    if not isinstance(thing.dim, int) or thing.dim < 1:
        raise EncoderError(f"{who} has dim {thing.dim!r}; it must be an integer above 0")
    for name, what in (("fingerprint", "a string that identifies the weights"), ("name", "a string")):
        value = getattr(thing, name)
        if not isinstance(value, str) or not value:
            raise EncoderError(f"{who} has {name} {value!r}; it must be {what}")
    found: Encoder = thing
    return found
