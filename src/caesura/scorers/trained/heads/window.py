# SPDX-License-Identifier: Apache-2.0
"""WindowHead: the vectors before a gap against those after it, by NumPy and SciPy alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.encoders.base import Vectors, unit_length
from caesura.scorers.blocks import block_cosines, block_sums, depths
from caesura.scorers.features import Encoding, Features
from caesura.scorers.trained.head import HEADS, Floats, Head, Logits, Tensors
from caesura.scorers.trained.heads._torch import labels_of

__all__ = ["Examples", "WindowHead", "WindowLearner", "window_features"]

_PARTS = ("means", "differences", "products", "similarities")
"""The features of the two windows at a gap."""
_WINDOWS = (1, 2, 3, 4, 6)  # of the similarities
Singles = npt.NDArray[np.float32]
_LEAST_SCALE = 1e-6


def _part_names(text: str) -> str | None:
    """Return what is wrong with a list of parts, or None."""
    names = [name.strip() for name in text.split(",")]
    if set(names) <= set(_PARTS) and len(set(names)) == len(names):
        return None
    return f"must be some of {', '.join(_PARTS)}, each once, with commas between them"


def _chosen(parts: str) -> list[str]:
    named = {name.strip() for name in parts.split(",")}
    return [part for part in _PARTS if part in named]


def _width(parts: str, dim: int) -> int:
    """Return the number of features.

    >>> _width("means,products", 256), _width("similarities", 256)
    (768, 15)
    """
    sizes = {"means": 2 * dim, "differences": dim, "products": dim, "similarities": 3 * len(_WINDOWS)}
    return sum(sizes[part] for part in _chosen(parts))


def window_features(vectors: Vectors, window: int, parts: str) -> Floats:
    """Return the features of every gap of a document: an array with a row per gap.

    >>> vectors = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    >>> window_features(vectors, 2, "means")  # before and after gap 1, before and after gap 2
    array([[1.        , 0.        , 0.70710677, 0.70710677],
           [1.        , 0.        , 0.        , 1.        ]])
    """
    # A sum has the direction of the mean, and both are scaled to length 1.
    left, right = (unit_length(sums).astype(np.float64) for sums in block_sums(vectors, window))
    found: list[Floats] = []
    for part in _chosen(parts):
        if part == "means":
            found += [left, right]
        elif part == "differences":
            found.append(np.abs(left - right))
        elif part == "products":
            found.append(left * right)
        else:
            found.append(_similarities(vectors))
    return np.concatenate(found, axis=1)


def _similarities(vectors: Vectors) -> Floats:
    """Return the cosine of the blocks around each gap, its depth, and its position, for several windows."""
    columns = []
    for window in _WINDOWS:
        cosines = block_cosines(vectors, window, "mean")
        spread = float(cosines.std()) if len(cosines) else 0.0
        apart = (cosines - cosines.mean()) / spread if spread > 0 else np.zeros_like(cosines)
        columns += [cosines, depths(cosines) / 2, apart]
    return np.stack(columns, axis=1)


@HEADS.register()
@dataclasses.dataclass(frozen=True)
class WindowHead(Head):
    r"""Logistic regression, or one hidden layer, on the means of the vectors before and after a gap.

    Definition
    ----------
    l and r are the means of the vectors of up to ``window`` units before and after the gap, scaled to length 1. The features
    are those of ``parts``: ``means`` (l and r), ``differences`` (:math:`|l - r|`), ``products`` (:math:`l \cdot r` in each
    dimension), and ``similarities`` (cosine and depth at several windows, as in TextTiling). They are standardised by the
    first documents that were read. The weights minimise the mean negative log-likelihood plus ``l2`` / 2 times their squared
    distance from where the stage began (from 0 in the first), by L-BFGS: an epoch is ``iterations`` steps over all gaps. So
    gold boundaries change the weights learnt from splices only as far as they contradict them.
    """

    window: int = param(4, "units before and after the gap", minimum=1)
    parts: str = param(
        "means,differences,products,similarities",
        f"what is computed of both windows: {', '.join(_PARTS)}",
        check=_part_names,
    )
    hidden: int = param(0, "units of the hidden layer; 0 for logistic regression", minimum=0, maximum=4096)
    l2: float = param(0.1, "penalty of weights far from where their stage began", minimum=0)
    iterations: int = param(4, "steps of L-BFGS in an epoch", minimum=1)

    card = Card(
        title="window vectors, logistic or one hidden layer",
        citation="Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation",
        equation="section 5.2",
    )

    def learner(self, encoding: Encoding, seed: int) -> WindowLearner:
        """Return a learner with fresh weights."""
        return WindowLearner(self, encoding, seed)

    def shapes(self, dim: int, folder: Path | None = None) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the weights."""
        size = _width(self.parts, dim)
        shapes: dict[str, tuple[int, ...]] = {"mean": (size,), "scale": (size,), "bias": (1,)}
        if not self.hidden:
            return {**shapes, "weight": (size,)}
        return {**shapes, "weight": (self.hidden,), "inner": (size, self.hidden), "inner_bias": (self.hidden,)}

    def ready(self, tensors: Tensors, folder: Path) -> Logits:
        """Return the function from a document to its logits."""
        wide = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}

        def logits(features: Features) -> Floats:
            read = window_features(features.vectors, self.window, self.parts)
            return _forward((read - wide["mean"]) / wide["scale"], wide)

        return logits


