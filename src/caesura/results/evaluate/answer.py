# SPDX-License-Identifier: Apache-2.0
"""The answer of an evaluation: the best scores, with the baselines, and the next step.

No test was run, so nothing is called better: that is the question of `compare`.
"""

from __future__ import annotations

from collections import Counter

from caesura.results._scores import (
    best_on,
    clock_sentence,
    few_sentence,
    headline,
    judged_sentences,
    ranked,
    run_sentences,
    spoken,
    systems_of,
)
from caesura.results._sentences import joined, number_of
from caesura.results.base import FEW, as_float
from caesura.results.compare.answer import answer as compared
from caesura.results.evaluate.facts import Levels
from caesura.results.schema import Results
from caesura.table import format_number

__all__ = ["answer", "best_scores"]

_NAMED = 6  # systems whose scores stand in a sentence


def answer(results: Results) -> tuple[str, ...]:
    """Return the best scores, the baselines, the verdict, and the next step."""
    if results.levels is not None:
        return tuple(_level(name, results.levels) for name in results.levels.matches)
    names = systems_of(results)
    if not names:
        return ()
    if results.against in ("annotators", "best") and not results.comparisons:
        return tuple(_among(results, names))
    if results.question == "evaluate" and results.comparisons:
        return compared(results)
    sentences = []
    if results.chapters is not None:
        from caesura.results.evaluate.chapters import chapter_sentences

        shown = names if len(names) <= _NAMED else ranked(results, headline(results), names)[:1]
        sentences += chapter_sentences(results.chapters, shown)
    sentences += best_scores(results, names) if len(names) > 1 else []
    if len(names) == 1:
        name, judged = headline(results), judged_sentences(results, names)
        score = format_number(results.systems[names[0]][name].score)
        if not any(score in sentence for sentence in judged) and not sentences:
            sentences.append(f"{names[0]} has {name} {score}.")
        sentences += [*(judged or clock_sentence(results, names)), *run_sentences(results)]
    else:
        sentences += [*clock_sentence(results, names), *judged_sentences(results, names)]
        sentences += run_sentences(results)
        sentences.append("Scores alone do not show that one is better; caesura compare tests it.")
    if any(score.interval for row in results.systems.values() for score in row.values()):
        documents = next((i.documents for i in results.inputs if i.role.endswith("reference")), FEW)
        sentences += few_sentence(documents, min(1, len(results.systems) - 1))
    return spoken(results, sentences)


def best_scores(results: Results, names: list[str]) -> list[str]:
    """Return one sentence: the best system on each metric, with the scores on the headline metric."""
    by_system: dict[str, list[str]] = {}
    for metric in results.metrics:
        best = best_on(results, metric)
        if best:
            by_system.setdefault(joined(best), []).append(metric)
    if not by_system:
        return ["No score is defined."]
    name = headline(results)
    shown = names if len(names) <= _NAMED else ranked(results, name, names)[:_NAMED]
    scores = ", ".join(f"{system} {format_number(results.systems[system][name].score)}" for system in shown)
    scores += f" and {number_of(len(names) - len(shown), 'other')}" if len(shown) < len(names) else ""
    (who, metrics), *others = sorted(by_system.items(), key=lambda item: name not in item[1])
    score = "score" if " and " in who else "scores"
    rest = [metric for metric in metrics if metric != name]
    on = "" if not rest else " and on every other metric" if not others else f" and on {joined(rest)}"
    lead = f"on {name} ({scores}){on}" if name in metrics else f"on {joined(metrics)} ({name}: {scores})"
    return [f"{'; '.join([f'{who} {score} best {lead}', *(f'{them} on {joined(on)}' for them, on in others)])}."]


def _level(system: str, levels: Levels) -> str:
    match = levels.matches[system]
    by_score, by_density = ("no level" if by is None else f"level {by}" for by in (match.by_score, match.by_density))
    numbers = "" if match.by_score is None else f" ({format_number(match.scores[match.by_score - 1])})"
    tree = levels.trees.get(system)
    of = ""
    if tree is not None and tree.l_f is not None:
        size = f"L-measure {format_number(tree.l_f)}, precision {format_number(tree.l_precision)}, recall {format_number(tree.l_recall)}"
        of = f" Its hierarchy orders units as the reference does by {size}."
    if by_score == by_density != "no level":
        return f"{system} matches {by_score} of {len(levels.levels)}, by W-F1{numbers} and by density.{of}"
    return f"{system} matches {by_score} by W-F1{numbers} and {by_density} by density.{of}"


def _among(results: Results, names: list[str]) -> list[str]:
    name = headline(results)
    sentences = best_scores(results, names) if len(names) > 1 else []
    scored = [(system, results.systems[system][name]) for system in names]
    people = next((score.among.people for _, score in scored if score.among is not None), None)
    ours = joined(f"{system} {format_number(score.score)}" for system, score in scored)
    rest = "the nearest of the others" if results.against == "best" else "the rest of them"
    sentences.append(f"On {name}, annotators score {format_number(people)} against {rest}; {ours}. No test was run.")
    sentences += [*clock_sentence(results, names), *run_sentences(results)]
    return [*sentences, *_orders(results, names, name), *_window_sentence(results, names)]


def _window_sentence(results: Results, names: list[str]) -> list[str]:
    """Return whether the window of MultiWindowDiff decides the order of the systems."""
    windows = [] if results.axis is None else results.axis.windows
    if len(names) < 2 or len(windows) < 2:
        return []
    orders = {
        tuple(sorted(names, key=lambda name: as_float(row.systems[name])))
        for row in windows
        if all(row.systems.get(name) is not None for name in names)
    }
    if not orders:
        return []
    said = "the same order" if len(orders) == 1 else f"{len(orders)} different orders"
    return [f"By MultiWindowDiff they have {said} with windows of {windows[0].window} to {windows[-1].window}."]


def _orders(results: Results, names: list[str], metric: str) -> list[str]:
    """Return how far the choice of the reference decides: the system that comes first, or the range of the only one."""
    badness = results.metrics[metric].badness
    rows = [
        (row.against, {name: row.systems[name][metric] for name in names if metric in row.systems[name]})
        for row in results.references or ()
    ]
    whole = [(against, scores) for against, scores in rows if len(scores) == len(names) and None not in scores.values()]
    if not whole:
        return []
    if len(names) == 1:
        ranked = sorted(whole, key=lambda row: badness(row[1][names[0]]))
        (best, high), (worst, low) = ranked[0], ranked[-1]
        ends = (f"{format_number(scores[names[0]])} ({against})" for against, scores in ((best, high), (worst, low)))
        return [f"The choice of the reference moves {metric} of {names[0]} from {' to '.join(ends)}."]
    firsts = Counter(min(names, key=lambda name: badness(scores[name])) for _, scores in whole)
    orders = Counter(tuple(sorted(names, key=lambda name: badness(scores[name]))) for _, scores in whole)
    first = joined(f"{name} under {number}" for name, number in firsts.most_common(3))
    same = f"the same order under all {len(whole)} references"
    if len(orders) > 1:
        same = f"{len(orders)} different orders under {len(whole)} references"
    return [f"By {metric}, the systems have {same}; first is {first}."]
