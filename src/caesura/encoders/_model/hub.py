# SPDX-License-Identifier: Apache-2.0
"""The folder of a model on this machine: a given one, or from the local cache of the Hugging Face hub.

Models are always opened from a folder, so that no library accesses the network by itself. Downloads need permission, and
leave out pickles.
"""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from caesura.encoders.base import EncoderKind, foreign_errors
from caesura.errors import EncoderError, MissingExtraError, reason
from caesura.files import file_hash

__all__ = ["checked_folder", "opening"]

_WANTED = ["*.safetensors", "*.json", "*.txt", "*.model"]
_UNWANTED = ["onnx/*", "openvino/*"]
_PINNED = {
    "sentence-transformers/all-MiniLM-L6-v2": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "sentence-transformers/all-mpnet-base-v2": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
}


def checked_folder(kind: EncoderKind, where: str, module: str, *, allow_download: bool) -> Path:
    """Return the folder of a model whose weights are checked and whose library is installed."""
    try:
        # Finding a module is fast; importing torch is not.
        installed = importlib.util.find_spec(module) is not None
    except ValueError:  # a module that was made unavailable
        installed = False
    if not installed:
        raise MissingExtraError(kind.spec, "torch")
    folder = _local_folder(where, kind.spec, allow_download=allow_download)
    _check_pins(where, folder, kind)
    return folder


def _local_folder(where: str, spec: str, *, allow_download: bool) -> Path:
    """Return the folder of a model, given a folder or a name on the hub."""
    folder = Path(where).expanduser()
    if folder.is_dir():
        return folder
    if where.startswith((".", "/", "~")) or where.count("/") > 1:
        raise EncoderError(f"{spec}: the folder {folder} does not exist; check the name")
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import LocalEntryNotFoundError
    except ImportError:
        raise MissingExtraError(spec, "torch") from None
    try:
        snapshot = snapshot_download(
            where, local_files_only=not allow_download, allow_patterns=_WANTED, ignore_patterns=_UNWANTED
        )
    except LocalEntryNotFoundError:
        hint = "check the network" if allow_download else "allow downloads (--allow-download), or name a folder"
        raise EncoderError(f"{spec}: the model is not on this machine; {hint}") from None
    except Exception as error:  # names, networks, disks: any error in one line
        raise EncoderError(f"{spec}: the model cannot be downloaded ({reason(error)}); check the name") from None
    return Path(snapshot)


def _check_pins(where: str, folder: Path, kind: EncoderKind) -> None:
    """Refuse weights that are pickles, or whose hash is not the one pinned by us or by the spec."""
    weights = sorted(folder.glob("*.safetensors"))
    if not weights:
        raise EncoderError(f"{kind.spec}: {folder} contains no .safetensors; pickled weights are not opened")
    for pin in filter(None, (_PINNED.get(where), kind.sha256)):
        digests = [file_hash(path) for path in weights]
        if not any(digest.startswith(pin) for digest in digests):
            kind.check_hash(digests[0], weights[0].name, pin)


@contextlib.contextmanager
def opening(name: str) -> Iterator[None]:
    """Hide the progress bars of transformers while it opens weights, and turn its errors into one line."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        with foreign_errors(f"{name}: the model cannot be opened", "download it again"):
            yield
    finally:
        if shown:
            logging.enable_progress_bar()
