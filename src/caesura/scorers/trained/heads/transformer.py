# SPDX-License-Identifier: Apache-2.0
"""TransformerHead: layers of attention over the vectors of a document."""

from __future__ import annotations

import dataclasses
import math
from types import ModuleType
from typing import TYPE_CHECKING

from caesura.declare import Card, param
from caesura.scorers.trained.head import HEADS
from caesura.scorers.trained.heads._sequence import Piece, SequenceHead, pieces

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import ModuleDict

__all__ = ["TransformerHead"]

_ATTENTION_HEADS = 4
_CONTEXT = 32  # units of context around the gaps of a part


def _width(value: object) -> str | None:
    return None if isinstance(value, int) and value % _ATTENTION_HEADS == 0 else "must be a multiple of 4"


@HEADS.register()
@dataclasses.dataclass(frozen=True)
class TransformerHead(SequenceHead):
    """A transformer over the units, with the sine and cosine of their positions. It needs the extra ``train``.

    Definition
    ----------
    The vectors are mapped to the width ``hidden``, the positions added, and layers of attention with four heads follow. The
    logit of a gap is a linear map of the last states on both sides of it, of their absolute difference and of their product. A
    document of more than ``longest`` units is read in overlapping parts, because the cost of attention grows with the square of the
    length.
    """

    hidden: int = param(256, "width of a layer", minimum=4, maximum=4096, check=_width)
    rate: float = param(0.0001, "learning rate", minimum=0)
    batch: int = param(16, "documents in one step", minimum=1)
    layers: int = param(2, "layers", minimum=1, maximum=24)
    dropout: float = param(0.1, "share of the states left out in training", minimum=0, maximum=0.9)
    longest: int = param(256, "units that are read at once", minimum=4 * _CONTEXT, maximum=4096)

    card = Card(
        title="a transformer on vectors",
        citation="Lo et al. 2021, Transformer over pre-trained transformer for neural text segmentation; Ghinassi et al. 2024",
    )

    def pieces(self, n_units: int) -> list[Piece]:
        """Return parts of at most ``longest`` units."""
        return pieces(n_units, self.longest, _CONTEXT)

    def module(self, torch: ModuleType, dim: int) -> ModuleDict:
        """Return fresh weights."""
        nn = torch.nn
        layer = nn.TransformerEncoderLayer(
            self.hidden, _ATTENTION_HEADS, 2 * self.hidden, self.dropout, batch_first=True, norm_first=True
        )
        parts = {
            "into": nn.Linear(dim, self.hidden),
            "layers": nn.TransformerEncoder(layer, self.layers, enable_nested_tensor=False),
            "norm": nn.LayerNorm(self.hidden),
            "out": nn.Linear(4 * self.hidden, 1),
        }
        return nn.ModuleDict(parts)

    def forward(self, torch: ModuleType, module: ModuleDict, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return the logit after each unit."""
        size = vectors.shape[1]
        steps = torch.exp(torch.arange(0, self.hidden, 2) * (-math.log(10_000.0) / self.hidden))
        angles = torch.arange(size)[:, None] * steps
        positions = torch.stack([torch.sin(angles), torch.cos(angles)], dim=2).reshape(size, self.hidden)
        padding = torch.arange(size)[None, :] >= lengths[:, None]
        inside = module["into"](vectors) + positions
        states = module["norm"](module["layers"](inside, src_key_padding_mask=padding))
        behind = torch.cat([states[:, 1:], torch.zeros_like(states[:, :1])], dim=1)
        both = torch.cat([states, behind, (states - behind).abs(), states * behind], dim=2)
        return module["out"](both)[..., 0]
