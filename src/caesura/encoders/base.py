# SPDX-License-Identifier: Apache-2.0
"""Encoders, kinds of encoders, and the validation and hashes of texts and vectors.

An `Encoder` turns texts into vectors. An `EncoderKind` opens one: it is declared in a file of its own and registered in
`ENCODERS` under the word before the colon of a spec (``onnx`` in ``onnx:minilm``). Opening is expensive (weights are read
and hashed), naming is cheap.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

import msgspec
import numpy as np
import numpy.typing as npt

from caesura.declare import Card, Declared, Registry, param, snake_case
from caesura.errors import DeclarationError, EncoderError, and_more
from caesura.files import file_hash

if TYPE_CHECKING:
    from caesura.encoders._precomputed import Precomputed

__all__ = ["ENCODERS", "Encoder", "EncoderKind", "Vectors", "check_texts", "check_vectors", "fingerprint"]

Vectors = npt.NDArray[np.float32]
LARGEST_DIM = 1 << 16


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors; any object with these attributes is an encoder.

    Attributes
    ----------
    name : str
        The canonical spec: ``onnx:minilm``.
    dim : int
        The dimension of the vectors.
    normalized : bool
        Whether every vector has length 1 (a text without known words may give the zero vector).
    fingerprint : str
        A short string that identifies weights, pooling, maximum length and normalisation; scores of encoders with
        different fingerprints must not be compared.
    """

    name: str
    dim: int
    normalized: bool
    fingerprint: str

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 vector per text, in order: an array of shape (n, dim).

        The vector of a text must not depend on the other texts.
        """
        ...


@dataclasses.dataclass(frozen=True)
class EncoderKind(Declared):
    """A kind of encoder, named by the word before the colon of a spec.

    Attributes
    ----------
    takes : str
        What follows the colon, for messages; empty if nothing does.
    """

    card: ClassVar[Card]
    takes: ClassVar[str] = ""

    where: str = param("", "what follows the colon: a name, a file, a folder, a URL")
    sha256: str = param("", "the required hash of the weights, or its beginning")

    @classmethod
    def name(cls) -> str:
        """Return the word before the colon: the class name in snake case."""
        return snake_case(cls.__name__)

    @property
    def spec(self) -> str:
        """The canonical spec."""
        pin = f"@sha256:{self.sha256}" if self.sha256 else ""
        return (f"{self.name()}:{self.where}" if self.where else self.name()) + pin

    def load(self, *, allow_download: bool = False) -> Encoder | Precomputed:
        """Open the encoder; weights that are not on this machine are downloaded only if that is allowed."""
        raise EncoderError(f"the encoder kind {self.name()} cannot be opened; it must implement load()")

    def check_hash(self, found: str, what: str, pinned: str = "") -> None:
        """Refuse weights whose hash is not the one pinned by us or by the spec."""
        for wanted in (pinned, self.sha256):
            if not found.startswith(wanted):
                raise EncoderError(
                    f"{self.spec}: {what} has sha256 {found[:16]}…, but {wanted[:16]}… is pinned; "
                    "download the weights again, or correct the pin"
                )


ENCODERS: Registry[EncoderKind] = Registry("encoder", "caesura.encoders", DeclarationError)


def fingerprint(kind: str, **facts: object) -> str:
    """Return a stable identifier of the facts that determine the vectors: ``kind-`` and 16 hexadecimal digits.

    Examples
    --------
    >>> fingerprint("toy", weights="ab", pooling="mean") == fingerprint("toy", pooling="mean", weights="ab")
    True
    >>> fingerprint("toy", weights="ab", pooling="cls") == fingerprint("toy", weights="ab", pooling="mean")
    False
    """
    text = msgspec.json.encode(facts, order="deterministic")
    return f"{kind}-{hashlib.sha256(text).hexdigest()[:16]}"


def check_texts(texts: object, who: str) -> list[str]:
    """Return texts as a list, or say what is wrong with them; a single ``str`` would be one text per character.

    Examples
    --------
    >>> check_texts(("a", "b"), "toy")
    ['a', 'b']
    >>> check_texts("ab", "toy")
    Traceback (most recent call last):
    caesura.errors.EncoderError: toy got a str; give it a list of strings, such as ["one text"]
    """
    # The order of a set is undefined, so its vectors could not be matched to texts.
    if isinstance(texts, str | bytes | set | frozenset | dict) or not isinstance(texts, Iterable):
        raise EncoderError(f'{who} got a {type(texts).__name__}; give it a list of strings, such as ["one text"]')
    found = list(texts)
    for place, text in enumerate(found):
        if not isinstance(text, str):
            raise EncoderError(
                f"{who}: text {place + 1} of {len(found)} is a {type(text).__name__}; every text must be a str"
            )
    return found


def check_vectors(vectors: object, rows: int, dim: int | None, who: str) -> Vectors:
    """Return vectors as a float32 array of shape (rows, dim), or say what is wrong; ``dim`` None allows any."""
    try:
        array = np.asarray(vectors)
    except ValueError:  # lists of different lengths
        raise EncoderError(f"{who} gives vectors of different lengths; all must have the same") from None
    if array.dtype.kind not in "fiu":
        raise EncoderError(f"{who} gives an array of {array.dtype}; vectors must be numbers")
    if array.ndim != 2:
        raise EncoderError(f"{who} gives an array of shape {array.shape}; it must have two dimensions, (n, dim)")
    if len(array) != rows:
        raise EncoderError(f"{who} gives {len(array)} vectors for {rows} units; there must be one per unit")
    if dim is not None and array.shape[1] != dim:
        raise EncoderError(f"{who} gives vectors of dimension {array.shape[1]}; it must be {dim}")
    if not 1 <= array.shape[1] <= LARGEST_DIM:
        raise EncoderError(f"{who} gives vectors of dimension {array.shape[1]}; it must be 1 to {LARGEST_DIM}")
    with np.errstate(over="ignore"):  # a double too large for float32 becomes infinite, which is reported below
        single = np.ascontiguousarray(array, dtype=np.float32)
    wrong = np.flatnonzero(~np.isfinite(single).all(axis=1))
    if len(wrong):
        which = f"vector {wrong[0] + 1}{and_more(len(wrong))}"
        if np.isfinite(array[wrong[0]]).all():
            raise EncoderError(
                f"{who}: {which} holds a number too large for float32 (beyond 3.4e38); scale the vectors down"
            )
        raise EncoderError(f"{who}: {which} holds NaN or infinity; every number must be finite")
    return single


def unit_length(vectors: npt.NDArray[np.floating]) -> Vectors:
    """Return vectors scaled to length 1; a zero vector stays zero."""
    wide = vectors.astype(np.float64)
    length = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    scaled = wide / np.where(length > 0, length, 1.0)[:, None]
    return np.ascontiguousarray(scaled, dtype=np.float32)


def text_hash(text: str) -> bytes:
    """Return a hash of 16 bytes: BLAKE2b of the text in UTF-8."""
    # A lone surrogate is not a character, but can be hashed.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def texts_hash(texts: Sequence[str]) -> str:
    """Return a hash of 32 hexadecimal digits of the texts of a document, in order.

    Examples
    --------
    >>> texts_hash(["ab", "c"]) == texts_hash(["a", "bc"])
    False
    """
    return hashlib.blake2b(b"".join(map(text_hash, texts)), digest_size=16).hexdigest()


def files_hash(paths: Iterable[Path], below: Path) -> str:
    """Return one SHA-256 of several files and their names, independent of their order."""
    named = {path.relative_to(below).as_posix(): file_hash(path) for path in paths}
    lines = "".join(f"{named[name]}  {name}\n" for name in sorted(named))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
