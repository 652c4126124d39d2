# SPDX-License-Identifier: Apache-2.0
"""Evaluation of systems against a reference."""

from caesura.evaluation.evaluate.report import Evaluation
from caesura.evaluation.evaluate.run import evaluate

__all__ = ["Evaluation", "evaluate"]
