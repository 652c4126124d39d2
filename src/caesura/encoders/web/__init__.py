# SPDX-License-Identifier: Apache-2.0
"""A server with an endpoint of the OpenAI API: requests within one time and one size, without redirects, errors in one line."""

from __future__ import annotations

import contextlib
import functools
import http.client
import io
import os
import re
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from caesura.errors import CaesuraError, CaesuraWarning, EncoderError, without_secrets
from caesura.foreign import named_server

__all__ = ["OPENER", "Server", "one_line", "seconds_of", "server_timeout"]

_KEY = "CAESURA_HTTP_KEY"
"""The environment variable with the API key."""
_PER_TEXT = 4 << 20  # response bytes per text: 65,536 numbers of many digits
_QUOTED = 200  # characters of a server's words that a message repeats
_READ = 1 << 14  # bytes from which they are taken: no key is cut in two before it is found
_LONGEST_KEY = 4096
T = TypeVar("T")


def server_timeout() -> float:
    """Return the seconds within which a request must be answered: ``CAESURA_HTTP_TIMEOUT``, or 60."""
    return seconds_of("CAESURA_HTTP_TIMEOUT", 60.0, EncoderError)


def seconds_of(variable: str, usual: float, kind: type[CaesuraError]) -> float:
    """Return the seconds that an environment variable names, or the usual ones; an error is of a kind."""
    text = os.environ.get(variable, "")
    with contextlib.suppress(ValueError):
        seconds = float(text) if text else usual
        if 0 < seconds < 1e6:
            return seconds
    raise kind(f"{variable} is {text!r}; it must be a number of seconds above 0")


class Server:
    """A model on a server.

    A request goes to ``url`` with ``path`` appended, and must be answered, from the connection to the last byte, within
    ``timeout`` seconds. If the server is unreachable, busy (429) or failing (5xx), there are further attempts, after
    ``wait`` seconds, then twice as long, and so on; ``Retry-After`` is respected up to 60 seconds.
    """

    def __init__(
        self, url: str, model: str, path: str, *, timeout: float = 60.0, attempts: int = 5, wait: float = 0.5
    ) -> None:
        shown = re.sub(r"(?<![^/#?])[^/#?]*@", "…@", url.partition("?")[0])  # without a password, which is refused
        self.name = f"http:{shown.rstrip('/')}#{model}"
        self.url, self.model = url.rstrip("/"), model
        self.advice = f"check the URL, to which {path} is appended: it often ends in /v1"
        requested = _request_url(url, self.name)
        if without_secrets(url + model) != url + model and len(_key()) > 7:
            raise EncoderError(f"{self.name}: the URL or the model contains the key in {_KEY}; leave it out")
        if not model.isprintable():
            raise EncoderError(f"{self.name!a}: the name of the model has a character that no name has; correct it")
        host = urllib.parse.urlsplit(requested).hostname or ""
        local = host in ("localhost", "::1") or host.startswith("127.")
        if requested.startswith("http:") and _key() and not local:
            message = f"the key in {_KEY} is sent to {host} unencrypted; use https:// if the server supports it"
            warnings.warn(CaesuraWarning(message), stacklevel=4)
        self._endpoint = f"{requested.rstrip('/')}{path}"
        self._timeout, self._attempts, self._wait = timeout, attempts, wait

    def ask(self, body: object, read: Callable[[bytes], T], texts: int = 1) -> T:
        """Send a request about a number of texts, and return what ``read`` makes of the response."""
        last = ""
        for attempt in range(self._attempts):
            try:
                return read(self._post(body, texts))
            except _Passing as fault:
                last = str(fault)
                if attempt + 1 < self._attempts:
                    time.sleep(max(self._wait * 2**attempt, fault.wait))
        times = "once" if self._attempts == 1 else f"{self._attempts} times"
        raise EncoderError(f"{self.name}: requested {times}, but {last}; check the server and try again")

    def _post(self, body: object, texts: int) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "caesura"}
        if key := _key():
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self._endpoint, msgspec.json.encode(body), headers)  # noqa: S310  (checked above)
        return _post(request, self._timeout, texts, self.name, self.advice)


def _key() -> str:
    """Return the API key without blanks around it; refuse what cannot be sent as one."""
    key = os.environ.get(_KEY, "").strip()
    if len(key) > _LONGEST_KEY or not all("!" <= letter <= "~" for letter in key):
        raise EncoderError(
            f"{_KEY} is longer than {_LONGEST_KEY} characters, or has a blank, a line break or a letter that is not ASCII "
            "in it; set it to the key alone"
        )
    return key


class _Passing(Exception):
    """A transient error, worth another attempt."""

    def __init__(self, message: str, wait: float = 0.0) -> None:
        self.wait = wait
        super().__init__(message)


