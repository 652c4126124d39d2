# SPDX-License-Identifier: Apache-2.0
"""``numpy:FOLDER``: BERT and MPNet weights, run by NumPy in float32, without torch or any extra.

The folder is in the layout of sentence-transformers: ``config.json``, ``model.safetensors``, and ``vocab.txt`` or
``tokenizer.json``; pooling, maximum length and normalisation are read from its other files.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import numpy as np

from caesura.declare import Card
from caesura.encoders._model.folder import read_settings
from caesura.encoders._model.tokens import folder_tokens
from caesura.encoders._model.transformer import Transformer
from caesura.encoders._workers import processors
from caesura.encoders.base import ENCODERS, EncoderKind, Vectors, check_texts, fingerprint, unit_length
from caesura.errors import EncoderError
from caesura.files import file_hash
from caesura.kernels import one_thread

__all__ = ["Numpy", "NumpyEncoder"]

_MOST_TOKENS = 1024  # in one pass; more are not faster, and need more memory


@ENCODERS.register()
@dataclasses.dataclass(frozen=True)
class Numpy(EncoderKind):
    """A BERT or MPNet run by NumPy."""

    card: ClassVar[Card] = Card(
        title="a BERT or MPNet from a folder, float32, run by NumPy",
        citation="Devlin et al. 2019, BERT; Song et al. 2020, MPNet; Reimers & Gurevych 2019, Sentence-BERT",
    )
    takes: ClassVar[str] = "FOLDER"

    def load(self, *, allow_download: bool = False) -> NumpyEncoder:
        """Check the weights and open them."""
        return NumpyEncoder(self, Path(self.where).expanduser())


class NumpyEncoder:
    """An open BERT or MPNet."""

    def __init__(self, kind: Numpy, folder: Path) -> None:
        weights, config = folder / "model.safetensors", folder / "config.json"
        for path in (weights, config):
            if not path.is_file():
                raise EncoderError(
                    f"{kind.spec}: {folder} contains no {path.name}; name the folder of a model with weights in safetensors"
                )
        digest = file_hash(weights)
        kind.check_hash(digest, str(weights))
        settings = read_settings(folder)
        self._model = Transformer(folder)
        length = min(settings.max_length, self._model.longest)
        self._settings = dataclasses.replace(settings, max_length=length)
        self._tokens, file = folder_tokens(folder, self._settings, kind.spec)
        self.name, self.dim, self.normalized = kind.spec, self._model.dim, settings.normalized
        self.fingerprint = fingerprint(
            "numpy",
            weights=digest,
            config=file_hash(config),
            tokens=file_hash(file),
            file=file.name,
            settings=dataclasses.asdict(self._settings),
        )

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text; texts of equal length are run together, so nothing is padded."""
        texts = check_texts(texts, self.name)
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        numbers = [self._numbers(text) for text in texts]

        def run(some: list[int]) -> None:
            rows[some] = self._pooled(self._model(np.array([numbers[place] for place in some])))

        # A thread for each processor, with products of one thread: the threads of OpenBLAS wait for each other.
        with one_thread(), ThreadPoolExecutor(processors()) as pool:
            for _ in pool.map(run, _together(list(map(len, numbers)))):
                pass
        return unit_length(rows) if self.normalized else rows

    def _numbers(self, text: str) -> Sequence[int]:
        found = self._tokens(text)
        if found and max(found) >= self._model.n_tokens:
            raise EncoderError(
                f"{self.name}: the tokenizer gives token {max(found)}, but the model knows {self._model.n_tokens}; "
                "they must belong together"
            )
        return found

    def _pooled(self, last: Vectors) -> Vectors:
        if self._settings.pooling == "cls":
            return last[:, 0]
        return np.asarray(last.max(axis=1) if self._settings.pooling == "max" else last.mean(axis=1))


def _together(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places of texts that are run together: of equal length, and few tokens in all.

    >>> list(_together([3, 0, 600, 3, 600]))
    [[0, 3], [2], [4]]
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    for length, group in itertools.groupby(order, key=lengths.__getitem__):
        if not length:  # without special tokens an empty text has no tokens
            continue
        places = list(group)
        step = max(1, _MOST_TOKENS // length)
        yield from (places[at : at + step] for at in range(0, len(places), step))
