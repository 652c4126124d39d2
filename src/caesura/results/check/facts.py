# SPDX-License-Identifier: Apache-2.0
"""The section of a check: rules, how often each is broken, and where."""

from __future__ import annotations

from caesura.results.base import Number, Section

__all__ = ["BrokenAt", "CheckFacts", "CheckedRule"]


class BrokenAt(Section):
    """A place where a rule is broken: the document, the place in it (a time, a number of characters), and what is there."""

    document: str
    at: str
    what: str = ""


class CheckedRule(Section):
    """One rule: how often it is broken, in how many documents, in which share of what it looked at, and the worst places.

    ``asked_by`` names who asks for it, ``mend`` says what mending it does; None if only a person can. ``of`` names what the share is
    of; what breaks a rule that is a ``must`` cannot be used. ``short`` names the share in a table and in a gate.
    """

    name: str
    asked_by: list[str]
    count: int
    documents: int
    share: Number
    worst: list[BrokenAt]
    mend: str | None = None
    of: str = ""
    must: bool = True
    short: str = ""


class CheckFacts(Section):
    """What was checked: ``items`` (of this name in the plural) of so many documents, by which rules.

    ``asked`` are those whose rules count; empty if all do. ``broken`` has the rules that a document breaks and how often, for documents that
    break any. ``mended`` is the number of documents that break none after mending; None if nothing was written. Of chunks,
    ``max_tokens`` is the limit, and ``measured_in`` the tokenizer that counted, or "words".
    """

    of: str
    items: int
    documents: int
    asked: list[str]
    rules: list[CheckedRule]
    broken: dict[str, dict[str, int]]
    mended: int | None = None
    max_tokens: int | None = None
    measured_in: str = "words"

    @property
    def passing(self) -> int:
        """The number of documents that break no rule."""
        return self.documents - len(self.broken)

    @property
    def unusable(self) -> list[CheckedRule]:
        """The broken rules that make this unusable."""
        return [rule for rule in self.rules if rule.must and rule.count]
