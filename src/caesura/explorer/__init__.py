# SPDX-License-Identifier: Apache-2.0
"""The report page live, with documents read on demand: on this machine only unless a token guards it; or as files for any web server.

A browser that shows another site may send requests here too. Every request must therefore name this machine in its Host
header, and only reading is possible. An address other than loopback, which may have other names, requires a token once, which
becomes a cookie.
"""

from __future__ import annotations

import gzip
import hmac
import re
import threading
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from caesura.errors import CaesuraError, MissingExtraError, OutputExistsError
from caesura.explorer.serving import HEADERS, LOOPBACK, LOOPBACK_NAMES, asset_response, host_of, is_loopback, serve
from caesura.files import write_together
from caesura.reports.page import PageData
from caesura.reports.page.html import asset, assets, served_document

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["LOOPBACK", "application", "check_access", "is_loopback", "serve", "write_bundle"]

_COOKIE = "caesura-explore"
_SHORTEST = 16
_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))")
Next = Callable[["Request"], Awaitable["Response"]]


def check_access(host: str, token: str | None) -> None:
    """Raise if other machines would reach an address without a token, or if a token is easy to guess or cannot be sent."""
    if not is_loopback(host) and token is None:
        raise CaesuraError(f"{host} can be reached from other machines; give a token with --token, or leave --host out")
    if token is not None and (len(token) < _SHORTEST or not all("!" <= letter <= "~" for letter in token)):
        raise CaesuraError(
            f"the token must have at least {_SHORTEST} characters, all of them visible ASCII; make one with: openssl rand -hex 16"
        )


class _Shown:
    """A page as it is served; if it is ``again`` made of files, whenever they have changed."""

    def __init__(
        self, data: PageData, title: str | None, again: Callable[[], PageData] | None, files: Iterable[str | Path]
    ) -> None:
        self._again, self._files, self._title, self._lock = again, list(map(Path, files)), title, threading.Lock()
        self._stamp, self.version = self._state(), 0
        self._take(data)

    def _take(self, data: PageData) -> None:
        self.data = data
        self.numbers = {name: (place, number) for name, place, number in data.names()}
        self.index = msgspec.json.encode(data.index())
        self.packed = gzip.compress(self.index, 3, mtime=0)
        live = self._again is not None
        self.shell = served_document(self._title or data.title(), "data/", bare=data.bare(), live=live)

    def _state(self) -> list[tuple[int, int] | None]:
        found: list[tuple[int, int] | None] = []
        for path in self._files:
            try:
                status = path.stat()
            except OSError:
                found.append(None)
            else:
                found.append((status.st_mtime_ns, status.st_size))
        return found

    def refresh(self) -> int:
        """Make the page again if a file has changed, and return how often it was; a file that cannot be read changes nothing."""
        with self._lock:
            state = self._state()
            if self._again is not None and state != self._stamp:
                self._stamp = state
                try:
                    made = self._again()
                except (CaesuraError, OSError):
                    return self.version
                self._take(made)
                self.version += 1
            return self.version


def application(
    data: PageData,
    *,
    title: str | None = None,
    host: str = LOOPBACK,
    token: str | None = None,
    again: Callable[[], PageData] | None = None,
    files: Iterable[str | Path] = (),
) -> Starlette:
    """Return the application as ASGI, for `serve` or another server; raise if other machines reach it without a token.

    If one of the ``files`` changes, the page is made ``again``, and browsers that show it load it again.
    """
    try:
        from starlette.applications import Starlette
        from starlette.middleware import Middleware
        from starlette.middleware.base import BaseHTTPMiddleware
        from starlette.responses import PlainTextResponse, RedirectResponse, Response
        from starlette.routing import Route
    except ImportError:
        raise MissingExtraError("caesura explore", "explore") from None
    check_access(host, token)
    names = {*LOOPBACK_NAMES, host}
    shown = _Shown(data, title, again, files)

    def permitted(request: Request) -> bool:
        if token is None:
            return True
        # Either of them: a browser may keep the cookie of an earlier run.
        given = (request.cookies.get(_COOKIE, ""), request.query_params.get("token", ""))
        return any(hmac.compare_digest(each.encode(), token.encode()) for each in given)

    class Guard(BaseHTTPMiddleware):
        """Refuse requests for another host name, and requests without the token."""

        async def dispatch(self, request: Request, call_next: Next) -> Response:
            """Check a request, and add the headers of every response."""
            asked = host_of(request.headers.get("host", ""))
            # On loopback also with a token: another site may be given this machine as its address.
            if asked not in names and (is_loopback(host) or not permitted(request)):
                answer: Response = PlainTextResponse("This address is not served here.\n", 421)
            elif not permitted(request):
                answer = PlainTextResponse("A token is required: add ?token=... to the address.\n", 403)
            elif token is not None and "token" in request.query_params:
                # Redirect to remove the token from the address, so that it is not copied or bookmarked.
                answer = RedirectResponse("/", 303)
                answer.set_cookie(_COOKIE, token, httponly=True, samesite="strict")
            else:
                answer = await call_next(request)
            answer.headers.update(HEADERS)
            return answer

    async def front(request: Request) -> Response:
        return Response(shown.shell, media_type="text/html")

    async def module(request: Request) -> Response:
        return asset_response(request.path_params["name"], assets())

    def version(request: Request) -> Response:  # in a thread: to read results again may take seconds
        return Response(msgspec.json.encode(shown.refresh()), media_type="application/json")

    async def part(request: Request) -> Response:
        name = request.path_params["name"]
        if name == "index":
            zipped = _GZIP.search(request.headers.get("accept-encoding", "")) is not None
            headers = {"Vary": "Accept-Encoding"} | ({"Content-Encoding": "gzip"} if zipped else {})
            return Response(shown.packed if zipped else shown.index, headers=headers, media_type="application/json")
        if name not in shown.numbers:
            return PlainTextResponse("There is no such block.\n", 404)
        return Response(msgspec.json.encode(shown.data.block(*shown.numbers[name])), media_type="application/json")

    routes = [
        Route("/", front),
        Route("/assets/{name}", module),
        Route("/data/version", version),
        Route("/data/{name}", part),
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard)])


def write_bundle(data: PageData, folder: str | Path, *, title: str | None = None) -> int:
    """Write the page, its modules and its data to an empty or new folder, and return the number of files."""
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise OutputExistsError(f"{target} exists and is not an empty folder; name another one")
    for part in (target / "assets", target / "data"):
        part.mkdir(parents=True, exist_ok=True)
    modules: dict[str | Path, bytes] = {target / "assets" / name: asset(name).encode() for name in assets()}
    write_together(modules)
    written = len(modules)
    for name, place, number in data.names():
        write_together({target / "data" / name: msgspec.json.encode(data.block(place, number))})
        written += 1
    # The page is written last, so that its presence means that the folder is complete.
    write_together({target / "data" / "index": msgspec.json.encode(data.index())})
    write_together({target / "index.html": served_document(title or data.title(), "data/", bare=data.bare()).encode()})
    return written + 2
