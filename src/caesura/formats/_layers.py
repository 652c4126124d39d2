# SPDX-License-Identifier: Apache-2.0
"""Which of the layers of a WebAnno or UIMA file holds the segments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from caesura.errors import FormatError
from caesura.formats._spans import Tally

__all__ = ["choose_layer"]

_USUAL = ("topic", "topics", "segment", "segments", "section", "sections", "chapter", "chapters", "boundary")
_OF_THE_TOOL = ("uima.", "de.tudarmstadt.ukp.dkpro.", "org.dkpro.")


def choose_layer(names: Sequence[str], wanted: str | None, path: Path, tally: Tally) -> str | None:
    """Return the layer that is asked for, the only one, or the one with a usual name.

    Parameters
    ----------
    names : sequence of str
        The layers that are there, in full: ``webanno.custom.Topic``.
    wanted : str or None
        The one that is asked for, in full or by its last part.
    path : Path
        The file, for messages.
    tally : Tally
        Takes down that the layer is not there.

    Returns
    -------
    str or None
        The layer, or None if nothing is marked in it: tools leave out layers that are not used.
    """
    if wanted is not None:
        found = [name for name in names if wanted == name or wanted.casefold() == _last(name)]
        if len(found) > 1 and wanted in found:
            found = [wanted]
    else:
        # Parts of speech, sentences and named entities come with the tool; segments are a layer somebody made.
        found = [name for name in names if not name.startswith(_OF_THE_TOOL)]
        usual = [name for name in found if _last(name) in _USUAL]
        found = usual if len(usual) == 1 else found
    if len(found) == 1:
        return found[0]
    there = ", ".join(repr(name) for name in names[:10]) + (", …" if len(names) > 10 else "")
    if found:
        raise FormatError(f"has the layers {there}; say which holds the segments with layer='…'", path)
    what = "no layer of segments" if wanted is None else f"nothing in the layer {wanted!r}"
    beside = f" (there are {there})" if there else ""
    tally.others.append(f"there is {what}{beside}, so the document is one segment")
    return None


def _last(name: str) -> str:
    return name.rpartition(".")[2].casefold()
