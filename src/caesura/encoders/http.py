# SPDX-License-Identifier: Apache-2.0
"""``http:URL#MODEL``: a server with the ``/embeddings`` endpoint of the OpenAI API.

Texts are sent to the given URL and nowhere else: redirects are refused. The API key is read from the environment variable
``CAESURA_HTTP_KEY``. The weights of a server cannot be hashed; the fingerprint covers URL, model and dimension, and a
probe text shows whether the model is still the one whose vectors were cached.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import msgspec
import numpy as np

from caesura.declare import Card
from caesura.encoders.base import ENCODERS, EncoderKind, Vectors, check_texts, check_vectors, fingerprint
from caesura.encoders.web import Server, one_line, server_timeout
from caesura.errors import EncoderError

__all__ = ["Http", "HttpEncoder"]

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
            raise EncoderError(f"{self.spec}: write http:URL#MODEL, such as http:http://localhost:8080/v1#minilm")
        return HttpEncoder(url, model, timeout=server_timeout())


class HttpEncoder:
    """An encoder on a server.

    A request of at most ``batch`` texts goes to ``url`` with ``/embeddings`` appended; `Server` describes the rest.
    """

    normalized = False

    def __init__(
        self, url: str, model: str, *, timeout: float = 60.0, attempts: int = 5, wait: float = 0.5, batch: int = 64
    ) -> None:
        self._server = Server(url, model, "/embeddings", timeout=timeout, attempts=attempts, wait=wait)
        self.name, self._model, self._batch = self._server.name, model, batch
        self.dim = 0  # unknown before the first response
        probe = self._ask([_PROBE])
        self.dim = probe.shape[1]
        self.fingerprint = fingerprint("http", url=self._server.url, model=model, dim=self.dim)
        self.probe = (_PROBE, probe[0])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text."""
        texts = check_texts(texts, self.name)
        pieces = [np.zeros((0, self.dim), dtype=np.float32)]
        pieces += [self._ask(texts[i : i + self._batch]) for i in range(0, len(texts), self._batch)]
        return np.concatenate(pieces)

    def _ask(self, texts: Sequence[str]) -> Vectors:
        # A lone surrogate cannot be encoded.
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        body = {"model": self._model, "input": clean, "encoding_format": "float"}
        return self._server.ask(body, lambda answer: self._read(answer, len(texts)), len(texts))

    def _read(self, answer: bytes, count: int) -> Vectors:
        try:
            items = msgspec.json.decode(answer, type=_Reply).data
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            begins = one_line(answer, 60)
            raise EncoderError(
                f"{self.name}: the response is not that of an embeddings server ({error}; "
                f"{f'it begins {begins!r}' if begins else 'it is empty'}); {self._server.advice}"
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
