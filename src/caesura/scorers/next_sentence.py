# SPDX-License-Identifier: Apache-2.0
"""NextSentence: the depth score of TextTiling on BERT's prediction that a unit continues the previous one."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence

import numpy as np

from caesura.declare import Card, param
from caesura.encoders.hf import open_pretrained, pretrained_folder
from caesura.encoders.safetensors import SafetensorsFile
from caesura.errors import EncoderError
from caesura.scorers.base import SCORERS, Scorer
from caesura.scorers.blocks import depths
from caesura.scorers.features import Features, Floats

__all__ = ["NextSentence"]

_BATCH = 32
_HEAD = "cls.seq_relationship.weight"

Continues = Callable[[Sequence[str]], Floats]


@SCORERS.register()
@dataclasses.dataclass(frozen=True)
class NextSentence(Scorer):
    """Score a gap by how far the probability that BERT's second sentence follows the first lies below the peaks around it.

    The paper's rows "CSM" are this scorer with bert-base-uncased, not the trained model of that name. The weights must have the
    head for next-sentence prediction. It needs the extra ``train``.
    """

    model: str = param("", "folder or name of a BERT with its next-sentence head, such as bert-base-uncased")
    length: int = param(128, "tokens of both units together", minimum=8, maximum=512)

    card = Card(
        title="depth of the probability that a unit continues the last",
        citation="Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation",
        equation="Table 4",
    )

    def gap_scores(self, features: Features) -> Floats:
        """Return half the depth at each gap."""
        return depths(_opened(self.model, self.length)(features.units)) / 2


@functools.lru_cache(maxsize=2)
def _opened(model: str, length: int) -> Continues:
    """Return a function from units to the probability that each continues the previous one."""
    folder = pretrained_folder(model)
    if not any(_HEAD in SafetensorsFile(path).names() for path in folder.glob("*.safetensors")):
        raise EncoderError(
            f"{model} has no head for next-sentence prediction ({_HEAD}); name a BERT that was pretrained with it"
        )
    tokenizer, bert = open_pretrained(folder, model, "AutoModelForNextSentencePrediction")
    bert.eval()
    import torch

    def continues(units: Sequence[str]) -> Floats:
        clean = [unit.encode("utf-8", "replace").decode() for unit in units]
        probabilities = np.empty(max(len(units) - 1, 0))
        for at in range(0, len(probabilities), _BATCH):
            first, second = clean[at:-1][:_BATCH], clean[at + 1 :][:_BATCH]
            inputs = tokenizer(first, second, padding=True, truncation=True, max_length=length, return_tensors="pt")
            with torch.inference_mode():
                odds = bert(**inputs).logits.double()
            probabilities[at : at + len(first)] = torch.softmax(odds, dim=1)[:, 0].numpy()
        return probabilities

    return continues
