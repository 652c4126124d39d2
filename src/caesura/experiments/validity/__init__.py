# SPDX-License-Identifier: Apache-2.0
"""The self-degradation test: which metric without a reference can be believed on a corpus.

A segmentation is damaged in known ways. A metric that prefers the damaged one, or does not care how much was damaged,
cannot tell a good system from a bad one on these documents, whatever it did elsewhere.
"""

from caesura.experiments.validity.limits import Limits, Verdict
from caesura.experiments.validity.report import Correlation, Trust, Validity
from caesura.experiments.validity.run import DEFAULT_DISTANCES, DEFAULT_LEVELS, DEFAULT_VALIDATED, validate

__all__ = [
    "DEFAULT_DISTANCES",
    "DEFAULT_LEVELS",
    "DEFAULT_VALIDATED",
    "Correlation",
    "Limits",
    "Trust",
    "Validity",
    "Verdict",
    "validate",
]
