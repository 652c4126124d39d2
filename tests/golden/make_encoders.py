"""Write data/minilm_fp32.json and data/mpnet_fp32.json: vectors in float32, by sentence-transformers itself.

Run where torch is: ``python tests/golden/make_encoders.py minilm FOLDER``, or ``mpnet`` and its folder. The folder holds the
upstream model; the sha256 of its model.safetensors begins as in `WEIGHTS`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

WEIGHTS = {
    "minilm": "all-MiniLM-L6-v2, model.safetensors 53aa51172d142c89",
    "mpnet": "all-mpnet-base-v2, model.safetensors 78c0197b6159d926",
}
TEXTS = [
    "The cat sat on the mat.",
    "A cat was sitting on a rug.",
    "Stock markets fell sharply on Monday.",
    "Shares lost value at the start of the week.",
    "",
    "a",
    "Hello, how may I help you today?",
    "I'd like to book a table for two, please.",
    "The café's façade — naïve, they said — cost $1,200.50!",
    "Die Sitzung beginnt um neun Uhr.",
    "東京 is the capital of 日本.",
    "In the first part of ROBINSON CRUSOE, at page one hundred and twenty-nine, you will find it thus written:",
    "supercalifragilisticexpialidocious antidisestablishmentarianism",
    "E = mc^2; f(x) = 3x + 1, for all x > 0.",
    "um, yeah, so, I mean, like, okay",
    "word " * 400,
]


def main() -> None:
    """Encode and write."""
    import sentence_transformers
    import torch

    name, folder = sys.argv[1:]
    texts = TEXTS if name == "minilm" else TEXTS[::3]  # its vectors are twice as long
    model = sentence_transformers.SentenceTransformer(folder, device="cpu", local_files_only=True)
    rows = model.encode(texts, batch_size=1, convert_to_numpy=True)
    found = {
        "tool": f"sentence-transformers {sentence_transformers.__version__}, torch {torch.__version__}",
        "weights": WEIGHTS[name],
        "texts": texts,
        "vectors": [[round(float(x), 7) for x in row] for row in rows],
    }
    path = Path(__file__).parent / "data" / f"{name}_fp32.json"
    path.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
