# SPDX-License-Identifier: Apache-2.0
"""What files say of the work: its dates, second codings, time, doubt and titles; and how these go with agreement."""

from __future__ import annotations

import dataclasses
import datetime
import itertools
import math
import re
from collections.abc import Iterator, Mapping

import numpy as np

from caesura.batches.panel import Panel
from caesura.corpus import DATES, REPEATS, SECONDS, TITLES, UNSURE, Corpus
from caesura.errors import ComparabilityError, FormatError
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.agree.near import near_misses
from caesura.evaluation.agree.pairwise import PairwiseAgreement, pairwise_metric
from caesura.evaluation.agree.support import spearman
from caesura.evaluation.intervals import ends_of
from caesura.metrics.agreement import candidates_of, pooled_window, supporters
from caesura.metrics.base import Floats
from caesura.results import number
from caesura.results.agree.facts import Period, Relation, RelationOf, Repeat, Trend
from caesura.segmentation import Segmentation
from caesura.statistics import Bootstrap

__all__ = ["moment", "relations", "repeats", "second_coding", "seconds_of", "trend"]

_FEWEST = 6
"""A trend needs as many documents, on at least two dates."""
_PERIODS = 5
_PERMUTATIONS = 2_000
_WORD = re.compile(r"\w+")


def moment(text: object) -> datetime.datetime | None:
    """Return a date, with or without a time, in UTC if it names no zone; None if it is not one.

    >>> moment("2026-03-01"), moment("2026-03-01T10:00:00Z").hour, moment("soon")
    (datetime.datetime(2026, 3, 1, 0, 0, tzinfo=datetime.timezone.utc), 10, None)
    """
    try:
        found = datetime.datetime.fromisoformat(text) if isinstance(text, str) else None
        if found is None:
            return None
        return found.replace(tzinfo=datetime.UTC) if found.tzinfo is None else found.astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return None


def _given(corpus: Corpus, panel: Panel, key: str) -> Iterator[tuple[int, int, object]]:
    """Yield what documents have under a key for their annotators: the place of the document, of the coding, and the value."""
    codings = panel.doc_ptr.tolist()
    for row, name in enumerate(panel.ids):
        values = corpus[name].extra.get(key)
        if not isinstance(values, Mapping) or not values:
            continue
        for coding in range(codings[row], codings[row + 1]):
            who = panel.names[panel.annotator[coding]]
            if who in values:
                yield row, coding, values[who]


