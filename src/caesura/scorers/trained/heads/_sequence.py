# SPDX-License-Identifier: Apache-2.0
"""Heads that read the vectors of all units of a document in order."""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from caesura.corpus import Corpus
from caesura.declare import param
from caesura.encoders.base import Vectors
from caesura.scorers.features import Encoding, Features
from caesura.scorers.trained.head import Floats, Head, Logits, Tensors
from caesura.scorers.trained.heads._torch import TorchLearner, labels_of, loaded, meta_shapes, seeded, torch_library

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import ModuleDict

__all__ = ["Piece", "SequenceHead", "SequenceLearner", "document_logits", "pieces", "scaled"]


@dataclasses.dataclass(frozen=True)
class Piece:
    """A part of a document read at once: units ``start`` to ``stop``, for the gaps ``first`` to ``last``.

    Gap g lies after unit g - 1, counted from 0; the last gap is not included.
    """

    start: int
    stop: int
    first: int
    last: int


def pieces(n_units: int, longest: int, context: int) -> list[Piece]:
    """Cut a document into parts of at most ``longest`` units, with some context around the gaps of each.

    >>> pieces(5, 100, 10)
    [Piece(start=0, stop=5, first=1, last=5)]
    >>> [(p.start, p.stop, p.first, p.last) for p in pieces(10, 6, 2)]
    [(0, 5, 1, 3), (1, 7, 3, 5), (3, 9, 5, 7), (5, 10, 7, 9), (7, 10, 9, 10)]
    """
    if n_units <= longest:
        return [Piece(0, n_units, 1, n_units)]
    step = longest - 2 * context
    found = []
    for first in range(1, n_units, step):
        last = min(first + step, n_units)
        found.append(Piece(max(0, first - context), min(n_units, last + context), first, last))
    return found


@dataclasses.dataclass(frozen=True)
class SequenceHead(Head):
    """Base of the heads of Ghinassi et al.: frozen vectors in, one logit per gap out, trained by torch.

    The vectors have length 1, times the root of their dimension, so that their entries are of order 1.
    """

    hidden: int = param(256, "width of a layer", minimum=2, maximum=4096)
    rate: float = param(0.001, "learning rate", minimum=0)
    batch: int = param(8, "documents in one step", minimum=1)

    @abc.abstractmethod
    def module(self, torch: ModuleType, dim: int) -> ModuleDict:
        """Return fresh weights for vectors of this dimension."""

    @abc.abstractmethod
    def forward(self, torch: ModuleType, module: ModuleDict, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return one logit per unit and document, that of the gap after it; ``vectors`` are padded to the longest."""

    def pieces(self, n_units: int) -> list[Piece]:
        """Return the parts of a document that are read at once; by default the whole document."""
        return pieces(n_units, n_units, 0)

    def learner(self, encoding: Encoding, seed: int) -> SequenceLearner:
        """Return a learner with fresh weights."""
        return SequenceLearner(self, encoding, seed)

    def shapes(self, dim: int, folder: Path | None = None) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the weights."""
        torch = torch_library(type(self).__name__)
        return meta_shapes(torch, lambda: self.module(torch, dim))

    def ready(self, tensors: Tensors, folder: Path) -> Logits:
        """Return the function from a document to its logits."""
        torch = torch_library(type(self).__name__)
        modules: dict[int, ModuleDict] = {}

        def logits(features: Features) -> Floats:
            dim = features.vectors.shape[1]
            if dim not in modules:
                modules[dim] = loaded(torch, lambda: self.module(torch, dim), tensors)
            return document_logits(self, torch, modules[dim], scaled(features))

        return logits


def scaled(features: Features) -> Vectors:
    """Return the vectors of a document, scaled to the square root of their dimension, so that entries are of order 1."""
    vectors = features.vectors
    return vectors * np.float32(math.sqrt(vectors.shape[1]))


def document_logits(head: SequenceHead, torch: ModuleType, module: ModuleDict, vectors: Vectors) -> Floats:
    """Return the logits of the gaps of one document."""
    logits = np.empty(len(vectors) - 1)
    with torch.inference_mode():
        for piece in head.pieces(len(vectors)):
            some = torch.from_numpy(np.array(vectors[piece.start : piece.stop], dtype=np.float32))[None]
            out = head.forward(torch, module, some, torch.tensor([some.shape[1]]))[0].double().numpy()
            logits[piece.first - 1 : piece.last - 1] = out[piece.first - 1 - piece.start : piece.last - 1 - piece.start]
    return logits


@dataclasses.dataclass(frozen=True)
class _Examples:
    """The vectors and labels of documents, and the parts that are read at once, with the document of each."""

    vectors: Sequence[Vectors]
    labels: Sequence[npt.NDArray[np.float32]]
    pieces: Sequence[tuple[int, Piece]]


class SequenceLearner(TorchLearner[_Examples]):
    """The weights of a `SequenceHead` in training."""

    def __init__(self, head: SequenceHead, encoding: Encoding, seed: int) -> None:
        torch = torch_library(type(head).__name__)
        self._head, self._encoding = head, encoding
        dim = encoding.source.dim
        module = seeded(torch, seed, lambda: head.module(torch, dim))
        super().__init__(torch, module, {"": (head.rate, head.rate)}, head.batch)

    def read(self, corpus: Corpus) -> _Examples:
        """Return the vectors and labels of documents."""
        self._encoding.prepare(corpus)
        vectors = [scaled(Features(document, self._encoding)) for document in corpus]
        labels = [labels_of(document) for document in corpus]
        cut = [(place, piece) for place, of in enumerate(vectors) for piece in self._head.pieces(len(of))]
        return _Examples(vectors, labels, cut)

    def _chosen(self, examples: _Examples, rng: np.random.Generator) -> Sequence[int]:
        return [int(place) for place in rng.permutation(len(examples.pieces))]

    def _losses(self, examples: _Examples, some: Sequence[int]) -> Tensor:
        torch = self._torch
        cut = [examples.pieces[number] for number in some]
        lengths = [piece.stop - piece.start for _, piece in cut]
        dim = examples.vectors[0].shape[1]
        padded = np.zeros((len(cut), max(lengths), dim), dtype=np.float32)
        labels = np.zeros(padded.shape[:2], dtype=np.float32)
        used = np.zeros(padded.shape[:2], dtype=bool)
        for row, (document, piece) in enumerate(cut):
            padded[row, : lengths[row]] = examples.vectors[document][piece.start : piece.stop]
            gaps = slice(piece.first - 1 - piece.start, piece.last - 1 - piece.start)
            labels[row, gaps] = examples.labels[document][piece.first - 1 : piece.last - 1]
            used[row, gaps] = True
        out = self._head.forward(torch, self._module, torch.from_numpy(padded), torch.tensor(lengths))
        return self._entropy(out, torch.from_numpy(labels))[torch.from_numpy(used)]

    def logits(self, examples: _Examples) -> Sequence[Floats]:
        """Return the logits of each document."""
        self._module.eval()
        return [document_logits(self._head, self._torch, self._module, of) for of in examples.vectors]
