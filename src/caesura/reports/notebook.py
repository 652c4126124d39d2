# SPDX-License-Identifier: Apache-2.0
"""What an outcome gives a notebook to finish the job: the page, the figure, the table of a paper; shown, or written to a file."""

from __future__ import annotations

import contextlib
import html
from collections.abc import Mapping
from pathlib import Path

import msgspec

from caesura.errors import MissingExtraError
from caesura.evaluation.measurement import Measurement
from caesura.evaluation.outcome import Corpora, Outcome
from caesura.files import write_atomically
from caesura.reports import render
from caesura.reports.figures import draw, render_figure, specification_of
from caesura.reports.page import PageData, page
from caesura.results import Results, paper_tables, tables_of

__all__ = ["Figure", "Page", "figure_of", "latex_of", "page_of"]

_SHOWN = 5_000_000
"""The number of characters above which a notebook, which keeps its outputs, gets the front of a page only."""


class Page:
    """A page: a notebook shows it, ``save`` writes it."""

    def __init__(self, sections: Mapping[str, tuple[Results, Corpora]], title: str | None = None) -> None:
        self.text = page(sections, title)
        self._sections = sections

    def save(self, path: str | Path) -> None:
        """Write the page to a file."""
        write_atomically(path, self.text.encode())

    def __repr__(self) -> str:
        return f"<Page of {len(self.text) / 1e6:.1f} MB; save(path) writes it>"

    def _repr_html_(self) -> str:
        if len(self.text) > _SHOWN:
            front = PageData(self._sections).bare()
            return f"{front}<p>The whole page has {len(self.text) / 1e6:.0f} MB: save it, and open it in a browser.</p>"
        return f'<iframe srcdoc="{html.escape(self.text)}" width="100%" height="720" style="border: 0"></iframe>'


class Figure:
    """A figure as a Vega-Lite specification: a notebook shows it, ``save`` writes it as SVG, PNG, PDF, HTML or JSON."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.specification = specification_of(results)

    def save(self, path: str | Path) -> None:
        """Write the figure, in the format of the file's suffix."""
        write_atomically(path, draw(self.results, path))

    def __repr__(self) -> str:
        return f"<Figure: {self.specification['title']['text']}; save(path) writes it>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        """Return the specification, which notebooks draw themselves, and a drawing for those that do not."""
        bundle: dict[str, object] = {
            "application/vnd.vegalite.v5+json": dict(self.specification),
            "text/plain": repr(self),
        }
        with contextlib.suppress(MissingExtraError):
            bundle["image/svg+xml"] = render_figure(self.specification, "svg").decode()
        return bundle


def page_of(
    outcome: Outcome | None, path: str | Path | None = None, *, title: str | None = None, results: Results | None = None
) -> Page:
    """Return the page of an outcome, or of its results as they were changed, with its documents; write it if a path is given."""
    if results is None:
        results = Results() if outcome is None else outcome.results()
    if isinstance(outcome, Measurement):
        whole = outcome.results(per_document=True)
        results = msgspec.structs.replace(results, documents=whole.documents, per_document=whole.per_document)
    made = Page({str(results.question): (results, Corpora() if outcome is None else outcome.corpora())}, title)
    if path is not None:
        made.save(path)
    return made


def figure_of(outcome: Outcome, path: str | Path | None = None) -> Figure:
    """Return the figure of an outcome, and write it if a path is given."""
    made = Figure(outcome.results())
    if path is not None:
        made.save(path)
    return made


def latex_of(outcome: Outcome, path: str | Path | None = None, *, full: bool = False) -> str:
    """Return the main table of an outcome as LaTeX, or every table if ``full``, and write it if a path is given."""
    results = outcome.results()
    tables = tables_of(results, "latex") if full else paper_tables(results)
    text = "\n".join(render(table, "latex") for table in tables)
    if path is not None:
        write_atomically(path, text.encode())
    return text
