# SPDX-License-Identifier: Apache-2.0
"""Extra boundaries of systems, those that the reference does not have: how many of them the text supports."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from caesura.results.base import Number
from caesura.results.evaluate.facts import ExtraFacts
from caesura.results.evaluate.verdict import Mode, Verdict
from caesura.table import Column, Table, Value, columns_of

__all__ = ["extra_sentence", "extra_table", "with_extra"]

_FINER: tuple[Mode, ...] = ("over-segmentation consistent with the reference", "granularity mismatch")


def extra_sentence(facts: ExtraFacts) -> str:
    """Return what the text says of the extra boundaries, with what random ones and the reference's own get; empty without any."""
    if not facts.boundaries:
        return ""
    share, chance, own = (_percent(value) for value in (facts.supported, facts.chance, facts.own))
    beside = f"{chance} of random ones, {own} of the reference's own"
    if facts.heard is False:
        return (
            f"the text cannot say whether the extra boundaries are sub-topics: it supports {own} of the reference's own boundaries, "
            f"{chance} of random ones"
        )
    if facts.shown is False:
        return f"the text is not shown to support the extra boundaries: {share} of them ({beside})"
    few = "" if facts.shown else f"; {facts.documents} document{'s' * (facts.documents != 1)}, untested"
    people = (
        ""
        if facts.marked is None
        else f"; annotators marked {_percent(facts.marked)}, of random ones {_percent(facts.marked_chance)}"
    )
    return f"the text supports {share} of the extra boundaries ({beside}{few}{people})"


def with_extra(verdict: Verdict, facts: ExtraFacts | None) -> Verdict:
    """Return a verdict whose words also say what the text says of the extra boundaries."""
    said = "" if facts is None else extra_sentence(facts)
    if not said:
        return verdict
    if verdict.verdict in _FINER:
        words = f"{verdict.words.removesuffix('.')}, and {said}."
    else:
        words = f"{verdict.words} {said[0].upper()}{said[1:]}."
    return msgspec.structs.replace(verdict, words=words)


def extra_table(extra: Mapping[str, ExtraFacts]) -> Table:
    """Return one row for each system."""
    people = any(facts.marked is not None for facts in extra.values())
    rows: list[list[Value]] = []
    for system, f in extra.items():
        row: list[Value] = [system, f.boundaries, f.z, f.z_chance, f.p, f.supported, f.chance, f.own, f.p_own]
        rows.append(row + [f.marked, f.marked_chance] * people)
    heads = [
        "system",
        "extra",
        "z",
        "random",
        "p",
        "supported",
        "random",
        "own",
        "p (own)",
        *["marked", "random"] * people,
    ]
    columns = [
        Column(head, digits=2) if head == "z" or at == 3 else columns_of(head)[0] for at, head in enumerate(heads)
    ]
    read = next(iter(extra.values()))
    notes = [
        f"read: {read.of if read.encoder is None else f'{read.of}, {read.encoder}'}; extra boundaries match none of the reference within one unit",
        "z: likeness of the segments against the same extra boundaries moved on inside the segments of the reference, mean over documents",
        "supported: share of extra boundaries that gain more than the median of their rotations; own: share of the reference's own",
        "random: as many boundaries at random in each document; p: of z against random z, of own against the same boundaries moved on; "
        "paired permutation tests by document",
    ]
    if people:
        notes.append(
            "marked: share within one unit of a boundary that an annotator marked and the reference does not have"
        )
    return Table(columns, rows, notes=notes, title="Extra boundaries", detail=True)


def _percent(share: Number) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"
