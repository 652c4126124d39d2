# SPDX-License-Identifier: Apache-2.0
"""The text around a gap as tokens, the input of a transformer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.corpus import Document
from caesura.errors import EncoderError
from caesura.scorers.features import Features

__all__ = ["Pair", "Reader", "sides", "windows"]

Pair = tuple[Sequence[int], Sequence[int]]
"""The tokens of the units before a gap, and of those after it."""


class Reader:
    """Turns the gaps of documents into token ids."""

    def __init__(self, model: str, window: int, length: int, tokenizer: Any) -> None:
        self._window, self._room, self.tokenizer = window, length - 3, tokenizer
        self._cls, self._sep = tokenizer.cls_token_id, tokenizer.sep_token_id
        if self._cls is None or self._sep is None:
            raise EncoderError(
                f"{model}: its tokenizer has no [CLS] and [SEP]; name an encoder such as BERT or DistilBERT"
            )
        self._types = "token_type_ids" in tokenizer.model_input_names
        self._padding = tokenizer.pad_token_id or 0

    def pairs(self, document: Document) -> list[Pair]:
        """Return the tokens around each gap of a document."""
        units = Features(document).units
        clean = [unit.encode("utf-8", "replace").decode() for unit in units]
        tokens = self.tokenizer(clean, add_special_tokens=False)["input_ids"]
        return [windows(tokens, gap, self._window, self._room) for gap in range(1, len(tokens))]

    def inputs(self, torch: Any, pairs: Sequence[Pair]) -> dict[str, Any]:
        """Return pairs as one padded batch."""
        size = max(len(before) + len(after) for before, after in pairs) + 3
        ids = np.full((len(pairs), size), self._padding, dtype=np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, (before, after) in enumerate(pairs):
            whole = [self._cls, *before, self._sep, *after, self._sep]
            ids[row, : len(whole)] = whole
            mask[row, : len(whole)] = 1
            types[row, len(before) + 2 : len(whole)] = 1
        batch = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        return batch | {"token_type_ids": torch.from_numpy(types)} if self._types else batch


def windows(units: Sequence[Sequence[int]], gap: int, window: int, room: int) -> Pair:
    """Return the tokens of the units before and after a gap, limited to the ``room`` tokens next to the gap.

    >>> windows([[1, 2], [3], [4, 5, 6], [7]], 2, 2, 5)
    ([2, 3], [4, 5, 6])
    """
    before = [token for unit in units[max(0, gap - window) : gap] for token in unit]
    after = [token for unit in units[gap : gap + window] for token in unit]
    half = room // 2
    left = min(len(before), max(half, room - len(after)))
    return before[len(before) - left :], after[: room - left]


def sides(pairs: Sequence[Pair], size: int) -> npt.NDArray[np.float32]:
    """Return the weight of each token in the mean of its window; special tokens have weight 0."""
    weights = np.zeros((2, len(pairs), 1, size), dtype=np.float32)
    for row, (before, after) in enumerate(pairs):
        weights[0, row, 0, 1 : 1 + len(before)] = 1 / max(1, len(before))
        weights[1, row, 0, 2 + len(before) : 2 + len(before) + len(after)] = 1 / max(1, len(after))
    return weights
