# SPDX-License-Identifier: Apache-2.0
"""The nine trained systems of Ghinassi et al. 2024 on corpora at hand, and what metrics without a reference make of them.

Three heads (BiLSTM, SheikhBiLSTM, TransformerHead) on the vectors of three encoders (the included table, all-MiniLM-L6-v2,
all-mpnet-base-v2), trained by torch in five folds of documents: three folds to train, one to stop and to choose the threshold,
one to segment. Beside them stand the gold boundaries and nine random baselines.

``python -m studies.nine_systems.study run CORPUS...`` trains and scores (corpora are found through ``CAESURA_DATA``, the folders
``minilm`` and ``mpnet`` of weights through ``CAESURA_MODELS``) and writes ``studies/nine_systems/numbers.json``. Models and segmentations are
kept in ``build/nine-systems``, so that a run that was stopped goes on: ``build/nine-systems/CORPUS/outputs`` has one file of documents
with boundaries and scores for each system and ``gold.jsonl``, and ``python -m studies.nine_systems.study outputs CORPUS...`` writes them
without the rest. ``python -m studies.nine_systems.study readings CORPUS...`` adds readings that are missing, from the outputs that the package
has and the encoders whose weights are at hand, and trains nothing. ``python -m studies.nine_systems.study page`` makes ``docs/nine-systems.md`` from the numbers.
"""

from __future__ import annotations

import dataclasses
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from studies import corpora_folder

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
DATA = Path(__file__).with_name("numbers.json")
BUILD = ROOT / "build" / "nine-systems"
# The file, how many of its documents, and the most units that one of them may have.
CORPORA: dict[str, tuple[str, int, int]] = {
    "Choi 3-11": ("choi/choi_3_3-11.jsonl.gz", 100, 1000),
    "WikiSection-PT": ("wikisection_pt/wikisection_pt_disease_test_shared500.jsonl.gz", 500, 100),
    "Wiki-50": ("wiki50/wiki50_shared25.jsonl.gz", 25, 1000),
    "QMSum": ("qmsum/qmsum_test_academic_product.jsonl.gz", 29, 2000),
}
HEADS = (
    "BiLSTM(hidden=64, layers=1, batch=4, rate=0.003)",
    "SheikhBiLSTM(hidden=64, batch=4, rate=0.003)",
    "TransformerHead(hidden=64, batch=4, rate=0.001)",
)
ENCODERS = ("default", "minilm", "mpnet")
EPOCHS, PATIENCE, FOLDS, SEED = 15, 3, 5, 0
SPLICED = ("Wiki-50",)
"""Corpora with so few documents that heads begin with splices of those that they are trained on."""
SPLICES, SPLICE_EPOCHS, PIECES = 200, 4, (3, 8)
DENSITIES = (0.5, 2.0)
"""The least and the most boundaries that a threshold may give the fold that decides it, relative to what it has."""
FREE = ("SegReFree", "Silhouette", "ARPstd", "ARPcos", "ARPpair")
REFERENCE = ("Pk", "WindowDiff", "B")
SHOWN = (*REFERENCE, "W-F1", "BOR")
READINGS = ("all", "without baselines", "density removed", "systems only")
GOLD, NONE, UNTRAINED = "gold", "no boundaries", "VectorTiling"


class System(msgspec.Struct, forbid_unknown_fields=True):
    """The scores of one system on one corpus, and their skill, by metric; ``auc`` is as in `area`, if it has scores.

    Skill is 0 for as many boundaries in each document, placed at random, and 1 for the reference.
    """

    scores: dict[str, float]
    skill: dict[str, float]
    auc: float | None = None


class Found(msgspec.Struct, forbid_unknown_fields=True):
    """One corpus: its size, the systems, and Pearson's r by encoder, metric, reference metric and reading.

    ``known`` is the share of the units of a held-out fold whose text is also in a document that was trained on.
    """

    documents: int
    units: int
    known: float
    systems: dict[str, System]
    correlations: dict[str, dict[str, dict[str, dict[str, float | None]]]]


