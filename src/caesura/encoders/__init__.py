# SPDX-License-Identifier: Apache-2.0
"""From text to vectors: one file per kind of encoder, and the on-disk cache.

An encoder is named by a spec: ``default``, ``onnx:minilm``, ``st:all-mpnet-base-v2``, ``npz:vectors.npz``,
``http:http://localhost:8080/v1#model``, ``package.module:attribute``, or the name of an entry point. Nothing is
downloaded unless downloads are allowed. The module of an encoder and third-party libraries are imported when the encoder
is opened.
"""

from caesura.encoders._embed import embed
from caesura.encoders._precomputed import Precomputed
from caesura.encoders._spec import encoder, source
from caesura.encoders.base import ENCODERS, Encoder, EncoderKind
from caesura.encoders.cache.store import Cache

__all__ = ["ENCODERS", "Cache", "Encoder", "EncoderKind", "Precomputed", "embed", "encoder", "source"]

ENCODERS.discover(__path__, __name__, lazy=True)
