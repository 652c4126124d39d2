# SPDX-License-Identifier: Apache-2.0
"""The results file, version 1: the contract between the evaluator and everything that shows numbers.

``NAME.json`` holds the scores with their recipes, ``NAME.counts.npz`` beside it the counts of every document, from
which each score can be made again. Undefined is null with its reason, infinity the text "inf". The schema stands in
``docs/results.md``. Nothing here knows a metric.
"""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from caesura.errors import FormatError, OutputExistsError
from caesura.files import write_together

__all__ = [
    "SCHEMA",
    "AmongPeople",
    "CountsFile",
    "Input",
    "MetricFacts",
    "Results",
    "Score",
    "as_float",
    "as_number",
    "as_text",
    "counts_path",
    "read_counts",
    "read_results",
    "write_results",
]

SCHEMA = "caesura.results/1"
_LARGEST_JSON = 1 << 31

Number = float | str | None
Floats = npt.NDArray[np.float64]


class AmongPeople(msgspec.Struct, kw_only=True):
    """A score against several annotators: the nearest and the farthest of them, and the people themselves.

    ``best`` and ``worst`` are means over documents of the score against the annotator it agrees with most and least;
    ``people`` what an annotator scores against the rest, each left out in turn; ``rank`` the mean rank the system would
    have among the people of a document, ``of`` so many; ``beats`` the share of people it is better than.
    """

    best: Number
    worst: Number
    people: Number
    rank: Number
    of: Number
    beats: Number


class Score(msgspec.Struct, kw_only=True):
    """One number with its recipe.

    ``score`` is null where it is not defined (``reason`` says why) and "inf" where it is infinite; ``documents`` were
    put together, ``undefined`` were left out because the metric is not defined on them, ``dropped`` because it is not
    defined on them for another system of the same table. Against annotators, ``among`` says how it stands among them, and
    ``parts`` of what it is made.
    """

    score: Number
    aggregation: str
    documents: int
    undefined: int = 0
    dropped: int = 0
    reason: str | None = None
    signature: str = ""
    short_signature: str = ""
    among: AmongPeople | None = None
    parts: dict[str, Number] | None = None


class MetricFacts(msgspec.Struct, kw_only=True):
    """What a reader of the numbers must know of a metric, and where its counts stand."""

    metric: str
    title: str
    direction: str
    perfect: Number
    bounds: tuple[Number, Number]
    request: str
    columns: list[str]


class Input(msgspec.Struct, kw_only=True):
    """One input: its role and name, the file's name and hash where it was a file, its size and unit."""

    role: str
    name: str
    documents: int
    unit: str
    file: str | None = None
    sha256: str | None = None
    missing: int = 0


class CountsFile(msgspec.Struct, kw_only=True):
    """The counts beside the results: file name, hash, and the columns of each request."""

    file: str
    sha256: str
    requests: dict[str, list[str]]


class Results(msgspec.Struct, kw_only=True):
    """A whole results file.

    ``systems`` maps system to metric (as it was asked for) to `Score`; ``per_document`` system to metric to one score
    per entry of ``documents``, and is there only if it was asked for, as are ``intervals``, ``comparisons``, ``skill``,
    ``verdicts``, ``regime`` (of the annotation) and ``breaches`` (of gates). Without a reference ``against`` is "nothing", ``encoder`` says whose vectors
    were read, ``density`` how many segments a system makes, ``nulls`` how it stands among random segmentations (system to
    metric to kind), ``worst`` quotes its worst segments.
    """

    schema: str = SCHEMA
    caesura: str = ""
    profile: str = "caesura"
    against: str = "boundaries"
    seed: int | None = None
    environment: dict[str, str] = msgspec.field(default_factory=dict)
    inputs: list[Input] = msgspec.field(default_factory=list)
    metrics: dict[str, MetricFacts] = msgspec.field(default_factory=dict)
    systems: dict[str, dict[str, Score]] = msgspec.field(default_factory=dict)
    documents: list[str] | None = None
    per_document: dict[str, dict[str, list[Number]]] | None = None
    intervals: dict[str, dict[str, list[Number]]] | None = None
    comparisons: list[dict[str, Any]] | None = None
    skill: dict[str, dict[str, dict[str, Any]]] | None = None
    verdicts: dict[str, dict[str, Any]] | None = None
    regime: dict[str, Any] | None = None
    breaches: list[str] | None = None
    encoder: dict[str, Any] | None = None
    density: dict[str, dict[str, Number]] | None = None
    nulls: dict[str, dict[str, dict[str, dict[str, Any]]]] | None = None
    worst: dict[str, list[dict[str, Any]]] | None = None
    counts: CountsFile | None = None
    notes: list[str] = msgspec.field(default_factory=list)


