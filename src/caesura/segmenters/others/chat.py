# SPDX-License-Identifier: Apache-2.0
"""``http:URL#MODEL``: a language model on a server with the ``/chat/completions`` endpoint of the OpenAI API.

Texts are sent to the given URL and nowhere else. The API key is read from ``CAESURA_HTTP_KEY``, as by the encoders. Answers
are kept on disk beside the vectors, so that a document is asked about once.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
from pathlib import Path
from typing import Any

import msgspec

from caesura.declare import Card
from caesura.encoders.cache.database import cache_folder
from caesura.encoders.web import Server, server_timeout
from caesura.errors import DeclarationError, EncoderError, SegmentationError, without_secrets
from caesura.files import writing
from caesura.scorers import Features
from caesura.segmentation import Segmentation
from caesura.segmenters.base import Cut
from caesura.segmenters.others.base import Foreign
from caesura.strict_json import decode

__all__ = ["Chat", "clear_answers", "count_answers"]

_ATTEMPTS = 3
_TASK = (
    "You segment a document into topics. The document is given as numbered units. Answer with a JSON list of the numbers of "
    "the units that begin a new topic, in increasing order, without unit 1. Answer [] if there is one topic. Write nothing else."
)
_AGAIN = "That is not a JSON list of increasing numbers from 2 to {n}. Answer with the list, and nothing else."


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Reply(msgspec.Struct):
    choices: list[_Choice]


class Chat(Foreign):
    """A language model that is asked for the units that begin a new topic.

    The answer must be a JSON list and nothing else. Any other is sent back with a correction, three times at most. Answers are
    kept in the cache.
    """

    family = "http"
    form = "http:URL#MODEL"
    card = Card(title="a language model on a server")

    def __post_init__(self) -> None:
        url, mark, model = self.target.partition("#")
        if not mark or not model or not url:
            raise DeclarationError(f"{self}: write http:URL#MODEL, such as http:http://localhost:8080/v1#llama")
        self.server  # noqa: B018  (refused now rather than later)

    @functools.cached_property
    def server(self) -> Server:
        """The server and the model."""
        url, _, model = self.target.partition("#")
        return Server(url, model, "/chat/completions", timeout=server_timeout())

    def __str__(self) -> str:
        shown = self.__dict__.get("server")
        return self.called or (f"http:{without_secrets(self.target)}" if shown is None else str(shown.name))

    def cut(self, features: Features) -> Cut:
        """Ask about one document."""
        n = features.n_units
        boundaries: list[int] | None = [] if n < 2 else None
        # The key depends on everything that is asked.
        asked = msgspec.json.encode((self.server.url, self.server.model, _TASK, features.units))
        key = hashlib.sha256(asked).hexdigest()
        if boundaries is None and features.encoding.caching:
            boundaries = _kept_answer(key)
        if boundaries is None or not _fit(boundaries, n):
            boundaries = self._asked(features, n)
            if features.encoding.caching:
                _keep_answer(key, boundaries)
        return Cut(Segmentation(n, [start - 1 for start in boundaries], unit=features.document.unit))

    def _asked(self, features: Features, n: int) -> list[int]:
        # A lone surrogate cannot be encoded.
        units = [" ".join(unit.encode("utf-8", "replace").decode().split()) for unit in features.units]
        asked = "\n".join(f"{number}: {unit}" for number, unit in enumerate(units, start=1))
        messages: list[dict[str, str]] = [{"role": "system", "content": _TASK}, {"role": "user", "content": asked}]
        said = ""
        for _ in range(_ATTEMPTS):
            body: dict[str, Any] = {"model": self.server.model, "messages": messages, "temperature": 0}
            try:
                said = self.server.ask(body, self._content)
            except EncoderError as error:
                what = str(error).removeprefix(f"{self}: ")
                raise SegmentationError(f"{self}: document {features.document.id!r}: {what}") from None
            found = _listed(said)
            if found is not None and _fit(found, n):
                return found
            messages = [
                *messages[:2], {"role": "assistant", "content": said}, {"role": "user", "content": _AGAIN.format(n=n)},
            ]  # fmt: skip
        quoted = " ".join(without_secrets(said).split())[:80]
        raise SegmentationError(
            f"{self}: asked {_ATTEMPTS} times about document {features.document.id!r}, but it answers {quoted!r}, which is not a "
            f"JSON list of increasing numbers from 2 to {n}; use another model"
        )

    def _content(self, answer: bytes) -> str:
        try:
            choices = decode(answer, _Reply).choices
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise EncoderError(
                f"{self}: the response is not that of a chat server ({error}); {self.server.advice}"
            ) from None
        if not choices or choices[0].message.content is None:
            raise EncoderError(f"{self}: the response holds no answer; check that the model can chat")
        return choices[0].message.content


def _listed(said: str) -> list[int] | None:
    """Return the numbers of an answer that is a JSON list of whole numbers and nothing else."""
    try:
        return decode(said.strip().encode("utf-8", "replace"), list[int])
    except (msgspec.DecodeError, RecursionError):
        return None


def _fit(found: list[int], n: int) -> bool:
    return all(2 <= number <= n for number in found) and all(a < b for a, b in itertools.pairwise(found))


def _folder() -> Path:
    return cache_folder() / "answers"


def _kept_answer(key: str) -> list[int] | None:
    """Return the boundaries that were kept under a key; what is damaged counts as absent."""
    try:
        return decode((_folder() / f"{key}.json").read_bytes(), list[int])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _keep_answer(key: str, boundaries: list[int]) -> None:
    """Keep boundaries under a key; a folder that cannot be written keeps nothing."""
    with contextlib.suppress(OSError):
        _folder().mkdir(parents=True, exist_ok=True)
        with writing(_folder() / f"{key}.json") as stream:
            stream.write(msgspec.json.encode(boundaries))


def count_answers() -> int:
    """Return how many answers are kept."""
    return len(list(_folder().glob("*.json")))


def clear_answers() -> int:
    """Drop all answers, and return their number."""
    files = list(_folder().glob("*.json"))
    for file in files:
        with contextlib.suppress(OSError):
            file.unlink()
    return len(files)
