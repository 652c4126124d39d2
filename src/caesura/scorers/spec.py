# SPDX-License-Identifier: Apache-2.0
"""Parsing of the text of a scorer."""

from __future__ import annotations

from caesura.scorers.base import SCORERS, Scorer
from caesura.scorers.trained.model import PREFIX, load_model

__all__ = ["scorer"]


def scorer(text: str) -> Scorer:
    """Return a scorer by its name and parameters, such as ``"BlockDepth(window=6)"``, or a trained one: ``"model:FOLDER"``."""
    if text.strip().startswith(PREFIX):
        return load_model(text.strip().removeprefix(PREFIX))
    return SCORERS.parse(text)
