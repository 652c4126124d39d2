# SPDX-License-Identifier: Apache-2.0
"""``model:FOLDER``: a trained scorer, which gives the calibrated probability of a boundary at each gap."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from caesura.declare import Card
from caesura.errors import CaesuraError, EncoderError, FormatError, MissingExtraError
from caesura.scorers.base import SCORERS, Floats, Scorer
from caesura.scorers.features import Encoding, Features
from caesura.scorers.trained.head import Head, Logits, head
from caesura.scorers.trained.saved import CARD, WEIGHTS, ModelCard, check_files, read_card, read_tensors

__all__ = ["PREFIX", "TrainedScorer", "load_model", "scorer"]

PREFIX = "model:"


@dataclasses.dataclass(frozen=True, eq=False)
class TrainedScorer(Scorer):
    """A scorer from a folder written by ``caesura train``; it prints as ``model:FOLDER``."""

    folder: str
    model: ModelCard
    head: Head
    logits: Logits = dataclasses.field(repr=False)

    card = Card(title="a trained scorer", citation="Coen, When F1 fails", equation="section 5.2")

    @property
    def needs_vectors(self) -> bool:  # type: ignore[override]
        """Whether the head reads vectors."""
        return self.head.needs_vectors

    def __str__(self) -> str:
        return PREFIX + self.folder

    def gap_scores(self, features: Features) -> Floats:
        """Return the probability of a boundary at each gap: sigmoid(logit / temperature)."""
        if features.n_units < 2:
            return np.empty(0)
        if self.needs_vectors:
            self.check_encoder(features.encoding)
        logits = self.logits(features) / self.model.temperature
        return np.asarray(np.exp(-np.logaddexp(0.0, -logits)))

    def check_encoder(self, encoding: Encoding) -> None:
        """Raise for an encoder other than the one that the head was trained with."""
        source = encoding.source
        if source.fingerprint != self.model.fingerprint:
            same = source.name == self.model.encoder
            raise EncoderError(
                f"{self} was trained on the vectors of {self.model.encoder} ({self.model.fingerprint}), not on those of "
                f"{source.name} ({source.fingerprint}); "
                + ("train it again" if same else f"name its encoder: --encoder {self.model.encoder}")
            )


def load_model(folder: str) -> TrainedScorer:
    """Return the trained scorer of a folder.

    Raises
    ------
    FormatError
        If the folder is not a model, was damaged, or belongs to another version.
    """
    path = Path(folder)
    card = read_card(path)
    check_files(path, card)
    try:
        model_head = head(card.head)
        shapes = model_head.shapes(card.dim, path)
    except MissingExtraError:
        raise
    except CaesuraError as error:
        raise FormatError(f"names an invalid head ({error}); train the model again", path / CARD) from None
    tensors = read_tensors(path / WEIGHTS, shapes, card.weights)
    return TrainedScorer(folder, card, model_head, model_head.ready(tensors, path))


def scorer(text: str) -> Scorer:
    """Return a scorer by its name and parameters, such as ``"BlockDepth(window=6)"``, or a trained one: ``"model:FOLDER"``."""
    if text.strip().startswith(PREFIX):
        return load_model(text.strip().removeprefix(PREFIX))
    return SCORERS.parse(text)