def trend(corpus: Corpus, panel: Panel, coefficient: str, scores: Floats, seed: int) -> Trend | None:
    """Return how the coefficient of each document goes with its date, that of its last annotator; None without dates."""
    dates: dict[int, datetime.datetime] = {}
    for row, _, value in _given(corpus, panel, DATES):
        found = moment(value)
        if found is not None:
            dates[row] = max(found, dates.get(row, found))
    if not dates:
        return None
    rows = sorted((row for row in dates if not math.isnan(scores[row])), key=lambda row: (dates[row], panel.ids[row]))
    if len(rows) < _FEWEST or len({dates[row] for row in rows}) < 2:
        return None
    when = np.array([dates[row].timestamp() for row in rows])
    values = scores[rows]
    correlation = spearman(when, values)
    rng = np.random.default_rng([seed, 33])
    drawn = np.array([spearman(when, rng.permutation(values)) for _ in range(_PERMUTATIONS)])
    extreme = int((np.abs(drawn) >= abs(correlation) - 1e-12).sum())
    marked = np.bincount(panel.document, weights=panel.n_boundaries, minlength=len(panel)) / panel.n_annotators
    parts = np.array_split(np.array(rows), min(_PERIODS, len(rows) // 3))
    return Trend(
        coefficient=coefficient,
        documents=len(rows),
        undated=len(panel) - len(dates),
        spearman=number(correlation),
        p=None if math.isnan(correlation) else (1 + extreme) / (1 + _PERMUTATIONS),
        periods=[
            Period(
                since=dates[part[0]].date().isoformat(),
                until=dates[part[-1]].date().isoformat(),
                documents=len(part),
                score=number(float(scores[part].mean())),
                per_100_units=float(100 * marked[part].sum() / panel.n_units[part].sum()),
            )
            for part in parts
        ],
    )


def second_coding(corpus: Corpus, again: str, name: str) -> Corpus:
    """Return the documents without the annotator ``again``, whose codings are second ones of another annotator."""
    documents = []
    for document in corpus:
        if again in document.annotations:
            if name not in document.annotations:
                raise ComparabilityError(
                    f"document {document.id!r}: {again!r} is said to repeat {name!r}, who has not coded it; rename "
                    f"{again!r} there, or leave out the document"
                )
            told = document.extra.get(REPEATS)
            told = told if isinstance(told, Mapping) else {}
            gaps = list(document.annotations[again].boundaries)
            document = dataclasses.replace(document, extra={**document.extra, REPEATS: {**told, name: gaps}})
        documents.append(document)
    return corpus.replaced(documents).without_annotators([again])


def repeats(corpus: Corpus, panel: Panel, by: str, compared: PairwiseAgreement) -> dict[str, Repeat]:
    """Return everybody who coded documents twice, and how far they agree with themselves and with the others there."""
    metric = pairwise_metric(by)
    found: dict[str, list[tuple[int, Segmentation, Segmentation]]] = {}
    for row, coding, gaps in _given(corpus, panel, REPEATS):
        n = int(panel.n_units[row])
        if not isinstance(gaps, list) or not all(isinstance(gap, int) and 0 < gap < n for gap in gaps):
            raise FormatError(
                f"document {panel.ids[row]!r}: {REPEATS!r} must have boundaries from 1 to {n - 1} for each annotator"
            )
        who = panel.names[panel.annotator[coding]]
        again = Segmentation(n, sorted(set(gaps)), unit=panel.unit)
        found.setdefault(who, []).append((coding, panel.of_document(row)[who], again))
    made = {}
    for who, own in found.items():
        itself = [(float(metric(one, two)) + float(metric(two, one))) / 2 for _, one, two in own]
        others = compared.by_coding[[coding for coding, _, _ in own]]
        pairs = [(near_misses(Panel.of({"first": one, "second": two})), len(one.boundaries)) for _, one, two in own]
        shares = [(each.matrix[0][1], size) for each, size in pairs]
        total = sum(size for _, size in shares)
        made[who] = Repeat(
            documents=len(own),
            boundaries=total,
            again=sum(len(two.boundaries) for _, _, two in own),
            itself=number(mean_defined(np.array(itself))),
            others=number(mean_defined(others)),
            near=sum((share or 0.0) * size for share, size in shares) / total if total else None,
        )
    return made


def seconds_of(corpus: Corpus, panel: Panel) -> Floats:
    """Return the seconds of each coding; NaN where a document does not say."""
    seconds = np.full(len(panel.annotator), np.nan)
    for _, coding, value in _given(corpus, panel, SECONDS):
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf:
            seconds[coding] = value
    return seconds


def relations(corpus: Corpus, panel: Panel, bootstrap: Bootstrap) -> dict[RelationOf, Relation]:
    """Return how time, doubt and titles go with the support of boundaries, as far as documents have them."""
    if not any(corpus[key].extra.get(name) for key in panel.ids for name in (SECONDS, UNSURE, TITLES)):
        return {}
    gaps = candidates_of(panel)
    h = panel.n_annotators[gaps.document]
    others = np.full(len(gaps.gap), np.nan)
    reach = pooled_window(panel) // 2
    np.divide(supporters(panel, gaps, reach) - 1, h - 1, out=others, where=h > 1)
    place = np.repeat(np.arange(len(gaps.gap)), gaps.votes)
    by_coding: dict[int, dict[int, float]] = {}
    for coding, gap, share in zip(gaps.coding.tolist(), gaps.gap[place].tolist(), others[place].tolist(), strict=True):
        by_coding.setdefault(coding, {})[gap] = share
    made = {
        "time": _by_time(seconds_of(corpus, panel), by_coding, panel),
        "doubt": _by_doubt(corpus, panel, by_coding),
        "titles": _by_titles(corpus, panel, reach.tolist()),
    }
    return {of: _relation(n, pairs, bootstrap) for of, (n, pairs) in made.items() if n}  # type: ignore[misc]


_Pairs = dict[int, list[tuple[float, float]]]


def _by_time(seconds: Floats, support: Mapping[int, Mapping[int, float]], panel: Panel) -> tuple[int, _Pairs]:
    pairs: _Pairs = {}
    for coding in np.flatnonzero(~np.isnan(seconds)).tolist():
        row = int(panel.document[coding])
        own = list(support.get(coding, {}).values())
        if own and not math.isnan(own[0]):
            pairs.setdefault(row, []).append((seconds[coding] / panel.n_units[row], float(np.mean(own))))
    return int((~np.isnan(seconds)).sum()), pairs


def _by_doubt(corpus: Corpus, panel: Panel, support: Mapping[int, Mapping[int, float]]) -> tuple[int, _Pairs]:
    pairs: _Pairs = {}
    count = 0
    for row, coding, value in _given(corpus, panel, UNSURE):
        unsure = {gap for gap in value if isinstance(gap, int)} if isinstance(value, list) else set()
        count += len(unsure)
        for gap, share in support.get(coding, {}).items():
            if not math.isnan(share):
                pairs.setdefault(row, []).append((float(gap in unsure), share))
    return count, pairs


def _by_titles(corpus: Corpus, panel: Panel, reach: list[int]) -> tuple[int, _Pairs]:
    """Pair the likeness of the titles around each marked gap with the share of annotators who begin a segment there."""
    titles: dict[int, dict[int, dict[int, frozenset[str]]]] = {}
    for row, coding, value in _given(corpus, panel, TITLES):
        own = titles.setdefault(row, {}).setdefault(coding, {})
        for gap, text in value.items() if isinstance(value, Mapping) else ():
            if isinstance(text, str) and str(gap).isdecimal() and len(str(gap)) < 16:
                own[int(gap)] = frozenset(_WORD.findall(text.casefold()))
    pairs: _Pairs = {}
    for row, codings in titles.items():
        for gap in sorted({gap for own in codings.values() for gap in own if gap}):
            near = [_nearest(own, gap, reach[row]) for own in codings.values()]
            words = [each for each in near if each]
            if len(words) > 1:
                alike = [2 * len(a & b) / (len(a) + len(b)) for a, b in itertools.combinations(words, 2)]
                pairs.setdefault(row, []).append((float(np.mean(alike)), len(words) / len(codings)))
    return sum(len(own) for codings in titles.values() for own in codings.values()), pairs


def _nearest(own: Mapping[int, frozenset[str]], gap: int, reach: int) -> frozenset[str] | None:
    place = min((each for each in own if each), key=lambda each: (abs(each - gap), each), default=None)
    return own[place] if place is not None and abs(place - gap) <= reach else None


def _relation(count: int, pairs: _Pairs, bootstrap: Bootstrap) -> Relation:
    found = np.array([spearman(*map(np.array, zip(*own, strict=True))) for own in pairs.values() if len(own) > 2])
    defined = found[~np.isnan(found)]
    own = Bootstrap(max(len(defined), 1), bootstrap.resamples, bootstrap.seed, bootstrap.level)
    interval = own.interval(own.mean(defined), len(defined)) if len(defined) else None
    return Relation(
        number=count,
        documents=len(defined),
        spearman=number(mean_defined(defined)),
        interval=ends_of(interval) if interval is not None else ends_of(own.interval(np.empty(0))),
    )
