# SPDX-License-Identifier: Apache-2.0
"""One request to a server: within a time and a size, without redirects, with errors in one line."""

from __future__ import annotations

import contextlib
import http.client
import time
import urllib.error
import urllib.request
from typing import Any

from caesura.errors import EncoderError

__all__ = ["CHECK_ADDRESS", "KEY", "Passing", "one_line", "post"]

KEY = "CAESURA_HTTP_KEY"
"""The environment variable with the API key."""
CHECK_ADDRESS = "check the URL, to which /embeddings is appended: it often ends in /v1"
_PER_TEXT = 4 << 20  # response bytes per text: 65,536 numbers of many digits


class Passing(Exception):
    """A transient error, worth another attempt."""

    def __init__(self, message: str, wait: float = 0.0) -> None:
        self.wait = wait
        super().__init__(message)


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow no redirect: texts and key are sent to the given URL only."""


_OPENER = urllib.request.build_opener(_NoRedirection)


def post(request: urllib.request.Request, timeout: float, texts: int, name: str) -> bytes:
    """Return the response to a request about a number of texts."""
    until = time.monotonic() + timeout
    try:
        with _OPENER.open(request, timeout=timeout) as answer:
            return _read_until(answer, until, _PER_TEXT * texts, name)
    except urllib.error.HTTPError as error:
        detail = ""
        with error, contextlib.suppress(OSError, http.client.HTTPException):
            detail = one_line(error.read(300).decode("utf-8", "replace"))
        message = f"it responds with {error.code} {one_line(error.reason)}" + (
            f" ({detail})" if detail else ""
        )
        if error.code == 429 or error.code >= 500:
            wait = error.headers.get("Retry-After") or ""
            raise Passing(message, min(float(wait), 60.0) if wait.isdecimal() else 0.0) from None
        raise EncoderError(f"{name}: {message}; {_advice(error)}") from None
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        reason = getattr(error, "reason", None) or error
        late = isinstance(reason, TimeoutError)
        raise Passing(
            f"it does not respond within {timeout:g} s" if late else f"it cannot be reached ({reason})"
        ) from None


def _read_until(answer: http.client.HTTPResponse, until: float, limit: int, name: str) -> bytes:
    """Read a whole response; the socket's own timeout restarts with every byte."""
    pieces, size = [], 0
    while piece := answer.read1(1 << 16):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise EncoderError(
                f"{name}: the response is larger than {limit >> 20} MiB, so this is not an embeddings server; {CHECK_ADDRESS}"
            )
        if time.monotonic() > until:
            raise TimeoutError("the response takes too long")
    if answer.length:  # read1 mistakes a closed connection for the end
        raise http.client.IncompleteRead(b"", answer.length)
    return b"".join(pieces)


def _advice(error: urllib.error.HTTPError) -> str:
    """Return a remedy for an error that another attempt would not change."""
    if 300 <= error.code < 400:
        # Without the query, which may hold a secret.
        target = one_line((error.headers.get("Location") or "").partition("?")[0]) or "nowhere"
        return f"redirects are refused, and this one leads to {target}: if you trust that URL, use it instead"
    if error.code in (401, 403):
        return f"put the key into {KEY}"
    return f"check the name of the model; {CHECK_ADDRESS}"


def one_line(text: str) -> str:
    """Return a message of a server in one line without control characters."""
    line = " ".join(text.split())[:200]
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in line)
