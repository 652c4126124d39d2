# SPDX-License-Identifier: Apache-2.0
"""Paper 000, reference-free metrics in the space of embeddings.

The outputs of its systems cannot be had, so Table 1 has no value of ours. **T1ours** is its design with systems of our own, those of
[nine trained systems](../nine-systems.md): trained ones, the gold and random ones, over all of them as in the paper, without the random ones,
and with density held constant. It has the encoders whose weights are there: put the folders of [the weights](../encoders.md#weights) into
the folder of the data as `models/minilm` and `models/mpnet`. Systems of your own are read from `nine-systems/CORPUS/outputs` there: `gold.jsonl`,
documents with texts, and a file `HEAD-ENCODER.jsonl` with the boundaries of each system. The notes say
how many systems there are on each corpus. A corpus of the package is correlated by the vectors of the encoders that its systems were
trained on.
"""

from __future__ import annotations

from caesura.experiments.reproductions.base import Paper

__all__ = ["PAPER"]

PAPER = Paper("ghinassi2024", "Ghinassi et al., When cohesion lies in the embedding space")
