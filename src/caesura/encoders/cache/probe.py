# SPDX-License-Identifier: Apache-2.0
"""The probe of an encoder whose weights cannot be hashed: a text and its vector, which identify the model.

Such an encoder (a server) has an attribute ``probe`` with text and vector, set when it was opened. The cache stores that
vector with the encoder's fingerprint, not among its vectors, so it is never evicted.
"""

from __future__ import annotations

import numpy as np

from caesura.encoders._model.hashing import text_hash
from caesura.encoders.base import Encoder, Vectors, check_vectors
from caesura.encoders.cache.database import checksum_of
from caesura.errors import EncoderError

__all__ = ["Probe", "alike", "check_unchanged", "pack_probe", "probe_of", "unpack_probe"]

Probe = tuple[str, Vectors]
"""A text and its vector."""

_NEAR = 0.045  # of the longer vector's length, about a cosine of 0.999; servers are not exact to the last digit
_CHECKSUM = 8


def probe_of(encoder: Encoder) -> Probe | None:
    """Return the probe of an encoder, or None if its fingerprint identifies it."""
    match getattr(encoder, "probe", None):
        case (str(text), vector):
            return text, check_vectors([vector], 1, encoder.dim, f"{encoder.name}, probe")[0]
    return None


def alike(before: Vectors, now: Vectors) -> bool:
    """Return whether two vectors of the probe come from the same model: their difference is relatively small.

    Examples
    --------
    >>> one = np.array([3, 4], np.float32)
    >>> alike(one, one * np.float32(1.001)), alike(one, 2 * one), alike(one, 0 * one), alike(0 * one, 0 * one)
    (True, False, False, True)
    """
    one, two = before.astype(np.float64), now.astype(np.float64)
    longest = max(np.linalg.norm(one), np.linalg.norm(two))
    return bool(np.linalg.norm(one - two) <= _NEAR * longest)


def check_unchanged(before: Vectors, now: Vectors, name: str, fingerprint: str) -> None:
    """Refuse cached vectors of a model that has changed."""
    if not alike(before, now):
        raise EncoderError(
            f"{name} gives other vectors than the cached ones, so its model has changed; "
            f"clear them: caesura cache clear --encoder {fingerprint}"
        )


def pack_probe(fingerprint: str, probe: Probe) -> bytes:
    """Return the stored bytes of a probe: a checksum of text and vector, and the vector."""
    text, vector = probe
    data = np.ascontiguousarray(vector, dtype="<f4").tobytes()
    return checksum_of(fingerprint, text_hash(text), len(vector), data) + data


def unpack_probe(fingerprint: str, probe: Probe, kept: object) -> Vectors | None:
    """Return the stored vector of the same text, or None if there is none or it is damaged."""
    text, now = probe
    if not isinstance(kept, bytes):
        return None
    checksum, data = kept[:_CHECKSUM], kept[_CHECKSUM:]
    if len(data) != 4 * len(now) or checksum != checksum_of(fingerprint, text_hash(text), len(now), data):
        return None
    return np.frombuffer(data, "<f4").astype(np.float32)
