# SPDX-License-Identifier: Apache-2.0
"""Rules that segmentations are checked by, whatever they are, and the counts of what breaks them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from caesura.results import number
from caesura.results.check.facts import BrokenAt, CheckedRule

__all__ = ["Breach", "Rule", "counted", "tallied"]

_WORST = 10  # places of a rule that are named


@dataclasses.dataclass(frozen=True)
class Rule:
    """A rule: its name in words, who asks for it, and what mending it does; None if only a person can.

    ``of`` names what it looks at, such as chunks or characters. What breaks it cannot be used, unless it is no ``must``. ``short``
    names its share in a table and in a gate.
    """

    name: str
    asked_by: tuple[str, ...] = ()
    mend: str | None = None
    of: str = "chapters"
    must: bool = True
    short: str = ""


class Breach(NamedTuple):
    """A breach of a rule: where, what is there, how bad it is (the worst are named first), and of how much of what the rule looks at."""

    rule: Rule
    at: str
    what: str = ""
    badness: float = 0.0
    size: int = 1


def tallied(
    rules: Sequence[Rule], breaches: Mapping[str, Sequence[Breach]], totals: Mapping[str, int]
) -> list[CheckedRule]:
    """Return the counts of every rule; ``totals`` says how much there is of what rules look at."""
    found = []
    for rule in rules:
        own = {key: [each for each in all_ if each.rule == rule] for key, all_ in breaches.items()}
        places = sorted(
            ((-each.badness, place, key, each) for place, (key, some) in enumerate(own.items()) for each in some),
            key=lambda entry: entry[:2],
        )
        looked_at = totals.get(rule.of, 0)
        found.append(
            CheckedRule(
                name=rule.name,
                asked_by=list(rule.asked_by),
                count=len(places),
                documents=sum(bool(some) for some in own.values()),
                share=number(sum(each.size for *_, each in places) / looked_at) if looked_at else None,
                worst=[BrokenAt(document=key, at=each.at, what=each.what) for *_, key, each in places[:_WORST]],
                mend=rule.mend,
                of=rule.of,
                must=rule.must,
                short=rule.short,
            )
        )
    return found


def counted(breaches: Iterable[Breach]) -> dict[str, int]:
    """Return how often each rule is broken."""
    names = [breach.rule.name for breach in breaches]
    return {name: names.count(name) for name in dict.fromkeys(names)}