def _forward(standardised: Floats | Singles, weights: Tensors) -> Floats:
    """Return the logits of standardised features."""
    inside = standardised
    if "inner" in weights:
        inside = np.tanh(standardised @ weights["inner"] + weights["inner_bias"])
    return np.asarray(inside @ weights["weight"] + weights["bias"][0], dtype=np.float64)


@dataclasses.dataclass(frozen=True)
class Examples:
    """The gaps of some documents: their features, whether they are boundaries, and where each document ends."""

    features: Singles  # [G, F]
    labels: Floats  # [G]: 1 at a boundary
    ends: npt.NDArray[np.int64]  # [D]: the end of each document among the gaps


class WindowLearner:
    """Weights of a `WindowHead` in training, in double precision."""

    def __init__(self, head: WindowHead, encoding: Encoding, seed: int) -> None:
        self._head, self._encoding, self._seed = head, encoding, seed
        self._weights: dict[str, Floats] = {}
        self._centre: dict[str, Floats] = {}  # the initial weights of the stage
        self._stage = 0

    def read(self, corpus: Corpus) -> Examples:
        """Return the features and labels of all gaps."""
        self._encoding.prepare(corpus)
        parts, labels = [], []
        for document in corpus:
            vectors = Features(document, self._encoding).vectors
            read = window_features(vectors, self._head.window, self._head.parts)
            parts.append(read.astype(np.float32))
            labels.append(labels_of(document))
        ends = np.cumsum([len(marks) for marks in labels], dtype=np.int64)
        return Examples(np.concatenate(parts), np.concatenate(labels, dtype=np.float64), ends)

    def epoch(self, examples: Examples, stage: int, rng: np.random.Generator) -> float:
        """Take some steps of L-BFGS, which restarts in every epoch, and return the loss."""
        from scipy.optimize import minimize  # type: ignore[import-untyped]

        if not self._weights:
            self._begin(examples)
        w = self._weights
        if stage != self._stage:
            self._stage = stage
            self._centre = {name: w[name] * (stage > 1) for name in ("weight", "inner") if name in w}
        mean, scale = (w[name].astype(np.float32) for name in ("mean", "scale"))
        standardised: Singles = ((examples.features - mean) / scale).astype(np.float32, copy=False)
        free = [name for name in sorted(w) if name not in ("mean", "scale")]
        start = np.concatenate([w[name].ravel() for name in free])
        shapes = {name: w[name].shape for name in free}
        loss = _loss(standardised, examples.labels, shapes, self._head.l2, self._centre)
        optimum = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": self._head.iterations})
        w.update(_unpacked(optimum.x, shapes))
        return float(optimum.fun)

    def _begin(self, examples: Examples) -> None:
        """Standardise by these examples; the bias is the log-odds of a boundary, other weights are 0 or small and random."""
        features = examples.features.astype(np.float64)
        rate = min(max(float(examples.labels.mean()), 1e-3), 1 - 1e-3)
        size, hidden = features.shape[1], self._head.hidden
        self._weights = {
            "mean": features.mean(axis=0),
            "scale": np.maximum(features.std(axis=0), _LEAST_SCALE),
            "bias": np.array([np.log(rate / (1 - rate))]),
            "weight": np.zeros(size),
        }
        if hidden:
            rng = np.random.default_rng([self._seed, 0])
            self._weights |= {
                "inner": rng.normal(0, size**-0.5, (size, hidden)),
                "inner_bias": np.zeros(hidden),
                "weight": rng.normal(0, hidden**-0.5, hidden),
            }

    def logits(self, examples: Examples) -> Sequence[Floats]:
        """Return the logits of each document."""
        w = self._weights
        flat = _forward((examples.features - w["mean"]) / w["scale"], w)
        return np.split(flat, examples.ends[:-1])

    def tensors(self) -> Tensors:
        """Return the weights, the initial weights of the stage, and its number."""
        known = {**self._weights, **{f"centre.{name}": array for name, array in self._centre.items()}}
        return {name: array.copy() for name, array in known.items()} | {"stage": np.array([float(self._stage)])}

    def restore(self, tensors: Tensors) -> None:
        """Restore the state from tensors."""
        arrays = {name: array.astype(np.float64) for name, array in tensors.items()}
        self._stage = int(arrays.pop("stage")[0])
        first = "centre."
        self._centre = {name[len(first) :]: arrays.pop(name) for name in list(arrays) if name.startswith(first)}
        self._weights = arrays

    def weights(self) -> Tensors:
        """Return the weights in single precision."""
        return {name: array.astype(np.float32) for name, array in self._weights.items()}

    def files(self) -> dict[str, bytes]:
        """Return no files: the weights are the whole model."""
        return {}


