# SPDX-License-Identifier: Apache-2.0
"""Code of others while it runs in this process: libraries, plug-ins, functions that a user names.

What it raises becomes one line, what it prints goes to standard error, and the working directory is afterwards what it was. A
library that somebody named for its chunks, not for its network, gets no connection.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sys
import threading
from collections.abc import Iterator

from caesura.errors import CaesuraError, EncoderError, reason

__all__ = ["current_folder", "foreign_code", "named_server", "set_apart"]

_HUBS = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_REACHING = {"socket.connect": 1, "socket.sendto": 1, "socket.getaddrinfo": 0, "socket.gethostbyname": 0}
"""The audit events of Python's sockets, and the argument that is an address."""
_CLOSED: list[list[str]] = []
"""For each block without connections that runs now, the hosts it tried to reach."""
_BEFORE: dict[str, str | None] = {}
_LOCK = threading.Lock()
_OURS = threading.local()


@contextlib.contextmanager
def foreign_code(
    what: str, remedy: str, kind: type[CaesuraError] = EncoderError, *, connecting: bool = True
) -> Iterator[None]:
    """Run code of others, and report whatever it raises in one line, as an error of a kind; our own errors and Ctrl-C pass.

    A signal ends the program as Ctrl-C does. ``sys.exit()`` of the code is an error like others; a subclass of SystemExit passes.
    """
    tried: list[str] = []
    try:
        with set_apart(connecting=connecting, tried=tried):
            yield
    except (CaesuraError, KeyboardInterrupt):
        raise
    except BaseException as error:  # foreign code may raise anything
        if isinstance(error, SystemExit) and type(error) is not SystemExit:
            raise
        if tried:
            raise kind(
                f"{what}: it wants to connect to {tried[0]}, which nobody allowed; allow it with --allow-download "
                "(allow_download=True), or choose parameters that need no network"
            ) from error
        raise kind(f"{what} ({reason(error)}); {remedy}") from error


@contextlib.contextmanager
def current_folder() -> Iterator[None]:
    """Let ``import`` find modules of the current folder too, after all others, so that none there hides an installed one."""
    folder = os.getcwd()  # noqa: PTH109  (for every document, so without the cost of a Path)
    if folder in sys.path or "" in sys.path:
        yield
        return
    sys.path.append(folder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the code took it away itself
            sys.path.remove(folder)


@contextlib.contextmanager
def set_apart(*, connecting: bool = True, tried: list[str] | None = None) -> Iterator[None]:
    """Send what is printed to standard error, go back to the working directory, and without ``connecting`` refuse connections.

    The hosts that were refused are added to ``tried``.
    """
    with contextlib.suppress(OSError):
        folder = os.getcwd()  # noqa: PTH109  (for every document, so without the cost of a Path)
    try:
        with (
            contextlib.redirect_stdout(sys.stderr),
            contextlib.nullcontext() if connecting else _offline([] if tried is None else tried),
        ):
            yield
    finally:
        with contextlib.suppress(OSError, UnboundLocalError):
            os.chdir(folder)


@contextlib.contextmanager
def _offline(tried: list[str]) -> Iterator[None]:
    """Refuse every connection of Python's sockets, and let the libraries of model hubs use what is on this machine."""
    _watch()
    with _LOCK:
        if not _CLOSED:
            _BEFORE.update({name: os.environ.get(name) for name in _HUBS})
            os.environ.update(dict.fromkeys(_HUBS, "1"))
        _CLOSED.append(tried)
        _tell_hub(True)
    try:
        yield
    finally:
        with _LOCK:
            _CLOSED[:] = [other for other in _CLOSED if other is not tried]
            if not _CLOSED:
                for name, value in _BEFORE.items():
                    os.environ.pop(name)
                    os.environ.update({} if value is None else {name: value})
                _tell_hub(any((value or "").upper() in ("1", "ON", "YES", "TRUE") for value in _BEFORE.values()))


def _tell_hub(offline: bool) -> None:
    """Tell the library of the hub, which reads its variable once, when it is imported."""
    hub = sys.modules.get("huggingface_hub.constants")
    if hub is not None:
        setattr(hub, _HUBS[0], offline)


@contextlib.contextmanager
def named_server() -> Iterator[None]:
    """Let this thread connect: to a server that the user named, such as the encoder that a library was given."""
    before, _OURS.connects = getattr(_OURS, "connects", False), True
    try:
        yield
    finally:
        _OURS.connects = before


@functools.cache
def _watch() -> None:
    """Watch the sockets of this process from now on; once, for a hook cannot be removed."""
    sys.addaudithook(_refuse)


def _refuse(event: str, args: tuple[object, ...]) -> None:
    if not _CLOSED or event not in _REACHING or getattr(_OURS, "connects", False):
        return
    address = args[_REACHING[event]]
    if _REACHING[event]:
        address = address[0] if isinstance(address, tuple) else None  # a socket of Unix does not leave the machine
    # Windows makes its pipes of sockets to itself.
    if address is None or (sys.platform == "win32" and address in ("127.0.0.1", "::1")):
        return
    host = address.decode("ascii", "replace") if isinstance(address, bytes) else str(address)
    for tried in _CLOSED:
        tried.append(host)
    raise OSError(errno.ENETUNREACH, "connections are not allowed here")
