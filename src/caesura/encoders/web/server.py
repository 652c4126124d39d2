# SPDX-License-Identifier: Apache-2.0
"""A server with an endpoint of the OpenAI API: its address, its key, and attempts that are limited in time and number."""

from __future__ import annotations

import os
import re
import time
import urllib.parse
import urllib.request
import warnings
from collections.abc import Callable
from typing import TypeVar

import msgspec

from caesura.encoders._request import KEY, Passing, check_address, post, request_url
from caesura.errors import CaesuraWarning, EncoderError, without_secrets

__all__ = ["Server", "server_timeout"]

_TIMEOUT = "CAESURA_HTTP_TIMEOUT"
_LONGEST_KEY = 4096

T = TypeVar("T")


def server_timeout() -> float:
    """Return the seconds within which a request must be answered: ``CAESURA_HTTP_TIMEOUT``, or 60."""
    text = os.environ.get(_TIMEOUT, "")
    try:
        timeout = float(text) if text else 60.0
    except ValueError:
        timeout = 0.0
    if not 0 < timeout < 1e6:
        raise EncoderError(f"{_TIMEOUT} is {text!r}; it must be a number of seconds above 0")
    return timeout


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
        self.advice = check_address(path)
        requested = request_url(url, self.name)
        if without_secrets(url + model) != url + model and len(_key()) > 7:
            raise EncoderError(f"{self.name}: the URL or the model contains the key in {KEY}; leave it out")
        if not model.isprintable():
            raise EncoderError(f"{self.name!a}: the name of the model has a character that no name has; correct it")
        host = urllib.parse.urlsplit(requested).hostname or ""
        if requested.startswith("http:") and _key() and not _is_local(host):
            message = f"the key in {KEY} is sent to {host} unencrypted; use https:// if the server supports it"
            warnings.warn(CaesuraWarning(message), stacklevel=4)
        self._endpoint = f"{requested.rstrip('/')}{path}"
        self._timeout, self._attempts, self._wait = timeout, attempts, wait

    def ask(self, body: object, read: Callable[[bytes], T], texts: int = 1) -> T:
        """Send a request about a number of texts, and return what ``read`` makes of the response."""
        last = ""
        for attempt in range(self._attempts):
            try:
                return read(self._post(body, texts))
            except Passing as fault:
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
        return post(request, self._timeout, texts, self.name, self.advice)


def _key() -> str:
    """Return the API key without blanks around it; refuse what cannot be sent as one."""
    key = os.environ.get(KEY, "").strip()
    if len(key) > _LONGEST_KEY or not all("!" <= letter <= "~" for letter in key):
        raise EncoderError(
            f"{KEY} is longer than {_LONGEST_KEY} characters, or has a blank, a line break or a letter that is not ASCII "
            "in it; set it to the key alone"
        )
    return key


def _is_local(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")