def _unpacked(flat: Floats, shapes: dict[str, tuple[int, ...]]) -> dict[str, Floats]:
    """Return the weights packed in one vector."""
    found, start = {}, 0
    for name, shape in shapes.items():
        stop = start + int(np.prod(shape))
        found[name] = flat[start:stop].reshape(shape)
        start = stop
    return found


def _loss(
    x: npt.NDArray[Any], labels: Floats, shapes: dict[str, tuple[int, ...]], l2: float, centre: dict[str, Floats]
) -> Callable[[Floats], tuple[float, Floats]]:
    """Return the loss of weights and its gradient."""

    def at(flat: Floats) -> tuple[float, Floats]:
        w = _unpacked(flat, shapes)
        single = {name: array.astype(x.dtype) for name, array in w.items()}
        inside = np.tanh(x @ single["inner"] + single["inner_bias"]) if "inner" in w else x
        z = (inside @ single["weight"]).astype(np.float64) + w["bias"][0]
        error = (np.exp(-np.logaddexp(0.0, -z)) - labels) / len(z)
        narrow = error.astype(x.dtype)
        slope: dict[str, npt.NDArray[np.floating]] = {"bias": np.array([error.sum()])}
        moved = {name: w[name] - centre[name] for name in centre}
        slope["weight"] = inside.T @ narrow + l2 * moved["weight"]
        if "inner" in w:
            back = np.outer(narrow, single["weight"]) * (1 - inside**2)
            slope["inner_bias"] = back.sum(axis=0)
            slope["inner"] = x.T @ back + l2 * moved["inner"]
        squares = sum(float((each**2).sum()) for each in moved.values())
        value = float(np.logaddexp(0.0, np.where(labels == 1, -z, z)).mean()) + l2 / 2 * squares
        return value, np.concatenate([np.asarray(slope[name], dtype=np.float64).ravel() for name in shapes])

    return at
