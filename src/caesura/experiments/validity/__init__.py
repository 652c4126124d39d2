# SPDX-License-Identifier: Apache-2.0
"""The self-degradation test: which reference-free metrics work on a corpus.

A segmentation is damaged in known ways. A metric that prefers the damaged one, or does not react to the amount of damage,
cannot tell a good system from a bad one on these documents, however well it works elsewhere.
"""

from caesura.experiments.validity.report import Validity
from caesura.experiments.validity.run import validate
from caesura.results.validity import Limits

__all__ = ["Limits", "Validity", "validate"]
