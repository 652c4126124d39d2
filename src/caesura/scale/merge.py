# SPDX-License-Identifier: Apache-2.0
"""Merging of shard results, and their results: the same numbers as one evaluation of all documents."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from caesura.declare import parameters
from caesura.errors import ComparabilityError
from caesura.evaluation.compare.paired import Drawn, Normal, compared, settled, tests_of
from caesura.evaluation.compare.run import Compared
from caesura.evaluation.compare.standing import standing
from caesura.evaluation.intervals import PERMUTATIONS
from caesura.formats import FORMATS
from caesura.results import Comparison, Input, Number, Results, Standing, as_float
from caesura.scale.count import WORST
from caesura.scale.measured import Merged
from caesura.scale.shard import KeptCounts, MetricPart, Reading, ShardResult, StoredMoments, SystemPart
from caesura.statistics import Bootstrap

__all__ = ["comparisons", "difference", "finish", "merge"]


def merge(results: Iterable[ShardResult]) -> ShardResult:
    """Add the results of shards; their order does not matter.

    If all of them keep the counts of their documents, so does the merged one. Its documents are in the order of the names of
    the reference files; for shards without files, or of the same file, in the given order. A shard that is repeated, or has
    another recipe than the others, is refused with a `ComparabilityError`.
    """
    given = [results] if isinstance(results, ShardResult) else list(results)
    for each in given:
        kind: type = type(each)
        if not issubclass(kind, ShardResult):
            raise ComparabilityError(
                f"a {kind.__name__} is not the result of a shard; give what count or read_shard returns"
            )
    if not given:
        raise ComparabilityError("no shard given; count at least one")
    keys = [key for result in given for key in _keys(result)]
    if len(set(keys)) < len(keys):
        raise ComparabilityError("a shard is repeated; give the result of each shard once")
    contents = [content for result in given for content in result.contents]
    if len(set(contents)) < len(contents):
        raise ComparabilityError("two shards hold the same documents; give the result of each document once")
    for result in given[1:]:
        why = difference(given[0], result)
        if why:
            raise ComparabilityError(f"shards cannot be merged: {why}; count them by one recipe")
    if len(given) == 1:
        return given[0]
    first = given[0]
    return ShardResult(
        key="",
        keys=sorted(keys),
        contents=sorted(contents),
        caesura=first.caesura,
        recipe=first.recipe,
        unit=first.unit,
        documents=sum(result.documents for result in given),
        inputs=[_input([r.inputs[place] for r in given]) for place in range(len(first.inputs))],
        readings={name: _reading([r.readings[name] for r in given]) for name in first.readings},
        metrics={name: _metric([r.metrics[name] for r in given]) for name in first.metrics},
        counts=_counts(given),
    )


def difference(first: ShardResult, other: ShardResult) -> str:
    """Return why two results cannot be merged; empty if they can."""
    for name, value in first.recipe.items():
        if other.recipe.get(name) != value:
            return f"{name} is {_said(value)} in one and {_said(other.recipe.get(name))} in another"
    if first.unit != other.unit:
        return f"one counts {first.unit!r}, another {other.unit!r}"
    for what, ours, theirs in (
        ("systems", list(first.readings), list(other.readings)),
        ("metrics", _texts(first), _texts(other)),
        ("inputs", _names(first), _names(other)),
    ):
        if ours != theirs:
            return f"the {what} of one are {', '.join(ours)}, of another {', '.join(theirs)}"
    return ""


def finish(
    result: ShardResult,
    *,
    intervals: bool = False,
    compare: bool = False,
    per_document: bool = False,
    level: float = 0.95,
) -> Results:
    """Return the results of merged shards; scores and signatures are those of one evaluation of all documents.

    Parameters
    ----------
    result : ShardResult
        The result of `merge`.
    intervals, compare : bool
        Add an interval to every score, or a paired test of every two systems: by normal theory from the moments, or as in
        an evaluation if the counts are kept.
    per_document : bool
        Add the score of every document; the counts must be kept.
    level : float
        Confidence level of the intervals.
    """
    merged = Merged(result)
    if intervals:
        merged.intervals(level=level)
    if per_document and result.counts is None:
        raise ComparabilityError(
            "the shards keep no counts, so there is no score of a document; count them with --keep-counts"
        )
    results = merged.results(per_document=per_document)
    if compare:
        results.comparisons, results.standings, results.resampling = comparisons(merged, level)
    return results


def _counts(results: Sequence[ShardResult]) -> KeptCounts | None:
    ordered = sorted(results, key=lambda result: result.inputs[0].file or "")
    kept = [result.counts for result in ordered if result.counts is not None]
    return KeptCounts.joined(kept) if len(kept) == len(ordered) else None


def _keys(result: ShardResult) -> list[str]:
    return result.keys or [result.key]


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else repr(value)


def _texts(result: ShardResult) -> list[str]:
    return [f"{name} ({part.metric})" for name, part in result.metrics.items()]


def _names(result: ShardResult) -> list[str]:
    return [f"{each.role} {each.name}" for each in result.inputs]


def _input(inputs: Sequence[Input]) -> Input:
    if len({(each.file, each.sha256) for each in inputs}) == 1:
        known: dict[str, object] = {"format": inputs[0].format and _whole(inputs[0].format)}
    else:
        known = dict.fromkeys(("file", "sha256", "format", "files", "changes"))
    makers = {msgspec.json.encode(each.made_by) for each in inputs}
    return msgspec.structs.replace(
        inputs[0],
        **known,
        made_by=inputs[0].made_by if len(makers) == 1 else None,
        documents=sum(each.documents for each in inputs),
        missing=sum(each.missing for each in inputs),
        assumed=_assumed([each.assumed or {} for each in inputs]) or None,
    )


def _whole(text: str) -> str:
    """Return the format of a file that was read in parts without the limits of its part."""
    known = FORMATS.parse(text)
    limits = {p.name: p.default for p in parameters(known) if p.name in ("start", "stop", "line")}
    return str(dataclasses.replace(known, **limits))


def _assumed(each: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the assumptions of the readers; values that differ between shards are listed together."""
    names = dict.fromkeys(name for one in each for name in one)
    return {name: "/".join(sorted({one[name] for one in each if name in one})) for name in names}


