# SPDX-License-Identifier: Apache-2.0
"""The folder of a model: where it is on this machine, and its settings (pooling, maximum length, normalisation).

Models are always opened from a folder, given or from the local cache of the Hugging Face hub, so that no library accesses the
network by itself. Downloads need permission, and leave out pickles.

The layout is that of the sentence-transformers hub: ``modules.json``, ``1_Pooling/config.json``,
``sentence_bert_config.json``, ``tokenizer_config.json``, ``config.json``. Each may be missing.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from caesura.encoders.base import EncoderKind, files_hash, foreign_errors
from caesura.errors import EncoderError, MissingExtraError, reason
from caesura.files import file_hash
from caesura.strict_json import decode

__all__ = ["Settings", "checked_folder", "opening", "read_json", "read_settings", "weights_hash"]

_WANTED = ["*.safetensors", "*.json", "*.txt", "*.model"]
_UNWANTED = ["onnx/*", "openvino/*"]
_PINNED = {
    "sentence-transformers/all-MiniLM-L6-v2": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "sentence-transformers/all-mpnet-base-v2": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
}
_LARGEST_JSON = 1 << 24
_LONGEST = 100_000  # tokens; libraries write 10^30 for "no limit"
_USUAL = 512
_MODES = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls", "pooling_mode_max_tokens": "max"}
_SUFFIXES = (".safetensors", ".json", ".txt", ".model")
_MOST_FILES = 1000


@dataclasses.dataclass(frozen=True)
class Settings:
    """How the vector of a sentence is computed from those of its tokens.

    ``pooling`` is ``mean``, ``cls`` (the first token) or ``max``; ``max_length`` counts special tokens; ``uncased`` says
    whether the tokenizer is that of the uncased BERT (None: the files do not say); ``ends`` are the tokens put before and
    after a text.
    """

    pooling: str = "mean"
    max_length: int = _USUAL
    normalized: bool = False
    uncased: bool | None = None
    ends: tuple[str, str] = ("[CLS]", "[SEP]")


def read_settings(folder: Path) -> Settings:
    """Read the settings from the files of a folder."""
    tokenizer = read_json(folder / "tokenizer_config.json")
    lengths = (
        read_json(folder / "sentence_bert_config.json").get("max_seq_length"),
        tokenizer.get("model_max_length"),
        read_json(folder / "config.json").get("max_position_embeddings"),
        _USUAL,
    )
    fitting = (n for n in lengths if isinstance(n, int) and not isinstance(n, bool) and 2 < n <= _LONGEST)
    return Settings(
        _pooling(folder),
        next(fitting),
        _normalized(folder),
        _uncased(tokenizer),
        (_token(tokenizer, "cls_token", "[CLS]"), _token(tokenizer, "sep_token", "[SEP]")),
    )


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a small JSON file; empty if there is no file."""
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST_JSON + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise EncoderError(f"{path}: cannot be read ({error.strerror or error}); check the file") from None
    try:
        found = decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise EncoderError(f"{path} is not valid JSON ({error}); download it again") from None
    if isinstance(found, list):  # modules.json is a list
        return {"list": found}
    if not isinstance(found, dict):
        raise EncoderError(f"{path} does not contain an object; download it again")
    return found


def weights_hash(folder: Path) -> str:
    """Return a hash of the files that determine the vectors of a model: weights, settings, vocabulary."""
    found = [path for path in folder.rglob("*") if path.suffix in _SUFFIXES and path.is_file()]
    named = {path: path.relative_to(folder).parts for path in found}
    # Neither hidden files, nor the same weights in another format.
    files = [
        path
        for path, parts in named.items()
        if parts[0] not in ("onnx", "openvino") and not any(part.startswith(".") for part in parts)
    ]
    if len(files) > _MOST_FILES:
        raise EncoderError(f"{folder} contains more than {_MOST_FILES} files; name the folder of one model")
    return files_hash(files, folder)


def _pooling(folder: Path) -> str:
    path = folder / "1_Pooling" / "config.json"
    config = read_json(path)
    if "pooling_mode" in config:
        chosen = [config["pooling_mode"]]
    else:
        chosen = [_MODES.get(key, key) for key, on in config.items() if key.startswith("pooling_mode_") and on is True]
    if not chosen:
        return "mean"
    if len(chosen) > 1 or chosen[0] not in _MODES.values():
        raise EncoderError(
            f"{path}: pooling {', '.join(map(str, chosen))} is not supported; it must be mean, cls or max"
        )
    return str(chosen[0])


def _uncased(tokenizer: dict[str, object]) -> bool | None:
    """Return whether a tokenizer lowers texts and removes accents, as the uncased BERT does."""
    lower, accents = tokenizer.get("do_lower_case"), tokenizer.get("strip_accents")
    if lower is False or accents is False or tokenizer.get("tokenize_chinese_chars") is False:
        return False
    return True if lower is True else None


def _token(tokenizer: dict[str, object], key: str, usual: str) -> str:
    found = tokenizer.get(key, usual)
    return str(found.get("content", usual) if isinstance(found, dict) else found)


def _normalized(folder: Path) -> bool:
    kinds = [
        str(module.get("type")).rpartition(".")[2]
        for module in read_json(folder / "modules.json").get("list", [])
        if isinstance(module, dict)
    ]
    unknown = [kind for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]
    if unknown:
        raise EncoderError(
            f"{folder / 'modules.json'}: the module {unknown[0]} is not supported; open the model with st:"
        )
    return "Normalize" in kinds


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
