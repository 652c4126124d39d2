# SPDX-License-Identifier: Apache-2.0
"""Documents and corpora.

A `Corpus` keeps its segmentations in flat arrays, so that a million documents need no objects; a `Document` is created
on access.
"""

from caesura.corpus._corpus import Corpus, Numbered
from caesura.corpus._document import Document

__all__ = ["Corpus", "Document", "Numbered"]
