# SPDX-License-Identifier: Apache-2.0
"""The weights of `Support`: included, or trained by ``caesura train --metric`` into a folder.

A weights file may come from an untrusted source: it is read within a limit, every weight must be a finite number of a known term, and
the weights must match their hash.
"""

from __future__ import annotations

import functools
import hashlib
import math
import stat
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import msgspec
import numpy as np

from caesura._version import __version__
from caesura.errors import FormatError
from caesura.metrics.base import Floats
from caesura.metrics.cohesion._terms import TERMS
from caesura.strict_json import RepeatedKeyError, decode

__all__ = ["FILE", "INCLUDED", "Source", "Weights", "read_weights", "weights_bytes"]

INCLUDED = "included"
FILE = "metric.json"
_SCHEMA = "caesura.metric/1"
_LARGEST = 1 << 20
_ADVICE = "train it with caesura train --metric"


class Source(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A corpus on which weights were trained: its name, documents, licence and origin."""

    name: str
    documents: int
    licence: str = ""
    origin: str = ""
    sha256: str | None = None


class Weights(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Weights by term: ``english`` where the text is English, ``other``, which reads no word list, elsewhere.

    ``encoder`` and ``fingerprint`` name the encoder of the vectors. ``left_out`` has, by corpus, the share of documents in which gold
    scores better than each perturbation, by weights that were trained without that corpus, ``blind`` the same with the units of each
    document in random order, ``held_out`` that of corpora that were never trained on; ``sha256`` is the hash of the weights.
    """

    schema: str = _SCHEMA
    caesura: str = __version__
    encoder: str = "default"
    fingerprint: str = ""
    english: dict[str, float]
    other: dict[str, float]
    sources: list[Source] = msgspec.field(default_factory=list)
    settings: dict[str, float] = msgspec.field(default_factory=dict)
    left_out: dict[str, dict[str, float]] = msgspec.field(default_factory=dict)
    blind: dict[str, dict[str, float]] = msgspec.field(default_factory=dict)
    held_out: dict[str, dict[str, float]] = msgspec.field(default_factory=dict)
    sha256: str = ""

    def hashed(self) -> str:
        """Return the hash of the weights."""
        plain = {"english": self.english, "other": self.other}
        return hashlib.sha256(msgspec.json.encode(plain, order="sorted")).hexdigest()

    def table(self, *, english: bool) -> Floats:
        """Return the weights in the order of `TERMS`."""
        chosen = self.english if english else self.other
        return np.array([chosen.get(term, 0.0) for term in TERMS])


def weights_bytes(weights: Weights) -> bytes:
    """Return the file of weights, with their hash."""
    weights.sha256 = weights.hashed()
    return msgspec.json.format(msgspec.json.encode(weights), indent=1) + b"\n"


def read_weights(where: str) -> Weights:
    """Return the included weights, or those in a folder; they are read once as long as the file is the same."""
    if where == INCLUDED:
        return _included()
    path = Path(where) / FILE
    try:
        about = path.stat()
    except FileNotFoundError:
        raise FormatError(
            f"there is no such file; name a folder of caesura train --metric, or {INCLUDED}", path
        ) from None
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be read ({error}); {_ADVICE}", path) from None
    if not stat.S_ISREG(about.st_mode) or about.st_size > _LARGEST:
        raise FormatError(f"is not a file of at most {_LARGEST:,} bytes; {_ADVICE}", path)
    return _from_folder(path, about.st_mtime_ns, about.st_size)


@functools.lru_cache(maxsize=8)
def _from_folder(path: Path, changed: int, size: int) -> Weights:
    try:
        with path.open("rb") as stream:
            return _decoded(stream.read(_LARGEST + 1), path)
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); {_ADVICE}", path) from None


@functools.cache
def _included() -> Weights:
    file = resources.files("caesura.metrics.cohesion").joinpath("support.json")
    return _decoded(file.read_bytes(), Path("support.json"))


def _decoded(data: bytes, path: Path) -> Weights:
    try:
        about = decode(data, dict[str, object])
        if about.get("schema") != _SCHEMA:
            raise FormatError(
                f"holds weights of the version {about.get('schema')!r}, and this Caesura reads {_SCHEMA!r}; train them again",
                path,
            )
        weights: Weights = msgspec.convert(about, Weights)
    except RepeatedKeyError as error:
        raise FormatError(str(error), path, error.line) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"holds no weights of a metric ({error}); {_ADVICE}", path) from None
    for table in (weights.english, weights.other):
        _check(table, path)
    if weights.sha256 != weights.hashed():
        raise FormatError(
            "has weights that do not match their hash, so it was damaged or changed; train them again", path
        )
    return weights


def _check(table: Mapping[str, float], path: Path) -> None:
    unknown = [term for term in table if term not in TERMS]
    if unknown:
        raise FormatError(f"weighs {unknown[0]!r}, which this Caesura does not know; train the weights again", path)
    if not all(math.isfinite(weight) for weight in table.values()) or not any(table.values()):
        raise FormatError("has weights that are not finite, or all 0; train them again", path)
