# SPDX-License-Identifier: Apache-2.0
"""Random segmentations as work on shards: the part of ``caesura cohesion``, besides encoding, done per document."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import itertools
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from caesura._version import __version__
from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.errors import CaesuraError
from caesura.evaluation.cohesion.null import Drawn, Kind, RandomSegmentations
from caesura.evaluation.cohesion.report import Cohesion
from caesura.files import write_atomically
from caesura.kernels import one_thread
from caesura.metrics.base import Floats
from caesura.metrics.cohesion import CohesionMetric
from caesura.scale.work import Work

__all__ = ["Chance", "Vectored"]

DOCUMENTS = 100
"""The maximum number of documents of a shard."""

Tables = list[Floats]
"""Counts by system, kind and metric, in this order."""


class Vectored(NamedTuple):
    """Some documents with their vectors and texts, and the segmentations of each system."""

    documents: Embedded
    systems: Mapping[str, Flat]


@dataclasses.dataclass(frozen=True)
class Chance(Work[Vectored, Tables]):
    """Draw and count random segmentations of documents; the counts are kept in the folder, if there is one."""

    metrics: Mapping[str, CohesionMetric]
    kinds: tuple[Kind, ...]
    draws: int
    seed: int
    folder: str | None = None

    @classmethod
    def of(cls, cohesion: Cohesion, folder: str | None) -> Chance:
        """Return the work of a measurement."""
        sampling = cohesion.sampling
        return cls(dict(cohesion.metrics), sampling.kinds, sampling.draws, sampling.seed, folder)

    @staticmethod
    def shards(cohesion: Cohesion) -> list[Vectored]:
        """Return the documents of a measurement in shards."""
        shards = []
        first = next(iter(cohesion.batches.values()))
        for start in range(0, len(first), DOCUMENTS):
            rows = np.arange(start, min(len(first), start + DOCUMENTS))
            begin, last = int(first.starts[rows[0]]), rows[-1]
            end = int(first.starts[last] + first.n_units[last])
            ids = [first.ids[row] for row in rows]
            flats = {name: batch.segmentations.take(rows) for name, batch in cohesion.batches.items()}
            some = Embedded.from_arrays(
                ids, next(iter(flats.values())), np.array(first.vectors[begin:end]), unit=first.unit
            )
            if first.texts is not None:
                speakers = (
                    {key: first.speakers[key] for key in ids if key in first.speakers} if first.speakers else None
                )
                some = some.with_texts({key: first.texts[key] for key in ids if key in first.texts}, speakers)
            shards.append(Vectored(some, flats))
        return shards

    def name(self, shard: Vectored) -> str:
        """Return the name of a shard: its first and last document."""
        return f"documents {shard.documents.ids[0]!r} to {shard.documents.ids[-1]!r}"

    def found(self, shard: Vectored) -> Tables | None:
        """Return the counts in the folder, if they are complete."""
        path = self._path(shard)
        if path is None or not path.is_file():
            return None
        rows, names = len(shard.documents), list(self._names(shard))
        try:
            with np.load(path, allow_pickle=False) as kept:
                tables = [kept[str(place)] for place in range(len(names))]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        wanted = [(self.draws, rows, len(self.metrics[name].columns)) for _, _, name in names]
        whole = all(
            table.shape == shape and table.dtype == np.float64 for table, shape in zip(tables, wanted, strict=True)
        )
        return tables if whole else None

    @one_thread()
    def do(self, shard: Vectored) -> Tables:
        """Draw and count."""
        random = RandomSegmentations(self.kinds, self.draws, self.seed)
        batches = map(shard.documents.with_segmentations, shard.systems.values())
        counted = [random.counts(self.metrics, batch) for batch in batches]
        return [table for each in counted for tables in each.values() for table in tables.values()]

    def keep(self, shard: Vectored, result: Tables) -> None:
        """Write the counts."""
        path = self._path(shard)
        if path is not None:
            buffer = io.BytesIO()
            np.savez(buffer, **{str(place): table for place, table in enumerate(result)})  # type: ignore[arg-type]
            write_atomically(path, buffer.getvalue())

    def collected(self, shards: Sequence[Vectored], results: Sequence[Tables | CaesuraError]) -> Drawn:
        """Return the counts of all shards for `Cohesion.chance`; raise if one failed, for chance must cover all documents."""
        whole: list[Tables] = []
        for shard, result in zip(shards, results, strict=True):
            if isinstance(result, CaesuraError):
                raise CaesuraError(f"{self.name(shard)}: {result}")
            whole.append(result)
        drawn: dict[str, dict[Kind, dict[str, Floats]]] = {}
        for place, (system, kind, name) in enumerate(self._names(shards[0])):
            table = np.concatenate([tables[place] for tables in whole], axis=1)
            drawn.setdefault(system, {}).setdefault(kind, {})[name] = table
        return drawn

    def _names(self, shard: Vectored) -> Iterator[tuple[str, Kind, str]]:
        """Yield system, kind and metric of each table."""
        yield from itertools.product(shard.systems, self.kinds, self.metrics)

    def _path(self, shard: Vectored) -> Path | None:
        """Return the file of a shard, named by a hash of its content and of the draws; None without a folder."""
        if self.folder is None:
            return None
        recipe = [__version__, list(map(str, self.metrics.values())), self.kinds, self.draws, self.seed]
        texts = [
            None if shard.documents.texts is None else shard.documents.texts.get(key) for key in shard.documents.ids
        ]
        digest = hashlib.sha256(msgspec.json.encode([recipe, shard.documents.ids, texts, list(shard.systems)]))
        for flat in shard.systems.values():
            for array in (flat.n_units, flat.ptr, flat.pos):
                digest.update(np.ascontiguousarray(array).tobytes())
        digest.update(np.ascontiguousarray(shard.documents.vectors).tobytes())
        return Path(self.folder) / f"{digest.hexdigest()[:32]}.shard.npz"
