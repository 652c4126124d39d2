# SPDX-License-Identifier: Apache-2.0
"""The probe of an encoder whose weights cannot be hashed: one text and its vector, by which a model is known again.

Such an encoder (a server) has an attribute ``probe``, text and vector, made when it was opened. The cache keeps the vector
beside the encoder's fingerprint, not among its vectors: it stays when they are evicted.
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

_NEAR = 0.045  # of the longer vector's length, a cosine of 0.999; servers are not exact to the last digit
_CHECKSUM = 8


def probe_of(encoder: Encoder) -> Probe | None:
    """Return the probe of an encoder, or None for one that has none: its fingerprint says all."""
    match getattr(encoder, "probe", None):
        case (str(text), vector):
            return text, check_vectors([vector], 1, encoder.dim, f"{encoder.name}, probe")[0]
    return None


def alike(before: Vectors, now: Vectors) -> bool:
    """Say whether two vectors of the probe come from one model: their difference is small beside the longer of them.

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
    """Refuse kept vectors of a model that is not the same any more."""
    if not alike(before, now):
        raise EncoderError(
            f"{name} gives other vectors than those kept of it, so its model has changed; "
            f"drop them: caesura cache clear --encoder {fingerprint}"
        )


def pack_probe(fingerprint: str, probe: Probe) -> bytes:
    """Return the bytes that are kept of a probe: a checksum, over the text as well, and the numbers."""
    text, vector = probe
    data = np.ascontiguousarray(vector, dtype="<f4").tobytes()
    return checksum_of(fingerprint, text_hash(text), len(vector), data) + data


def unpack_probe(fingerprint: str, probe: Probe, kept: object) -> Vectors | None:
    """Return the vector that was kept of the same text, or None if there is none or it is damaged."""
    text, now = probe
    if not isinstance(kept, bytes):
        return None
    checksum, data = kept[:_CHECKSUM], kept[_CHECKSUM:]
    if len(data) != 4 * len(now) or checksum != checksum_of(fingerprint, text_hash(text), len(now), data):
        return None
    return np.frombuffer(data, "<f4").astype(np.float32)
