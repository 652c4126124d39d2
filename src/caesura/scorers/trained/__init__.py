# SPDX-License-Identifier: Apache-2.0
"""Trained scorers: a folder with weights (safetensors) and a card (JSON) that records their training.

`heads`
    the models of trained scorers, one module each: ``WindowHead(window=4)``. A head computes logits from weights, and
    provides the learner that fits the weights.
`model`
    the folder, read with checks and written atomically; ``scorer("model:FOLDER")`` gives the calibrated probability of a
    boundary at each gap.
"""

from caesura.scorers.trained import heads  # noqa: F401  (registers them)
from caesura.scorers.trained.head import HEADS, Head, Learner, head
from caesura.scorers.trained.model import ModelCard, TrainedScorer, load_model

__all__ = ["HEADS", "Head", "Learner", "ModelCard", "TrainedScorer", "head", "load_model"]
