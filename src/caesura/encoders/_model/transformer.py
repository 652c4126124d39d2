# SPDX-License-Identifier: Apache-2.0
"""The forward pass of BERT and MPNet in NumPy: token ids in, one vector per token out, in float32.

Both are stacks of the same layer: every token attends to every token, then two dense maps with a GELU between them, each
step added to its input and normalised. MPNet adds a learned bias for the distance of two tokens to their attention, counts
positions from 2, and has no token types.

References
----------
Devlin et al. 2019, BERT; Song et al. 2020, MPNet; Raffel et al. 2020, section 2.1, for the buckets of distances.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from caesura.encoders._model.folder import read_json
from caesura.encoders.base import LARGEST_DIM
from caesura.encoders.safetensors import SafetensorsFile
from caesura.errors import EncoderError

__all__ = ["Transformer", "attended"]

Floats = npt.NDArray[np.float32]
Tokens = npt.NDArray[np.int64]

_LAYER = {
    "bert": {
        "queries": "attention.self.query",
        "keys": "attention.self.key",
        "values": "attention.self.value",
        "joined": "attention.output.dense",
        "first": "attention.output.LayerNorm",
    },
    "mpnet": {
        "queries": "attention.attn.q",
        "keys": "attention.attn.k",
        "values": "attention.attn.v",
        "joined": "attention.attn.o",
        "first": "attention.LayerNorm",
    },
}
_FARTHEST = 128  # MPNet: all larger distances share a bucket
_MPNET_OFFSET = 2  # MPNet counts positions from 2, since 1 is the position of padding

_Size = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_DIM)]


class _Config(msgspec.Struct):
    """The part of ``config.json`` that determines the forward pass."""

    model_type: Literal["bert", "mpnet"]
    vocab_size: Annotated[int, msgspec.Meta(ge=1, le=1 << 22)]
    hidden_size: _Size
    intermediate_size: _Size
    num_hidden_layers: Annotated[int, msgspec.Meta(ge=1, le=200)]
    num_attention_heads: Annotated[int, msgspec.Meta(ge=1, le=1024)]
    max_position_embeddings: Annotated[int, msgspec.Meta(ge=3, le=100_000)]
    layer_norm_eps: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 1e-12
    hidden_act: Literal["gelu"] = "gelu"
    position_embedding_type: Literal["absolute"] = "absolute"
    type_vocab_size: _Size = 2
    relative_attention_num_buckets: Annotated[int, msgspec.Meta(ge=4, le=1024)] = 32


class Transformer:
    """The open weights of a BERT or MPNet: ``config.json`` and ``model.safetensors`` of a folder.

    ``dim`` is the dimension of the vectors, ``n_tokens`` the size of the vocabulary, ``longest`` the most tokens of a text.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / "config.json"
        try:
            config = msgspec.convert(read_json(path), _Config)
        except msgspec.ValidationError as error:
            raise EncoderError(
                f"{path}: {error}; only BERT and MPNet models are run here, so open others with st: or hf:"
            ) from None
        if config.hidden_size % config.num_attention_heads:
            raise EncoderError(
                f"{path}: a hidden_size of {config.hidden_size} is not divisible by {config.num_attention_heads} heads; "
                "download it again"
            )
        self._config = config
        self._offset = _MPNET_OFFSET if config.model_type == "mpnet" else 0
        self.dim, self.n_tokens = config.hidden_size, config.vocab_size
        self.longest = config.max_position_embeddings - self._offset
        file = SafetensorsFile(folder / "model.safetensors")
        prefix = "" if "embeddings.word_embeddings.weight" in file.names() else f"{config.model_type}."
        self._read = _Reader(file, folder / "model.safetensors", prefix)
        self._embeddings()
        self._layers = [self._layer(number) for number in range(config.num_hidden_layers)]

    def _embeddings(self) -> None:
        config, read = self._config, self._read
        dim = config.hidden_size
        self._words = read("embeddings.word_embeddings.weight", config.vocab_size, dim)
        self._places = read("embeddings.position_embeddings.weight", config.max_position_embeddings, dim)
        self._norm = read.norm("embeddings.LayerNorm", dim)
        if config.model_type == "bert":
            types = read("embeddings.token_type_embeddings.weight", config.type_vocab_size, dim)
            self._places = self._places + types[0]
            self._distances = None
        else:
            self._distances = read(
                "encoder.relative_attention_bias.weight",
                config.relative_attention_num_buckets,
                config.num_attention_heads,
            )

    def _layer(self, number: int) -> dict[str, tuple[Floats, Floats]]:
        config, read = self._config, self._read
        dim, wide, names = config.hidden_size, config.intermediate_size, _LAYER[config.model_type]
        below = f"encoder.layer.{number}"
        three = [read.dense(f"{below}.{names[part]}", dim, dim) for part in ("queries", "keys", "values")]
        return {
            "attention": (
                np.concatenate([weights for weights, _ in three], axis=1),
                np.concatenate([bias for _, bias in three]),
            ),
            "joined": read.dense(f"{below}.{names['joined']}", dim, dim),
            "first": read.norm(f"{below}.{names['first']}", dim),
            "wider": read.dense(f"{below}.intermediate.dense", dim, wide),
            "narrower": read.dense(f"{below}.output.dense", wide, dim),
            "second": read.norm(f"{below}.output.LayerNorm", dim),
        }

    def __call__(self, tokens: Tokens) -> Floats:
        """Return the last layer of texts of equal length: an array (texts, tokens, dim)."""
        length = tokens.shape[1]
        x = self._words[tokens] + self._places[self._offset : self._offset + length]
        x = self._normalised(x, self._norm)
        bias = None if self._distances is None else attended(self._distances, length)
        for layer in self._layers:
            x = self._normalised(x + self._attention(x, layer, bias), layer["first"])
            x = self._normalised(x + _dense(_gelu(_dense(x, layer["wider"])), layer["narrower"]), layer["second"])
        return x

    def _attention(self, x: Floats, layer: dict[str, tuple[Floats, Floats]], bias: Floats | None) -> Floats:
        texts, length, dim = x.shape
        heads = self._config.num_attention_heads
        parts = _dense(x, layer["attention"]).reshape(texts, length, 3, heads, dim // heads)
        queries, keys, values = parts.transpose(2, 0, 3, 1, 4)
        scores = queries @ keys.swapaxes(2, 3)
        scores /= np.float32(math.sqrt(dim // heads))
        if bias is not None:
            scores += bias
        scores -= scores.max(axis=3, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=3, keepdims=True)
        joined = (scores @ values).swapaxes(1, 2).reshape(texts, length, dim)
        return _dense(joined, layer["joined"])

    def _normalised(self, x: Floats, norm: tuple[Floats, Floats]) -> Floats:
        scale, shift = norm
        x = x - x.mean(axis=-1, keepdims=True)
        spread = np.einsum("...i,...i->...", x, x)[..., None] / np.float32(x.shape[-1])
        x /= np.sqrt(spread + np.float32(self._config.layer_norm_eps))
        x *= scale
        x += shift
        return x


class _Reader:
    """Reads the tensors of a file as float32, after a check of their shapes."""

    def __init__(self, file: SafetensorsFile, path: Path, prefix: str) -> None:
        self._file, self._path, self._prefix = file, path, prefix
        self._known = set(file.names())

    def __call__(self, name: str, *shape: int) -> Floats:
        name = self._prefix + name
        if name not in self._known:
            raise EncoderError(f"{self._path} has no tensor {name}; it must hold the weights of its config.json")
        member = self._file.member(name)
        if member.shape != shape:
            raise EncoderError(
                f"{self._path}: the tensor {name} has the shape {list(member.shape)}, but config.json says {list(shape)}; "
                "download both again"
            )
        return np.ascontiguousarray(member.read(), dtype=np.float32)

    def dense(self, name: str, rows: int, columns: int) -> tuple[Floats, Floats]:
        """Return the weights of a dense map, ready for multiplication from the right, and its bias."""
        weights = self(f"{name}.weight", columns, rows)
        return np.ascontiguousarray(weights.T), self(f"{name}.bias", columns)

    def norm(self, name: str, dim: int) -> tuple[Floats, Floats]:
        """Return the scale and shift of a normalisation."""
        return self(f"{name}.weight", dim), self(f"{name}.bias", dim)


def _dense(x: Floats, weights: tuple[Floats, Floats]) -> Floats:
    matrix, bias = weights
    flat = x.reshape(-1, x.shape[-1]) @ matrix
    flat += bias
    return flat.reshape(*x.shape[:-1], matrix.shape[1])


def _gelu(x: Floats) -> Floats:
    from scipy.special import erf  # type: ignore[import-untyped]

    made: Floats = x * np.float32(math.sqrt(0.5))
    erf(made, out=made)  # in place: fresh memory for each step takes time
    made += 1
    made *= x
    made *= np.float32(0.5)
    return made


def attended(table: Floats, length: int) -> Floats:
    """Return what MPNet adds to the attention of each token to each: an array (heads, length, length).

    Half of the buckets is for tokens to the left, half for those to the right. Small distances have a bucket each, larger
    ones share buckets that grow with the logarithm of the distance.
    """
    half = len(table) // 2
    exact = half // 2
    apart: npt.NDArray[Any] = np.arange(length)[None, :] - np.arange(length)[:, None]
    distance = np.abs(apart)
    logs = np.log(np.maximum(distance, 1).astype(np.float32) / np.float32(exact))
    steps = logs / np.float32(math.log(_FARTHEST / exact)) * np.float32(half - exact)
    shared = np.minimum(exact + steps.astype(np.int64), half - 1)
    buckets = np.where(distance < exact, distance, shared) + np.where(apart > 0, half, 0)
    return np.ascontiguousarray(table[buckets].transpose(2, 0, 1))