def _request_url(url: str, name: str) -> str:
    """Return a URL as it is requested: in ASCII, with a host and a port that exist; refuse any other."""
    try:
        parts = urllib.parse.urlsplit(url)
        host, port, user = parts.hostname or "", parts.port, parts.username
        spelled = f"[{host}]" if ":" in host else host.encode("idna").decode()
        path = urllib.parse.quote(parts.path, safe="/%:@!$&'()*+,;=~")
    except ValueError as error:  # an IPv6 address without its bracket, a label of 64 characters, a port of 99999
        why = str(error).partition(" (")[0].removesuffix(": ''").strip().rstrip(".")
        if isinstance(error, UnicodeError):
            why = "a part of the host is empty, longer than 63 characters, or not a name"
        raise EncoderError(f"{name}: the URL cannot be read ({why}); correct it") from None
    if parts.scheme not in ("http", "https") or not host:
        raise EncoderError(f"{name}: the URL must begin with http:// or https://")
    if user is not None or parts.query:
        raise EncoderError(f"{name}: the URL must not contain a password or a query; put a key into {_KEY}")
    if port == 0 or any(letter.isspace() or not letter.isprintable() for letter in spelled):
        raise EncoderError(f"{name}: the URL has port 0 or a blank in its host; correct it")
    return f"{parts.scheme}://{spelled}{'' if port is None else f':{port}'}{path}"


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: only the given address was checked, and texts and key are sent to it alone."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Return no request."""


class _UntilThen(io.RawIOBase):
    """A response body with a total deadline; the timeout of a socket restarts with every byte."""

    def __init__(self, connection: socket.socket, until: float) -> None:
        self._connection, self._until = connection, until
        self._raw = connection.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._connection.settimeout(_left(self._until))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def _left(until: float) -> float:
    """Return the seconds that are left."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time is over")
    return left


class _Connection(http.client.HTTPConnection):
    """A connection on which everything, from the first address tried to the last byte read, shares one timeout."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.until = time.monotonic() + float(self.timeout or 0.0)
        self._create_connection = self._connected

    def _connected(self, address: tuple[str, int], *rest: object) -> socket.socket:
        fault: OSError = OSError("the host has no address")
        for family, kind, protocol, _, place in socket.getaddrinfo(*address, 0, socket.SOCK_STREAM):
            connection = socket.socket(family, kind, protocol)
            try:
                connection.settimeout(_left(self.until))
                connection.connect(place)
                connection.settimeout(_left(self.until))  # for the handshake of https
            except OSError as error:
                connection.close()
                fault = error
            else:
                return connection
        raise fault

    def send(self, data: Any) -> None:
        """Send within the time that is left."""
        if self.sock is not None:
            self.sock.settimeout(_left(self.until))
        super().send(data)

    def response_class(self, sock: socket.socket, *args: Any, **options: Any) -> http.client.HTTPResponse:  # type: ignore[override]
        """Return a response that is read within the time that is left: status line, headers and body."""
        response = http.client.HTTPResponse(sock, *args, **options)
        response.fp.close()
        response.fp = io.BufferedReader(_UntilThen(sock, self.until))
        return response


class _SecureConnection(http.client.HTTPSConnection, _Connection):
    """The same with https."""


class _Plain(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a connection."""
        return self.do_open(_Connection, req)


class _Secure(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a connection."""
        return self.do_open(_SecureConnection, req, context=_context())


@functools.cache
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()


OPENER = urllib.request.build_opener(_NoRedirection, _Plain, _Secure)
"""Opens addresses without redirects; the timeout is that of everything, from the connection to the last byte."""


def _post(request: urllib.request.Request, timeout: float, texts: int, name: str, advice: str) -> bytes:
    """Return the response to a request about a number of texts; ``advice`` is for a wrong address."""
    try:
        with named_server(), OPENER.open(request, timeout=timeout) as answer:
            return _read(answer, _PER_TEXT * texts, name, advice)
    except urllib.error.HTTPError as error:
        detail = ""
        with error, contextlib.suppress(OSError, http.client.HTTPException):
            detail = one_line(error.read(_READ))
        message = f"it responds with {error.code} {one_line(error.reason)}" + (f" ({detail})" if detail else "")
        if error.code == 429 or error.code >= 500:
            wait = error.headers.get("Retry-After") or ""
            raise _Passing(message, min(float(wait), 60.0) if wait.isdecimal() else 0.0) from None
        raise EncoderError(f"{name}: {message}; {_advice(error, advice)}") from None
    except EncoderError:
        raise
    except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        late = isinstance(reason, TimeoutError)
        raise _Passing(
            f"it does not respond within {timeout:g} s" if late else f"it cannot be reached ({one_line(reason)})"
        ) from None


def _read(answer: http.client.HTTPResponse, limit: int, name: str, advice: str) -> bytes:
    """Read a whole response."""
    pieces, size = [], 0
    while piece := answer.read1(1 << 16):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise EncoderError(
                f"{name}: the response is larger than {limit >> 20} MiB, so this is not such a server; {advice}"
            )
    if answer.length:  # read1 mistakes a closed connection for the end
        raise http.client.IncompleteRead(b"", answer.length)
    return b"".join(pieces)


def _advice(error: urllib.error.HTTPError, advice: str) -> str:
    """Return a remedy for an error that another attempt would not change."""
    if 300 <= error.code < 400:
        # Without the query, which may hold a secret.
        target = one_line((error.headers.get("Location") or "").partition("?")[0]) or "nowhere"
        return f"redirects are refused, and this one leads to {target}: if you trust that URL, use it instead"
    if error.code in (401, 403):
        return f"put the key into {_KEY}"
    return f"check the name of the model; {advice}"


def one_line(words: object, length: int = _QUOTED) -> str:
    """Return a message of a server in one line without control characters, and without our key if it repeats it."""
    text = words[:_READ].decode("utf-8", "replace") if isinstance(words, bytes) else str(words)
    # Before it is cut: half a key is a secret too. What is read last may itself be cut, and is left out.
    text = without_secrets(text)[: _READ // 2]
    line = " ".join(text.split())[:length]
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in line)
