# SPDX-License-Identifier: Apache-2.0
"""Several annotators: whether they agree, where, and whether they differ in granularity or in placement."""

from caesura.evaluation.annotators.report import Agreement, agreement

__all__ = ["Agreement", "agreement"]
