# SPDX-License-Identifier: Apache-2.0
"""The folder of a trained scorer: ``model.safetensors`` with the weights, ``model.json`` with the card.

A head that reads text saves its settings and its tokenizer with them. A model may come from an untrusted source: only regular
files that the card names are read, within limits, and the weights must match it by hash, name and shape. Nothing is
unpickled.
"""

from __future__ import annotations

import hashlib
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from caesura._version import __version__
from caesura.encoders.safetensors import SafetensorsFile, safetensors_bytes
from caesura.errors import EncoderError, FormatError
from caesura.files import write_atomically
from caesura.limits import CONTENT
from caesura.results import Number, as_text
from caesura.scorers.trained.head import Tensors
from caesura.strict_json import RepeatedKeyError, decode

__all__ = [
    "CARD",
    "SCHEMA",
    "WEIGHTS",
    "DataFacts",
    "ModelCard",
    "check_files",
    "file_bytes",
    "read_card",
    "read_tensors",
    "write_model",
]

SCHEMA = "caesura.model/1"
CARD, WEIGHTS = "model.json", "model.safetensors"
_LARGEST_CARD = 1 << 24
_LARGEST_FILE = 1 << 26
_FILE_NAME = re.compile(r"[A-Za-z0-9_-]+\.(json|txt|model)")


class DataFacts(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Documents on which a model was trained or scored: their role, file and number."""

    role: str
    name: str
    documents: int
    gaps: int
    boundaries: int
    file: str | None = None
    sha256: str | None = None


class ModelCard(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The training of a model, and its scores.

    ``head`` is the head as text, ``encoder`` and ``fingerprint`` name the encoder of its vectors, of dimension ``dim``; they
    are empty and 0 for a head that reads text. ``files`` maps other files of the folder to their hashes. Scores are sigmoid(logit / ``temperature``), and ``selector`` chooses from
    them. ``scores`` maps a dataset to system to metric: those of the role ``test`` are home, all others abroad.
    """

    schema: str = SCHEMA
    caesura: str = __version__
    head: str
    weights: str = ""
    files: dict[str, str] = msgspec.field(default_factory=dict)
    encoder: str = ""
    fingerprint: str = ""
    dim: int = 0
    temperature: float = 1.0
    selector: str = "StaticSelector"
    seed: int = 0
    data: list[DataFacts] = msgspec.field(default_factory=list)
    scores: dict[str, dict[str, dict[str, Number]]] = msgspec.field(default_factory=dict)
    notes: list[str] = msgspec.field(default_factory=list)


def file_bytes(path: Path, largest: int, what: str) -> bytes:
    """Return the content of a regular file, within a limit; ``what`` is the advice if it is missing or invalid."""
    regular, data = False, b""
    try:
        regular = stat.S_ISREG(path.stat().st_mode)  # opening a pipe would block
        if regular:
            with path.open("rb") as stream:
                data = stream.read(largest + 1)
    except FileNotFoundError:
        raise FormatError(f"there is no such file; {what}", path) from None
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); {what}", path) from None
    except ValueError:  # a null character in the name
        raise FormatError(f"is not a valid file name; {what}", path) from None
    if not regular:
        raise FormatError(f"is not a regular file; {what}", path)
    if len(data) > largest:
        raise FormatError(f"has more than {largest:,} bytes; {what}", path)
    return data


def read_card(folder: Path) -> ModelCard:
    """Read the card of a model."""
    path = folder / CARD
    data = file_bytes(path, _LARGEST_CARD, "name a folder that caesura train wrote")
    try:
        about = decode(data, dict[str, Any])
        if about.get("schema") != SCHEMA:
            raise FormatError(
                f"is a model of the version {about.get('schema')!r}, and this Caesura reads {SCHEMA!r}; train it again",
                path,
            )
        card: ModelCard = msgspec.convert(about, ModelCard)
    except RepeatedKeyError as error:
        raise FormatError(str(error), path, error.line) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"is not the card of a model ({error}); train it again", path) from None
    if not 0 < card.temperature < float("inf"):
        raise FormatError(f"has the temperature {card.temperature}; it must be above 0, so train it again", path)
    return card


def read_tensors(path: Path, shapes: Mapping[str, tuple[int, ...]], sha256: str) -> Tensors:
    """Read the weights of a model, which must have these shapes and this hash."""
    # The header is read first, so that a wrong one is refused without reading the file.
    largest = CONTENT.value
    if path.is_file() and path.stat().st_size > largest:
        raise FormatError(CONTENT.refusal("has weights of more than"), path)
    digest = hashlib.sha256(file_bytes(path, largest, "train the model again")).hexdigest()
    if digest != sha256:
        raise FormatError(f"has sha256 {digest[:16]}…, and its card names {sha256[:16]}…; train it again", path)
    tensors: dict[str, npt.NDArray[Any]] = {}
    try:
        file = SafetensorsFile(path)
        members = {name: file.member(name) for name in file.names()}
        if {name: member.shape for name, member in members.items()} != dict(shapes):
            raise FormatError("does not have the tensors of its head; train the model again", path)
        tensors = {name: member.read() for name, member in members.items()}
    except EncoderError as error:
        raise FormatError(str(error).removeprefix(f"{path}").lstrip(":, "), path) from None
    if not all(np.isfinite(tensor).all() for tensor in tensors.values()):
        raise FormatError("holds NaN or infinity; train the model again", path)
    return tensors


def check_files(folder: Path, card: ModelCard) -> None:
    """Raise unless the files are those that the card names, by hash."""
    for name, sha256 in card.files.items():
        if not _FILE_NAME.fullmatch(name) or name == CARD:
            raise FormatError(f"names the file {name!r}, which no model has; train it again", folder / CARD)
        data = file_bytes(folder / name, _LARGEST_FILE, "train the model again")
        if hashlib.sha256(data).hexdigest() != sha256:
            raise FormatError("is not the file that the card of the model names; train it again", folder / name)


def write_model(folder: Path, card: ModelCard, tensors: Tensors, files: Mapping[str, bytes] | None = None) -> ModelCard:
    """Write a model into a folder, and return its card with the hashes of the weights and of other files.

    The card is written last, so that a killed run leaves no card that does not match the weights.
    """
    data = safetensors_bytes(tensors)
    others = {name: content for name, content in (files or {}).items() if _FILE_NAME.fullmatch(name)}
    written = msgspec.structs.replace(
        card,
        weights=hashlib.sha256(data).hexdigest(),
        files={name: hashlib.sha256(content).hexdigest() for name, content in others.items()},
    )
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise FormatError(
            f"cannot be created as a folder ({error.strerror or error}); choose another name", folder
        ) from None
    for name, content in others.items():
        write_atomically(folder / name, content)
    write_atomically(folder / WEIGHTS, data)
    write_atomically(folder / CARD, (as_text(written) + "\n").encode())
    return written