class Numbers(msgspec.Struct, forbid_unknown_fields=True):
    """What was measured, how, and by which vectors."""

    heads: list[str]
    encoders: dict[str, str]
    epochs: int
    patience: int
    folds: int
    seed: int
    versions: dict[str, str]
    corpora: dict[str, Found]


def spec(name: str) -> str:
    """Return an encoder as text; the folders of weights are found through ``CAESURA_MODELS``."""
    return name if name == "default" else f"numpy:{Path(os.environ['CAESURA_MODELS']) / name}"


def random_names(segments: float) -> list[str]:
    """Return the nine random baselines: a boundary with probability 1/k, k segments in the mean document, and 1/2 to 1/9."""
    return [f"random(p={1 / k:.6g})" for k in (segments, *range(2, 10))]


def run(names: Sequence[str]) -> None:
    """Train and score on these corpora, and write the numbers after each."""
    import torch

    import caesura as cz
    from caesura.encoders import encoder
    from caesura.scorers.trained import head

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    found = msgspec.json.decode(DATA.read_bytes(), type=Numbers) if DATA.exists() else None
    found = Numbers(
        heads=[str(head(name)) for name in HEADS],
        encoders={name: encoder(spec(name)).fingerprint for name in ENCODERS},
        epochs=EPOCHS,
        patience=PATIENCE,
        folds=FOLDS,
        seed=SEED,
        versions={"torch": str(torch.__version__), "caesura": cz.__version__},
        corpora=found.corpora if found else {},
    )
    for name in names:
        corpus = documents(name)
        found.corpora[name] = _corpus(corpus, outputs(name, corpus))
        order = {key: found.corpora[key] for key in CORPORA if key in found.corpora}
        found = msgspec.structs.replace(found, corpora=order)
        DATA.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


def documents(name: str) -> Any:
    """Return the documents of a corpus: the first ones that are not too long."""
    import caesura as cz

    file, number, longest = CORPORA[name]
    corpus = cz.load(corpora_folder() / file)
    return corpus.subset([document.id for document in corpus if document.n_units <= longest][:number])


def outputs(name: str, corpus: Any) -> dict[str, Any]:
    """Return the segmentations of all trained systems of a corpus; what is not there is trained and written."""
    import caesura as cz
    from caesura.scorers import Encoding

    folder = BUILD / name / "outputs"
    folder.mkdir(parents=True, exist_ok=True)
    cz.save(corpus, folder / "gold.jsonl", overwrite=True)
    systems = {}
    for encoder in ENCODERS:
        encoding = Encoding(spec(encoder))
        for head in HEADS:
            key = f"{head.split('(')[0]}, {encoder}"
            file = folder / f"{key.replace(', ', '-')}.jsonl"
            if not file.exists():
                made = _system(corpus, head, encoding, BUILD / name / encoder / head, spliced=name in SPLICED)
                cz.save(made, file)
            systems[key] = cz.load(file)
            print(name, key, flush=True)
    return systems


def _corpus(corpus: Any, systems: dict[str, Any]) -> Found:
    from caesura.corpus import Corpus
    from caesura.evaluation.evaluate import evaluate
    from caesura.segmentation import Segmentation
    from caesura.segmenters import segmenter

    scores = systems | {UNTRAINED: segmenter(UNTRAINED).segment(corpus)}
    areas = {name: area(corpus, each) for name, each in scores.items()}
    systems[GOLD] = corpus
    segments = 1 + len(corpus.flat.pos) / len(corpus)
    none = {NONE: Corpus([dataclasses.replace(each, segmentation=Segmentation(each.n_units)) for each in corpus])}
    evaluation = evaluate(corpus, scores | systems | none, SHOWN, baselines=random_names(segments), seed=SEED)
    skill = evaluation.skill(seed=SEED)
    rows = _correlations(corpus, systems, ENCODERS)
    return Found(
        len(corpus),
        int(corpus.flat.n_units.sum()),
        _known(corpus),
        {
            key: System(
                dict(row),
                {metric: one.skill for metric, one in skill.get(key, {}).items() if one.skill == one.skill},
                areas.get(key),
            )
            for key, row in evaluation.scores.items()
        },
        rows,
    )


