"""Write data/minilm_fp32.json: vectors of all-MiniLM-L6-v2 in float32, by sentence-transformers itself.

Run where torch is: ``python tests/golden/make_minilm.py FOLDER``, FOLDER holding the upstream model, whose
model.safetensors has sha256 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

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

    model = sentence_transformers.SentenceTransformer(sys.argv[1], device="cpu", local_files_only=True)
    rows = model.encode(TEXTS, batch_size=1, convert_to_numpy=True)
    found = {
        "tool": f"sentence-transformers {sentence_transformers.__version__}, torch {torch.__version__}",
        "weights": "all-MiniLM-L6-v2, model.safetensors 53aa51172d142c89",
        "texts": TEXTS,
        "vectors": [[round(float(x), 7) for x in row] for row in rows],
    }
    path = Path(__file__).parent / "data" / "minilm_fp32.json"
    path.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
