# SPDX-License-Identifier: Apache-2.0
"""The result of a shard: numbers that can be merged, in a small file that is written atomically."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt

from caesura.errors import CaesuraError, ComparabilityError, DeclarationError, FormatError
from caesura.files import check_output, write_atomically
from caesura.formats import FORMATS
from caesura.limits import CONTENT
from caesura.metrics import metric as find_metric
from caesura.metrics.base import Floats, PairwiseMetric
from caesura.results import Input, Number, as_text
from caesura.statistics.exact import ExactSum
from caesura.statistics.moments import Moments
from caesura.strict_json import RepeatedKeyError, decode

__all__ = [
    "BINS", "SCHEMA", "KeptCounts", "MetricPart", "PackedTable", "Reading", "ShardResult", "StoredMoments", "SystemPart", "Worst",
    "key_of", "parse_shard", "read_shard", "shard_text", "write_shard",
]  # fmt: skip

_TYPES = frozenset({"|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8"})
_MOST = 2**40
Count = Annotated[int, msgspec.Meta(ge=0, le=_MOST)]
"""A number of documents; sums over shards stay within 64 bits."""
SCHEMA = "caesura.shard/1"
BINS = 20
"""Bins of the histogram between 0 and 1; one more on each side holds the scores outside."""


class PackedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The bytes of a table of numbers, one row per document, and their type as NumPy names it."""

    type: str
    data: bytes

    @classmethod
    def of(cls, table: npt.NDArray[np.generic]) -> PackedTable:
        """Pack a table."""
        plain = np.ascontiguousarray(table, dtype=table.dtype.newbyteorder("<"))
        return cls(plain.dtype.str, plain.tobytes())

    def unpacked(self, documents: int) -> npt.NDArray[np.generic]:
        """Return the table; raise if the bytes are not a table with this number of rows, or the type is unknown."""
        if self.type not in _TYPES:
            raise DeclarationError("a table of counts does not have one row per document of a known type")
        size = documents * np.dtype(self.type).itemsize
        if len(self.data) % size if size else self.data:
            raise DeclarationError("a table of counts does not have one row per document")
        return np.frombuffer(self.data, self.type).reshape(documents, -1 if documents else 0)


class KeptCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ids of the documents, and system to request to the table of counts."""

    documents: list[str]
    tables: dict[str, dict[str, PackedTable]]

    @classmethod
    def of(cls, documents: Sequence[str], tables: Mapping[str, Mapping[str, npt.NDArray[np.generic]]]) -> KeptCounts:
        """Pack the counts of an evaluation."""
        return cls(
            list(documents),
            {
                system: {request: PackedTable.of(table) for request, table in of.items()}
                for system, of in tables.items()
            },
        )

    @classmethod
    def joined(cls, parts: Sequence[KeptCounts]) -> KeptCounts:
        """Return the counts of several shards, concatenated; raise if two have the same document."""
        documents = [key for part in parts for key in part.documents]
        if len(set(documents)) < len(documents):
            seen: set[str] = set()
            twice = next(key for key in documents if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise ComparabilityError(f"document {twice!r} is in two shards; every document belongs to one")
        filled = [part for part in parts if part.documents] or list(parts[:1])
        tables = {
            system: {
                request: np.concatenate([part.tables[system][request].unpacked(len(part.documents)) for part in filled])
                for request in of
            }
            for system, of in filled[0].tables.items()
        }
        return cls.of(documents, tables)

    def table(self, system: str, request: str, width: int) -> Floats:
        """Return the counts of a system, one row per document and ``width`` columns."""
        counts = self.tables[system][request].unpacked(len(self.documents)).astype(np.float64)
        if len(counts) and counts.shape[1] != width:
            raise DeclarationError(f"the counts of {system}, {request} do not have {width} columns")
        return counts.reshape(len(counts), width)

    def check(self, documents: int, systems: Sequence[str]) -> None:
        """Raise for counts of other systems or another number of documents, and for incomplete tables."""
        requests = [list(of) for of in self.tables.values()]
        if len(self.documents) != documents or list(self.tables) != list(systems):
            raise DeclarationError("its counts are those of other documents or systems")
        if any(each != requests[0] for each in requests):
            raise DeclarationError("its systems have different counts")
        for of in self.tables.values():
            for table in of.values():
                table.unpacked(documents)


class _Part(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Base of the parts of a shard result: fields by name, unknown ones refused."""


