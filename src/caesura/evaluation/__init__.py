# SPDX-License-Identifier: Apache-2.0
"""Corpus x systems x metrics: counts of every document, put together into scores that carry their recipe."""

from caesura.evaluation.reference.report import Evaluation
from caesura.evaluation.reference.run import evaluate

__all__ = ["Evaluation", "evaluate"]
