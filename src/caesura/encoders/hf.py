# SPDX-License-Identifier: Apache-2.0
"""``hf:NAME``: any transformer; the vector of a text is the mean of the last layer over its tokens.

The papers on reference-free evaluation use RoBERTa and Falcon, which are not sentence encoders, in this way.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from caesura.declare import Card
from caesura.encoders._model.folder import checked_folder, opening, refuse_code, weights_hash
from caesura.encoders.base import ENCODERS, EncoderKind, Vectors, check_texts, fingerprint
from caesura.errors import EncoderError, MissingExtraError

__all__ = ["Hf", "HfEncoder", "open_pretrained", "pretrained_folder", "refuse_code"]

_BATCH = 32
_MOST_TOKENS = 100_000  # libraries write 10^30 for "no limit"
_USUAL_TOKENS = 512


@ENCODERS.register()
@dataclasses.dataclass(frozen=True)
class Hf(EncoderKind):
    """A transformer whose last layer is averaged over the tokens of a text."""

    card: ClassVar[Card] = Card(title="a transformer from the hub or a folder, mean of the last layer")
    takes: ClassVar[str] = "NAME, hf:NAME@REVISION or hf:FOLDER"

    def load(self, *, allow_download: bool = False) -> HfEncoder:
        """Find the folder, check the weights and open them."""
        folder = checked_folder(self, self.where, "transformers", allow_download=allow_download)
        return HfEncoder(self.spec, folder)


def pretrained_folder(where: str, *, allow_download: bool = False) -> Path:
    """Return the folder of a pretrained transformer, given a folder or a name on the hub; its weights are safetensors."""
    if not where:
        raise EncoderError("no pretrained transformer is named; give model='FOLDER', or its name on the hub")
    return checked_folder(Hf(where=where), where, "transformers", allow_download=allow_download)


def open_pretrained(folder: Path, name: str, kind: str = "AutoModel") -> tuple[Any, Any]:
    """Return the tokenizer and the model of a folder, in float32; ``kind`` is the class of transformers that opens it."""
    with opening(name, folder) as fresh:
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtraError(name, "torch") from None
        safely = {"local_files_only": True, "trust_remote_code": False}
        tokenizer = transformers.AutoTokenizer.from_pretrained(fresh, **safely)
        model = getattr(transformers, kind).from_pretrained(fresh, use_safetensors=True, dtype=torch.float32, **safely)
        tokenizer.name_or_path = model.config.name_or_path = name  # not the fresh folder, which is gone
    return tokenizer, model


class HfEncoder:
    """An open transformer in a folder with weights, settings and tokenizer."""

    normalized = False

    def __init__(self, name: str, folder: Path) -> None:
        self._tokenizer, model = open_pretrained(folder, name)
        import torch

        if self._tokenizer.pad_token is None:  # decoder-only models have none; the mask hides it
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._tokenizer.padding_side = "right"
        self._model = (model.get_encoder() if model.config.is_encoder_decoder else model).eval()
        self._torch = torch
        self._length = self._longest(model.config)
        self.name = name
        self.dim = 0
        self.dim = self.encode(["a"]).shape[1]
        self.fingerprint = fingerprint("hf", files=weights_hash(folder), pooling="mean", max_length=self._length)

    def _longest(self, config: Any) -> int:
        """Return the maximum number of tokens: that of the tokenizer, limited by the positions of the model."""
        own = int(self._tokenizer.model_max_length)
        positions = getattr(config, "max_position_embeddings", None)
        if not isinstance(positions, int) or positions < 3:
            positions = None
        if 2 < own <= _MOST_TOKENS:
            return min(own, positions or own)
        # RoBERTa counts its positions from 2, which its tokenizer usually accounts for; here the tokenizer sets no limit.
        return min(positions - 2, _MOST_TOKENS) if positions else _USUAL_TOKENS

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text."""
        texts = check_texts(texts, self.name)
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        pieces = [self._batch([texts[i] for i in order[at : at + _BATCH]]) for at in range(0, len(order), _BATCH)]
        found = np.concatenate(pieces)
        rows = np.empty_like(found)
        rows[order] = found
        return rows

    def _batch(self, texts: list[str]) -> Vectors:
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        inputs = self._tokenizer(clean, padding=True, truncation=True, max_length=self._length, return_tensors="pt")
        mask = inputs["attention_mask"]
        some = mask.sum(dim=1) > 0
        if not some.all():
            # Without special tokens an empty text has no tokens; its vector is zero instead of 0/0.
            rows = np.zeros((len(texts), self.dim), dtype=np.float32)
            if some.any():
                rows[some.numpy()] = self._batch([text for text, any_ in zip(texts, some, strict=True) if any_])
            return rows
        with self._torch.inference_mode():
            last = self._model(input_ids=inputs["input_ids"], attention_mask=mask)[0].float()
            weights = mask[:, :, None].to(last.dtype)
            mean = (last * weights).sum(dim=1) / weights.sum(dim=1)
        return np.asarray(mean.numpy(), dtype=np.float32)
