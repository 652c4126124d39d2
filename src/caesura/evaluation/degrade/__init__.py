# SPDX-License-Identifier: Apache-2.0
"""Degradations: known damage to a segmentation, to test whether a metric notices it.

Conventions
-----------
A degradation takes one segmentation and a random generator and returns a `Degraded`: the damaged segmentation, how many
changes were requested, how many were made, and why the others were not. `degrade` does it to a corpus.

References
----------
E. Lucas, D. Kangas and T. C. Havens, "A reference-free segmentation quality index (SegReFree)", section 4.1: removal,
splitting, transposition of one boundary. I. Ghinassi et al., "When cohesion lies in the embedding space": removal, and
transposition of all boundaries.
"""

from caesura.evaluation.degrade._base import DEGRADATIONS, Degradation, Degraded, document_rng
from caesura.evaluation.degrade._corpus import DegradedCorpus, degrade

DEGRADATIONS.discover(__path__, __name__)

__all__ = ["DEGRADATIONS", "Degradation", "Degraded", "DegradedCorpus", "degrade", "document_rng"]
