# SPDX-License-Identifier: Apache-2.0
"""Choose the layer of a WebAnno or UIMA file that holds the segments."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.errors import FormatError
from caesura.formats._spans import Tally

__all__ = ["choose_layer"]

_USUAL = ("topic", "topics", "segment", "segments", "section", "sections", "chapter", "chapters", "boundary")
_OF_THE_TOOL = ("uima.", "de.tudarmstadt.ukp.dkpro.", "org.dkpro.")


def choose_layer(names: Sequence[str], wanted: str | None, tally: Tally) -> str | None:
    """Return the requested layer, the only one, or the one with a usual name.

    A layer is requested by its full name (``webanno.custom.Topic``) or the last part of it. Tools do not export unused
    layers, so if the layer is missing, nothing is marked: the result is None, and the tally records it.
    """
    if wanted is not None:
        candidates = [name for name in names if wanted == name or wanted.casefold() == _last(name)]
        if len(candidates) > 1 and wanted in candidates:
            candidates = [wanted]
    else:
        # Parts of speech, sentences and named entities are built-in layers; segments are a custom layer.
        candidates = [name for name in names if not name.startswith(_OF_THE_TOOL)]
        usual = [name for name in candidates if _last(name) in _USUAL]
        candidates = usual if len(usual) == 1 else candidates
    if len(candidates) == 1:
        return candidates[0]
    there = ", ".join(repr(name) for name in names[:10]) + (", …" if len(names) > 10 else "")
    if candidates:
        raise FormatError(f"has the layers {there}; name the one that holds the segments with layer='…'")
    what = "no layer of segments" if wanted is None else f"nothing in the layer {wanted!r}"
    beside = f" (there are {there})" if there else ""
    tally.others.append(f"there is {what}{beside}, so the document is one segment")
    return None


def _last(name: str) -> str:
    return name.rpartition(".")[2].casefold()
