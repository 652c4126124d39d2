# SPDX-License-Identifier: Apache-2.0
"""Corpus x systems x metrics: counts of every document, put together into scores that carry their recipe."""

from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.evaluation import Evaluation

__all__ = ["Evaluation", "evaluate"]
