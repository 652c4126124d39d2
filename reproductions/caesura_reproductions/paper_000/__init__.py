# SPDX-License-Identifier: Apache-2.0
"""Paper 000, reference-free metrics in the space of embeddings.

The outputs of its systems are not available, so Table 1 has no value of ours. **T1ours** repeats its design with our own systems, those
of [nine trained systems](../nine-systems.md), gold and random ones: over all systems as in the paper, without the random ones, and with
density held constant. It covers the encoders whose weights are available: put the folders of [the weights](../encoders.md#weights) into
the data folder as `models/minilm` and `models/mpnet`. To use your own systems, put them into `nine-systems/CORPUS/outputs` there:
`gold.jsonl`, documents with texts, and a file `HEAD-ENCODER.jsonl` with the boundaries of each system. The notes give the number of
systems on each corpus. A corpus of the package is correlated with the vectors of the encoders on which its systems were trained.
"""

from __future__ import annotations

from caesura_reproductions.base import Paper

__all__ = ["PAPER"]

PAPER = Paper("ghinassi2024", "Ghinassi et al., When cohesion lies in the embedding space")
