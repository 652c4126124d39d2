# SPDX-License-Identifier: Apache-2.0
"""The features of a document that systems read: its terms, and its vectors by the encoder of the run."""

from caesura.scorers.features.document import Encoding, Features
from caesura.scorers.features.terms import Floats, Ints, Terms, count_terms, terms_of

__all__ = ["Encoding", "Features", "Floats", "Ints", "Terms", "count_terms", "terms_of"]
