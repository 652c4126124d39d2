# SPDX-License-Identifier: Apache-2.0
"""The page on nine trained systems, from the numbers of ``studies.nine_systems.study``; no number is typed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from studies.nine_systems.study import (
    CORPORA,
    FREE,
    GOLD,
    NONE,
    READINGS,
    REFERENCE,
    SHOWN,
    SPLICE_EPOCHS,
    SPLICES,
    UNTRAINED,
    Found,
    Numbers,
)

NOTES = {
    "Choi 3-11": "These documents are joined from few texts, so that a trained system meets the same sentences again: read the scores as "
    "those of systems at home, not as quality on new text.",
    "WikiSection-PT": "Articles of more than {longest} units are left out. That there are no splices, and how long articles may be, was "
    "decided after three looks at the AUC of the included table on the first fold, which is among those that are scored ([which "
    "ones](#choices)).",
    "Wiki-50": "These are 25 of its 50 articles. Three folds are fifteen of them, too few to learn from: the vectors hold what is needed, as "
    "VectorTiling shows without any training. To train on 72 articles of Wiki-300 too, whose segments are three times as long, did not help "
    "([numbers](#choices)).",
    "QMSum": "A meeting has few boundaries, and the random systems, whose densities do not depend on the corpus, place many times as many: "
    "to have a lower Pk or WindowDiff than they, it is enough to place few. So read the comparison at equal density, and AUC.",
}
JUDGED = (*REFERENCE, "W-F1")
_READ = {
    "all": "over all systems, as the paper has it",
    "without baselines": "without the random ones",
    "density removed": "without the random ones, with the logarithm of BOR held constant",
    "systems only": "systems only, without the random ones and the gold",
}


def page(found: Numbers) -> str:
    """Return the page, from the numbers."""
    text = Path(__file__).with_name("page.md").read_text(encoding="utf-8")
    heads = "\n".join(f"- `{made}`" for made in found.heads)
    for mark, filling in {
        "heads": heads,
        "epochs": str(found.epochs),
        "splices": str(SPLICES),
        "splice epochs": str(SPLICE_EPOCHS),
        "leverage": _leverage(found),
        "corpora": "\n".join(_section(name, corpus) for name, corpus in found.corpora.items()),
    }.items():
        text = text.replace(f"<!-- {mark} -->", filling)
    return "<!-- Written by `python -m studies.nine_systems.study page`; edit the template and the script. -->\n" + text


def _leverage(found: Numbers) -> str:
    """Return what the gold does to the correlations with Pk, by the included table, without the random systems."""
    lines = ["| corpus | " + " | ".join(FREE) + " |", "|" + " --- |" * (1 + len(FREE))]
    for name, corpus in found.corpora.items():
        by = corpus.correlations["default"]
        cells = [
            f"{_cell(by[metric]['Pk']['without baselines'])} → {_cell(by[metric]['Pk']['systems only'])}"
            for metric in FREE
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def kinds(found: Found) -> tuple[list[str], list[str]]:
    """Return the names of the trained systems, and of the random ones."""
    random = [name for name in found.systems if name.startswith("random")]
    return [name for name in found.systems if name not in (GOLD, NONE, UNTRAINED, *random)], random


def better(found: Found, metric: str, system: str) -> bool:
    """Say whether a system is better than every random one by a metric."""
    sign = 1 if metric in ("B", "W-F1") else -1
    own = sign * found.systems[system].scores[metric]
    return all(own > sign * found.systems[other].scores[metric] for other in kinds(found)[1])


def above_chance(found: Found, metric: str, system: str) -> bool:
    """Say whether a system is better than as many boundaries in each document, placed at random."""
    return found.systems[system].skill[metric] > 0


def _section(name: str, found: Found) -> str:
    trained, random = kinds(found)
    beats, skilled = (
        ", ".join(f"by {metric} {sum(is_so(found, metric, system) for system in trained)}" for metric in JUDGED)
        for is_so in (better, above_chance)
    )
    silent = sum(found.systems[system].scores["Pk"] < found.systems[NONE].scores["Pk"] for system in trained)
    lines = [
        f"## {name}",
        "",
        f"{found.documents} documents, {found.units:,} units. {found.known:.0%} of the units of a held-out fold also occur in a document "
        f"that was trained on. Of the {len(trained)} trained systems, so many are better than the best of the {len(random)} random "
        f"ones: {beats}. Better than as many boundaries in each document, placed at random: {skilled}. Better by Pk than no "
        f"boundaries at all: {silent}. {_learnt(found, trained)}{NOTES[name].format(longest=CORPORA[name][2])}",
        "",
        "| system | " + " | ".join(SHOWN) + " | AUC |",
        "|" + " --- |" * (len(SHOWN) + 2),
    ]
    for system, row in sorted(found.systems.items(), key=lambda item: item[1].scores["Pk"]):
        cells = [*(f"{row.scores[metric]:.3f}" for metric in SHOWN), _cell(row.auc)]
        lines.append(f"| {system} | " + " | ".join(cells) + " |")
    for reading in READINGS:
        lines += ["", f"Pearson's r, {_READ[reading]}:", ""]
        lines += ["| vectors | reference | " + " | ".join(FREE) + " |", "|" + " --- |" * (2 + len(FREE))]
        for encoder, metrics in found.correlations.items():
            for reference in REFERENCE:
                values = [metrics[metric][reference][reading] for metric in FREE]
                if any(value is not None for value in values):
                    lines.append(f"| {encoder} | {reference} | " + " | ".join(map(_cell, values)) + " |")
    return "\n".join(lines) + "\n"


def _learnt(found: Found, trained: Sequence[str]) -> str:
    """Say how well trained systems rank gaps, beside what needs no training, if their scores were kept."""
    areas = [area for system in trained if (area := found.systems[system].auc) is not None]
    rival = found.systems[UNTRAINED].auc
    if not areas or rival is None:
        return ""
    above = sum(area > rival for area in areas)
    return (
        f"Their AUC is {min(areas):.2f} to {max(areas):.2f}; that of {above} is higher than the {rival:.2f} of {UNTRAINED}, "
        "which needs no training. "
    )


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