def _correlations(corpus: Any, systems: dict[str, Any], encoders: Sequence[str]) -> dict[str, Any]:
    """Return Pearson's r over the systems, the gold among them, and the random ones: encoder, metric, reference metric, reading."""
    from caesura.evaluation.correlate.run import correlate

    made = correlate(
        corpus, systems, [*FREE, *REFERENCE], encoders=[spec(encoder) for encoder in encoders],
        baselines=random_names(1 + len(corpus.flat.pos) / len(corpus)), resamples=2, seed=SEED, check=False,
    )  # fmt: skip
    names = {spec(encoder): encoder for encoder in encoders}
    rows: dict[str, Any] = {encoder: {metric: {} for metric in FREE} for encoder in encoders}
    for row in made.facts.rows:
        cells = rows[names[row.encoder]][row.metric].setdefault(row.reference, {})
        cells[row.reading] = row.pearson.value
    return rows


def readings(names: Sequence[str]) -> None:
    """Add readings that are missing, from the outputs in the package and the encoders at hand; for others they stay empty."""
    from caesura_reproductions.data import Data
    from caesura_reproductions.paper_000.own_systems import packed_systems

    found = msgspec.json.decode(DATA.read_bytes(), type=Numbers)
    models = Path(os.environ.get("CAESURA_MODELS", "nowhere"))
    at_hand = [name for name in ENCODERS if name == "default" or (models / name).is_dir()]
    for name in names:
        corpus, systems = packed_systems(Data(Path(os.environ["CAESURA_DATA"])), name)
        made = _correlations(corpus, {**systems, GOLD: corpus}, at_hand)
        for encoder, metrics in found.corpora[name].correlations.items():
            for metric, references in metrics.items():
                for reference, cells in references.items():
                    new = made.get(encoder, {}).get(metric, {}).get(reference, {})
                    references[reference] = {r: cells[r] if r in cells else new.get(r) for r in READINGS}
        DATA.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
        print(name, flush=True)


def area(gold: Any, scored: Any) -> float:
    """Return the chance that a boundary has a higher score than another gap of its document, in the mean document.

    This is the area under the ROC curve; a tie counts one half.
    """
    import numpy as np

    found = []
    for document in gold:
        scores = np.array(scored[document.id].scores)
        of = np.isin(np.arange(1, document.n_units), document.segmentation.boundaries)
        if 0 < of.sum() < len(of):
            apart = scores[of][:, None] - scores[~of]
            found.append(((apart > 0) + (apart == 0) / 2).mean())
    return float(np.mean(found))


def folds(ids: Sequence[str], number: int, seed: int) -> list[list[str]]:
    """Return the ids of documents in folds of nearly equal size, drawn by a seed.

    >>> [len(fold) for fold in folds([str(n) for n in range(12)], 5, 0)]
    [3, 3, 2, 2, 2]
    """
    import numpy as np

    order = np.random.default_rng(seed).permutation(len(ids))
    return [[ids[place] for place in order[start::number]] for start in range(number)]


def splits(ids: Sequence[str]) -> list[tuple[list[str], list[str], list[str]]]:
    """Return for each fold the documents to train on, those that decide when to stop, and the fold itself."""
    cut = folds(ids, FOLDS, SEED)
    found = []
    for number, test in enumerate(cut):
        held = cut[(number + 1) % FOLDS]
        found.append(([key for fold in cut for key in fold if fold not in (test, held)], held, test))
    return found


