# SPDX-License-Identifier: Apache-2.0
"""Training of scorers, in three stages (splices of real documents, gold boundaries, a temperature), and of a metric's weights."""

from caesura.training.config import Config, Splicing, read_config
from caesura.training.data import Data, read_data
from caesura.training.metric import MetricTraining, train_metric
from caesura.training.run import Training, train

__all__ = [
    "Config",
    "Data",
    "MetricTraining",
    "Splicing",
    "Training",
    "read_config",
    "read_data",
    "train",
    "train_metric",
]
