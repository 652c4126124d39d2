# SPDX-License-Identifier: Apache-2.0
"""BMAT-ATS: joined pieces of broadcasts, transcribed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import msgspec

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally, built
from caesura.datasets.folders import files_below
from caesura.errors import FormatError
from caesura.formats import faults, plural, read_json

__all__ = ["BMAT"]

_WORDS = "BMAT_transcripts.json"


class _Word(msgspec.Struct):
    word: str


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class BMAT(Dataset):
    """Documents of ten pieces of news each, joined from OpenBMAT; the unit is a recognised word.

    ``BMAT-ATS.json`` names the pieces of each document, ``BMAT_transcripts.json`` the words of each piece. Pieces without
    words are not segments, and are counted.
    """

    card = DatasetCard(
        title="ten joined pieces of broadcast news each, recognised words",
        citation="Ghinassi, I., Wang, L., Newell, C., and Purver, M. (2023). Multimodal topic segmentation of podcast shows "
        "with pre-trained neural encoders. ICMR.",
        source="github.com/Ighina/Audio-Topic-Segmentation (OpenBMAT)",
        licence="none stated",
        unit="word",
        boundary="two pieces were joined",
        files="BMAT-ATS.json (document to pieces) and BMAT_transcripts.json (piece to words)",
        serves="broadcasts",
        checked=False,
    )
    patterns = ("BMAT-ATS.json",)

    def read(self, folder: Path, tally: Tally) -> Iterator[Document]:
        """Yield the documents."""
        (plan, *_) = self.files(folder)
        (transcripts, *_) = files_below(
            folder.parent if folder.is_file() else folder, [_WORDS], self.name(), self.card.files
        )
        with faults(plan):
            pieces = read_json(plan, dict[str, list[str]])
        with faults(transcripts):
            words = read_json(transcripts, dict[str, list[_Word]])
        empty = 0
        for key, names in pieces.items():
            with faults(plan):
                missing = [name for name in names if name not in words]
                if missing:
                    raise FormatError(f"document {key!r} needs {missing[0]!r}, which {_WORDS} does not have")
                empty += sum(not words[name] for name in names)
                texts = [word.word for name in names for word in words[name]]
                labels = [place for place, name in enumerate(names) for _ in words[name]]
                yield built(key, self.card.unit, texts, labels, tally)
        if empty:
            tally.remark(f"{plural(empty, 'piece', 'pieces')} without words left out")
