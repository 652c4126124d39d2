# SPDX-License-Identifier: Apache-2.0
"""CrossEncoder: a pretrained transformer that reads the units before and after a gap together."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.encoders.hf import open_pretrained, pretrained_folder
from caesura.errors import EncoderError, MissingExtraError
from caesura.foreign import foreign_code
from caesura.scorers.features import Encoding, Features
from caesura.scorers.trained.head import HEADS, Floats, Head, Logits, Tensors
from caesura.scorers.trained.heads._torch import TorchLearner, labels_of, loaded, meta_shapes, seeded, torch_library

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import ModuleDict
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

__all__ = ["CrossEncoder", "CrossLearner", "scored", "windows"]

_Pair = tuple[Sequence[int], Sequence[int]]
"""The tokens of the units before a gap, and of those after it."""
_WARM = 0.1  # share of an epoch with rising learning rate
_DECAY = 0.01
_BATCH = 64  # batch size for scoring only
_POOLINGS = {"cls": 1, "windows": 2}
"""The poolings for the linear map, and their width in states."""


class _Reader:
    """Turns the gaps of documents into token ids."""

    def __init__(self, model: str, window: int, length: int, tokenizer: PreTrainedTokenizerBase) -> None:
        self._window, self._room, self.tokenizer = window, length - 3, tokenizer
        self._cls, self._sep = tokenizer.cls_token_id, tokenizer.sep_token_id
        if self._cls is None or self._sep is None:
            raise EncoderError(
                f"{model}: its tokenizer has no [CLS] and [SEP]; name an encoder such as BERT or DistilBERT"
            )
        self._types = "token_type_ids" in tokenizer.model_input_names
        self._padding = tokenizer.pad_token_id or 0

    def pairs(self, document: Document) -> list[_Pair]:
        """Return the tokens around each gap of a document."""
        units = Features(document).units
        clean = [unit.encode("utf-8", "replace").decode() for unit in units]
        tokens = self.tokenizer(clean, add_special_tokens=False)["input_ids"]
        return [windows(tokens, gap, self._window, self._room) for gap in range(1, len(tokens))]

    def inputs(self, torch: ModuleType, pairs: Sequence[_Pair]) -> dict[str, Tensor]:
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


def windows(units: Sequence[Sequence[int]], gap: int, window: int, room: int) -> _Pair:
    """Return the tokens of the units before and after a gap, limited to the ``room`` tokens next to the gap.

    >>> windows([[1, 2], [3], [4, 5, 6], [7]], 2, 2, 5)
    ([2, 3], [4, 5, 6])
    """
    before = [token for unit in units[max(0, gap - window) : gap] for token in unit]
    after = [token for unit in units[gap : gap + window] for token in unit]
    half = room // 2
    left = min(len(before), max(half, room - len(after)))
    return before[len(before) - left :], after[: room - left]


def _sides(pairs: Sequence[_Pair], size: int) -> npt.NDArray[np.float32]:
    """Return the weight of each token in the mean of its window; special tokens have weight 0."""
    weights = np.zeros((2, len(pairs), 1, size), dtype=np.float32)
    for row, (before, after) in enumerate(pairs):
        weights[0, row, 0, 1 : 1 + len(before)] = 1 / max(1, len(before))
        weights[1, row, 0, 2 + len(before) : 2 + len(before) + len(after)] = 1 / max(1, len(after))
    return weights


def _pooling(value: object) -> str | None:
    return None if value in _POOLINGS else f"must be {' or '.join(_POOLINGS)}"


@HEADS.register()
@dataclasses.dataclass(frozen=True)
class CrossEncoder(Head):
    """A pretrained transformer, fine-tuned on ``[CLS] units before [SEP] units after [SEP]``. It needs the extra ``train``.

    Definition
    ----------
    The text before the gap is that of up to ``window`` units, and so is the text after it. If both do not fit into ``length``
    tokens, the tokens next to the gap are kept, half of the room for each side. The logit is a linear map, which begins at 0
    and has its own learning rate: of the last state of the first token (``pooling='cls'``), or of the absolute
    difference and the product of the mean states of both windows, scaled to one length (``pooling='windows'``). Its bias begins with the log-odds of
    a boundary. AdamW minimises the mean negative log-likelihood, at half the learning rates in stage 2. If the documents
    have more than ``pairs`` gaps, every epoch draws as many.

    The paper begins with DistilBERT, and reads the first token. Any encoder of the hub works, but it must be named. A model of
    sentence-transformers was trained on the mean of its states, so its first token is uninformative: choose ``windows``.
    """

    model: str = param("", "folder or name of the pretrained transformer, such as distilbert-base-uncased")
    window: int = param(4, "units before and after the gap", minimum=1)
    length: int = param(96, "tokens of one input", minimum=8, maximum=4096)
    rate: float = param(2e-5, "learning rate of the transformer in stage 1", minimum=0)
    last_rate: float = param(1e-3, "learning rate of the linear map in stage 1", minimum=0)
    pooling: str = param("cls", "what the linear map reads: cls or windows", check=_pooling)
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
        """Return the shapes of the weights, given by the settings saved with the model."""
        torch = torch_library(type(self).__name__)
        return meta_shapes(torch, lambda: _module(torch, _bare(folder or Path()), self.pooling))

    def ready(self, tensors: Tensors, folder: Path) -> Logits:
        """Return the function from a document to its logits."""
        torch = torch_library(type(self).__name__)
        module = loaded(torch, lambda: _module(torch, _bare(folder), self.pooling), tensors)
        reader = _Reader(self.model, self.window, self.length, _tokenizer(folder))

        def logits(features: Features) -> Floats:
            return scored(torch, module, reader, reader.pairs(features.document))

        return logits


def _bare(folder: Path) -> PreTrainedModel:
    """Return a transformer with the settings of a folder and any weights."""
    try:
        from transformers import AutoConfig, AutoModel
    except ImportError:
        raise MissingExtraError(CrossEncoder.__name__, "train") from None
    with foreign_code(f"{folder}: the settings cannot be read", "train the model again"):
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        return AutoModel.from_config(config, trust_remote_code=False)


def _tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    try:
        from transformers import AutoTokenizer
    except ImportError:
        raise MissingExtraError(CrossEncoder.__name__, "train") from None
    with foreign_code(f"{folder}: the tokenizer cannot be read", "train the model again"):
        return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)


def _module(torch: ModuleType, transformer: PreTrainedModel, pooling: str) -> ModuleDict:
    out = torch.nn.Linear(_POOLINGS[pooling] * transformer.config.hidden_size, 1)
    torch.nn.init.zeros_(out.weight)
    return torch.nn.ModuleDict({"transformer": transformer, "out": out})


def _forward(torch: ModuleType, module: ModuleDict, reader: _Reader, pairs: Sequence[_Pair]) -> Tensor:
    """Return the logits of pairs."""
    states = module["transformer"](**reader.inputs(torch, pairs))[0]
    if module["out"].in_features == states.shape[2]:
        return module["out"](states[:, 0])[:, 0]
    left, right = (
        torch.nn.functional.normalize(side @ states, dim=2)[:, 0] * states.shape[2] ** 0.5
        for side in torch.from_numpy(_sides(pairs, states.shape[1]))
    )
    return module["out"](torch.cat([(left - right).abs(), left * right], dim=1))[:, 0]


def scored(torch: ModuleType, module: ModuleDict, reader: _Reader, pairs: Sequence[_Pair]) -> Floats:
    """Return the logits of pairs; those of similar length are run together."""
    logits = np.empty(len(pairs))
    order = sorted(range(len(pairs)), key=lambda place: len(pairs[place][0]) + len(pairs[place][1]))
    with torch.inference_mode():
        for at in range(0, len(order), _BATCH):
            some = order[at : at + _BATCH]
            made = _forward(torch, module, reader, [pairs[place] for place in some])
            logits[some] = made.double().numpy()
    return logits


@dataclasses.dataclass(frozen=True)
class _Examples:
    pairs: Sequence[_Pair]
    labels: npt.NDArray[np.float32]
    ends: Sequence[int]


class CrossLearner(TorchLearner[_Examples]):
    """The weights of a `CrossEncoder` in training."""

    def __init__(self, head: CrossEncoder, seed: int) -> None:
        torch = torch_library(type(head).__name__)
        tokenizer, model = open_pretrained(pretrained_folder(head.model), head.model)
        self._reader, self._head = _Reader(head.model, head.window, head.length, tokenizer), head
        module = seeded(torch, seed, lambda: _module(torch, model, head.pooling)).eval()
        rates = {"transformer.": (head.rate, head.rate / 2), "out.": (head.last_rate, head.last_rate / 2)}
        super().__init__(torch, module, rates, head.batch, _DECAY)

    def files(self) -> dict[str, bytes]:
        """Return the settings and the tokenizer, which are saved with the weights."""
        with tempfile.TemporaryDirectory() as name:
            self._module["transformer"].config.save_pretrained(name)
            self._reader.tokenizer.save_pretrained(name)
            return {path.name: path.read_bytes() for path in sorted(Path(name).iterdir())}

    def read(self, corpus: Corpus) -> _Examples:
        """Return the tokens and labels of all gaps."""
        pairs: list[_Pair] = []
        labels, ends = [], []
        for document in corpus:
            pairs += self._reader.pairs(document)
            labels.append(labels_of(document))
            ends.append(len(pairs))
        return _Examples(pairs, np.concatenate(labels), ends)

    def _chosen(self, examples: _Examples, rng: np.random.Generator) -> Sequence[int]:
        return [int(place) for place in rng.permutation(len(examples.pairs))[: self._head.pairs]]

    def epoch(self, examples: _Examples, stage: int, rng: np.random.Generator) -> float:
        """Take one step for each batch, and return the mean loss of a gap."""
        if not self._steps():
            odds = (examples.labels.sum() + 0.5) / (len(examples.labels) - examples.labels.sum() + 0.5)
            self._torch.nn.init.constant_(self._module["out"].bias, float(np.log(odds)))
        return super().epoch(examples, stage, rng)

    def _warmth(self, step: int, steps: int) -> float:
        return min(1.0, (step + 1) / max(1.0, _WARM * steps))

    def _losses(self, examples: _Examples, some: Sequence[int]) -> Tensor:
        logits = _forward(self._torch, self._module, self._reader, [examples.pairs[place] for place in some])
        return self._entropy(logits, self._torch.from_numpy(examples.labels[some]))

    def logits(self, examples: _Examples) -> Sequence[Floats]:
        """Return the logits of each document."""
        flat = scored(self._torch, self._module, self._reader, examples.pairs)
        return np.split(flat, examples.ends[:-1])
