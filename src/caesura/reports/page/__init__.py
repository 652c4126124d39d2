# SPDX-License-Identifier: Apache-2.0
"""The page: results as one HTML file that opens from disk, and needs no network.

`html`
    how the file is put together: script, style, data, and the policy that lets nothing else run.
`sections`
    one results file as a section of the page.
`documents`
    the documents behind it, in blocks that the page reads when they are asked for.
`inputs`
    the files that were measured, found again by their hash.
`assets`
    the modules and the style sheet that the page consists of.
"""

from __future__ import annotations

from collections.abc import Mapping

from caesura.errors import FormatError
from caesura.evaluation.outcome import Corpora
from caesura.reports.page.documents import blocks
from caesura.reports.page.html import compressed, document
from caesura.reports.page.inputs import find_inputs, with_document_scores
from caesura.reports.page.sections import section
from caesura.results import Results

__all__ = ["LARGE", "find_inputs", "page", "with_document_scores"]

LARGE = 50_000_000
"""A page of more bytes takes seconds to open."""

_LARGEST = 200_000_000


def page(sections: Mapping[str, tuple[Results, Corpora]], title: str = "Caesura report") -> str:
    """Return a page of one or more results, by name, each with the corpora that are at hand."""
    parts: dict[str, str] = {}
    index = []
    for place, (name, (results, inputs)) in enumerate(sections.items()):
        made = section(name, results, inputs, place)
        index.append(made)
        if made["documents"] is not None:
            for number, block in enumerate(blocks(results, inputs)):
                parts[f"block-{place}-{number}"] = compressed(block)
    whole = document(title, {"index": compressed({"sections": index}), **parts})
    if len(whole) > _LARGEST:
        raise FormatError(
            f"the page would have {len(whole) / 1e6:.0f} MB, more than the {_LARGEST / 1e6:.0f} MB that a browser opens well; "
            "report fewer documents or systems"
        )
    return whole
