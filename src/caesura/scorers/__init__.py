# SPDX-License-Identifier: Apache-2.0
"""Scorers: from a document to one score per gap.

``scores[i]`` belongs to gap ``i + 1``; a higher score means a more likely boundary. A selector turns scores into boundaries
(`caesura.selectors`), and ``ScoreThenSelect`` combines both into a segmenter.

`base`
    the base class and the registry.
`trained`
    trained scorers and their folders; ``scorer("BlockDepth(window=6)")`` and ``scorer("model:FOLDER")`` find a scorer by its text.
`features`
    the features of a document that scorers and segmenters read: term counts, and vectors by the encoder of the run.
"""

from caesura.scorers.base import SCORERS, Scorer
from caesura.scorers.features import Encoding, Features, Floats, Ints
from caesura.scorers.trained.model import scorer

__all__ = ["SCORERS", "Encoding", "Features", "Floats", "Ints", "Scorer", "scorer"]

SCORERS.discover(__path__, __name__, lazy=True)
