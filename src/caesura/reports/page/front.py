# SPDX-License-Identifier: Apache-2.0
"""The front of a section as HTML that needs no script, so that a mail program shows it too; the script of the page keeps it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NamedTuple

from caesura.results.front import Picture
from caesura.table import Table, format_number, one_line

__all__ = ["Front", "bare_table", "drawn_picture"]


class Front(NamedTuple):
    """The front of a section; ``name`` identifies it for the script, ``facts`` are `about` what was measured."""

    name: str
    facts: Sequence[tuple[str, str]]
    lead: str
    drawn: Picture | None
    alerts: Sequence[str]

    def html(self) -> str:
        """Return it as HTML."""
        terms = "".join(
            f"<dt>{label}</dt><dd>{f'<code>{text}</code>' if label == 'Command' else text}</dd>"
            for label, text in ((label, html.escape(text)) for label, text in self.facts)
        )
        warned = "".join(f"<li>{html.escape(text)}</li>" for text in self.alerts)
        parts = [
            f'<div class="front" id="{self.name}">',
            f'<dl class="about hint">{terms}</dl>' if terms else "",
            f'<p class="lead">{html.escape(self.lead)}</p>' if self.lead else "",
            "" if self.drawn is None else drawn_picture(self.drawn),
            f'<div class="alerts"><h2>Before you read on</h2><ul>{warned}</ul></div>' if warned else "",
            "</div>",
        ]
        return "\n".join(filter(None, parts))


def drawn_picture(drawn: Picture) -> str:
    """Return a picture as HTML: a row of a table for each value."""
    low, high = drawn.ends

    def at(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.2f}%"

    blind = [("chance", "random boundaries"), ("clock", "evenly spaced boundaries")]
    kinds = [(kind, words) for kind, words in blind if any(getattr(row, kind) is not None for row in drawn.rows)]
    body = []
    for row in drawn.rows:
        parts = ['<line class="track" x1="0" x2="100%" y1="12" y2="12"/>']
        if drawn.rule is not None:
            parts.append(f'<line class="rule" x1="{at(drawn.rule[0])}" x2="{at(drawn.rule[0])}" y1="0" y2="24"/>')
        if row.low is not None and row.high is not None:
            parts.append(f'<line class="ends" x1="{at(row.low)}" x2="{at(row.high)}" y1="12" y2="12"/>')
        for kind, _ in kinds:
            value = getattr(row, kind)
            if value is not None:
                parts.append(_sign(kind, at(value)))
        parts.append(f'<circle class="dot" cx="{at(row.value)}" cy="12" r="6"/>')
        near = [
            f"{words} {format_number(getattr(row, kind))}" for kind, words in kinds if getattr(row, kind) is not None
        ]
        whole = [] if row.low is None else [f"interval {format_number(row.low)} to {format_number(row.high)}"]
        said = html.escape("; ".join([f"{row.name}: {format_number(row.value)}", *whole, *near]))
        body.append(
            f'<tr><th scope="row" dir="auto">{html.escape(one_line(row.name))}</th>'
            f'<td class="plot"><svg height="24" role="img" aria-label="{said}">{"".join(parts)}</svg></td>'
            f'<td class="number">{format_number(row.value)}</td></tr>'
        )
    keys = [f'<span><svg width="14" height="24">{_sign(k, "7")}</svg> {words}</span>' for k, words in kinds]
    if any(row.low is not None for row in drawn.rows):
        keys.append(
            '<span><svg width="22" height="14"><line class="ends" x1="0" x2="22" y1="7" y2="7"/></svg> interval</span>'
        )
    if drawn.rule is not None:
        keys.append(f"<span>dashed: {drawn.rule[1]}, {format_number(drawn.rule[0], 2)}</span>")
    if drawn.left_out:
        keys.append(f"<span>{drawn.left_out:,} more below</span>")
    ends = f'<tr class="ends"><td></td><td class="plot"><span class="tick">{low:.3g}</span><span class="tick">{high:.3g}</span></td><td></td></tr>'
    legend = f'<p class="legend">{" ".join(keys)}</p>' if keys else ""
    title, metric = html.escape(drawn.title), html.escape(drawn.metric)
    return f'<table class="picture" data-metric="{metric}"><caption>{title}</caption><tbody>{"".join(body)}{ends}</tbody></table>{legend}'


def _sign(kind: str, place: str) -> str:
    """Return the sign of chance, a stroke, or of the clock, a triangle, at a place along the row."""
    path = "M-1 4H1V20H-1Z" if kind == "chance" else "M0 2L5 11L-5 11Z"
    return f'<svg x="{place}" overflow="visible"><path class="{kind}" d="{path}"/></svg>'


def bare_table(marked: Table, words: Sequence[str]) -> str:
    """Return a table as HTML that needs no script, with its columns explained."""
    best = marked.best()
    numeric = [' class="number"' if marked.is_numeric(place) else "" for place in range(len(marked.columns))]
    shown = [place for place, column in enumerate(marked.columns) if not column.detail]
    head = "".join(f'<th scope="col"{numeric[c]}>{html.escape(marked.columns[c].heading)}</th>' for c in shown)
    rows = []
    for r, texts in enumerate(marked.texts()):
        cells = [(c, _interval_below(html.escape(texts[c])) if numeric[c] else html.escape(texts[c])) for c in shown]
        bold = [(c, f"<b>{text}</b>" if (r, c) in best else text) for c, text in cells]
        rows.append("".join(f"<td{numeric[c]}>{text}</td>" for c, text in bold))
    caption = f"<caption>{html.escape(marked.title)}</caption>" if marked.title else ""
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    terms = "".join(
        f"<dt>{html.escape(marked.columns[c].title)}</dt><dd>{html.escape(words[c])}</dd>" for c in shown if words[c]
    )
    explained = f'<dl class="heads">{terms}</dl>' if terms else ""
    return f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{explained}'


def _interval_below(text: str) -> str:
    """Return a score with its interval in a line of its own, so that more columns fit the width of a mail.

    >>> _interval_below("0.5* [0.4, 0.6]"), _interval_below("[0.4, 0.6]")
    ('0.5* <small class="beside">[0.4, 0.6]</small>', '[0.4, 0.6]')
    """
    score, bracket, rest = text.partition(" [")
    return f'{score} <small class="beside">[{rest}</small>' if bracket else text
