# SPDX-License-Identifier: Apache-2.0
"""``http:URL#MODEL``: a server with the ``/embeddings`` endpoint of the OpenAI API.

Texts are sent to the given URL and nowhere else: redirects are refused. The API key is read from the environment variable
``CAESURA_HTTP_KEY``. The weights of a server cannot be hashed; the fingerprint covers URL, model and dimension, and a
probe text shows whether the model is still the one whose vectors were cached.
"""

from __future__ import annotations

import dataclasses
import os
import re
import time
import urllib.parse
import urllib.request
import warnings
from collections.abc import Sequence
from typing import ClassVar

import msgspec
import numpy as np

from caesura.declare import Card
from caesura.encoders._request import CHECK_ADDRESS, KEY, Passing, one_line, post, request_url
from caesura.encoders.base import ENCODERS, EncoderKind, Vectors, check_texts, check_vectors, fingerprint
from caesura.errors import CaesuraWarning, EncoderError, without_secrets

__all__ = ["Http", "HttpEncoder"]

_TIMEOUT = "CAESURA_HTTP_TIMEOUT"
_LONGEST_KEY = 4096
_PROBE = "The quick brown fox jumps over the lazy dog."


class _Item(msgspec.Struct):
    index: int
    embedding: list[float]


class _Reply(msgspec.Struct):
    data: list[_Item]


@ENCODERS.register()
@dataclasses.dataclass(frozen=True)
class Http(EncoderKind):
    """A model on a server."""

    card: ClassVar[Card] = Card(title="a server with the /embeddings endpoint of the OpenAI API")
    takes: ClassVar[str] = "URL#MODEL"

    def load(self, *, allow_download: bool = False) -> HttpEncoder:
        """Send one request, to check that the server answers and to learn the dimension."""
        url, mark, model = self.where.partition("#")
        if not mark or not model or self.sha256:
            raise EncoderError(
                f"{self.spec}: write http:URL#MODEL, such as http:http://localhost:8080/v1#minilm"
            )
        text = os.environ.get(_TIMEOUT, "")
        try:
            timeout = float(text) if text else 60.0
        except ValueError:
            timeout = 0.0
        if not 0 < timeout < 1e6:
            raise EncoderError(f"{_TIMEOUT} is {text!r}; it must be a number of seconds above 0")
        return HttpEncoder(url, model, timeout=timeout)


class HttpEncoder:
    """An encoder on a server.

    A request of at most ``batch`` texts goes to ``url`` with ``/embeddings`` appended, and must be answered, from the
    connection to the last byte, within ``timeout`` seconds. If the server is unreachable, busy (429) or failing (5xx), there are further attempts, after
    ``wait`` seconds, then twice as long, and so on; ``Retry-After`` is respected up to 60 seconds.
    """

    normalized = False

    def __init__(
        self,
        url: str,
        model: str,
        *,
        timeout: float = 60.0,
        attempts: int = 5,
        wait: float = 0.5,
        batch: int = 64,
    ) -> None:
        shown = re.sub(r"[^/#?]*@", "…@", url.partition("?")[0])  # without a password, which is refused
        self.name = f"http:{shown.rstrip('/')}#{model}"
        requested = request_url(url, self.name)
        if without_secrets(url + model) != url + model and len(_key()) > 7:
            raise EncoderError(f"{self.name}: the URL or the model contains the key in {KEY}; leave it out")
        if not model.isprintable():
            raise EncoderError(
                f"{self.name!a}: the name of the model has a character that no name has; correct it"
            )
        host = urllib.parse.urlsplit(requested).hostname or ""
        if requested.startswith("http:") and _key() and not _is_local(host):
            message = (
                f"the key in {KEY} is sent to {host} unencrypted; use https:// if the server supports it"
            )
            warnings.warn(CaesuraWarning(message), stacklevel=3)
        self._endpoint = f"{requested.rstrip('/')}/embeddings"
        self._url, self._model = url.rstrip("/"), model
        self._timeout, self._attempts, self._wait, self._batch = timeout, attempts, wait, batch
        self.dim = 0  # unknown before the first response
        probe = self._ask([_PROBE])
        self.dim = probe.shape[1]
        self.fingerprint = fingerprint("http", url=self._url, model=model, dim=self.dim)
        self.probe = (_PROBE, probe[0])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text."""
        texts = check_texts(texts, self.name)
        pieces = [np.zeros((0, self.dim), dtype=np.float32)]
        pieces += [self._ask(texts[i : i + self._batch]) for i in range(0, len(texts), self._batch)]
        return np.concatenate(pieces)

    def _ask(self, texts: Sequence[str]) -> Vectors:
        last = ""
        for attempt in range(self._attempts):
            try:
                return self._read(self._post(texts), len(texts))
            except Passing as fault:
                last = str(fault)
                if attempt + 1 < self._attempts:
                    time.sleep(max(self._wait * 2**attempt, fault.wait))
        times = "once" if self._attempts == 1 else f"{self._attempts} times"
        raise EncoderError(f"{self.name}: requested {times}, but {last}; check the server and try again")

    def _post(self, texts: Sequence[str]) -> bytes:
        # A lone surrogate cannot be encoded.
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        body = msgspec.json.encode({"model": self._model, "input": clean, "encoding_format": "float"})
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "caesura"}
        if key := _key():
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self._endpoint, body, headers)  # noqa: S310  (checked above)
        return post(request, self._timeout, len(texts), self.name)

    def _read(self, answer: bytes, count: int) -> Vectors:
        try:
            items = msgspec.json.decode(answer, type=_Reply).data
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            begins = one_line(answer, 60)
            raise EncoderError(
                f"{self.name}: the response is not that of an embeddings server ({error}; "
                f"{f'it begins {begins!r}' if begins else 'it is empty'}); {CHECK_ADDRESS}"
            ) from None
        if len(items) != count:
            raise EncoderError(
                f"{self.name} gives {len(items)} vectors for {count} texts; there must be one per text: "
                f"check that {self._model} is an embeddings model and that the server accepts a list as input"
            )
        if sorted(item.index for item in items) != list(range(count)):
            raise EncoderError(
                f"{self.name}: the response does not number its vectors 0 to {count - 1}, so they cannot be matched "
                "to texts; repair or update the server"
            )
        # The order is up to the server; the index matches a vector to its text.
        rows = [item.embedding for item in sorted(items, key=lambda item: item.index)]
        return check_vectors(rows, count, self.dim or None, self.name)


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
