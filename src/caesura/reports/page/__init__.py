# SPDX-License-Identifier: Apache-2.0
"""The page: results as one HTML file that opens from disk, and needs no network.

`html` assembles the file of script, style and data; `sections` turns results into data, `command` names the command that
repeats them, `documents` has the documents behind them in blocks, and `inputs` finds the files that were measured by their
hash. `assets` are the modules and the style sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from caesura.errors import FormatError
from caesura.evaluation.outcome import Corpora
from caesura.reports.page.documents import block, n_blocks, under_ids
from caesura.reports.page.html import compressed, document
from caesura.reports.page.inputs import find_inputs, with_document_scores
from caesura.reports.page.sections import section
from caesura.results import Results

__all__ = ["LARGE", "PageData", "find_inputs", "page", "with_document_scores"]

LARGE = 50_000_000
"""The maximum size of a page in bytes; a larger one takes seconds to open."""

_LARGEST = 200_000_000
Progress = Callable[[int, int], None]


class PageData:
    """The data of a page: an index, and the documents of every section in blocks created on demand."""

    def __init__(self, sections: Mapping[str, tuple[Results, Corpora]], progress: Progress | None = None) -> None:
        self._sections = [(results, under_ids(results, corpora)) for results, corpora in sections.values()]
        self.sections: list[dict[str, Any]] = []
        for place, (name, (results, corpora)) in enumerate(zip(sections, self._sections, strict=True)):
            if progress is not None:
                progress(place, len(sections))
            self.sections.append(section(name, results, corpora, place))

    def index(self) -> dict[str, object]:
        """Return the index, which the page reads first."""
        return {"sections": self.sections}

    def names(self) -> Iterator[tuple[str, int, int]]:
        """Yield every block: its name, its section, and its number in it."""
        for place, made in enumerate(self.sections):
            for number in range(n_blocks(made["documents"])):
                yield f"block-{place}-{number}", place, number

    def block(self, place: int, number: int) -> list[dict[str, object]]:
        """Return the documents of a block."""
        return block(*self._sections[place], number)


def page(
    sections: Mapping[str, tuple[Results, Corpora]], title: str = "Caesura report", progress: Progress | None = None
) -> str:
    """Return a page of one or more results, by name, each with the available corpora."""
    data = PageData(sections, progress)
    parts = {name: compressed(data.block(place, number)) for name, place, number in data.names()}
    whole = document(title, {"index": compressed(data.index()), **parts})
    if len(whole) > _LARGEST:
        raise FormatError(
            f"the page would have {len(whole) / 1e6:.0f} MB, more than the {_LARGEST / 1e6:.0f} MB that a browser opens well; "
            "use caesura explore RESULTS, which reads documents on demand"
        )
    return whole
