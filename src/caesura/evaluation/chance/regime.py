# SPDX-License-Identifier: Apache-2.0
"""The annotation density of a reference, and the density error of systems (section 9 of the granularity paper).

References of the same mean density may differ in its variation over documents, and the same total error of a system may
come from a few documents or from all of them. Both affect how to choose a density.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.flat import Flat, Ints
from caesura.batches.pairs import Pairs
from caesura.results import number
from caesura.results.evaluate.facts import AnnotationRegime, DensityError, Regimes

if TYPE_CHECKING:
    from caesura.evaluation.evaluate.report import Evaluation

__all__ = ["annotation_regime", "density_error", "regimes"]

WORST_SHARE = 0.1
"""The share of documents, rounded up, that count as the worst in density error."""
_NAMED = 100  # of the worst documents


def annotation_regime(reference: Flat) -> AnnotationRegime:
    """Return the annotation density of a reference and its variation.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> flat = Flat.from_segmentations([Segmentation(10, (2, 5)), Segmentation(30, (9,))])
    >>> regime = annotation_regime(flat)
    >>> regime.per_100_units, round(regime.mean, 3), regime.mean_segment
    (7.5, 11.667, 8.0)
    """
    counts, units = np.diff(reference.ptr), reference.n_units
    each = 100 * counts / units
    some = len(each) > 0
    quartiles = np.percentile(each, [25, 50, 75]).tolist() if some else [math.nan] * 3
    mean = float(each.mean()) if some else math.nan
    sd = float(each.std(ddof=1)) if len(each) > 1 else math.nan
    return AnnotationRegime(
        documents=len(each),
        without=int((counts == 0).sum()),
        per_100_units=number(100 * float(counts.sum()) / float(units.sum())) if some else None,
        mean=number(mean),
        sd=number(sd),
        quartiles=(number(quartiles[0]), number(quartiles[1]), number(quartiles[2])),
        mean_segment=float(units.sum()) / float(counts.sum() + len(each)) if some else None,
        # Near 0 the annotation is uniform, from about 1 on highly variable.
        variation=number(sd / mean) if mean else None,
    )


def density_error(pairs: Pairs, documents: Sequence[str]) -> DensityError:
    """Return the error of the hypothesis' numbers of boundaries, and its concentration on few documents."""
    signed: Ints = np.diff(pairs.hyp_ptr) - np.diff(pairs.ref_ptr)
    off = np.abs(signed)
    total, tenth = int(off.sum()), math.ceil(WORST_SHARE * len(off))
    worst = np.argsort(-off, kind="stable")[:tenth]
    return DensityError(
        total=total,
        net=int(signed.sum()),
        documents_off=int((off > 0).sum()),
        worst_documents=tenth,
        worst_share=float(off[worst].sum()) / total if total else None,
        worst=[documents[row] for row in worst[off[worst] > 0][:_NAMED].tolist()],
    )


def regimes(evaluation: Evaluation) -> Regimes:
    """Return the annotation regime of the reference, and the density error of every system."""
    # In the order of the ids, so that ties among the worst documents do not depend on the order of the files.
    order, documents = evaluation.drawn_in, evaluation.drawn_documents
    pairs = {system: each.in_order(order) for system, each in evaluation.pairs.items()}
    return Regimes(
        annotation=annotation_regime(next(iter(pairs.values())).reference),
        density_error={system: density_error(each, documents) for system, each in pairs.items()},
    )
