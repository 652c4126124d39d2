# SPDX-License-Identifier: Apache-2.0
"""Training with torch, shared by all heads with gradients.

All randomness comes from the seed of an epoch, and the state of the optimiser is kept with the weights, so that a killed run
continues to the same weights.
"""

from __future__ import annotations

import abc
import importlib
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from caesura.corpus import Document
from caesura.errors import MissingExtraError
from caesura.scorers.trained.head import Floats, Tensors

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module, ModuleDict, Parameter

__all__ = ["TorchLearner", "labels_of", "load_weights", "loaded", "meta_shapes", "seeded", "torch_library"]

T = TypeVar("T")
Examples = TypeVar("Examples")

_MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # the state of Adam for each weight
_STEEPEST = 1.0  # gradients are clipped to this norm


def torch_library(who: str) -> ModuleType:
    """Return the module torch, or name the extra that installs it."""
    try:
        return importlib.import_module("torch")
    except ImportError:
        raise MissingExtraError(who, "train") from None


def seeded(torch: ModuleType, seed: int, make: Callable[[], T]) -> T:
    """Return the result of ``make()`` with a seed; the state of torch's generator is restored."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make()


def meta_shapes(torch: ModuleType, make: Callable[[], Module]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the weights of the module from ``make()``, without allocating them."""
    with torch.device("meta"):
        return {name: tuple(weight.shape) for name, weight in make().named_parameters()}


def loaded(torch: ModuleType, make: Callable[[], ModuleDict], tensors: Tensors) -> ModuleDict:
    """Return the module from ``make()`` with these weights, in evaluation mode."""
    return load_weights(torch, seeded(torch, 0, make), tensors)


def load_weights(torch: ModuleType, module: ModuleDict, tensors: Tensors) -> ModuleDict:
    """Load weights into a module, and return it in evaluation mode."""
    with torch.no_grad():
        for name, weight in module.named_parameters():
            weight.copy_(torch.from_numpy(np.array(tensors[name], dtype=np.float32)))
    return module.eval()


def labels_of(document: Document) -> npt.NDArray[np.float32]:
    """Return 1 for every gap that is a boundary and 0 for every other."""
    labels = np.zeros(document.n_units - 1, dtype=np.float32)
    if document.segmentation is not None:
        labels[document.segmentation.positions - 1] = 1
    return labels


class TorchLearner(abc.ABC, Generic[Examples]):
    """Weights of a module in training by AdamW; a subclass defines the examples, ``batch`` in one step, and their loss.

    ``rates`` are the learning rates of stage 1 and of stage 2, for each part of the module by the first letters of its name.
    """

    def __init__(
        self,
        torch: ModuleType,
        module: ModuleDict,
        rates: Mapping[str, tuple[float, float]],
        batch: int,
        decay: float = 0.0,
    ) -> None:
        self._torch, self._module, self._batch = torch, module, batch
        self._rates = list(rates.values())
        groups: list[list[Parameter]] = [[] for _ in rates]
        for name, weight in module.named_parameters():
            groups[next(place for place, part in enumerate(rates) if name.startswith(part))].append(weight)
        self._optimiser = torch.optim.AdamW([{"params": group} for group in groups], weight_decay=decay)

    @abc.abstractmethod
    def _chosen(self, examples: Examples, rng: np.random.Generator) -> Sequence[int]:
        """Return the examples of one epoch, in their order."""

    @abc.abstractmethod
    def _losses(self, examples: Examples, some: Sequence[int]) -> Tensor:
        """Return the loss of each gap of some examples, as one tensor."""

    def _warmth(self, step: int, steps: int) -> float:
        """Return the factor of the learning rate at a step; ``steps`` is the number of steps of an epoch."""
        return 1.0

    def epoch(self, examples: Examples, stage: int, rng: np.random.Generator) -> float:
        """Take one step for each batch, and return the mean loss of a gap."""
        order = list(self._chosen(examples, rng))
        batches = [order[at : at + self._batch] for at in range(0, len(order), self._batch)]
        total, gaps = 0.0, 0
        before = self._steps()

        def run() -> None:
            nonlocal total, gaps
            self._module.train()
            for number, some in enumerate(batches):
                warmth = self._warmth(before + number, len(batches))
                for group, rates in zip(self._optimiser.param_groups, self._rates, strict=True):
                    group["lr"] = rates[stage - 1] * warmth
                self._optimiser.zero_grad()
                losses = self._losses(examples, some)
                losses.mean().backward()
                self._torch.nn.utils.clip_grad_norm_(self._module.parameters(), _STEEPEST)
                self._optimiser.step()
                total += float(losses.detach().double().sum())
                gaps += len(losses)
            self._module.eval()

        seeded(self._torch, int(rng.integers(1 << 31)), run)
        return total / gaps

    def _steps(self) -> int:
        """Return the number of steps taken."""
        states = list(self._optimiser.state.values())
        return int(states[0]["step"]) if states else 0

    def _entropy(self, logits: Tensor, labels: Tensor) -> Tensor:
        return self._torch.nn.functional.binary_cross_entropy_with_logits(logits, labels, reduction="none")

    @abc.abstractmethod
    def logits(self, examples: Examples) -> Sequence[Floats]:
        """Return the logits of each document, one per gap."""

    def tensors(self) -> Tensors:
        """Return weights and the state of the optimiser."""
        tensors = {f"weight.{name}": array for name, array in self.weights().items()}
        for name, weight in self._module.named_parameters():
            for moment in _MOMENTS if weight in self._optimiser.state else ():
                value = self._optimiser.state[weight][moment]
                tensors[f"{moment}.{name}"] = np.array(value.detach().cpu().numpy(), dtype=np.float32)
        return tensors

    def restore(self, tensors: Tensors) -> None:
        """Restore weights and the state of the optimiser."""
        own = {name.removeprefix("weight."): array for name, array in tensors.items()}
        load_weights(self._torch, self._module, own)
        self._optimiser.state.clear()
        for name, weight in self._module.named_parameters():
            if f"step.{name}" in tensors:
                self._optimiser.state[weight] = {
                    moment: self._torch.from_numpy(np.array(tensors[f"{moment}.{name}"], dtype=np.float32))
                    for moment in _MOMENTS
                }

    def files(self) -> dict[str, bytes]:
        """Return other files to save with the weights; by default none."""
        return {}

    def weights(self) -> Tensors:
        """Return the weights."""
        return {
            name: np.array(weight.detach().cpu().numpy(), dtype=np.float32)
            for name, weight in self._module.named_parameters()
        }
