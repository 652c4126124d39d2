"""Fit the rows so that the sum of a text's rows points where the teacher's vector points."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Settings", "basis", "fit", "without_components"]

Floats = npt.NDArray[np.float32]


@dataclasses.dataclass(frozen=True)
class Settings:
    """What decides the result, written to the provenance file."""

    dim: int = 256
    words: int = 10_000
    sentences: int = 100_000
    held_out: int = 2_000
    examples_read: int = 3
    a: float = 1e-3
    rate: float = 0.005
    epochs: int = 2
    batch: int = 2_048
    relations: float = 10.0
    removed: int = 1
    levels: int = 31
    seed: int = 0


def basis(targets: Floats, dim: int) -> Floats:
    """Return the directions that keep most of the teacher's vectors, not centred, since cosines are not either."""
    _, vectors = np.linalg.eigh(targets.T.astype(np.float64) @ targets)
    return np.ascontiguousarray(vectors[:, ::-1][:, :dim], dtype=np.float32)


def fit(
    start: Floats,
    texts: Sequence[list[int]],
    targets: Floats,
    training: npt.NDArray[np.int64],
    held_out: npt.NDArray[np.int64],
    settings: Settings,
    say: Callable[[str], None],
) -> tuple[Floats, float]:
    """Return the fitted rows and the mean cosine to the teacher on the texts held out.

    The loss of a batch is the mean of ``1 - cos(v, t)`` plus ``relations`` times the mean squared difference between
    the cosines of all pairs of students and of their teachers: what a segmenter sees are cosines between texts.
    """
    import torch

    torch.manual_seed(settings.seed)
    random = np.random.default_rng(settings.seed)
    rows = torch.nn.Parameter(torch.tensor(start))
    goal = torch.nn.functional.normalize(torch.tensor(targets), dim=1)
    steps = settings.epochs * (len(training) // settings.batch)
    optimiser = torch.optim.Adam([rows], lr=settings.rate, betas=(0.9, 0.99))
    # Half a cosine wave down to zero.
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda k: 0.5 * (1 + math.cos(math.pi * k / steps)))

    def student(chosen: npt.NDArray[np.int64]) -> torch.Tensor:
        numbers = [texts[i] for i in chosen]
        starts = np.cumsum([0, *(len(text) for text in numbers[:-1])])
        flat = torch.tensor([number for text in numbers for number in text])
        summed = torch.nn.functional.embedding_bag(flat, rows, torch.tensor(starts), mode="sum")
        return torch.nn.functional.normalize(summed, dim=1)

    def agreement() -> float:
        with torch.no_grad():
            return float((student(held_out) * goal[held_out]).sum(1).mean())

    for epoch in range(settings.epochs):
        order = random.permutation(training)
        for first in range(0, len(order) - settings.batch + 1, settings.batch):
            chosen = order[first : first + settings.batch]
            ours, theirs = student(chosen), goal[chosen]
            loss = (1 - (ours * theirs).sum(1)).mean()
            loss = loss + settings.relations * ((ours @ ours.T - theirs @ theirs.T) ** 2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        say(f"epoch {epoch + 1}: cosine to the teacher on texts held out {agreement():.4f}")
    return rows.detach().numpy().copy(), agreement()


def without_components(rows: Floats, texts: Sequence[list[int]], removed: int) -> Floats:
    """Take the strongest directions of text vectors, which most texts share, out of the rows."""
    if not removed:
        return rows
    summed = np.stack([rows[text].sum(0) for text in texts])
    summed /= np.maximum(np.linalg.norm(summed, axis=1, keepdims=True), 1e-12)
    _, vectors = np.linalg.eigh(summed.T.astype(np.float64) @ summed)
    strongest = vectors[:, ::-1][:, :removed].astype(np.float32)
    cleaned: Floats = rows - rows @ strongest @ strongest.T
    return cleaned
