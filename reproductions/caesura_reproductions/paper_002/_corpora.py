# SPDX-License-Identifier: Apache-2.0
"""The two corpora of the paper with the vectors of its encoder, all-mpnet-base-v2 in half precision."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import io
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from caesura.batches.embedded import Embedded
from caesura.corpus import Corpus
from caesura.datasets import dataset
from caesura.datasets.duplicates import repeats
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats import load
from caesura.segmentation import Segmentation
from caesura.strict_json import decode
from caesura_reproductions.data import Data

__all__ = ["NEEDS", "choi", "embedded", "repeating", "text_tiling", "wiki"]

NEEDS = "Choi 3-11, Wiki-50 and the vectors of their texts"

_DOCUMENTS = {"choi": 300, "wiki50": 50}


def choi(data: Data) -> Corpus:
    """Return Choi 3-11, with documents named by their numbers: original files, or one file of documents."""
    original, single = data.folder / "choi" / "3" / "3-11", "choi/choi_3_3-11.jsonl.gz"
    path = original if original.is_dir() else data.path(single)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)  # warnings about repeated segments, which the items report
        found = dataset("Choi", path) if path == original else load(path)
    return _renamed(_complete(found, "choi", path))


def wiki(data: Data, headings: str = "open") -> Corpus:
    """Return Wiki-50; by default a heading opens its segment."""
    path = data.path("wiki50/original")
    return _complete(dataset("Wiki50", path, headings=headings), "wiki50", path)


def _complete(found: Corpus, name: str, path: Path) -> Corpus:
    if len(found) != _DOCUMENTS[name]:
        raise FormatError(f"has {len(found)} documents; {_DOCUMENTS[name]} are expected", path)
    return found


def _renamed(found: Corpus) -> Corpus:
    return Corpus([dataclasses.replace(d, id=d.id.rpartition("/")[2]) for d in found], name=found.name)


def embedded(data: Data, name: str, corpus: Corpus, without: Sequence[str] = ()) -> Embedded:
    """Return the gold boundaries with the vectors of the texts, some documents left out."""
    lookup = _vectors(data, name)
    rows = [row for row, key in enumerate(corpus.ids) if key not in without]
    return Embedded.of(
        {corpus.ids[row]: corpus.segmentation(row) for row in rows},
        {corpus.ids[row]: np.stack([lookup(text) for text in corpus[corpus.ids[row]].units or ()]) for row in rows},
    )


def repeating(corpus: Corpus, *, neighbours: bool = False) -> list[str]:
    """Return the documents that contain a segment twice, or only those in which the two are adjacent."""
    side_by_side, apart = repeats(list(corpus))
    return side_by_side if neighbours else [*side_by_side, *apart]


def text_tiling(data: Data, name: str, corpus: Corpus) -> dict[str, Segmentation]:
    """Return the segmentations of a corpus by NLTK's TextTiling."""
    positions = decode(data.read("reproduction/nltk_texttiling_positions.json"), _Positions)
    found: dict[str, list[int] | None] = getattr(positions, name)
    by_number = {key.rpartition("/")[2]: gaps for key, gaps in found.items()}
    return {d.id: Segmentation(d.n_units, by_number[d.id] or ()) for d in corpus}


class _Positions(msgspec.Struct):
    choi: dict[str, list[int] | None]
    wiki50: dict[str, list[int] | None]


def _vectors(data: Data, name: str) -> Callable[[str], npt.NDArray[np.float32]]:
    """Return a function from a text to its vector; texts are identified by their hash."""
    content = data.read(f"reproduction/mpnet_float16_{name}.npz")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        rows = arrays["vectors"].astype(np.float32)
        places = {bytes(key): place for place, key in enumerate(arrays["text_sha256_first16"])}

    @functools.cache
    def lookup(text: str) -> npt.NDArray[np.float32]:
        # Some lines of Wiki-50 end in a space, which a loader may strip.
        for spelling in (text, f"{text} "):
            place = places.get(hashlib.sha256(spelling.encode()).digest()[:16])
            if place is not None:
                row: npt.NDArray[np.float32] = rows[place]
                return row
        raise FormatError(f"the text {text[:60]!r} has no vector; {name} is another version")

    return lookup
