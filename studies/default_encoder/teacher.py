"""The teacher: all-MiniLM-L6-v2 in torch, mean of the last layer, length one."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["LONGEST", "WIDTH", "Teacher"]

WIDTH = 384
"""Numbers in a teacher vector."""

_CHUNK = 20_000

LONGEST = 256
"""Word pieces the model was trained to read; longer texts are cut, as its own configuration does."""


class Teacher:
    """MiniLM read from a folder with ``model.safetensors`` and ``tokenizer.json``."""

    def __init__(self, folder: Path, threads: int = 2) -> None:
        import torch
        from tokenizers import Tokenizer
        from transformers import AutoModel

        torch.set_num_threads(threads)
        self._torch = torch
        self.tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST)
        self.model: Any = AutoModel.from_pretrained(str(folder), local_files_only=True).eval()

    def encode(self, texts: list[str], budget: int = 2048) -> np.ndarray:
        """Vectors of texts, float32 (n, 384), batches of equal length so that nothing is padded."""
        return self.encode_ids(self.numbers(texts), budget)

    def encode_ids(self, ids: list[list[int]], budget: int = 2048) -> np.ndarray:
        """Vectors of texts that are word piece numbers already, ``[CLS]`` and ``[SEP]`` included."""
        torch = self._torch
        vectors = np.empty((len(ids), WIDTH), dtype=np.float32)
        lengths = np.array([len(row) for row in ids])
        for length in np.unique(lengths):
            rows = np.flatnonzero(lengths == length)
            step = max(1, budget // int(length))
            for start in range(0, len(rows), step):
                chosen = rows[start : start + step]
                batch = torch.tensor([ids[row] for row in chosen])
                with torch.inference_mode():
                    states = self.model(input_ids=batch, attention_mask=torch.ones_like(batch)).last_hidden_state
                    pooled = torch.nn.functional.normalize(states.mean(1), dim=1)
                vectors[chosen] = pooled.numpy()
        return vectors

    def kept(self, ids: list[list[int]], work: Path) -> np.ndarray:
        """Vectors of texts as `encode_ids` gives them, kept on disk chunk by chunk as half floats."""
        chunks = []
        for first in range(0, len(ids), _CHUNK):
            part = ids[first : first + _CHUNK]
            file = work / f"teacher-{hashlib.sha256(repr(part).encode()).hexdigest()[:16]}.npy"
            if not file.is_file():
                np.save(file, self.encode_ids(part, 8192).astype(np.float16))
            chunks.append(np.load(file).astype(np.float32))
        return np.vstack(chunks)

    def numbers(self, texts: list[str]) -> list[list[int]]:
        """Word piece numbers of texts, ``[CLS]`` and ``[SEP]`` included."""
        return [coded.ids for coded in self.tokenizer.encode_batch(texts)]
