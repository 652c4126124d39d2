# SPDX-License-Identifier: Apache-2.0
"""Training of scorers, in three stages: splices of real documents, gold boundaries, a temperature.

`config`
    what to train on what, read from TOML or made in Python.
`data`
    documents for training, validation and test.
`stages`
    splices (documents joined from pieces of others), and the stages, epoch by epoch, with a checkpoint after each.
`run`
    the one call that trains a scorer, tries it on documents that it has not seen, and writes its folder.
"""

from caesura.training.config import Config, Splicing, read_config
from caesura.training.data import Data, read_data
from caesura.training.run import Training, train

__all__ = ["Config", "Data", "Splicing", "Training", "read_config", "read_data", "train"]
