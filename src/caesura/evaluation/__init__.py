# SPDX-License-Identifier: Apache-2.0
"""Evaluation: systems x metrics, counted per document and aggregated into scores that carry their recipe."""

from caesura.evaluation.reference.report import Evaluation
from caesura.evaluation.reference.run import evaluate

__all__ = ["Evaluation", "evaluate"]
