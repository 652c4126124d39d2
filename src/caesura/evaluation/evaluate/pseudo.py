# SPDX-License-Identifier: Apache-2.0
"""Pseudo-references: machine-made segmentations in place of gold, marked wherever a score is shown.

The scores then measure how far two segmenters agree, on top of the limits of the metric itself [1]_. So ``against`` is
``pseudo:NAME``, which appears in every signature, in the results file, in the title of every table, and, for files without
titles, in the head of the first column.

References
----------
.. [1] E. Lucas, D. Kangas and T. C. Havens, "A reference-free segmentation quality index (SegReFree)", section 2.4.
"""

from __future__ import annotations

import re

from caesura.evaluation.inputs import Source
from caesura.files import stem

__all__ = ["named", "pseudo_name", "remark"]

_PREFIX = "pseudo"


def named(against: str, source: Source) -> str:
    """Return ``pseudo:NAME`` for ``pseudo``, with the name of the file or corpus; any other value unchanged.

    >>> from caesura.corpus import Corpus
    >>> named("pseudo", Source(Corpus([], name="tiling of May"), "reference"))
    'pseudo:tiling_of_May'
    """
    if against != _PREFIX:
        return against
    name = stem(source.file) if source.file else source.corpus.name or source.name
    # Bars separate the parts of a signature, which is printed on one line.
    safe = re.sub(r"[|:\s]+", "_", name)
    return f"{_PREFIX}:{safe}"


def pseudo_name(against: str) -> str | None:
    """Return the name of the pseudo-reference, or None for a real reference."""
    kind, colon, name = against.partition(":")
    return name if kind == _PREFIX and colon and name else None


def remark(against: str) -> list[str]:
    """Return the note on a pseudo-reference; empty for a real reference."""
    name = pseudo_name(against)
    if name is None:
        return []
    return [
        f"the reference {name!r} is machine-made: the scores measure how far two segmenters agree, not which is right"
    ]
