"""The metrics without a reference said again, as slowly and plainly as their definitions; and how to draw documents."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from caesura.segmentation import Segmentation
from tests.strategies import segmentations

Document = tuple[Segmentation, np.ndarray]


def segments_of(segmentation: Segmentation, vectors: np.ndarray) -> list[np.ndarray]:
    cuts = [0, *segmentation.boundaries, segmentation.n_units]
    return [np.asarray(vectors[a:b], dtype=np.float64) for a, b in itertools.pairwise(cuts)]


def cosine(first: np.ndarray, second: np.ndarray) -> float:
    lengths = math.sqrt(float(first @ first)) * math.sqrt(float(second @ second))
    return float(first @ second) / lengths if lengths else 0.0


def dispersion(units: np.ndarray, kind: str, zeros: bool = True) -> float:
    if kind == "std":
        return float(np.linalg.norm(units.std(axis=0)))
    if kind == "cos":
        return 1 - float(np.mean([cosine(units.mean(axis=0), unit) for unit in units]))
    pairs = [cosine(units[j], units[k]) for j in range(len(units)) for k in range(j)]
    pairs = [value for value in pairs if zeros or value != 0]
    return 1 - float(np.mean(pairs)) if pairs else math.nan


def arp(document: Document, kind: str, exponent: int, cut: str = "balanced", zeros: bool = True) -> list[float]:
    """Return the relative proximity of each segment, NaN for the last."""
    segments = segments_of(*document)
    within, across = [], []
    for own, following in itertools.pairwise(segments):
        c = len(own) if cut == "half" else min(2 * len(following), len(own))
        within.append(dispersion(own[-c:], kind, zeros) if len(own) > 1 else math.nan)
        ahead = 1 if len(own) == 1 else c // 2
        around = np.concatenate((own[-math.ceil(c / 2) :], following[:ahead]))
        across.append(dispersion(around, kind, zeros))
    known = [value for value in within if not math.isnan(value)]
    usual = float(np.mean(known)) if known else float(np.mean(across)) if across else math.nan
    values = []
    for inner, outer in zip(within, across, strict=True):
        x, y = outer**exponent, (usual if math.isnan(inner) else inner) ** exponent
        values.append((x - y) / (x + y) if x + y > 1e-13 else math.nan)
    return [*values, math.nan]


def distance(first: np.ndarray, second: np.ndarray, kind: str) -> float:
    if kind == "cosine":
        if not first.any() or not second.any():
            return math.nan
        return 1 - cosine(first, second)
    if kind == "sqeuclidean":
        return float(((first - second) ** 2).sum())
    return float(np.linalg.norm(first - second, ord=1 if kind == "l1" else 2))


def ratios(
    document: Document, kind: str = "l2", *, adjacent: bool = True, penalty: bool = True, singletons: str = "zero"
) -> list[float]:
    """Return the larger ratio of dispersion to the distance of centroids of each segment (SegReFree)."""
    segments = segments_of(*document)
    middles = [segment.mean(axis=0) for segment in segments]
    spreads = []
    for segment, middle in zip(segments, middles, strict=True):
        spread = float(np.mean([distance(unit, middle, kind) for unit in segment]))
        spreads.append(spread / (1 - 1 / math.sqrt(len(segment))) if penalty and len(segment) > 1 else spread)
    longer = [place for place, segment in enumerate(segments) if len(segment) > 1]
    if singletons != "zero" and not longer:
        return [10.0] * len(segments)
    if singletons == "mean":
        mean = float(np.mean([spreads[place] for place in longer]))
        spreads = [spread if place in longer else mean for place, spread in enumerate(spreads)]
    values = []
    for i in range(len(segments)):
        others = [j for j in range(len(segments)) if j != i and (not adjacent or abs(i - j) == 1)]
        values.append(max((spreads[i] + spreads[j]) / distance(middles[i], middles[j], kind) for j in others))
    if singletons == "mean_score":
        mean = float(np.mean([values[place] for place in longer]))
        values = [value if place in longer else mean for place, value in enumerate(values)]
    return values


def silhouettes(document: Document, kind: str = "l2", *, adjacent: bool = True) -> list[list[float]]:
    """Return the silhouette of each unit, segment by segment."""
    segments = segments_of(*document)
    found: list[list[float]] = []
    for i, own in enumerate(segments):
        found.append([])
        for place, unit in enumerate(own):
            if len(own) == 1:
                found[-1].append(0.0)
                continue
            a = float(np.mean([_apart(unit, other, kind) for k, other in enumerate(own) if k != place]))
            b = min(
                float(np.mean([_apart(unit, other, kind) for other in segments[j]]))
                for j in range(len(segments))
                if j != i and (not adjacent or abs(i - j) == 1)
            )
            found[-1].append((b - a) / max(a, b) if max(a, b) > 1e-13 else 0.0)
    return found


def _apart(first: np.ndarray, second: np.ndarray, kind: str) -> float:
    return 1 - cosine(first, second) if kind == "cosine" else distance(first, second, kind)


def calinski_harabasz(segments: Sequence[np.ndarray]) -> float:
    everything = np.concatenate(segments)
    between = sum(len(s) * float(((s.mean(axis=0) - everything.mean(axis=0)) ** 2).sum()) for s in segments)
    within = sum(float(((s - s.mean(axis=0)) ** 2).sum()) for s in segments)
    free = len(everything) - len(segments)
    if len(segments) == 1 or not free:
        return math.nan
    return between / (len(segments) - 1) * free / within


def random_vectors(n_units: int, seed: int, dimension: int = 4, dtype: str = "float64") -> np.ndarray:
    """Return vectors in general position, around a few points."""
    rng = np.random.default_rng(seed)
    points = rng.normal(scale=2.0, size=(3, dimension))
    return (points[rng.integers(0, 3, n_units)] + rng.normal(size=(n_units, dimension))).astype(dtype)


@st.composite
def documents(draw: st.DrawFn, *, max_units: int = 14, min_units: int = 1, segments: int = 1) -> Document:
    """Draw a segmentation with vectors in general position."""
    cut = draw(
        segmentations(min_units=max(min_units, segments), max_units=max_units).filter(
            lambda drawn: drawn.n_boundaries + 1 >= segments
        )
    )
    dtype = draw(st.sampled_from(("float64", "float32")))
    dimension = draw(st.integers(2, 7))
    return cut, random_vectors(cut.n_units, draw(st.integers(0, 2**32 - 1)), dimension, dtype)