class StoredMoments(_Part):
    """`Moments` as text, without loss."""

    n: Count
    sums: list[str]
    products: list[str]

    @classmethod
    def of(cls, moments: Moments) -> StoredMoments:
        """Return moments in their stored form."""
        return cls(n=moments.n, sums=list(map(str, moments.sums)), products=list(map(str, moments.products)))

    def moments(self) -> Moments:
        """Return the moments."""
        return Moments(self.n, tuple(map(ExactSum.parse, self.sums)), tuple(map(ExactSum.parse, self.products)))


class Worst(msgspec.Struct, array_like=True, frozen=True, order=True):
    """A document with a bad score."""

    badness: float
    document: str
    score: Number


class SystemPart(_Part):
    """One system by one metric: undefined documents, minimum and maximum counts, distribution, and worst documents."""

    undefined: Count
    extremes: list[list[Number]]
    histogram: list[Count]
    worst: list[Worst]


class MetricPart(_Part):
    """One metric: the number of documents behind its scores, and the moments of all systems.

    The columns of a macro score are whether a document is used, and the score of each system (0 if unused); those of a micro
    score are the counts of each system.
    """

    metric: str
    used: Count
    moments: StoredMoments
    systems: dict[str, SystemPart]


class Reading(_Part):
    """How the files of one system were read: documents missing, fitted, missing elsewhere, without an end, and remarks."""

    missing: Count = 0
    fitted: Count = 0
    elsewhere: Count = 0
    endless: Count = 0
    assumed: dict[str, str] = msgspec.field(default_factory=dict)
    remarks: list[str] = msgspec.field(default_factory=list)


class ShardResult(_Part):
    """The result of one shard, or of several merged ones.

    ``key`` is the hash of the shard's content and of the ``recipe``, the choices that every shard must share: metrics,
    aggregation, profile and so on. A merged result has the ``keys`` of its shards instead. ``contents`` has a hash of the
    documents of the reference for each shard, so that none is merged twice, ``counts`` those of every document, if they are kept.
    """

    key: str
    caesura: str
    recipe: dict[str, object]
    unit: str
    documents: Count
    inputs: list[Input]
    readings: dict[str, Reading]
    metrics: dict[str, MetricPart]
    keys: list[str] = msgspec.field(default_factory=list)
    contents: list[str] = msgspec.field(default_factory=list)
    counts: KeptCounts | None = None
    schema: str = SCHEMA


def key_of(recipe: Mapping[str, object], formats: Sequence[str | None], contents: Mapping[str, str]) -> str:
    """Return the key of a shard: a hash of the recipe, the formats, and the hash of each input by its name."""
    plain = msgspec.json.encode([dict(recipe), list(formats), sorted(contents.items())], order="deterministic")
    return hashlib.sha256(plain).hexdigest()


def write_shard(path: str | Path, result: ShardResult, *, overwrite: bool = True) -> None:
    """Write a shard result, completely or not at all."""
    check_output(path, overwrite=overwrite)
    write_atomically(path, (shard_text(result) + "\n").encode())


def read_shard(path: str | Path) -> ShardResult:
    """Read a shard result; one that is damaged is refused with a `FormatError`."""
    place = Path(path)
    try:
        if place.exists() and not place.is_file():
            raise FormatError("is not a regular file; name the result of a shard", place)
        if place.stat().st_size > CONTENT.value:
            raise FormatError(CONTENT.refusal("is larger than"), place)
        return parse_shard(place.read_bytes(), place)
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); check the path", place) from None


def shard_text(result: ShardResult) -> str:
    """Return a shard result as text, which `parse_shard` reads; for engines that pass results along."""
    return as_text(result)


