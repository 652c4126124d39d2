# SPDX-License-Identifier: Apache-2.0
"""Two exports of the same annotations: what has changed since, and whether agreement has."""

from __future__ import annotations

import numpy as np

from caesura.batches.panel import Panel
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError
from caesura.evaluation.agree.coefficients import agreement_metric
from caesura.evaluation.inputs import Source
from caesura.evaluation.intervals import ends_of
from caesura.metrics.base import Floats
from caesura.results import number
from caesura.results.agree.facts import Before, Changes
from caesura.statistics import Bootstrap

__all__ = ["compared_with"]


def compared_with(export: Source, now: Corpus, coefficient: str, bootstrap: Bootstrap) -> Before:
    """Return what has changed since an earlier export; documents are matched by id.

    The interval of the difference resamples the documents on which the coefficient is defined in both.
    """
    earlier = export.corpus
    shared = [key for key in now.ids if key in earlier]
    if not shared:
        raise ComparabilityError(
            f"{earlier.name or 'the earlier export'} has no document of {now.name or 'these annotations'}; "
            "give an export of the same documents"
        )
    other = [key for key in shared if earlier[key].n_units != now[key].n_units]
    both = [key for key in shared if key not in set(other)]
    people: dict[str, dict[str, int]] = {}
    for key in both:
        old, new = earlier[key].annotations, now[key].annotations
        for who in dict.fromkeys([*new, *old]):
            own = people.setdefault(who, {})
            if who not in old or who not in new:
                kinds = {"new" if who in new else "gone": 1}
            else:
                a, b = set(old[who].boundaries), set(new[who].boundaries)
                kinds = {"same": 1} if a == b else {"changed": 1, "added": len(b - a), "removed": len(a - b)}
            for kind, count in kinds.items():
                own[kind] = own.get(kind, 0) + count
    scores = np.stack([_scores(each, both, coefficient) for each in (earlier, now)], axis=1)
    defined = scores[~np.isnan(scores).any(axis=1)]
    changes = defined[:, 1] - defined[:, 0]
    own_bootstrap = Bootstrap(max(len(changes), 1), bootstrap.resamples, bootstrap.seed, bootstrap.level)
    drawn = own_bootstrap.mean(changes) if len(changes) else np.empty(0)
    means = defined.mean(axis=0).tolist() if len(defined) else [np.nan, np.nan]
    return Before(
        coefficient=coefficient,
        documents=len(defined),
        before=number(means[0]),
        now=number(means[1]),
        interval=ends_of(own_bootstrap.interval(drawn, len(changes))),
        new=len(now.ids) - len(shared),
        gone=len(earlier.ids) - len(shared),
        other_length=other,
        file=export.file,
        sha256=export.sha256,
        annotators={who: Changes(**kinds) for who, kinds in people.items()},
    )


def _scores(corpus: Corpus, keys: list[str], coefficient: str) -> Floats:
    """Return the coefficient of each document; NaN where fewer than two have annotated it."""
    coded = [key for key in keys if corpus[key].annotations]
    if not coded:
        return np.full(len(keys), np.nan)
    metric, panel = agreement_metric(coefficient), Panel.from_corpus(corpus.subset(coded))
    found = dict(zip(panel.ids, metric.score(metric.count(panel)).tolist(), strict=True))
    return np.array([found.get(key, np.nan) for key in keys])
