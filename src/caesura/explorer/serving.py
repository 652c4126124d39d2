# SPDX-License-Identifier: Apache-2.0
"""What every server here shares: who may ask, the headers of every response, the files of a page, and listening."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from caesura.errors import CaesuraError, MissingExtraError
from caesura.reports.page.html import SERVED_POLICY, asset

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.responses import Response

__all__ = ["HEADERS", "LOOPBACK", "LOOPBACK_NAMES", "asset_response", "host_of", "is_loopback", "serve"]

LOOPBACK = "127.0.0.1"
LOOPBACK_NAMES = frozenset({LOOPBACK, "localhost", "::1"})
HEADERS = {
    "Content-Security-Policy": SERVED_POLICY + "; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_KINDS = {".js": "text/javascript", ".css": "text/css"}


def is_loopback(host: str) -> bool:
    """Return whether an address is reached from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(header: str) -> str:
    """Return the name in a Host header, without the port.

    >>> host_of("localhost:8765"), host_of("[::1]:8765"), host_of("a.example")
    ('localhost', '::1', 'a.example')
    """
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]


def _address(host: str) -> str:
    """Return where this machine finds a server: one that listens on every address has none of its own to open.

    >>> _address("localhost"), _address("::1"), _address("0.0.0.0"), _address("::")
    ('localhost', '[::1]', '127.0.0.1', '[::1]')
    """
    try:
        if ipaddress.ip_address(host).is_unspecified:
            host = "::1" if ":" in host else LOOPBACK
    except ValueError:  # a name
        pass
    return f"[{host}]" if ":" in host else host


def asset_response(name: str, offered: Collection[str]) -> Response:
    """Return a module or style sheet of a page, if it is one of those offered."""
    from starlette.responses import PlainTextResponse, Response

    if name not in offered:
        return PlainTextResponse("There is no such file.\n", 404)
    return Response(asset(name), media_type=_KINDS[name[name.rindex(".") :]])


def serve(app: Starlette, *, host: str = LOOPBACK, port: int = 8765, ready: Callable[[str], None] = print) -> None:
    """Serve an application until it is interrupted; ``ready`` is called with the address."""
    import socket

    try:
        import uvicorn
    except ImportError:
        raise MissingExtraError("a server", "explore") from None
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()  # early connections then wait instead of being refused
    except OSError as error:
        listening.close()
        raise CaesuraError(
            f"{host}:{port} cannot be used ({error.strerror or error}); choose another port with --port"
        ) from None
    ready(f"http://{_address(host)}:{listening.getsockname()[1]}/")
    # No log, since it would keep the token and the names of documents.
    config = uvicorn.Config(
        app, log_level="critical", access_log=False, lifespan="off", server_header=False, timeout_graceful_shutdown=1
    )
    uvicorn.Server(config).run(sockets=[listening])
