# SPDX-License-Identifier: Apache-2.0
"""Text to vectors: one file per kind of encoder, found by walking this folder, and the cache on disk.

One text names an encoder: ``default``, ``onnx:minilm``, ``st:all-mpnet-base-v2``, ``npz:vectors.npz``,
``http:http://localhost:8080/v1#model``, ``package.module:attribute``, or the name of an entry point. Nothing is fetched
from a network unless downloads are allowed; third-party libraries are imported when an encoder that needs them is
opened.
"""

from caesura.encoders._embed import embed
from caesura.encoders._precomputed import Precomputed
from caesura.encoders._spec import encoder, source
from caesura.encoders.base import ENCODERS, Encoder, EncoderKind
from caesura.encoders.cache.store import Cache

__all__ = ["ENCODERS", "Cache", "Encoder", "EncoderKind", "Precomputed", "embed", "encoder", "source"]

ENCODERS.discover(__path__, __name__, lazy=True)
