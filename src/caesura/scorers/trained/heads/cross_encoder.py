# SPDX-License-Identifier: Apache-2.0
"""CrossEncoder: a pretrained transformer that reads the units before and after a gap together."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.encoders.base import foreign_errors
from caesura.encoders.hf import open_pretrained, pretrained_folder
from caesura.errors import EncoderError, MissingExtraError
from caesura.scorers.features import Encoding, Features
from caesura.scorers.trained.head import HEADS, Floats, Head, Logits, Tensors
from caesura.scorers.trained.heads._torch import (
    TorchLearner,
    labels_of,
    loaded,
    meta_shapes,
    seeded,
    torch_library,
)

__all__ = ["CrossEncoder", "CrossLearner", "Pair", "Reader", "scored", "windows"]

_WARM = 0.1  # share of an epoch in which the learning rate rises
_DECAY = 0.01
_BATCH = 64  # of pairs that are only scored

Pair = tuple[Sequence[int], Sequence[int]]
"""The tokens of the units before a gap, and of those after it."""


@HEADS.register()
@dataclasses.dataclass(frozen=True)
class CrossEncoder(Head):
    """A pretrained transformer, fine-tuned on ``[CLS] units before [SEP] units after [SEP]``. It needs the extra ``train``.

    Definition
    ----------
    The text before the gap is that of up to ``window`` units, and so is the text after it. If both do not fit into ``length``
    tokens, the tokens next to the gap are kept, half of the room for each side. The logit is a linear map of the last state
    of the first token. AdamW minimises the mean negative log-likelihood, at half the learning rate in stage 2. If the
    documents have more than ``pairs`` gaps, every epoch draws as many.

    The paper begins with DistilBERT. Any encoder of the hub will do, but it must be named.
    """

    model: str = param("", "folder or name of the pretrained transformer, such as distilbert-base-uncased")
    window: int = param(4, "units before and after the gap", minimum=1)
    length: int = param(96, "tokens of one input", minimum=8, maximum=4096)
    rate: float = param(2e-5, "learning rate of stage 1", minimum=0)
    batch: int = param(16, "gaps in one step", minimum=1)
    pairs: int = param(8000, "gaps in one epoch, at most", minimum=1)

    needs_vectors: ClassVar[bool] = False
    card = Card(
        title="a transformer that reads both windows",
        citation="Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation",
        equation="section 5.2",
    )

    def learner(self, encoding: Encoding, seed: int) -> CrossLearner:
        """Return a learner that begins with the pretrained weights."""
        return CrossLearner(self, seed)

    def shapes(self, dim: int, folder: Path | None = None) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the weights, which the settings beside the model determine."""
        torch = torch_library(type(self).__name__)
        return meta_shapes(torch, lambda: _module(torch, _bare(folder or Path())))

    def ready(self, tensors: Tensors, folder: Path) -> Logits:
        """Return the function from a document to its logits."""
        torch = torch_library(type(self).__name__)
        module = loaded(torch, lambda: _module(torch, _bare(folder)), tensors)
        reader = Reader(self, _tokenizer(folder))

        def logits(features: Features) -> Floats:
            return scored(torch, module, reader, reader.pairs(features.document))

        return logits


class Reader:
    """Turns the gaps of documents into token ids."""

    def __init__(self, head: CrossEncoder, tokenizer: Any) -> None:
        self._head, self.tokenizer = head, tokenizer
        self._cls, self._sep = tokenizer.cls_token_id, tokenizer.sep_token_id
        if self._cls is None or self._sep is None:
            raise EncoderError(
                f"{head.model}: its tokenizer has no [CLS] and [SEP]; name an encoder such as BERT or DistilBERT"
            )
        self._types = "token_type_ids" in tokenizer.model_input_names
        self._padding = tokenizer.pad_token_id or 0

    def pairs(self, document: Document) -> list[Pair]:
        """Return the tokens around each gap of a document."""
        units = Features(document).units
        clean = [unit.encode("utf-8", "replace").decode() for unit in units]
        known = self.tokenizer(clean, add_special_tokens=False)["input_ids"]
        return [windows(known, gap, self._head.window, self._head.length - 3) for gap in range(1, len(known))]

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
        found = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        return found | {"token_type_ids": torch.from_numpy(types)} if self._types else found


