# SPDX-License-Identifier: Apache-2.0
"""Agreement of several annotators: how much, where, and whether they differ in granularity or in placement."""

from caesura.evaluation.agree.report import Agreement
from caesura.evaluation.agree.run import agreement

__all__ = ["Agreement", "agreement"]
