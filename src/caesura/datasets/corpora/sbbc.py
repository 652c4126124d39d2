# SPDX-License-Identifier: Apache-2.0
"""RadioNews-SBBC and NonNews-SBBC: radio shows of the BBC, without their texts."""

from __future__ import annotations

import dataclasses
import io
import pickle
from collections.abc import Iterable
from pathlib import Path

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally
from caesura.declare import param
from caesura.errors import FormatError
from caesura.formats import read_bytes, read_json
from caesura.segmentation import Segmentation

__all__ = ["SBBC"]

_LABELS = "labs_dict.pkl"


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class SBBC(Dataset):
    """Radio shows of the BBC: news, and others. Texts are not released, only labels and the vectors of each sentence.

    ``labs_dict.pkl`` has a 0 or 1 for each sentence of each show, and a 1 is on the last sentence of a topic. The file is
    a pickle, which could run arbitrary code, so it is read by a reader that accepts plain values only. The parts are those of
    ``RadioNews_split.json`` or ``NonNews_split.json``. Vectors go with ``--embeddings``.
    """

    card = DatasetCard(
        title="radio shows, labels of sentences without texts",
        citation="Ghinassi, I., Wang, L., Newell, C., and Purver, M. (2023). Multimodal topic segmentation of podcast shows "
        "with pre-trained neural encoders. ICMR.",
        source="zenodo.org/record/7821475; parts in github.com/Ighina/MultimodalTopicSegmentation",
        licence="not seen",
        unit="sentence",
        boundary="after a sentence whose label is 1",
        files="labs_dict.pkl, and for a split also RadioNews_split.json or NonNews_split.json",
        serves="paper 000; broadcasts",
        checked=False,
    )
    patterns = (_LABELS,)

    split: str = param(
        "all", "the part to read: all shows, or those that the file of parts names", choices=("all", "train", "validation", "test")
    )  # fmt: skip

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the shows of a file of labels."""
        labels = _plain(read_bytes(file))
        shows = list(labels) if self.split == "all" else self._part(file)
        missing = [show for show in shows if show not in labels]
        if missing:
            raise FormatError(f"has no labels of show {missing[0]!r}, which the file of parts names")
        for show in shows:
            flags = labels[show]
            if not flags:
                tally.remark("a show without sentences left out", [show])
                continue
            # The last sentence ends the show, regardless of its label.
            gaps = [place for place, flag in enumerate(flags[:-1], start=1) if flag]
            yield Document(
                id=show, n_units=len(flags), unit=self.card.unit,
                segmentation=Segmentation(len(flags), gaps, unit=self.card.unit),
            )  # fmt: skip

    def _part(self, file: Path) -> list[str]:
        around = [file.parent, file.parent.parent]
        places = [place for folder in around for place in sorted(folder.glob("*_split.json"))]
        if not places:
            raise FormatError(f"split={self.split!r} needs RadioNews_split.json or NonNews_split.json next to it")
        parts = read_json(places[0], dict[str, list[str]])
        return [show.removesuffix(".npy") for show in parts.get(self.split, [])]


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        """Refuse every name: lists, dicts, strings and numbers need none."""
        raise pickle.UnpicklingError(f"it names {module}.{name}, and only plain values are read")


def _plain(data: bytes) -> dict[str, list[int]]:
    """Return the labels of a pickle that holds plain values."""
    try:
        labels = _Plain(io.BytesIO(data)).load()
    except Exception as error:  # an unpickler may raise anything on invalid bytes
        reason = " ".join(str(error).split()) or type(error).__name__
        raise FormatError(f"is not a pickle of plain values ({reason}); download it again") from None
    if not isinstance(labels, dict) or not all(
        isinstance(show, str)
        and isinstance(flags, list)
        and all(type(flag) in (int, bool) and flag in (0, 1) for flag in flags)
        for show, flags in labels.items()
    ):
        raise FormatError("is not a dict from show to a list of labels, 0 or 1")
    return labels