def windows(units: Sequence[Sequence[int]], gap: int, window: int, room: int) -> Pair:
    """Return the tokens of the units before and after a gap, those next to the gap if there are more than ``room``.

    >>> windows([[1, 2], [3], [4, 5, 6], [7]], 2, 2, 5)
    ([2, 3], [4, 5, 6])
    """
    before = [token for unit in units[max(0, gap - window) : gap] for token in unit]
    after = [token for unit in units[gap : gap + window] for token in unit]
    half = room // 2
    left = min(len(before), max(half, room - len(after)))
    return before[len(before) - left :], after[: room - left]


def _bare(folder: Path) -> Any:
    """Return a transformer with the settings of a folder and any weights."""
    try:
        from transformers import AutoConfig, AutoModel
    except ImportError:
        raise MissingExtraError(CrossEncoder.__name__, "train") from None
    with foreign_errors(f"{folder}: the settings cannot be read", "train the model again"):
        return AutoModel.from_config(AutoConfig.from_pretrained(folder, local_files_only=True))


def _tokenizer(folder: Path) -> Any:
    try:
        from transformers import AutoTokenizer
    except ImportError:
        raise MissingExtraError(CrossEncoder.__name__, "train") from None
    with foreign_errors(f"{folder}: the tokenizer cannot be read", "train the model again"):
        return AutoTokenizer.from_pretrained(folder, local_files_only=True)


def _module(torch: Any, transformer: Any) -> Any:
    out = torch.nn.Linear(transformer.config.hidden_size, 1)
    return torch.nn.ModuleDict({"transformer": transformer, "out": out})


def _forward(module: Any, inputs: dict[str, Any]) -> Any:
    return module["out"](module["transformer"](**inputs)[0][:, 0])[:, 0]


def scored(torch: Any, module: Any, reader: Reader, pairs: Sequence[Pair]) -> Floats:
    """Return the logits of pairs; those of similar length are run together."""
    found = np.empty(len(pairs))
    order = sorted(range(len(pairs)), key=lambda place: len(pairs[place][0]) + len(pairs[place][1]))
    with torch.inference_mode():
        for at in range(0, len(order), _BATCH):
            some = order[at : at + _BATCH]
            inputs = reader.inputs(torch, [pairs[place] for place in some])
            found[some] = _forward(module, inputs).double().numpy()
    return found


@dataclasses.dataclass(frozen=True)
class _Examples:
    pairs: Sequence[Pair]
    labels: npt.NDArray[np.float32]
    ends: Sequence[int]


class CrossLearner(TorchLearner):
    """The weights of a `CrossEncoder` in training."""

    def __init__(self, head: CrossEncoder, seed: int) -> None:
        torch = torch_library(type(head).__name__)
        tokenizer, model = open_pretrained(pretrained_folder(head.model), head.model)
        self._reader, self._head = Reader(head, tokenizer), head
        module = seeded(torch, seed, lambda: _module(torch, model)).eval()
        super().__init__(torch, module, (head.rate, head.rate / 2), head.batch, _DECAY)

    def files(self) -> dict[str, bytes]:
        """Return the settings and the tokenizer, which are saved with the weights."""
        with tempfile.TemporaryDirectory() as name:
            self._module["transformer"].config.save_pretrained(name)
            self._reader.tokenizer.save_pretrained(name)
            return {path.name: path.read_bytes() for path in sorted(Path(name).iterdir())}

    def read(self, corpus: Corpus) -> _Examples:
        """Return the tokens and labels of all gaps."""
        pairs: list[Pair] = []
        labels, ends = [], []
        for document in corpus:
            pairs += self._reader.pairs(document)
            labels.append(labels_of(document))
            ends.append(len(pairs))
        return _Examples(pairs, np.concatenate(labels), ends)

    def _chosen(self, examples: _Examples, rng: np.random.Generator) -> Sequence[int]:
        return [int(place) for place in rng.permutation(len(examples.pairs))[: self._head.pairs]]

    def _warmth(self, step: int, steps: int) -> float:
        return min(1.0, (step + 1) / max(1.0, _WARM * steps))

    def _losses(self, examples: _Examples, some: Sequence[int]) -> Any:
        inputs = self._reader.inputs(self._torch, [examples.pairs[place] for place in some])
        return self._entropy(_forward(self._module, inputs), self._torch.from_numpy(examples.labels[some]))

    def logits(self, examples: _Examples) -> Sequence[Floats]:
        """Return the logits of each document."""
        flat = scored(self._torch, self._module, self._reader, examples.pairs)
        return np.split(flat, examples.ends[:-1])