def _reading(readings: Sequence[Reading]) -> Reading:
    return Reading(
        **{
            name: sum(getattr(each, name) for each in readings)
            for name in ("missing", "fitted", "elsewhere", "endless")
        },
        assumed=_assumed([each.assumed for each in readings]),
        remarks=sorted({remark for each in readings for remark in each.remarks}),
    )


def _metric(parts: Sequence[MetricPart]) -> MetricPart:
    moments = functools.reduce(lambda one, other: one + other, [part.moments.moments() for part in parts])
    return MetricPart(
        metric=parts[0].metric,
        used=sum(part.used for part in parts),
        moments=StoredMoments.of(moments),
        systems={name: _system([part.systems[name] for part in parts]) for name in parts[0].systems},
    )


def _system(parts: Sequence[SystemPart]) -> SystemPart:
    worst = sorted((each for part in parts for each in part.worst), key=lambda w: (-w.badness, w.document))
    return SystemPart(
        undefined=sum(part.undefined for part in parts),
        extremes=_extremes([part.extremes for part in parts if part.extremes]),
        histogram=[sum(counts) for counts in zip(*(part.histogram for part in parts), strict=True)],
        worst=worst[:WORST],
    )


def _extremes(each: Sequence[list[list[Number]]]) -> list[list[Number]]:
    """Return the minimum and maximum count of each column over all shards that have documents."""
    if not each:
        return []
    choose = (min, max)
    return [
        [function(column, key=as_float) for column in zip(*(one[side] for one in each), strict=True)]
        for side, function in enumerate(choose)
    ]


def comparisons(merged: Merged, level: float = 0.95) -> Compared:
    """Compare every two systems on each metric, and rank them."""
    if len(merged.systems) < 2:
        only = next(iter(merged.systems))
        raise ComparabilityError(f"{only!r} is the only system; a comparison needs at least two")
    pairs = list(itertools.combinations(merged.systems, 2))
    tests = _tests(merged, pairs, level)
    result: list[Comparison] = []
    standings: dict[str, Standing] = {}
    for name, metric in merged.metrics.items():
        family = [compared(merged, tests, name, *pair, merged.result.documents) for pair in pairs]
        result += settled(family)
        scores = {system: merged.aggregates[system][name].score for system in merged.systems}
        ranked = standing(metric.facts(), scores, tests.replicates(name, list(scores)), family)
        standings.update({} if ranked is None else {name: ranked})
    return Compared(result, standings or None, tests.resampling)


def _tests(merged: Merged, pairs: list[tuple[str, str]], level: float) -> Drawn | Normal:
    """Return the tests of an evaluation if the counts are kept, else those from moments."""
    if merged.result.counts is not None:
        return tests_of(merged, pairs, Bootstrap(merged.result.documents, level=level), PERMUTATIONS)
    parts = merged.result.metrics
    means = {name: part.used for name, part in parts.items() if merged.aggregation(name) == "macro"}
    return Normal(merged.metrics, merged.joint, means, level)
