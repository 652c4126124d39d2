# SPDX-License-Identifier: Apache-2.0
"""SheikhBiLSTM: the text before a gap against the text after it, each read by its own LSTM."""

from __future__ import annotations

import dataclasses
from types import ModuleType
from typing import TYPE_CHECKING

from caesura.declare import Card
from caesura.scorers.trained.head import HEADS
from caesura.scorers.trained.heads._sequence import SequenceHead

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import ModuleDict

__all__ = ["SheikhBiLSTM"]


@HEADS.register()
@dataclasses.dataclass(frozen=True)
class SheikhBiLSTM(SequenceHead):
    r"""The distance of two states: of an LSTM up to the gap, and of one from the end back to it. It needs the extra ``train``.

    Definition
    ----------
    f is the state of the forward LSTM after the last unit before the gap, b that of the backward LSTM after the first unit
    behind it. The logit is :math:`a (1 - \cos(f, b)) + c`, with a and c learnt.
    """

    card = Card(
        title="distance of a forward and a backward LSTM",
        citation="Sheikh et al. 2017, Topic segmentation in ASR transcripts using bidirectional RNNs for change detection",
    )

    def module(self, torch: ModuleType, dim: int) -> ModuleDict:
        """Return fresh weights."""
        nn = torch.nn
        parts = {
            "before": nn.LSTM(dim, self.hidden, batch_first=True),
            "after": nn.LSTM(dim, self.hidden, batch_first=True),
            "out": nn.Linear(1, 1),
        }
        return nn.ModuleDict(parts)

    def forward(self, torch: ModuleType, module: ModuleDict, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return the logit after each unit."""
        size = vectors.shape[1]
        places = torch.arange(size)[None, :]
        # Each document is reversed within its own length, so that padding stays at the end.
        turned = torch.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
        rows = torch.arange(len(vectors))[:, None]
        before, _ = module["before"](vectors)
        after, _ = module["after"](vectors[rows, turned])
        after = after[rows, turned]
        behind = torch.cat([after[:, 1:], torch.zeros_like(after[:, :1])], dim=1)
        apart = 1 - torch.nn.functional.cosine_similarity(before, behind, dim=2)
        return module["out"](apart[..., None])[..., 0]
