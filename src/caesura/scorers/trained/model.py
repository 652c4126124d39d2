# SPDX-License-Identifier: Apache-2.0
"""``model:FOLDER``: a trained scorer, which gives the calibrated probability of a boundary at each gap.

The folder holds ``model.safetensors`` with the weights and ``model.json`` with the card; a head that reads text saves its
settings and its tokenizer with them. A model may come from an untrusted source: only regular files that the card names are
read, within limits, and the weights must match it by hash, name and shape. A head sees copies of them in a fresh folder. Nothing is
unpickled, and settings that name code are refused.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from caesura._version import __version__
from caesura.declare import Card
from caesura.encoders.hf import refuse_code
from caesura.encoders.safetensors import SafetensorsFile, safetensors_bytes
from caesura.errors import CaesuraError, EncoderError, FormatError, MissingExtraError, shareable
from caesura.files import write_atomically
from caesura.limits import CONTENT
from caesura.results import Number, as_text
from caesura.scorers.base import SCORERS, Scorer
from caesura.scorers.features import Encoding, Features, Floats
from caesura.scorers.trained.head import Head, Logits, Tensors, head
from caesura.strict_json import RepeatedKeyError, decode

__all__ = ["ModelCard", "TrainedScorer", "load_model", "scorer", "write_model"]

_SCHEMA = "caesura.model/1"
CARD, _WEIGHTS = "model.json", "model.safetensors"
_LARGEST_CARD = 1 << 24
_LARGEST_FILE = 1 << 26
_FILE_NAME = re.compile(r"[A-Za-z0-9_-]+\.(json|txt|model)")
PREFIX = "model:"


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

    schema: str = _SCHEMA
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


def _read_card(folder: Path) -> ModelCard:
    """Read the card of a model."""
    path = folder / CARD
    data = file_bytes(path, _LARGEST_CARD, "name a folder that caesura train wrote")
    try:
        about = decode(data, dict[str, Any])
        if about.get("schema") != _SCHEMA:
            raise FormatError(
                f"is a model of the version {about.get('schema')!r}, and this Caesura reads {_SCHEMA!r}; train it again",
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


def _read_tensors(path: Path, shapes: Mapping[str, tuple[int, ...]], sha256: str) -> Tensors:
    """Read the weights of a model, which must have these shapes and this hash."""
    if path.is_file() and path.stat().st_size > CONTENT.value:
        raise FormatError(CONTENT.refusal("has weights of more than"), path)
    digest = hashlib.sha256(file_bytes(path, CONTENT.value, "train the model again")).hexdigest()
    if digest != sha256:
        raise FormatError(f"has sha256 {digest[:16]}…, and its card names {sha256[:16]}…; train it again", path)
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


def _copy_files(folder: Path, card: ModelCard, fresh: Path) -> None:
    """Copy the files that the card names, by hash, into a fresh folder; refuse those by which a library would run code."""
    for name, sha256 in card.files.items():
        if not _FILE_NAME.fullmatch(name) or name == CARD:
            raise FormatError(f"names the file {name!r}, which no model has; train it again", folder / CARD)
        data = file_bytes(folder / name, _LARGEST_FILE, "train the model again")
        if hashlib.sha256(data).hexdigest() != sha256:
            raise FormatError("is not the file that the card of the model names; train it again", folder / name)
        if name.endswith(".json"):
            refuse_code(folder / name, data)
        (fresh / name).write_bytes(data)


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
    write_atomically(folder / _WEIGHTS, data)
    write_atomically(folder / CARD, (as_text(written) + "\n").encode())
    return written


@dataclasses.dataclass(frozen=True, eq=False)
class TrainedScorer(Scorer):
    """A scorer from a folder written by ``caesura train``; it prints as ``model:FOLDER``."""

    folder: str
    model: ModelCard
    head: Head
    logits: Logits = dataclasses.field(repr=False)

    card = Card(title="a trained scorer", citation="Coen, When F1 fails", equation="section 5.2")

    @property
    def needs_vectors(self) -> bool:  # type: ignore[override]
        """Whether the head reads vectors."""
        return self.head.needs_vectors

    def __str__(self) -> str:
        return PREFIX + self.folder

    def gap_scores(self, features: Features) -> Floats:
        """Return the probability of a boundary at each gap: sigmoid(logit / temperature)."""
        if features.n_units < 2:
            return np.empty(0)
        if self.needs_vectors:
            self.check_encoder(features.encoding)
        logits = self.logits(features) / self.model.temperature
        return np.asarray(np.exp(-np.logaddexp(0.0, -logits)))

    def check_encoder(self, encoding: Encoding) -> None:
        """Raise for an encoder other than the one that the head was trained with."""
        source = encoding.source
        if source.fingerprint != self.model.fingerprint:
            same = shareable(source.name) == self.model.encoder
            raise EncoderError(
                f"{self} was trained on the vectors of {self.model.encoder} ({self.model.fingerprint}), not on those of "
                f"{source.name} ({source.fingerprint}); "
                + ("train it again" if same else f"name its encoder: --encoder {self.model.encoder}")
            )


def load_model(folder: str) -> TrainedScorer:
    """Return the trained scorer of a folder; refuse one that is no model, was damaged, or belongs to another version."""
    path = Path(folder)
    card = _read_card(path)
    with tempfile.TemporaryDirectory(prefix="caesura-") as made:
        fresh = Path(made)
        _copy_files(path, card, fresh)
        try:
            model_head = head(card.head)
            shapes = model_head.shapes(card.dim, fresh)
        except MissingExtraError:
            raise
        except CaesuraError as error:
            raise FormatError(f"names an invalid head ({error}); train the model again", path / CARD) from None
        tensors = _read_tensors(path / _WEIGHTS, shapes, card.weights)
        return TrainedScorer(folder, card, model_head, model_head.ready(tensors, fresh))


def scorer(text: str) -> Scorer:
    """Return a scorer by its name and parameters, such as ``"BlockDepth(window=6)"``, or a trained one: ``"model:FOLDER"``."""
    if text.strip().startswith(PREFIX):
        return load_model(text.strip().removeprefix(PREFIX))
    return SCORERS.parse(text)
