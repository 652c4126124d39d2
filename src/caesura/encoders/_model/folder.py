# SPDX-License-Identifier: Apache-2.0
"""The folder of a model: where it is on this machine, and its settings (pooling, maximum length, normalisation).

Models are always opened from a folder, given or from the local cache of the Hugging Face hub, so that no library accesses the
network by itself. Downloads need permission, and leave out pickles. A library sees a fresh folder with the weights, settings and
vocabularies of the model, after its settings are checked: it finds no code, and nothing that asks for code.

The layout is that of the sentence-transformers hub: ``modules.json``, ``1_Pooling/config.json``,
``sentence_bert_config.json``, ``tokenizer_config.json``, ``config.json``. Each may be missing.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from caesura.encoders.base import EncoderKind, files_hash
from caesura.errors import EncoderError, MissingExtraError, reason
from caesura.files import file_hash
from caesura.foreign import foreign_code
from caesura.strict_json import decode

__all__ = ["Settings", "checked_folder", "opening", "read_json", "read_settings", "refuse_code", "weights_hash"]

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
_VOCABULARIES = ("tokenizer.json", "vocab.json")  # large, and read as tables of words only
_MODULES = (
    "Transformer", "Pooling", "Normalize", "Dense", "LayerNorm", "Dropout", "StaticEmbedding", "WeightedLayerPooling",
)  # fmt: skip
_REVISION = re.compile(r"[\w.-]+(/[\w.-]+)*")


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
    data = _small(path)
    return {} if data is None else _decoded(path, data)


def _small(path: Path) -> bytes | None:
    """Return the content of a small file, or None if there is none."""
    try:
        with path.open("rb") as stream:
            return stream.read(_LARGEST_JSON + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise EncoderError(f"{path}: cannot be read ({error.strerror or error}); check the file") from None


def _decoded(path: Path, data: bytes) -> dict[str, Any]:
    try:
        found = decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise EncoderError(f"{path} is not valid JSON ({error}); download it again") from None
    if isinstance(found, list):  # modules.json is a list
        return {"list": found}
    if not isinstance(found, dict):
        raise EncoderError(f"{path} does not contain an object; download it again")
    return found


def refuse_code(path: Path, data: bytes) -> None:
    """Refuse a file of settings by which a library would run code, or open another model than that of the folder."""
    if path.name == "adapter_config.json":
        raise EncoderError(f"{path} adapts another model, which is not opened; merge the adapter into the weights")
    if path.name in _VOCABULARIES:
        return
    if len(data) > _LARGEST_JSON:
        raise EncoderError(f"{path} has more than {_LARGEST_JSON:,} bytes, as no settings have; download it again")
    found = _decoded(path, data)
    pending: list[object] = [found]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            for key, item in value.items():
                if _asks_for_code(key, item):
                    raise EncoderError(
                        f"{path} names code that comes with the model ({key}: {str(item)[:60]!r}), which is never run; choose a "
                        "model without its own code, or encode with it yourself and give the vectors (npz:FILE)"
                    )
        inside = value.values() if isinstance(value, dict) else value
        pending += [each for each in inside if isinstance(each, (dict, list))]  # type: ignore[attr-defined]
    for module in found.get("list", []) if path.name == "modules.json" else []:
        kind, where = (str(module.get(key, "")) if isinstance(module, dict) else "" for key in ("type", "path"))
        if not kind.startswith("sentence_transformers.") or kind.rpartition(".")[2] not in _MODULES:
            raise EncoderError(
                f"{path}: the module {kind[:60]!r} is not one of sentence-transformers that is known to run no other code "
                f"({', '.join(_MODULES)}); choose another model"
            )
        if ".." in PurePosixPath(where).parts or Path(where).is_absolute():
            raise EncoderError(f"{path}: the module {kind} lies outside the folder ({where[:60]!r}); download it again")


def _asks_for_code(key: str, item: object) -> bool:
    """Return whether a library would import or fetch code because of an entry; a number is that of a word in a vocabulary."""
    if key in ("auto_map", "trust_remote_code"):
        return item is True or isinstance(item, (str, list, dict))
    if key.endswith("_implementation"):  # of attention, as a kernel on the hub
        return "/" in str(item)
    if key == "activation_function":  # of a dense module: any class that can be imported
        return isinstance(item, str) and "." in item and not item.startswith("torch.nn.")
    if key == "weight_map":  # files of weights
        return not isinstance(item, dict) or any(
            not re.fullmatch(r"[\w.-]+\.safetensors", str(at)) for at in item.values()
        )
    return False


def weights_hash(folder: Path) -> str:
    """Return a hash of the files that determine the vectors of a model: weights, settings, vocabulary."""
    return files_hash(_model_files(folder), folder)


def _model_files(folder: Path) -> list[Path]:
    """Return the files of a model of the kinds that no library runs: weights, settings, vocabulary."""
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
    return files


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
    """Return the folder of a model, given a folder, or a name on the hub with or without a revision."""
    folder = Path(where).expanduser()
    if folder.is_dir():
        return folder
    name, at, revision = where.partition("@")
    if at and not _REVISION.fullmatch(revision):
        raise EncoderError(f"{spec}: {revision!r} is no revision; write NAME@REVISION with a commit, a tag or a branch")
    if where.startswith((".", "/", "~")) or name.count("/") > 1:
        raise EncoderError(f"{spec}: the folder {folder} does not exist; check the name")
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import LocalEntryNotFoundError
    except ImportError:
        raise MissingExtraError(spec, "torch") from None
    try:
        snapshot = snapshot_download(
            name,
            revision=revision or None,
            local_files_only=not allow_download,
            allow_patterns=_WANTED,
            ignore_patterns=_UNWANTED,
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
def opening(name: str, folder: Path) -> Iterator[Path]:
    """Yield a fresh folder with the files of a model for transformers to open; its progress bars are hidden, its errors one line.

    Settings are copied after they are checked, so that what is read is what was checked; weights and vocabularies are linked.
    """
    with tempfile.TemporaryDirectory(prefix="caesura-", ignore_cleanup_errors=True) as made:
        for path in _model_files(folder):
            target = Path(made) / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".json" and path.name not in _VOCABULARIES:
                data = _small(path) or b""
                refuse_code(path, data)
                target.write_bytes(data)
                continue
            try:
                target.symlink_to(path.resolve())
            except OSError:  # Windows without the right to link
                shutil.copyfile(path, target)
        try:
            from transformers.utils import logging
        except ImportError:
            raise MissingExtraError(name, "torch") from None
        shown = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()
        try:
            with foreign_code(f"{name}: the model cannot be opened", "download it again"):
                yield Path(made)
        finally:
            if shown:
                logging.enable_progress_bar()
