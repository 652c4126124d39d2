# SPDX-License-Identifier: Apache-2.0
"""Heads of trained scorers, one module each."""

from caesura.scorers.trained.head import HEADS

HEADS.discover(__path__, __name__, lazy=True)
