# SPDX-License-Identifier: Apache-2.0
"""Metrics without a reference: are the units of a segment alike, and neighbouring segments not.

Conventions
-----------
They take a segmentation and one vector per unit (`caesura.batches.embedded.Embedded` for many documents). Each segment has a
value, or NaN; ``pooling`` puts the segments of a document together, and a corpus is the mean over its documents unless
asked otherwise (micro pools all segments). A document of one segment has no score unless ``on_single='worst'``.
Arithmetic is float64 whatever the vectors are.

``ARPstd``, ``ARPcos``, ``ARPpair``
    dispersion across a boundary against dispersion within a segment.
``SegReFree``, ``DaviesBouldin``
    dispersion of neighbours over the distance of their centroids.
``Silhouette``
    distance to the neighbouring segments against distance to the own.
``CalinskiHarabasz``
    variance between segments over variance within.
"""

from caesura.metrics.cohesion._base import COHESION, CohesionMetric, count_in_one_pass
from caesura.metrics.cohesion._cautions import Cautions, cautions

__all__ = ["COHESION", "Cautions", "CohesionMetric", "cautions", "count_in_one_pass"]

COHESION.discover(__path__, __name__)