def as_number(value: float) -> Number:
    """Return a float as the results file writes it.

    >>> as_number(float("nan")), as_number(float("inf")), as_number(0.5)
    (None, 'inf', 0.5)
    """
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return float(value)


def as_float(value: Number) -> float:
    """Return a number of the results file as a float."""
    return math.nan if value is None else float(value)


def as_text(results: Results) -> str:
    """Return the results as JSON text, indented."""
    return msgspec.json.format(msgspec.json.encode(results), indent=2).decode()


def write_results(
    path: str | Path,
    results: Results,
    counts: Mapping[str, Mapping[str, Floats]] | None = None,
    documents: Sequence[str] = (),
    columns: Mapping[str, Sequence[str]] | None = None,
    *,
    overwrite: bool = True,
) -> None:
    """Write a results file and, if counts are given, the counts beside it.

    Parameters
    ----------
    path : path-like
        Where to; the counts go to the same name with ``.counts.npz``.
    results : Results
        What to write.
    counts : mapping, optional
        System to request to a table (documents, columns).
    documents : sequence of str
        The ids of the rows of every table.
    columns : mapping, optional
        Request to the names of its columns.
    overwrite : bool
        Whether files that are there may be replaced.
    """
    target = Path(path)
    beside = counts_path(target)
    for file in (target, beside) if counts is not None else (target,):
        if file.exists() and not overwrite:
            raise OutputExistsError(f"{file} exists; write to another file, or overwrite it with --force")
    files: dict[str | Path, bytes] = {}
    if counts is not None:
        arrays: dict[str, Any] = {"documents": np.array(list(documents), dtype=np.str_)}
        for system, tables in counts.items():
            for request, table in tables.items():
                arrays[f"counts/{system}/{request}"] = table
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)
        data = buffer.getvalue()
        files[beside] = data
        results.counts = CountsFile(
            file=beside.name,
            sha256=hashlib.sha256(data).hexdigest(),
            requests={name: list(names) for name, names in (columns or {}).items()},
        )
    files[target] = (as_text(results) + "\n").encode()
    write_together(files)


def counts_path(path: str | Path) -> Path:
    """Return where the counts of a results file stand: ``results.counts.npz`` for ``results.json``."""
    return Path(path).with_name(Path(path).stem + ".counts.npz")


def read_results(path: str | Path) -> Results:
    """Read a results file.

    Raises
    ------
    FormatError
        If it is no results file, or of another version.
    """
    target = Path(path)
    try:
        if target.stat().st_size > _LARGEST_JSON:
            raise FormatError("is larger than 2 GiB, which no results file is", target)
        data = target.read_bytes()
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); check the path", target) from None
    try:
        head = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        schema = msgspec.json.decode(head.get("schema", msgspec.Raw(b"null")))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise FormatError("is not a results file; caesura evaluate ... -o FILE writes one", target) from None
    if schema != SCHEMA:
        raise FormatError(f"has the schema {schema!r}, this version reads {SCHEMA!r}; evaluate again", target)
    try:
        return msgspec.json.decode(data, type=Results)
    except msgspec.ValidationError as error:
        raise FormatError(f"is a results file with a fault: {error}; evaluate again", target) from None


def read_counts(
    path: str | Path, results: Results | None = None
) -> tuple[list[str], dict[str, dict[str, Floats]]]:
    """Read the counts beside a results file: the ids of the documents, and system to request to table.

    ``results`` is what `read_results` made of the file, if it is at hand.
    """
    results = read_results(path) if results is None else results
    if results.counts is None:
        raise FormatError("has no counts beside it; evaluate again with -o", path)
    beside = Path(path).with_name(Path(results.counts.file).name)
    try:
        data = beside.read_bytes()
    except OSError as error:
        raise FormatError(
            f"cannot be read ({error.strerror or error}); it belongs to {Path(path).name}", beside
        ) from None
    if hashlib.sha256(data).hexdigest() != results.counts.sha256:
        raise FormatError(f"does not belong to {Path(path).name}: its hash differs; evaluate again", beside)
    tables: dict[str, dict[str, Floats]] = {}
    # allow_pickle stays off: an array of objects from outside could run code.
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        documents = [str(key) for key in archive["documents"]]
        for name in archive.files:
            if name.startswith("counts/"):
                system, _, request = name.removeprefix("counts/").rpartition("/")
                tables.setdefault(system, {})[request] = archive[name]
    return documents, tables
