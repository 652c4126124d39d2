# SPDX-License-Identifier: Apache-2.0
"""The papers behind the metrics as BibTeX; `references.bib` has an entry for every cited paper."""

from __future__ import annotations

import functools
import importlib.resources
import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["bibtex"]

_BEGINNING = 20
"""The number of characters that identify a title."""


class _Entry(NamedTuple):
    surname: str
    title: str
    year: str
    text: str

    def named_in(self, citation: str) -> bool:
        """Return whether a citation matches an entry: its first author, with the year or the start of the title."""
        title = self.title[:_BEGINNING].lower()
        return self.surname in citation and (self.year in citation or title in citation.lower())


@functools.cache
def _entries() -> tuple[_Entry, ...]:
    text = (importlib.resources.files("caesura.reports.page") / "references.bib").read_text("utf-8")
    return tuple(_parsed(entry) for entry in text.strip().split("\n\n"))


def _parsed(text: str) -> _Entry:
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", text, re.MULTILINE))
    title = re.sub(r"[{}]", "", fields["title"])
    return _Entry(fields["author"].partition(",")[0], title, fields["year"], text)


def bibtex(citations: Iterable[str]) -> str:
    """Return the cited entries, in the order of the file.

    >>> bibtex(["Fleiss 1971; as in another"]).splitlines()[0]
    '@article{fleiss1971,'
    """
    given = list(citations)
    return "\n\n".join(
        entry.text for entry in _entries() if any(entry.named_in(citation) for citation in given)
    )
