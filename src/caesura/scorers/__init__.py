# SPDX-License-Identifier: Apache-2.0
"""Scorers: from a document to one score per gap.

``scores[i]`` belongs to gap ``i + 1``; a higher score means a more likely boundary. A selector turns scores into boundaries
(`caesura.selectors`), and ``ScoreThenSelect`` makes a segmenter of both.

`base`
    what every scorer is, and how it is found by name: ``scorer("BlockCohesion(window=6)")``.
`features`
    what scorers and segmenters read of a document: term counts, and vectors by the encoder of the run.
"""

from caesura.scorers.base import SCORERS, Scorer, scorer
from caesura.scorers.features import Encoding, Features

__all__ = ["SCORERS", "Encoding", "Features", "Scorer", "scorer"]

SCORERS.discover(__path__, __name__)
