# SPDX-License-Identifier: Apache-2.0
"""The documents behind results: the measured files, located and checked by their hash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from caesura.corpus import Corpus
from caesura.errors import CaesuraError
from caesura.evaluation.outcome import Corpora
from caesura.files import file_hash
from caesura.formats import load
from caesura.metrics import metric
from caesura.metrics.base import Floats
from caesura.results import Input, Number, Results, number, read_counts

__all__ = ["find_inputs", "with_document_scores"]

_SYSTEMS = ("system", "scorer", "scores", "segmentation")


def find_inputs(results: Results, paths: Iterable[str | Path] = (), folder: str | Path = ".") -> Corpora:
    """Return the corpora that were measured, read from ``paths`` or from files of their names in ``folder``.

    A file is used only if its hash equals that of the measured file, so a page never shows boundaries that were not scored.
    """
    wanted = {entry.sha256 for entry in results.inputs if entry.sha256}
    names = [entry.file for entry in results.inputs if entry.file]
    found: dict[str, Path] = {}
    for path in [*map(Path, paths), *(Path(folder) / Path(name).name for name in names)]:
        if path.is_file() and (digest := file_hash(path)) in wanted:
            found.setdefault(digest, path)
    documents, systems, lacking = None, {}, []
    for entry in results.inputs:
        if entry.sha256 is None or entry.role == "spans":
            continue
        if entry.sha256 not in found:
            lacking.append(entry.file or entry.name)
            continue
        corpus = _as_measured(load(found[entry.sha256]), results, entry)
        if corpus is None:
            lacking.append(entry.file or entry.name)
        elif entry.role in _SYSTEMS:
            systems[entry.name] = corpus
        else:
            documents = corpus
    return Corpora(documents, systems, tuple(lacking))


def _as_measured(corpus: Corpus, results: Results, entry: Input) -> Corpus | None:
    """Return a corpus with the boundaries that were scored; None if it was read with options that are not recorded."""
    if entry.assumed:
        return None
    kind, _, value = results.against.partition("=")
    if entry.role == "reference" and kind == "annotator":
        return corpus.annotator(value)
    if entry.role == "reference" and kind == "consensus":
        return corpus.consensus(float(value))
    return corpus


def with_document_scores(results: Results, path: str | Path) -> Results:
    """Return results with one score per document, computed from the counts next to their file; unchanged without counts."""
    if results.per_document is not None or results.counts is None:
        return results
    try:
        documents, tables = read_counts(path, results)
        scores = {
            system: {name: _scores(results, tables[system], name) for name in results.metrics}
            for system in results.systems
        }
    except (CaesuraError, LookupError, ValueError):
        return results
    return msgspec.structs.replace(results, documents=documents, per_document=scores)


def _scores(results: Results, tables: Mapping[str, Floats], name: str) -> list[Number]:
    facts, known = results.metrics[name], results.counts
    columns = known.requests[facts.request] if known is not None else []
    counts = tables[facts.request][:, [columns.index(column) for column in facts.columns]]
    return [number(score) for score in metric(facts.metric).score(counts).tolist()]