def parse_shard(text: str | bytes, place: str | Path | None = None) -> ShardResult:
    """Read the text of a shard result; ``place`` is its file, for messages."""
    try:
        plain = decode(text.encode() if isinstance(text, str) else text)
        if not isinstance(plain, dict) or plain.get("schema") != SCHEMA:
            raise FormatError(f"is not a result of caesura count (schema {SCHEMA}); count the shard again", place)
        result = msgspec.convert(plain, ShardResult, strict=False)  # infinity is written as a string
        _check_whole(result)
    except RepeatedKeyError as error:
        raise FormatError(str(error), place, error.line) from None
    except FormatError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError, CaesuraError) as error:
        raise FormatError(f"is a damaged shard result ({error}); count the shard again", place) from None
    return result


def _check_whole(result: ShardResult) -> None:
    """Refuse what no count writes: choices that are missing, too few or too large inputs, formats that there are not."""
    recipe = result.recipe
    if not isinstance(recipe.get("against"), str) or not isinstance(recipe.get("profile"), str):
        raise DeclarationError("its recipe lacks 'against' or 'profile'")
    if recipe.get("by", "") not in (None, "macro", "micro"):
        raise DeclarationError("its recipe has no known 'by'")
    if not result.inputs or any(not 0 <= n <= _MOST for i in result.inputs for n in (i.documents, i.missing)):
        raise DeclarationError("its inputs have no documents, or too many")
    for each in result.inputs:
        if each.format is not None:
            FORMATS.parse(each.format)
    for part in result.metrics.values():
        _check(part, result)
    if result.counts is not None:
        result.counts.check(result.documents, list(result.readings))
        for part in result.metrics.values():
            _check_counts(part, result, result.counts)


def _check(part: MetricPart, result: ShardResult) -> None:
    """Refuse parts whose sizes contradict each other."""
    moments, columns = part.moments.moments(), len(part.moments.sums)
    metric, pooled = _metric(part, result)
    wanted = len(metric.columns) * len(part.systems) if pooled else 1 + len(part.systems)
    width = len(metric.request(result.unit).columns)
    lines = [line for each in part.systems.values() for line in each.extremes]
    if (
        list(part.systems) != list(result.readings)
        or columns != wanted
        or len(moments.products) != columns * (columns + 1) // 2
        or (pooled and not all(math.isfinite(total.value) for total in (*moments.sums, *moments.products)))
        or not 0 <= part.used <= moments.n == result.documents
        or any(len(each.histogram) != BINS + 2 for each in part.systems.values())
        or any(len(each.extremes) != (2 if result.documents else 0) for each in part.systems.values())
        or any(len(line) != width or None in line for line in lines)
    ):
        raise DeclarationError("its parts contradict each other")


def _metric(part: MetricPart, result: ShardResult) -> tuple[PairwiseMetric, bool]:
    """Return the metric of a part, and whether its counts are pooled."""
    metric = find_metric(part.metric)
    if not isinstance(metric, PairwiseMetric):
        raise DeclarationError(f"{part.metric} does not compare two segmentations")
    return metric, (result.recipe["by"] or metric.facts().aggregation) == "micro"


def _check_counts(part: MetricPart, result: ShardResult, counts: KeptCounts) -> None:
    """Refuse moments that are not those of the counts; the last digits of a score may be those of another machine."""
    metric, pooled = _metric(part, result)
    request = metric.request(result.unit)
    places = list(metric.places(request))
    tables = [counts.table(system, str(request), len(request.columns))[:, places] for system in part.systems]
    if pooled:
        sums = [total for table in tables for total in table.sum(axis=0).tolist()]
    else:
        used = np.logical_and.reduce([metric.included(table) for table in tables])
        sums = [float(used.sum()), *(float(metric.score(table)[used].sum()) for table in tables)]
    kept = [ExactSum.parse(text).value for text in part.moments.sums]
    if not np.allclose(sums, kept, rtol=1e-9, atol=1e-9, equal_nan=True):
        raise DeclarationError(f"its moments of {part.metric} are not those of its counts")
