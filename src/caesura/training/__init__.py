# SPDX-License-Identifier: Apache-2.0
"""Training of scorers, in three stages: splices of real documents, gold boundaries, a temperature."""

from caesura.training.config import Config, Splicing, read_config
from caesura.training.data import Data, read_data
from caesura.training.run import Training, train

__all__ = ["Config", "Data", "Splicing", "Training", "read_config", "read_data", "train"]
