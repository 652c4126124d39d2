# SPDX-License-Identifier: Apache-2.0
"""BiLSTM: two recurrent layers in both directions over the vectors of a document."""

from __future__ import annotations

import dataclasses
from types import ModuleType
from typing import TYPE_CHECKING

from caesura.declare import Card, param
from caesura.scorers.trained.head import HEADS
from caesura.scorers.trained.heads._sequence import SequenceHead

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import ModuleDict

__all__ = ["BiLSTM"]


@HEADS.register()
@dataclasses.dataclass(frozen=True)
class BiLSTM(SequenceHead):
    """An LSTM in both directions, and one dense map: whether a unit ends a segment. It needs the extra ``train``.

    Definition
    ----------
    The logit of the gap after unit t is a linear map of the states of both directions at t. The weights minimise the mean
    negative log-likelihood over all gaps, by Adam; the last unit of a document, which always ends a segment, is left out.
    """

    layers: int = param(2, "layers", minimum=1, maximum=12)

    card = Card(
        title="a bidirectional LSTM on vectors",
        citation="Koshorek et al. 2018, Text segmentation as a supervised learning task; Ghinassi et al. 2024",
    )

    def module(self, torch: ModuleType, dim: int) -> ModuleDict:
        """Return fresh weights."""
        nn = torch.nn
        lstm = nn.LSTM(dim, self.hidden, self.layers, bidirectional=True, batch_first=True)
        return nn.ModuleDict({"lstm": lstm, "out": nn.Linear(2 * self.hidden, 1)})

    def forward(self, torch: ModuleType, module: ModuleDict, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return the logit after each unit."""
        packed = torch.nn.utils.rnn.pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
        states, _ = module["lstm"](packed)
        states, _ = torch.nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=vectors.shape[1])
        return module["out"](states)[..., 0]
