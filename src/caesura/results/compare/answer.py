# SPDX-License-Identifier: Apache-2.0
"""The answer of a comparison: better systems, undecided pairs, density, baselines, and what would settle it."""

from __future__ import annotations

from collections.abc import Iterable

from caesura.results._scores import clock_sentence, few_sentence, headline, run_sentences, spoken, systems_of
from caesura.results._sentences import is_are, joined, number_of, p_text, percent
from caesura.results.base import as_float
from caesura.results.compare.facts import Comparison, Standing
from caesura.results.schema import Results
from caesura.table import format_number

__all__ = ["answer"]

_MOST = 5


def answer(results: Results) -> tuple[str, ...]:
    """Return the better systems, the role of density, the clock and chance, and the next step.

    At most five sentences: the next step is dropped first, then the clock if baselines were requested.
    """
    compared, systems = results.comparisons or [], systems_of(results)
    rivals = set(systems)
    among = [c for c in compared if c.first in rivals and c.second in rivals]
    name = headline(results)
    drawn = results.comparison_resampling or results.resampling
    if results.standings:
        of = "simulated" if drawn is not None and not drawn.resamples else "resampled"
        sentences = [*_leaders(results), *_open(results.standings.get(name), name, of)]
    else:
        sentences = _pairs(among)
    sentences += _density(among, name, results.standings)
    with_baselines = [c for c in compared if c.first not in rivals or c.second not in rivals]
    baselines = [*_baselines([c for c in with_baselines if c.metric == name], name), *_beaten(with_baselines, name)]
    first = next(iter(compared), None)
    permutations = 0 if drawn is None else drawn.permutations or 0
    last = [] if first is None else few_sentence(first.documents, first.family, permutations)
    room = _MOST - len(sentences) - len(last)
    middle = [*baselines, *clock_sentence(results, systems)][: max(room, 0)]
    if room > len(middle) and not any(s.not_ruled_out for s in (results.standings or {}).values()):
        last += _next(results)
    return spoken(results, [*sentences, *middle, *run_sentences(results), *last])


def _leaders(results: Results) -> list[str]:
    """Return the best system on the headline metric, with numbers; then, in one sentence, on the other metrics."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    standings = results.standings or {}
    graded = [name for name in standings if results.metrics[name].direction != "target"]
    # A density closer to the reference's is not better placement; it has its own sentence.
    for metric in graded or standings:
        standing = standings[metric]
        groups.setdefault((standing.best, tuple(standing.not_ruled_out)), []).append(metric)
    lead = headline(results)
    order = sorted(groups.items(), key=lambda item: (lead not in item[1], len(item[0][1]), -len(item[1])))
    (group, metrics), *others = order
    first = _standing(results, *group, metrics) + _numbers(results, group[0], metrics)
    parts = [_standing(results, *group, metrics) for group, metrics in others[:2]]
    left = [metric for _, metrics in others[2:] for metric in metrics]
    parts += [f"for {joined(left)}, see --full"] if left else []
    sentences = [first, "; ".join(parts)] if parts else [first]
    return [f"{text}." for text in sentences]


def _standing(results: Results, best: str, open_: tuple[str, ...], metrics: list[str]) -> str:
    """Return the systems that a system beats on some metrics, and those that it does not."""
    others, on = [name for name in systems_of(results) if name != best and name not in open_], joined(metrics)
    if not open_:
        return f"{best} is better than {joined(others) if len(others) < 4 else 'every other system'} on {on}"
    if not others:
        among = " of the systems" if len(results.systems) > len(systems_of(results)) else ""
        return f"{best} scores best{among} on {on}, but not significantly better than {joined(open_, 'or')}"
    return f"{best} is better than {joined(others)} on {on}, but not significantly better than {joined(open_, 'or')}"


def _numbers(results: Results, best: str, metrics: list[str]) -> str:
    """Return the scores of the sentence's headline or first metric, with the p of each difference."""
    metric = headline(results) if headline(results) in metrics else metrics[0]
    rivals = systems_of(results)
    own = [c for c in results.comparisons or [] if c.metric == metric and best in (c.first, c.second)]
    parts = [f"{metric} " * (len(metrics) > 1) + format_number(results.systems[best][metric].score)]
    for c in [c for c in own if c.first in rivals and c.second in rivals][:4]:
        name, score = (c.second, c.scores[1]) if c.first == best else (c.first, c.scores[0])
        parts.append(f"{name} {format_number(score)}, {p_text(c.p_corrected, c.family)}")
    return f" ({'; '.join(parts)})"


