# SPDX-License-Identifier: Apache-2.0
"""The page: results as one HTML file that opens from disk, and needs no network.

`front` is what a reader sees first, also without a script, `alerts` what is odd; `html` assembles the file of script, style
and data; `sections` turns results into data, `command` names the command that repeats them, `documents` has the documents
behind them in blocks, `boundaries` what is known of them before they are read, `history` puts runs of one
question side by side, and `inputs` finds the files that were measured by their hash. `assets` are the modules and the style sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any

from caesura.errors import FormatError
from caesura.evaluation.outcome import Corpora
from caesura.reports.page.boundaries import at_choices
from caesura.reports.page.documents import block, n_blocks, under_ids
from caesura.reports.page.history import history
from caesura.reports.page.html import compressed, document
from caesura.reports.page.inputs import find_inputs, with_document_scores
from caesura.reports.page.sections import section
from caesura.results import Results
from caesura.results.front import title_of

__all__ = ["LARGE", "PageData", "find_inputs", "page", "with_document_scores"]

LARGE = 50_000_000
"""The maximum size of a page in bytes; a larger one takes seconds to open."""

_LARGEST = 200_000_000
Progress = Callable[[int, int], None]


class PageData:
    """The data of a page: an index, and the documents of every section in blocks created on demand."""

    def __init__(self, sections: Mapping[str, tuple[Results, Corpora]], progress: Progress | None = None) -> None:
        self._sections = [
            (results, at_choices(results, under_ids(results, corpora))) for results, corpora in sections.values()
        ]
        runs = dict(zip(sections, (results for results, _ in self._sections), strict=True))
        self._history = history(runs)
        self.sections: list[dict[str, Any]] = []
        self._bare: list[tuple[str, str]] = []
        for place, (name, (results, corpora)) in enumerate(zip(sections, self._sections, strict=True)):
            if progress is not None:
                progress(place, len(sections))
            made = section(name, results, corpora, place)
            self._bare.append(made.pop("bare"))
            self.sections.append(made)

    def index(self) -> dict[str, object]:
        """Return the index, which the page reads first."""
        return {"sections": self.sections}

    def title(self) -> str:
        """Return a title for the page: that of its only section, or their number."""
        titles = dict.fromkeys(title_of(results) for results, _ in self._sections)
        return next(iter(titles)) if len(titles) == 1 else f"{len(self.sections)} results"

    def bare(self) -> str:
        """Return what the page shows without a script: of every section the front, the answer and the main tables."""
        parts = [self._history] if self._history else []
        for made, (kept, rest) in zip(self.sections, self._bare, strict=True):
            head = f"<h1>{escape(made['name'])}</h1>" if len(self.sections) > 1 else ""
            parts.append(f'<div class="bare">{head}{kept}{rest}</div>')
        return "\n".join(parts)

    def names(self) -> Iterator[tuple[str, int, int]]:
        """Yield every block: its name, its section, and its number in it."""
        for place, made in enumerate(self.sections):
            for number in range(n_blocks(made["documents"])):
                yield f"block-{place}-{number}", place, number

    def block(self, place: int, number: int) -> list[dict[str, object]]:
        """Return the documents of a block."""
        return block(*self._sections[place], number)


def page(
    sections: Mapping[str, tuple[Results, Corpora]], title: str | None = None, progress: Progress | None = None
) -> str:
    """Return a page of one or more results, by name, each with the available corpora; the title says what was measured."""
    data = PageData(sections, progress)
    parts = {name: compressed(data.block(place, number)) for name, place, number in data.names()}
    whole = document(title or data.title(), {"index": compressed(data.index()), **parts}, bare=data.bare())
    if len(whole) > _LARGEST:
        raise FormatError(
            f"the page would have {len(whole) / 1e6:.0f} MB, more than the {_LARGEST / 1e6:.0f} MB that a browser opens well; "
            "use caesura explore RESULTS, which reads documents on demand"
        )
    return whole
