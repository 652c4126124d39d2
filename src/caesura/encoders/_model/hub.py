# SPDX-License-Identifier: Apache-2.0
"""A model's folder on this machine: as named, or from the local store of the Hugging Face hub.

Whatever is opened is opened from a folder, so that no library asks the network by itself. Fetching takes a word of the user,
and leaves out pickles.
"""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from caesura.errors import EncoderError, MissingExtraError
from caesura.files import file_hash

__all__ = ["check_installed", "check_pins", "local_folder", "quietly"]

_WANTED = ["*.safetensors", "*.json", "*.txt", "*.model"]
_UNWANTED = ["onnx/*", "openvino/*"]
_PINNED = {
    "sentence-transformers/all-MiniLM-L6-v2": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}


def check_installed(module: str, spec: str) -> None:
    """Say what to install before a model is looked for; finding a module is quick, importing torch is not."""
    try:
        found = importlib.util.find_spec(module) is not None
    except ValueError:  # a module that was taken out of reach
        found = False
    if not found:
        raise MissingExtraError(spec, "torch")


def local_folder(where: str, spec: str, *, allow_download: bool) -> Path:
    """Return the folder of a model.

    Parameters
    ----------
    where : str
        A folder, or a name of the hub.
    spec : str
        What was asked for, for messages.
    allow_download : bool
        Whether a model that is not on this machine may be fetched.
    """
    folder = Path(where).expanduser()
    if folder.is_dir():
        return folder
    if where.startswith((".", "/", "~")) or where.count("/") > 1:
        raise EncoderError(f"{spec}: there is no folder {folder}; check the name")
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import LocalEntryNotFoundError
    except ImportError:
        raise MissingExtraError(spec, "torch") from None
    try:
        return Path(
            snapshot_download(
                where,
                local_files_only=not allow_download,
                allow_patterns=_WANTED,
                ignore_patterns=_UNWANTED,
            )
        )
    except LocalEntryNotFoundError:
        hint = (
            "check the network" if allow_download else "allow downloads (--allow-download), or name a folder"
        )
        raise EncoderError(f"{spec}: the model is not on this machine; {hint}") from None
    except Exception as error:  # faults of names, networks, disks: one line whichever
        reason = " ".join(str(error).split())[:200]
        raise EncoderError(f"{spec}: the model cannot be had ({reason}); check the name") from None


def check_pins(where: str, folder: Path, spec: str, sha256: str) -> None:
    """Refuse weights that are pickles, or whose hash is not the one pinned by us or by the spec."""
    weights = sorted(folder.glob("*.safetensors"))
    if not weights:
        raise EncoderError(f"{spec}: {folder} holds no .safetensors; pickled weights are not opened")
    wanted = [pin for pin in (_PINNED.get(where, ""), sha256) if pin]
    for pin in wanted:
        found = [file_hash(path) for path in weights]
        if not any(digest.startswith(pin) for digest in found):
            raise EncoderError(
                f"{spec}: {weights[0].name} has sha256 {found[0][:16]}…, but {pin[:16]}… is pinned; "
                "these are not the weights meant, get them again or correct the pin"
            )


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Keep the bars that transformers draws while it opens weights off the screen; afterwards all is as it was."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
