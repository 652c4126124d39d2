# SPDX-License-Identifier: Apache-2.0
"""What becomes of the files people have: ``CAESURA_DATA=… python -m scripts.inputs`` writes ``docs/formats-inputs.md``.

A file of every kind is made from real corpora in a temporary folder, and read: at once, with an argument, or refused. All tables are of
the same documents, and so are all chapter files, so a file that is read with other boundaries than the first of its family is an error here.
The page holds names and outcomes; no text of a corpus.
"""

from __future__ import annotations

import re
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

from caesura.corpus import Corpus
from caesura.errors import CaesuraError
from caesura.formats import load
from scripts import inputs_annotation, inputs_chapters, inputs_documents, inputs_tables

PAGE = Path(__file__).resolve().parent.parent / "docs" / "formats-inputs.md"
_FAMILIES = {
    "Tables, frames and JSON of dialogues": inputs_tables,
    "Annotation tools and sheets": inputs_annotation,
    "Chapters of recordings": inputs_chapters,
    "Documents": inputs_documents,
}


def outcome(path: Path, argument: str | None) -> tuple[str, Corpus | None]:
    """Return what became of a file, and what was read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            corpus = load(path)
            if argument is None or _boundaries(corpus) is not None:
                return "read at once", corpus
        except CaesuraError as error:
            if argument is None:
                return f"refused: {re.sub(r'^[^ ]*: ', '', str(error).replace(str(path), path.name))}", None
        return f"`{path.name}::{argument}`", load(path, argument)


def page() -> tuple[str, Counter[str], list[str]]:
    """Return the page, the number of files by outcome, and the files whose boundaries are not those of their family."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    tables: list[str] = []
    for family, module in _FAMILIES.items():
        tables += [f"## {family}", "", "| file | kind | outcome |", "| --- | --- | --- |"]
        with tempfile.TemporaryDirectory() as folder:
            known: dict[str | None, object] = {}
            for kind, path, argument in module.samples(Path(folder)):
                what, corpus = outcome(path, argument)
                counts["at once" if what == "read at once" else "refused" if corpus is None else "argument"] += 1
                if corpus is not None and (found := _boundaries(corpus)) is not None:
                    wrong += [kind] if known.setdefault(next(iter(corpus)).unit, found) != found else []
                tables.append(f"| `{path.name}` | {kind} | {what.replace('|', chr(92) + '|')} |")
        tables.append("")
    total = sum(counts.values())
    intro = (
        "<!-- Written by `python -m scripts.inputs` from the corpora of CAESURA_DATA; edit that. -->\n"
        "# Files people have\n\n"
        f"{total} kinds of files, made from real corpora and read as they are: {counts['at once']} at once, {counts['argument']} with an argument that the "
        f"error line shows, {counts['refused']} refused. How each is read is told in "
        "[formats](formats.md) and [annotation formats](formats-annotation.md).\n"
    )
    return intro + "\n" + "\n".join(tables).rstrip() + "\n", counts, wrong


def _boundaries(corpus: Corpus) -> object:
    """Return the boundaries of the first document, by whom; None of a text, or of chunks that are located in documents later."""
    document = next(iter(corpus))
    codings = document.annotations or {"": document.segmentation}
    found = {who: coding.boundaries for who, coding in codings.items() if coding is not None}
    return found if found and "chunks" not in document.extra else None


def main() -> int:
    """Write the page; return 1 if a file was misread."""
    text, counts, wrong = page()
    PAGE.write_text(text)
    print(dict(counts))
    for kind in wrong:
        print(f"misread: {kind}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
