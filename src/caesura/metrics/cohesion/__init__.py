# SPDX-License-Identifier: Apache-2.0
"""Metrics without a reference: whether the units of a segment are alike, and neighbouring segments different.

Conventions
-----------
They take a segmentation and one vector per unit (`caesura.batches.embedded.Embedded` for many documents). Each segment has a
value, or NaN. ``pooling`` aggregates the segments of a document, where a metric is pooled, and the score of a corpus is the mean
over its documents unless another aggregation is requested (micro pools all segments). A document of one segment has no score
unless ``on_single='worst'``; in `Placement` it scores 0. Arithmetic is in float64, whatever the type of the vectors.

``Support``
    How strongly the text at the boundaries speaks for a change of topic, by weights learned from readers' boundaries.
``Placement``
    The likeness of segments, against the same boundaries elsewhere in the document: 0 is chance.
``ARPstd``, ``ARPcos``, ``ARPpair``
    Dispersion across a boundary relative to dispersion within a segment.
``SegReFree``, ``DaviesBouldin``
    Dispersion of neighbouring segments divided by the distance between their centroids.
``Silhouette``
    Distance to the neighbouring segments relative to the distance within the segment.
``CalinskiHarabasz``
    Variance between segments divided by variance within.
``Evenness``
    Reads lengths only: the level reached without reading the text.
"""

from caesura.metrics.cohesion._base import COHESION, CohesionMetric, PooledMetric, count_in_one_pass
from caesura.metrics.cohesion._cautions import HUGE, Cautions, cautions

__all__ = ["COHESION", "HUGE", "Cautions", "CohesionMetric", "PooledMetric", "cautions", "count_in_one_pass"]

COHESION.discover(__path__, __name__)
