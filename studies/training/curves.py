# SPDX-License-Identifier: Apache-2.0
"""The density-quality curves of a trained scorer, beside those of Figure 1 of the paper."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import msgspec

BORS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
DATASETS = {"DialSeg711": "dialseg711", "SuperDialseg": "superseg"}
"""Datasets of the figure, and what the released files call them."""
_DRAWS = 20
_NEAR = 0.05  # relative difference of BOR
_RELEASED = "reproduction/episodic_released/results/sweep_{}_neural.csv"


class Curve(msgspec.Struct, forbid_unknown_fields=True):
    """W-F1 and coverage of one system on one dataset at each BOR; None where it was not measured."""

    dataset: str
    system: str
    w_f1: list[float | None]
    coverage: list[float | None]


def curves(parts: Any, folder: str, encoding: Any, data: Path) -> list[Curve]:
    """Return the curves of the model in a folder, of TextTiling, of random scores and of the paper's scorer."""
    import numpy as np

    from caesura.segmenters import ScoreThenSelect, segmenter
    from caesura.segmenters.run import run_method
    from caesura.selectors.scores import FlatScores
    from caesura.training.run import RIVAL, TRAINED

    found = []
    for name, released in DATASETS.items():
        corpus = parts[name][1]
        methods = {TRAINED: ScoreThenSelect(f"model:{folder}", "TopKSelector(k=1)"), RIVAL: segmenter(RIVAL)}
        for system, method in methods.items():
            made = run_method(corpus, method, encoding=encoding)
            found.append(Curve(name, system, *_swept(corpus, FlatScores.from_corpus(made, corpus.ids))))
        gaps = int((corpus.flat.n_units - 1).sum())
        drawn = [
            _swept(corpus, FlatScores(corpus.flat.n_units, np.random.default_rng(seed).random(gaps)))
            for seed in range(_DRAWS)
        ]
        found.append(Curve(name, "random", *np.mean(drawn, axis=0).tolist()))
        found.append(Curve(name, "the paper's", *_read(data / _RELEASED.format(released))))
    return found


def _swept(corpus: Any, scores: Any) -> tuple[list[float | None], list[float | None]]:
    """Return W-F1 and coverage where one threshold for all documents gives each BOR."""
    import numpy as np

    from caesura.corpus import Corpus
    from caesura.evaluation.evaluate import evaluate

    falling = np.sort(scores.scores)[::-1]
    thresholds = [falling[round(bor * len(corpus.flat.pos)) - 1] for bor in BORS]
    made = {
        str(bor): Corpus.from_flat(corpus.ids, scores.at_threshold(threshold), unit=corpus.unit)
        for bor, threshold in zip(BORS, thresholds, strict=True)
    }
    scored = evaluate(corpus, made, ["W-F1", "Coverage", "BOR"]).scores.values()
    # Depths of 0 are many, and fall together.
    held = [abs(each["BOR"] / bor - 1) < _NEAR for each, bor in zip(scored, BORS, strict=True)]
    w_f1, coverage = (
        [each[name] if near else None for each, near in zip(scored, held, strict=True)] for name in ("W-F1", "Coverage")
    )
    return w_f1, coverage


def _read(path: Path) -> tuple[list[float | None], list[float | None]]:
    """Return W-F1 and coverage of a released sweep, between its two nearest steps."""
    import numpy as np

    with path.open(encoding="utf-8", newline="") as stream:
        rows = sorted(csv.DictReader(stream), key=lambda row: float(row["bor"]))
    bor, w_f1, coverage = ([float(row[name]) for row in rows] for name in ("bor", "wf1", "coverage"))
    inside = [bor[0] <= each <= bor[-1] for each in BORS]
    return tuple(  # type: ignore[return-value]
        [float(np.interp(each, bor, values)) if known else None for each, known in zip(BORS, inside, strict=True)]
        for values in (w_f1, coverage)
    )
