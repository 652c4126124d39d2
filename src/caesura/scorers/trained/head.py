# SPDX-License-Identifier: Apache-2.0
"""The base classes of heads, which compute one logit per gap from weights and a document, and of their learners."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from caesura.corpus import Corpus
from caesura.declare import Declared, Registry
from caesura.scorers.features import Encoding, Features, Floats

__all__ = ["HEADS", "Floats", "Head", "Learner", "Logits", "Tensors", "head"]

Tensors = Mapping[str, npt.NDArray[np.floating]]
Logits = Callable[[Features], Floats]


class Learner(Protocol):
    """The training of a head: weights that change from epoch to epoch.

    Its whole state is in its tensors: a learner restored from them continues exactly like the original.
    """

    def read(self, corpus: Corpus) -> Any:
        """Return the training examples of labelled documents, created once for each corpus."""
        ...

    def epoch(self, examples: Any, stage: int, rng: np.random.Generator) -> float:
        """Fit the weights to examples for one epoch of stage 1 (splices) or 2 (gold), and return the mean loss."""
        ...

    def logits(self, examples: Any) -> Sequence[Floats]:
        """Return the logits of each document, one per gap."""
        ...

    def tensors(self) -> Tensors:
        """Return the whole state: weights, and the state of the optimiser if there is one."""
        ...

    def restore(self, tensors: Tensors) -> None:
        """Restore the state from tensors."""
        ...

    def weights(self) -> Tensors:
        """Return the weights to save with the model."""
        ...

    def files(self) -> Mapping[str, bytes]:
        """Return other files to save with the model, such as a tokenizer."""
        ...


@dataclasses.dataclass(frozen=True)
class Head(Declared):
    """Base of all heads; a subclass is a frozen dataclass whose fields are its parameters.

    Attributes
    ----------
    needs_vectors : bool
        Whether it reads the vectors of the units. If not, it reads their text, independent of the encoder.
    """

    needs_vectors: ClassVar[bool] = True

    def learner(self, encoding: Encoding, seed: int) -> Learner:
        """Return a learner with fresh weights."""
        raise NotImplementedError  # pragma: no cover - every head has its own

    def shapes(self, dim: int, folder: Path | None = None) -> dict[str, tuple[int, ...]]:
        """Return the shape of each tensor of the saved weights, for vectors of this dimension; ``folder`` is as in `ready`."""
        raise NotImplementedError  # pragma: no cover - every head has its own

    def ready(self, tensors: Tensors, folder: Path) -> Logits:
        """Return a function from a document to its logits; ``folder`` holds the files of the learner."""
        raise NotImplementedError  # pragma: no cover - every head has its own


HEADS: Registry[Head] = Registry("head", "caesura.heads")
"""The registry of heads."""


def head(text: str) -> Head:
    """Return a head by its name and parameters, such as ``"WindowHead(window=4)"``."""
    return HEADS.parse(text)
