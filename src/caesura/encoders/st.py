# SPDX-License-Identifier: Apache-2.0
"""``st:NAME``: a model of the library sentence-transformers, with its own pooling."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from caesura.declare import Card
from caesura.encoders._model.folder import checked_folder, opening, weights_hash
from caesura.encoders.base import ENCODERS, EncoderKind, Vectors, check_texts, fingerprint
from caesura.errors import MissingExtraError

__all__ = ["St", "StEncoder"]


@ENCODERS.register()
@dataclasses.dataclass(frozen=True)
class St(EncoderKind):
    """A sentence encoder of sentence-transformers."""

    card: ClassVar[Card] = Card(
        title="a sentence encoder of sentence-transformers", citation="Reimers & Gurevych 2019, Sentence-BERT"
    )
    takes: ClassVar[str] = "NAME, st:NAME@REVISION or st:FOLDER"

    def load(self, *, allow_download: bool = False) -> StEncoder:
        """Find the folder, check the weights and open them."""
        where = self.where
        if "/" not in where.partition("@")[0] and not Path(where).is_dir():
            where = f"sentence-transformers/{where}"  # the library itself completes a short name like this
        folder = checked_folder(self, where, "sentence_transformers", allow_download=allow_download)
        return StEncoder(self.spec, folder)


class StEncoder:
    """An open sentence encoder."""

    def __init__(self, name: str, folder: Path) -> None:
        with opening(name, folder) as fresh:
            try:
                from sentence_transformers import SentenceTransformer
            except ImportError:
                raise MissingExtraError(name, "torch") from None
            self._model: Any = SentenceTransformer(
                str(fresh), local_files_only=True, trust_remote_code=False, model_kwargs={"use_safetensors": True}
            )
        self.name = name
        self.normalized = type(list(self._model.children())[-1]).__name__ == "Normalize"
        self.dim = 0
        self.dim = self.encode(["a"]).shape[1]
        self.fingerprint = fingerprint("st", files=weights_hash(folder), max_length=self._model.max_seq_length)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text."""
        texts = check_texts(texts, self.name)
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        found = self._model.encode(clean, batch_size=32, show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(found, dtype=np.float32)
