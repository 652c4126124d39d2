# SPDX-License-Identifier: Apache-2.0
"""Several annotators: whether they agree, where, and whether they differ in granularity or in placement."""

from caesura.evaluation.annotators.report import Agreement
from caesura.evaluation.annotators.run import agreement

__all__ = ["Agreement", "agreement"]
