# SPDX-License-Identifier: Apache-2.0
"""Settings of a model from the files of its folder: pooling, maximum length, normalisation.

The layout is that of the sentence-transformers hub: ``modules.json``, ``1_Pooling/config.json``,
``sentence_bert_config.json``, ``tokenizer_config.json``, ``config.json``. Each may be missing.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import msgspec

from caesura.encoders._model.hashing import files_hash
from caesura.errors import EncoderError
from caesura.strict_json import decode

__all__ = ["Settings", "read_json", "read_settings", "weights_hash"]

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
    files = [path for path in folder.rglob("*") if path.suffix in _SUFFIXES and path.is_file()]
    files = [path for path in files if not _is_other(path.relative_to(folder).parts)]
    if len(files) > _MOST_FILES:
        raise EncoderError(f"{folder} contains more than {_MOST_FILES} files; name the folder of one model")
    return files_hash(files, folder)


def _is_other(parts: tuple[str, ...]) -> bool:
    """Return whether a file is hidden, or holds the same weights in another format."""
    return parts[0] in ("onnx", "openvino") or any(part.startswith(".") for part in parts)


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
