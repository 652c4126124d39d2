# SPDX-License-Identifier: Apache-2.0
"""The outcome of a gate as Markdown: for the page of a build, a comment or a mail."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.results.base import Number, required
from caesura.results.gate.answer import answer
from caesura.results.schema import Results
from caesura.table import format_number

__all__ = ["summary"]


def summary(results: Results) -> str:
    """Return the answer, the changes since the earlier file, and the worst three documents of each system."""
    gates = required(results.gates)
    lines = [
        f"## Gate {'failed' if gates.breaches else 'passed'}",
        "",
        *(f"- {_text(each)}" for each in answer(results)),
    ]
    if gates.drops:
        lines += ["", f"### Since {_text(gates.last or '')}", ""]
        rows = [
            (
                drop.system,
                drop.metric,
                _shown(drop.before),
                _shown(drop.now),
                _change(drop.before, drop.now),
                _shown(drop.p),
            )
            for drop in gates.drops
        ]
        lines += _table(("system", "metric", "before", "now", "change", "p (worse)"), rows)
        lines += ["", *(f"- {_text(note)}" for note in gates.notes)]
    if gates.worst:
        lines += ["", "### Worst documents", ""]
        lines += _table(
            ("system", "document", gates.worst[0].metric),
            [(each.system, each.document, _shown(each.score)) for each in gates.worst],
        )
    return "\n".join(lines).rstrip() + "\n"


def _shown(value: Number) -> str:
    return "-" if value is None else format_number(value)


def _change(before: Number, now: Number) -> str:
    return "-" if before is None or now is None else f"{now - before:+.3f}"


def _table(titles: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    lines = [titles, tuple("---" for _ in titles), *rows]
    return [f"| {' | '.join(map(_text, row))} |" for row in lines]


def _text(text: str) -> str:
    """Return text that is not taken for Markdown or HTML, on one line."""
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{each}" if each in "\\`*_|[]#" else each for each in plain)