def _pairs(compared: Iterable[Comparison]) -> list[str]:
    """Return one sentence per pair of systems: on which metrics one is better, on which neither is shown to be."""
    by_pair: dict[tuple[str, str], list[Comparison]] = {}
    for c in compared:
        by_pair.setdefault((c.first, c.second), []).append(c)
    sentences = []
    for (first, second), items in list(by_pair.items())[:3]:
        parts = []
        for winner, loser in ((first, second), (second, first)):
            won = [c.metric for c in items if c.better == winner]
            parts += [f"{winner} is better than {loser} on {joined(won)}"] if won else []
        none = [c.metric for c in items if c.better is None]
        if none:
            parts.append(
                f"{'they' if parts else f'{first} and {second}'} do not differ significantly on {joined(none, 'or')}"
            )
        sentences.append("; ".join(parts) + ".")
    return sentences


def _open(standing: Standing | None, metric: str, of: str) -> list[str]:
    """Return how often each possible best system is best in resamples, and the documents needed to decide."""
    if standing is None or not standing.not_ruled_out:
        return []
    names = [standing.best, *standing.not_ruled_out][:4]
    if any(standing.p_best[name] is None for name in names):  # one document cannot be resampled
        return []
    first, *others = (f"in {percent(standing.p_best[name])}" for name in names)
    lead = f"{names[0]} has the best {metric} {first} of {of} corpora"
    shares = joined([lead, *map(" ".join, zip(names[1:], others, strict=True))])
    needed = standing.documents_needed
    if needed is None:
        return [f"The difference is too small to say how many documents would settle it ({shares})."]
    more = number_of(needed - standing.documents, "more document")
    return [f"About {more} would settle it, if the difference and its spread stay as they are ({shares})."]


def _density(compared: list[Comparison], metric: str, standings: dict[str, Standing] | None) -> list[str]:
    """Return the part of a difference that density explains: of the best and the closest beaten system, or the first pair."""
    best = standings[metric].best if standings and metric in standings else None
    rows = [c for c in compared if c.metric == metric and c.density is not None and c.placement is not None]
    rows = [c for c in rows if best is None or best in (c.first, c.second)]
    beaten = [c for c in rows if c.better is not None]
    if not beaten:
        return []
    c = min(beaten, key=lambda row: abs(as_float(row.difference)))
    winner, loser = (c.first, c.second) if c.better == c.first else (c.second, c.first)
    bors = ""
    if c.bors is not None:
        ours, theirs = c.bors if winner == c.first else c.bors[::-1]
        bors = f" (BOR {format_number(ours, 2)} and {format_number(theirs, 2)})"
    sign = 1 if as_float(c.difference) > 0 else -1
    density, placement = sign * as_float(c.density), sign * as_float(c.placement)
    lead = "density" if density > abs(placement) else "placement"
    return [
        f"{winner}'s lead over {loser} on {metric}, {abs(as_float(c.difference)):.3f}, is mostly {lead}: placement gives "
        f"{placement:+.3f}, density {density:+.3f}{bors}."
    ]


def _baselines(compared: list[Comparison], metric: str) -> list[str]:
    """Return the systems that are better than the baselines on one metric."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for system in dict.fromkeys(c.first for c in compared):
        items = [c for c in compared if c.first == system]
        for kind in ("better", "open", "worse"):
            names = tuple(c.second for c in items if _kind(c) == kind)
            if names:
                alike.setdefault((kind, names), []).append(system)
    parts = []
    for (kind, names), systems in alike.items():
        first, second = (names, systems) if kind == "worse" else (systems, names)
        others = joined(second, "or" if kind == "open" else "and")
        differ = "does not differ" if len(first) == 1 else "do not differ"
        outcome = f"{differ} significantly from {others}" if kind == "open" else f"{is_are(first)} better than {others}"
        parts.append(f"{joined(first)} {outcome}")
    if len(parts) == 1:
        return [f"On {metric}, {parts[0]}."]
    return [f"On {metric}: {'; '.join(parts[:4])}."] if parts else []


def _beaten(compared: list[Comparison], metric: str) -> list[str]:
    worse: dict[tuple[str, str], list[str]] = {}
    for c in compared:
        if _kind(c) == "worse" and c.metric != metric:
            worse.setdefault((c.second, c.first), []).append(c.metric)
    parts = [f"{baseline} is better than {system} on {joined(on)}" for (baseline, system), on in worse.items()]
    return [f"But {'; '.join(parts[:3])}."] if parts else []


def _kind(c: Comparison) -> str:
    return "open" if c.better is None else "better" if c.better == c.first else "worse"


def _next(results: Results) -> list[str]:
    standing = (results.standings or {}).get(headline(results))
    names = systems_of(results)
    best = standing.best if standing is not None else names[0] if len(names) == 1 else None
    verdict = (results.verdicts or {}).get(best or "")
    if verdict is None or verdict.verdict == "calibrated":
        return []
    return [f"{best}: {verdict.verdict}. Next: {verdict.next}."]
