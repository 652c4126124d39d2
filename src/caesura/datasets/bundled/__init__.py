# SPDX-License-Identifier: Apache-2.0
"""The bundled data: real texts with real annotators.

``moonstone``
    Eight chapters of *The Moonstone* (Wilkie Collins, 1868; public domain) with the episode boundaries that four to
    six readers each set between paragraphs (Kazantseva & Szpakowicz 2012; annotations as published with segeval,
    BSD-3-Clause, see ``LICENSE.segeval``).
``stargazer``
    The boundaries that seven readers set between the 21 paragraphs of *Stargazers* (Hearst 1997; codings as published
    with segeval, BSD-3-Clause). The article is under copyright and is not included.
``tiage``
    The 100 test chats of TIAGE, in which people marked where the topic shifts (Xie et al. 2021; MIT, see
    ``LICENSE.tiage``). Speakers alternate; the source does not name them.
"""

from __future__ import annotations

from pathlib import Path

from caesura.corpus import Corpus
from caesura.declare import nearest
from caesura.errors import FormatError
from caesura.formats import load

__all__ = ["BUNDLED", "bundled", "bundled_path"]

BUNDLED = ("moonstone", "stargazer", "tiage")
"""The names of the bundled corpora."""


def bundled_path(name: str) -> Path:
    """Return the file of a bundled corpus."""
    if name not in BUNDLED:
        raise FormatError(f"no bundled corpus {name!r}; {nearest(name, BUNDLED)}")
    return Path(__file__).with_name(f"{name}.jsonl.gz")


def bundled(name: str) -> Corpus:
    """Read a bundled corpus.

    >>> corpus = bundled("moonstone")
    >>> len(corpus), corpus["ch1"].n_units, sorted(corpus["ch1"].annotations)
    (8, 13, ['an1', 'an2', 'an3', 'an4'])
    """
    corpus = load(bundled_path(name))
    corpus.origin = None  # it comes with the package, wherever that is
    return corpus
