# SPDX-License-Identifier: Apache-2.0
"""Construction of documents from the units of a source: blank units are dropped and counted.

Every unit has a label, and a boundary lies between two neighbours with different labels. Labels are compared with their
type: 0, False, "" and None are four labels. A source that marks starts is given running numbers (`running`), so that a start
on a blank unit passes to the next one.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path

from caesura.corpus import Document
from caesura.errors import FormatError
from caesura.formats import notice, plural
from caesura.segmentation import Segmentation

__all__ = ["Tally", "built", "running"]

_NAMED = 5


class Tally:
    """Omissions and decisions while a dataset is read, reported in one warning."""

    def __init__(self) -> None:
        self.blank = 0
        self.remarks: list[str] = []

    def remark(self, text: str, ids: Sequence[str] = ()) -> None:
        """Add a remark, with the documents it concerns."""
        shown = ", ".join(ids[:_NAMED]) + (", …" if len(ids) > _NAMED else "")
        self.remarks.append(f"{text}: {shown}" if ids else text)

    def tell(self, path: Path, *, strict: bool = False) -> None:
        """Warn about the omissions and decisions, if any."""
        blank = [f"{plural(self.blank, 'blank unit', 'blank units')} dropped"] if self.blank else []
        remarks = [*blank, *self.remarks]
        if remarks:
            notice("; ".join(remarks), path, strict=strict)


def running(starts: Iterable[bool]) -> list[int]:
    """Return the number of the segment of each unit, from whether it starts one.

    >>> running([True, False, True, False])
    [1, 1, 2, 2]
    """
    return list(itertools.accumulate(int(start) for start in starts))


def built(
    key: str,
    unit: str,
    texts: Sequence[str],
    labels: Sequence[Hashable] | None,
    tally: Tally,
    *,
    speakers: Sequence[str] | None = None,
    times: Sequence[tuple[float, float]] | None = None,
    levels: Sequence[Sequence[Hashable]] = (),
    titles: Mapping[object, str] | None = None,
    extra: Mapping[str, object] | None = None,
) -> Document:
    """Return a document of the units that have text.

    Parameters
    ----------
    key : str
        The id.
    unit : str
        The name of the unit.
    texts : sequence of str
        The text of each unit, blank ones included.
    labels : sequence or None
        The label of each unit; without labels, the document has no segmentation.
    tally : Tally
        Counts the blank units.
    speakers, times : sequence, optional
        The speaker of each unit, and its start and end in seconds.
    levels : sequence of sequences
        The labels of a hierarchy, from coarse to fine, above ``labels``.
    titles : mapping, optional
        The title of each label.
    extra : mapping, optional
        Other data to keep.
    """
    stripped = [text.strip() for text in texts]
    kept = [place for place, text in enumerate(stripped) if text]
    tally.blank += len(stripped) - len(kept)
    if not kept:
        raise FormatError(f"document {key!r} has no unit with text")

    def segmented(values: Sequence[Hashable]) -> Segmentation:
        # With its type, because 1 and True are equal.
        return Segmentation.from_labels([(type(values[i]), values[i]) for i in kept], unit=unit)

    segmentation = None if labels is None else segmented(labels)
    hierarchy = _nested([segmented(level) for level in levels], segmentation)
    more = dict(extra or {})
    if titles is not None and labels is not None and segmentation is not None:
        more["segment_titles"] = [titles.get(labels[kept[start]], "") for start, _ in segmentation.spans]
    return Document(
        id=key,
        n_units=len(kept),
        segmentation=segmentation,
        unit=unit,
        units=tuple(stripped[i] for i in kept),
        speakers=None if speakers is None else tuple(speakers[i] for i in kept),
        unit_times=None if times is None else tuple(times[i] for i in kept),
        hierarchy=hierarchy,
        extra=more,
    )


def _nested(levels: Sequence[Segmentation], finest: Segmentation | None) -> tuple[Segmentation, ...]:
    """Return nested levels: each gets the boundaries of the coarser ones."""
    if not levels or finest is None:
        return ()
    nested: list[Segmentation] = []
    above: set[int] = set()
    for level in [*levels, finest]:
        above |= set(level.boundaries)
        nested.append(Segmentation(level.n_units, sorted(above), unit=level.unit))
    return tuple(nested)
