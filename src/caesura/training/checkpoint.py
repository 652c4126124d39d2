# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: after every epoch, what a killed run needs to go on as if nothing had happened.

The tensors of an epoch are a file of their own, and ``checkpoint.json`` names the one that counts. It is written last and the
older one removed after it, so that a kill at any moment leaves one whole checkpoint.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import msgspec

from caesura._version import __version__
from caesura.encoders.safetensors import SafetensorsFile, safetensors_bytes
from caesura.errors import EncoderError, FormatError
from caesura.files import write_atomically
from caesura.limits import CONTENT
from caesura.results import as_text
from caesura.results.train.facts import StageFacts
from caesura.scorers.trained.head import Tensors
from caesura.scorers.trained.model import file_bytes
from caesura.strict_json import decode

__all__ = ["CHECKPOINT", "Checkpoint", "CheckpointStore"]

SCHEMA = "caesura.checkpoint/1"
CHECKPOINT = "checkpoint.json"
"""The file whose presence says that a run has not ended."""
_LARGEST = 1 << 24


class Checkpoint(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """How far a run is: the stages with their epochs so far; the last one goes on if it is not ``over``."""

    schema: str = SCHEMA
    caesura: str = __version__
    recipe: str
    stages: list[StageFacts]
    over: bool = False
    file: str = ""
    sha256: str = ""


class CheckpointStore:
    """The checkpoint in a folder, of a run whose configuration and documents have the hash ``recipe``."""

    def __init__(self, folder: Path, recipe: str) -> None:
        self._folder, self.recipe = folder, recipe

    def read(self) -> tuple[Checkpoint, Tensors] | None:
        """Return the checkpoint and its tensors, or None; refuse one that is damaged, or of another configuration or version."""
        path = self._folder / CHECKPOINT
        if not path.exists():
            return None
        again = "go on with what wrote it, or start over with --force (overwrite=True)"
        data = file_bytes(path, _LARGEST, again)
        try:
            found = decode(data, Checkpoint)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise FormatError(f"is not a checkpoint of this version; {again}", path) from None
        if (found.schema, found.caesura) != (SCHEMA, __version__):
            raise FormatError(f"was written by Caesura {found.caesura}, and this is {__version__}; {again}", path)
        if found.recipe != self.recipe:
            raise FormatError(f"belongs to another configuration, encoder or other documents; {again}", path)
        tensors = self._folder / Path(found.file).name
        try:
            whole = hashlib.sha256(file_bytes(tensors, CONTENT.value, again)).hexdigest() == found.sha256
            file = SafetensorsFile(tensors)
            read = {name: file.member(name).read() for name in file.names()} if whole else {}
        except (EncoderError, FormatError):
            whole, read = False, {}
        if not whole:
            raise FormatError("is not the file that checkpoint.json names; start over with --force", tensors)
        return found, read

    def write(self, checkpoint: Checkpoint, tensors: Tensors) -> None:
        """Write a checkpoint in the place of the one before."""
        data = safetensors_bytes(tensors)
        last = checkpoint.stages[-1]
        name = f"checkpoint-{last.stage}-{len(last.epochs)}{'-over' if checkpoint.over else ''}.safetensors"
        write_atomically(self._folder / name, data)
        known = msgspec.structs.replace(checkpoint, file=name, sha256=hashlib.sha256(data).hexdigest())
        write_atomically(self._folder / CHECKPOINT, (as_text(known) + "\n").encode())
        self._clear(name)

    def remove_other(self) -> None:
        """Remove a checkpoint that this run cannot go on from."""
        try:
            self.read()
        except FormatError:
            self.remove()

    def remove(self) -> None:
        """Remove the checkpoint, once the model is written or a run starts over."""
        (self._folder / CHECKPOINT).unlink(missing_ok=True)
        self._clear(None)

    def _clear(self, kept: str | None) -> None:
        for path in self._folder.glob("checkpoint-*.safetensors"):
            if path.name != kept:
                with contextlib.suppress(OSError):
                    path.unlink()
