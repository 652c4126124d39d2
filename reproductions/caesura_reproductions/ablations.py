# SPDX-License-Identifier: Apache-2.0
"""Ablations of a reference-free metric: the metric without one part at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caesura.evaluation.validate.curves import Curves

__all__ = ["SEGREFREE_ABLATIONS", "ablation_correlations"]

SEGREFREE_ABLATIONS: Mapping[str, str] = {
    "Proposed": "SegReFree",
    "-Size Penalty": "SegReFree(size_penalty=False)",
    "-Adjacen. Req.": "SegReFree(adjacent=False)",
    "Orig. DBI": "SegReFree(adjacent=False, size_penalty=False)",
    "L1 Dist.": "SegReFree(distance='l1')",
    "Cos. Dist.": "SegReFree(distance='cosine')",
}
"""The ablations of Lucas et al. 2023, named as in their Table 6."""


def ablation_correlations(
    curves: Curves,
    reference: str = "Pk",
    ablations: Mapping[str, str] = SEGREFREE_ABLATIONS,
    levels: Sequence[int] | None = None,
) -> dict[str, float]:
    """Return the correlation of each ablation with a reference metric over the levels of a damage.

    Parameters
    ----------
    curves : Curves
        The result of `degradation_curves`, with every ablation among its metrics and the reference metric among its references.
    reference : str
        The reference metric as named in the curves, such as ``"Pk"`` or ``"Pk [swapped]"``.
    ablations : mapping of name to metric
        The metric and its ablations.
    levels : sequence of int, optional
        The levels to correlate over; all if not given.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.batches.embedded import Embedded
    >>> from caesura.evaluation.degrade.removal import Removal
    >>> from caesura.evaluation.validate.curves import degradation_curves
    >>> from caesura.segmentation import Segmentation
    >>> vectors = np.repeat(np.eye(4), 3, axis=0) + np.random.default_rng(0).normal(size=(12, 4)) / 10
    >>> batch = Embedded.of({"d": Segmentation(12, (3, 6, 9))}, {"d": vectors})
    >>> texts = list(SEGREFREE_ABLATIONS.values())
    >>> curves = degradation_curves(batch, lambda n: Removal(count=n), range(3), texts, ["Pk"])
    >>> list(ablation_correlations(curves)) == list(SEGREFREE_ABLATIONS)
    True
    """
    return {name: curves.pearson(text, reference, levels) for name, text in ablations.items()}