def _known(corpus: Any) -> float:
    shared, units = 0, 0
    for rest, _, test in splits(corpus.ids):
        seen = {unit for document in corpus.subset(rest) for unit in document.units}
        read = [unit for document in corpus.subset(test) for unit in document.units]
        shared += sum(unit in seen for unit in read)
        units += len(read)
    return shared / units


def _system(corpus: Any, head: str, encoding: Any, folder: Path, *, spliced: bool) -> Any:
    """Return the corpus with the boundaries of a head that was trained on other folds, and on splices of them first."""
    from caesura.corpus import Corpus
    from caesura.evaluation.inputs import Source
    from caesura.scorers.trained import load_model
    from caesura.segmenters import ScoreThenSelect
    from caesura.training import Config, train
    from caesura.training.config import Splicing, Supervision
    from caesura.training.data import make_data

    first = Splicing(documents=SPLICES, pieces=PIECES, control=1, epochs=SPLICE_EPOCHS if spliced else 0)
    config = Config(scorer=head, seed=SEED, patience=PATIENCE, stage1=first, stage2=Supervision(epochs=EPOCHS))
    made: dict[str, Any] = {}
    for number, (rest, held, test) in enumerate(splits(corpus.ids)):
        parts = [{"all": Source(corpus.subset(ids), "all")} for ids in (rest, held, test)]
        where = folder / f"fold-{number + 1}"
        where.parent.mkdir(parents=True, exist_ok=True)
        if not (where / "model.json").exists():
            train(config, where, make_data(config, *parts), encoding=encoding)
        scorer = load_model(str(where))
        scored = ScoreThenSelect(scorer, "TopKSelector(k=1)").segment(corpus.subset(held), encoding=encoding)
        chosen = f"StaticSelector(threshold={best_threshold(corpus.subset(held), scored)!r})"
        for document in ScoreThenSelect(scorer, chosen).segment(corpus.subset(test), encoding=encoding):
            made[document.id] = document
    return Corpus([made[key] for key in corpus.ids])


def best_threshold(gold: Any, scored: Any) -> float:
    """Return the threshold with the lowest Pk, among those that give from half to twice as many boundaries as the gold has."""
    import numpy as np

    from caesura.corpus import Corpus
    from caesura.evaluation.evaluate import evaluate
    from caesura.selectors.scores import FlatScores

    flat = FlatScores.from_corpus(scored, gold.ids)
    falling = np.sort(flat.scores)[::-1]
    counts = np.unique((np.linspace(*DENSITIES, 31) * len(gold.flat.pos)).round().astype(int))
    thresholds = np.unique([falling[min(max(count, 1), len(falling)) - 1] for count in counts])
    made = {
        str(number): Corpus.from_flat(gold.ids, boundaries, unit=gold.unit)
        for number, boundaries in enumerate(flat.at_thresholds(thresholds))
    }
    scores = evaluate(gold, made, ["Pk"]).scores
    return float(min(thresholds, key=lambda each: scores[str(thresholds.tolist().index(each))]["Pk"]))


def page() -> str:
    """Return the page, from the numbers."""
    from studies.nine_systems.page import page as written

    return written(msgspec.json.decode(DATA.read_bytes(), type=Numbers))


def main() -> None:
    """Run the part that is named."""
    if sys.argv[1:2] == ["run"]:
        run(sys.argv[2:] or list(CORPORA))
    elif sys.argv[1:2] == ["readings"]:
        readings(sys.argv[2:] or list(CORPORA))
    elif sys.argv[1:2] == ["outputs"]:
        for name in sys.argv[2:] or list(CORPORA):
            outputs(name, documents(name))
        return
    elif sys.argv[1:] != ["page"]:
        raise SystemExit("usage: python -m studies.nine_systems.study run | readings | outputs [CORPUS...] | page")
    (DOCS / "nine-systems.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
