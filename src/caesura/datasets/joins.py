# SPDX-License-Identifier: Apache-2.0
"""Documents joined from several randomly drawn dialogues, with a boundary at each joint."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from caesura.corpus import Document
from caesura.datasets.base import Dataset, Tally, built
from caesura.declare import param
from caesura.errors import FormatError
from caesura.formats import faults, plural

__all__ = ["Dialogue", "Joined"]


class Dialogue(NamedTuple):
    """A dialogue to be joined with others: its id, its topic and its turns."""

    key: str
    category: str
    texts: Sequence[str]
    speakers: Sequence[str]


@dataclasses.dataclass(frozen=True)
class Joined(Dataset):
    """A dataset of dialogues on one topic each, joined into documents.

    Dialogues are drawn without replacement, and neighbours have different topics. Equal parameters and files give
    equal documents.
    """

    count: int = param(100, "number of documents", minimum=1)
    dialogues: int = param(3, "number of dialogues per document", minimum=2)
    seed: int = param(0, "random seed", minimum=0)

    def pool(self, file: Path, tally: Tally) -> Iterable[Dialogue]:
        """Yield the dialogues of a file."""
        raise NotImplementedError  # pragma: no cover - every such dataset has its own

    def read(self, folder: Path, tally: Tally) -> Iterator[Document]:
        """Yield the joined documents."""
        pool: list[Dialogue] = []
        for file in self.files(folder):
            with faults(file):
                # A single utterance is not a dialogue.
                pool += [one for one in self.pool(file, tally) if sum(bool(text.strip()) for text in one.texts) > 1]
        random.Random(self.seed).shuffle(pool)
        for number in range(self.count):
            chosen = self._draw(pool)
            if chosen is None:
                raise FormatError(
                    f"the dialogues suffice for {plural(number, 'document', 'documents')} of {self.dialogues} on different topics, not for "
                    f"{self.count}; set count={number}"
                    if number
                    else "there are too few dialogues on different topics to join any",
                    folder,
                )
            width = max(3, len(str(self.count - 1)))
            yield self._document(f"{number:0{width}d}", chosen, tally)

    def _draw(self, pool: list[Dialogue]) -> list[Dialogue] | None:
        """Take the next dialogues from the pool, each of a different category than the previous; None if that fails."""
        dialogues: list[Dialogue] = []
        while len(dialogues) < self.dialogues:
            before = dialogues[-1].category if dialogues else None
            place = next((i for i, one in enumerate(pool) if one.category != before), None)
            if place is None:
                return None
            dialogues.append(pool.pop(place))
        return dialogues

    def _document(self, key: str, chosen: Sequence[Dialogue], tally: Tally) -> Document:
        labels = [place for place, one in enumerate(chosen) for _ in one.texts]
        return built(
            key,
            self.card.unit,
            [text for one in chosen for text in one.texts],
            labels,
            tally,
            speakers=[speaker for one in chosen for speaker in one.speakers],
            titles={place: one.category for place, one in enumerate(chosen)},
            extra={"drawn_from": [one.key for one in chosen]},
        )
