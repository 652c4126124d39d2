# SPDX-License-Identifier: Apache-2.0
"""Tables of a check: a row for each rule, one for each document that breaks any, and the worst places."""

from __future__ import annotations

from caesura.results._sentences import number_of
from caesura.results.base import required
from caesura.results.schema import Results
from caesura.table import Column, Table, Value, columns_of

__all__ = ["tables"]


def tables(results: Results) -> list[Table]:
    """Return the rules, the documents that break some, and where."""
    facts = required(results.check)
    of_chunks = facts.of == "chunks"
    rows: list[list[Value]] = [
        [rule.name, rule.of if of_chunks else ", ".join(rule.asked_by), rule.count, rule.documents, rule.share]
        for rule in facts.rules
    ]
    columns = columns_of("rule", "looks at" if of_chunks else "asked by", "broken", "documents")
    columns.append(Column("share", digits=4 if of_chunks else 2))
    items = number_of(facts.items, facts.of[:-1], facts.of)
    notes = [f"{number_of(facts.documents, 'document')}, {items}; share: of what the rule looks at", *results.notes]
    found = [Table(columns, rows, notes=notes)]
    if facts.broken:
        listed: list[list[Value]] = [
            [document, name, count] for document, broken in facts.broken.items() for name, count in broken.items()
        ]
        found.append(Table(columns_of("document", "rule", "broken"), listed, title="Documents", detail=True))
        places: list[list[Value]] = [
            [rule.name, at.document, at.at, at.what] for rule in facts.rules for at in rule.worst
        ]
        found.append(Table(columns_of("rule", "document", "at", "what"), places, title="Worst places", detail=True))
    mending: list[list[Value]] = [[rule.name, rule.mend] for rule in facts.rules if rule.count and rule.mend]
    if mending:
        found.append(Table(columns_of("rule", "what --fix does"), mending, title="Mending", detail=True))
    return found
