# SPDX-License-Identifier: Apache-2.0
"""The documents behind results: what was measured, found again and read exactly as it was read then."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, cast

import msgspec
import numpy as np

from caesura.corpus import Corpus
from caesura.errors import CaesuraError, FormatError
from caesura.evaluation.inputs import Source
from caesura.evaluation.matching import lasting, matched, meeting, on_units, repaired
from caesura.evaluation.outcome import Answered, Corpora
from caesura.evaluation.spans.retrieve import Retrieving
from caesura.evaluation.spans.run import measured_spans
from caesura.files import file_hash, is_address, relative_to
from caesura.formats import expanded, is_elsewhere, leaving_out, load, load_unchanged
from caesura.metrics import metric
from caesura.metrics.base import Floats
from caesura.results import DamagedCountsError, Input, Number, Results, number, read_counts
from caesura.segmentation import CONTINUOUS_UNITS
from caesura.strict_json import decode

if TYPE_CHECKING:
    from caesura.evaluation.spans.files import Counted

__all__ = ["SEARCHED", "find_inputs", "with_document_scores"]

SEARCHED = "the folder of the results"
"""Where a lost input was looked for, as a page says it."""

_SYSTEMS = ("system", "scorer", "scores", "segmentation")


def find_inputs(results: Results, paths: Iterable[str | Path] = (), folder: str | Path = ".") -> Corpora:
    """Return the corpora that were measured, found where the results say, among ``paths``, or in ``folder`` by name.

    Each is read as it was read then: in its format with its options, under the new names of its annotators and without
    those left out, matched with the reference in the same way. It is used only if its hash is that of what was measured,
    so a page never shows boundaries that were not scored. What cannot be found or read costs its own documents only, and
    stands in ``lacking`` with where it was looked for.
    """
    given = list(map(Path, paths))
    documents: Source | None = None
    systems: dict[str, Source] = {}
    answered: Mapping[str, Answered] = {}
    lacking: list[str] = []
    # Spans last: they are located in the documents, and in the chunks of the systems.
    for entry in sorted(results.inputs, key=lambda entry: entry.role == "spans"):
        if entry.sha256 is None:
            continue
        remark = ""
        try:
            with warnings.catch_warnings(), leaving_out("skip"):
                warnings.simplefilter("ignore")  # told when it was measured
                if entry.role == "spans":
                    answered = _answered(results, entry, documents, systems, given, Path(folder))
                    continue
                corpus, remark = _read_again(entry, given, Path(folder))
                corpus = _as_measured(corpus, results, entry)
                if entry.role in _SYSTEMS:
                    source = Source(corpus, entry.name)
                    systems[entry.name] = source if documents is None else _beside(documents, source, entry)
                else:
                    documents = _ended(Source(corpus, entry.name), entry)
        except (CaesuraError, OSError) as error:
            # What a reader says may name columns, which are old names.
            hidden = isinstance(error, FormatError) and any(
                change.names or change.ids for change in entry.changes or ()
            )
            remark = "cannot be read under its new names; its documents are not shown" if hidden else str(error)
        if remark:
            lacking.append(f"{entry.file or entry.name}: {remark}")
    return Corpora(
        None if documents is None else documents.corpus,
        {name: system.corpus for name, system in systems.items()},
        tuple(lacking),
        answered,
    )


def _answered(
    results: Results,
    entry: Input,
    documents: Source | None,
    systems: Mapping[str, Source],
    given: Iterable[Path],
    folder: Path,
) -> Mapping[str, Answered]:
    """Return where the spans lie in the documents, and the chunks of all systems that were found and of their clocks."""
    if documents is None:
        raise CaesuraError("its documents were not found; not shown")
    for place in (*given, *_places(entry, folder)):
        if place.is_file() and file_hash(place) == entry.sha256:
            counted = cast("Counted | None", (entry.assumed or {}).get("counted"))
            facts = results.spans
            again = Retrieving(clock=bool(facts and facts.clocks), whole=bool(facts and facts.retrieval))
            found = measured_spans(documents, place, systems, counted=counted, missing="skip", retrieving=again)
            return found.corpora().spans
    raise _lost(entry, folder, changed=any(place.is_file() for place in _places(entry, folder)))


def _lost(entry: Input, folder: Path, *, changed: bool) -> CaesuraError:
    what = "has changed since it was measured" if changed else "not found"
    # Not where on this machine: a page is given away.
    looked = " or ".join(dict.fromkeys(relative_to(place, folder) for place in _places(entry, folder)))
    return CaesuraError(f"{what} (looked for {looked or 'nothing'} in {SEARCHED}); its documents are not shown")


def _read_again(entry: Input, given: Iterable[Path], folder: Path) -> tuple[Corpus, str]:
    """Return the documents of an input, and what is missing of them."""
    changed, repair = False, entry.role in _SYSTEMS and entry.unit == "ms"
    for place in dict.fromkeys([*given, *_places(entry, folder)]):
        if not (_matches(place) or place.exists()):
            continue
        if entry.files is None and (not place.is_file() or file_hash(place) != entry.sha256):
            changed |= place not in given
            continue
        if entry.files is not None and place.is_file():
            continue
        corpus = load(place, entry.format, repair=repair)
        if corpus.origin is not None and corpus.origin.sha256 == entry.sha256:
            for change in entry.changes or ():
                corpus = corpus.changed(change)
            return corpus, ""
        changed |= place not in given
        if entry.files and place.is_dir() and not entry.changes:
            part = load_unchanged(place, entry.format, entry.files, repair=repair)
            lost = len(entry.files) - (0 if part.origin is None else len(part.origin.files))
            return part, f"{lost} of {len(entry.files)} files were not found or have changed; not shown"
    raise _lost(entry, folder, changed=changed)


def _places(entry: Input, folder: Path) -> Iterator[Path]:
    """Yield where an input may be: where the results say, and in their folder by its name."""
    file = entry.file
    if file and not is_address(file):
        if not PurePosixPath(file).is_absolute():
            yield Path(os.path.normpath(folder / file))
        yield folder / PurePosixPath(file).name


def _matches(place: Path) -> bool:
    """Return whether a path is a pattern that some file matches."""
    try:
        return is_elsewhere(place) and bool(expanded(place))
    except CaesuraError:
        return False


def _as_measured(corpus: Corpus, results: Results, entry: Input) -> Corpus:
    """Return a corpus with the boundaries that were scored against, if it is the reference."""
    kind, _, value = results.against.partition("=")
    if entry.role == "reference" and kind == "annotator":
        return corpus.annotator(value)
    if entry.role == "reference" and kind == "consensus":
        return corpus.consensus(float(value), min_annotators=0)
    return corpus


def _ended(source: Source, entry: Input) -> Source:
    """Return a corpus with the end that it was given, if it was."""
    assumed = entry.assumed or {}
    lengths = decode(assumed["durations"].encode(), dict[str, str]) if "durations" in assumed else None
    return lasting({source.name: source}, assumed.get("duration"), lengths)[source.name]


def _beside(documents: Source, source: Source, entry: Input) -> Source:
    """Return a system matched with the documents as it was, and on their units if it was measured there."""
    placed = matched({"": source}, documents.corpus, (entry.assumed or {}).get("match", "id"))
    if "project" in (entry.assumed or {}):
        placed = meeting(placed, documents.corpus)
    elif entry.unit not in CONTINUOUS_UNITS:
        placed, _ = on_units(placed, documents.corpus)
    return repaired({"": _ended(placed[""], entry)}, documents.corpus)[""]


def with_document_scores(results: Results, path: str | Path) -> Results:
    """Return results with one score per document, computed from the counts next to their file; unchanged without counts.

    Against annotators a row of counts is a document and an annotator, and no document has a score of its own.
    """
    if results.per_document is not None or results.counts is None or results.against == "annotators":
        return results
    try:
        documents, tables = read_counts(path, results)
        scores = {
            system: {name: _scores(results, tables[system], name) for name in results.metrics}
            for system in results.systems
        }
    except DamagedCountsError:
        raise
    except (CaesuraError, LookupError, ValueError):
        return results
    return msgspec.structs.replace(results, documents=documents, per_document=scores)


def _scores(results: Results, tables: Mapping[str, Floats], name: str) -> list[Number]:
    facts, known = results.metrics[name], results.counts
    columns = known.requests[facts.request] if known is not None else []
    counts = tables[facts.request][:, [columns.index(column) for column in facts.columns]]
    scores = metric(facts.metric).score(counts)
    plain: list[Number] = scores.tolist()
    return [number(score) for score in plain] if np.isnan(scores).any() else plain
