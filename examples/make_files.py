# SPDX-License-Identifier: Apache-2.0
"""Write the files that the README evaluates: the Moonstone's majority boundaries, and two ways to miss them."""

from __future__ import annotations

import sys
from pathlib import Path

import caesura as cz
from caesura.datasets.bundled import bundled
from caesura.segmenters import every, random_boundaries


def write_example_files(folder: Path) -> None:
    """Write ``gold.jsonl`` and two systems: a clock, and one annotator taken for a system."""
    folder.mkdir(parents=True, exist_ok=True)
    corpus = bundled("moonstone")
    gold = {d.id: d.segmentation for d in corpus if d.segmentation is not None}
    systems = {
        "clock": {key: every(s.n_units, 13, unit=s.unit) for key, s in gold.items()},
        "random": {
            key: random_boundaries(s.n_units, s.n_boundaries, seed=place, unit=s.unit)
            for place, (key, s) in enumerate(gold.items())
        },
        "reader": {d.id: next(iter(d.annotations.values())) for d in corpus},
    }
    for name, segmentations in {"gold": gold, **systems}.items():
        cz.save(cz.Corpus.from_segmentations(segmentations), folder / f"{name}.jsonl")


if __name__ == "__main__":
    write_example_files(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
