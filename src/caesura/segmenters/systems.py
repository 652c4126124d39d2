# SPDX-License-Identifier: Apache-2.0
"""Several segmenters named in one string, to be scored beside other systems."""

from __future__ import annotations

import re
from collections.abc import Iterable

from caesura.corpus import Corpus
from caesura.errors import DeclarationError
from caesura.segmenters.base import SEGMENTERS

__all__ = ["baseline_systems"]


def baseline_systems(texts: str | Iterable[str], reference: Corpus, seed: int = 0) -> dict[str, Corpus]:
    """Return several baselines by name, to be scored next to systems; an oracle is marked in its name.

    Parameters
    ----------
    texts : str or iterable of str
        Names, or one string of names separated by commas: ``"none,every(n=4),random_density"``.
    reference : Corpus
        The documents to segment.
    seed : int
        Random seed of all baselines.
    """
    lists = [texts] if isinstance(texts, str) else texts
    names = [name for text in lists for name in _split_names(text)]
    if not names:
        raise DeclarationError(f"no baseline given; choose from {', '.join(SEGMENTERS.names())}")
    systems: dict[str, Corpus] = {}
    for text in names:
        baseline = SEGMENTERS.parse(text)
        if baseline.label in systems:
            raise DeclarationError(f"baseline {baseline} is given twice; name it once")
        systems[baseline.label] = baseline.segment(reference, seed)
    return systems


def _split_names(text: str) -> list[str]:
    """Split a string at the commas outside brackets.

    >>> _split_names("none, random(p=0.1),even(k=3)")
    ['none', 'random(p=0.1)', 'even(k=3)']
    """
    return [part.strip() for part in re.split(r",(?![^(]*\))", text) if part.strip()]
