# SPDX-License-Identifier: Apache-2.0
"""Trained scorers within and across datasets, beside what needs no training; and whether one of them deserves to be shipped.

``python -m studies.training.study run`` trains and scores (corpora are found through ``CAESURA_DATA``) and writes ``studies/training/numbers.json``;
what is there already is kept, so remove what is to be measured again. It takes about half an hour on two cores.
``python -m studies.training.study torch`` does the same for what torch trains, within an hour; a run that was stopped goes on from its
checkpoint in ``build/training``. ``python -m studies.training.study page`` makes ``docs/train.md`` from that file.
"""

from __future__ import annotations

import functools
import os
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from caesura.results.train.facts import DatasetFacts, StageFacts
from studies import corpora_folder
from studies.training.curves import Curve, curves

DOCS = Path(__file__).resolve().parents[2] / "docs"
DATA = Path(__file__).with_name("numbers.json")
BUILD = DOCS.parent / "build" / "training"
# The file, the documents to train on and to score, and whether a scorer may be shipped that was trained on it.
DATASETS: dict[str, tuple[str, int, int, bool]] = {
    "TIAGE": ("tiage/tiage_train.jsonl.gz", 60, 100, True),
    "MultiWOZ": ("multiwoz/multiwoz21_test_multidomain.jsonl.gz", 60, 100, True),
    "Topical-Chat": ("topical_chat/topicalchat_concat_test_freq.jsonl.gz", 50, 50, True),
    "Taskmaster": ("taskmaster/taskmaster_concat_tm3_tm4.jsonl.gz", 50, 50, True),
    "SuperDialseg": ("superdialseg/superseg_test.jsonl.gz", 60, 100, False),
    "DialSeg711": ("dialseg711/dialseg711_shared500.jsonl.gz", 60, 100, False),
    "QMSum": ("qmsum/qmsum_test_academic_product.jsonl.gz", 5, 5, False),
    "WikiSection-PT": ("wikisection_pt/wikisection_pt_disease_test_shared500.jsonl.gz", 20, 30, False),
}
WITHIN = {"QMSum": 24}
"""Datasets with so few documents that, within, all that are not scored are trained on."""
TEST_FILES = {"TIAGE": "tiage/tiage_test.jsonl.gz"}
HEADS = {
    "windows": "WindowHead(parts='means,differences,products')",
    "windows and similarities": "WindowHead",
    "similarities": "WindowHead(parts='similarities', hidden=8, l2=0.001, iterations=20)",
}
SHOWN = ("windows", "windows and similarities")
EDGES = ("DialSeg711", "MultiWOZ", "Taskmaster")
"""Datasets that are also measured without the first and last units of segments."""
TORCH = {
    "BiLSTM": "BiLSTM(hidden=64, layers=1, batch=4, rate=0.003)",
    "SheikhBiLSTM": "SheikhBiLSTM(hidden=64, batch=4, rate=0.003)",
    "TransformerHead": "TransformerHead(hidden=64, batch=4, rate=0.001)",
    "cross-encoder": "CrossEncoder(model='{minilm}', rate=5e-5, pooling='windows', pairs=2660)",
}
"""Trained by torch; all-MiniLM-L6-v2 is the folder ``minilm`` in ``CAESURA_MODELS``."""
CROSS, CROSS_HOME = "all of TIAGE", ("SuperDialseg", "TIAGE")
"""Trained in three stages on all training dialogues of TIAGE, and those of SuperDialseg."""
_LONG = 40  # letters of an utterance that two corpora share only if one was copied


class Run(msgspec.Struct, forbid_unknown_fields=True):
    """One training: the head, how it was trained, the dataset it was scored on, the stages and the scores."""

    head: str
    how: str
    dataset: str
    facts: DatasetFacts
    stages: list[StageFacts]
    size: int


class Streamed(msgspec.Struct, forbid_unknown_fields=True):
    """A scorer with frozen windows on one dataset: W-F1 of the stream and of the best gaps, mean delay in units, regret."""

    dataset: str
    scores: str
    w_f1: float
    static_w_f1: float
    delay: float
    rate: float


class Numbers(msgspec.Struct, forbid_unknown_fields=True):
    """Everything that was measured, by key."""

    documents: dict[str, list[int]] = msgspec.field(default_factory=dict)
    dropped: int = 0
    runs: dict[str, Run] = msgspec.field(default_factory=dict)
    streams: dict[str, Streamed] = msgspec.field(default_factory=dict)
    curves: list[Curve] = msgspec.field(default_factory=list)


def run() -> None:
    """Measure what the file of numbers does not have, and write it after each training."""
    warnings.simplefilter("ignore")
    found = _numbers() if DATA.exists() else Numbers()
    parts = _datasets(found)
    open_names = [name for name, facts in DATASETS.items() if facts[3]]
    for label in SHOWN:
        for name in DATASETS:
            _trained(found, _at_home(parts, name), label, "within", name, [name])
            _trained(found, parts, label, "leave one out", name, [other for other in DATASETS if other != name])
    for label in HEADS:
        for name in open_names:
            _trained(found, parts, label, "development", name, [other for other in open_names if other != name])
    for label, name in ((SHOWN[0], "DialSeg711"), *((SHOWN[1], name) for name in EDGES)):
        _trained(found, parts, label, "without edges", name, [name], trim=1)
    held = [name for name in DATASETS if name not in open_names]
    _trained(found, parts, chosen_head(found), "candidate", held[0], open_names, others=held[1:])
    _trained(found, parts, "windows and similarities", "as in the paper", "TIAGE", ["SuperDialseg", "TIAGE"])


def run_torch(labels: Sequence[str]) -> None:
    """Measure what torch trains: a cross-encoder in the manner of the paper, and heads on vectors within and across."""
    import torch

    import caesura as cz
    from caesura.training.config import Splicing, Supervision

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for label in labels:
        found = _numbers()
        parts = _datasets(found)
        if label == "cross-encoder":
            parts["TIAGE"] = cz.load(_folder() / DATASETS["TIAGE"][0]), parts["TIAGE"][1]
            few = {"stage1": Splicing(documents=210, epochs=1), "stage2": Supervision(epochs=2)}
            for each in (label, SHOWN[1]):
                _trained(
                    found,
                    parts,
                    each,
                    CROSS,
                    "TIAGE",
                    list(CROSS_HOME),
                    others=[name for name in DATASETS if name != "TIAGE"],
                    changes=few,
                )
            continue
        for name in DATASETS:
            others = [other for other in DATASETS if other != name]
            _trained(found, _at_home(parts, name), label, "within", name, [name])
            _trained(found, parts, label, "leave one out", name, others)


class _Remembering:
    """The included encoder; a text is encoded once for all runs."""

    def __init__(self) -> None:
        from caesura.encoders import encoder

        self._inner, self._known = encoder("default"), dict[str, Any]()
        self.name, self.dim, self.normalized = self._inner.name, self._inner.dim, self._inner.normalized
        self.fingerprint = self._inner.fingerprint

    def encode(self, texts: Sequence[str]) -> Any:
        """Return one vector per text."""
        import numpy as np

        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(fresh, self._inner.encode(fresh), strict=True))
        return np.array([self._known[text] for text in texts]).reshape(len(texts), self.dim)


@functools.cache
def _encoder() -> _Remembering:
    return _Remembering()


def _encoding() -> Any:
    from caesura.scorers import Encoding

    return Encoding(_encoder(), cache=False)


def _numbers() -> Numbers:
    return msgspec.json.decode(DATA.read_bytes(), type=Numbers)


def _write(found: Numbers) -> None:
    DATA.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


def _folder() -> Path:
    return corpora_folder()


def _datasets(found: Numbers) -> dict[str, tuple[Any, Any]]:
    """Return documents to train on and to score, by dataset."""
    import caesura as cz

    folder = _folder()
    parts = {}
    copied = _long_utterances(cz.load(folder / DATASETS["MultiWOZ"][0]))
    for name, (file, train, test, _) in DATASETS.items():
        corpus = cz.load(folder / file)
        if name == "DialSeg711":  # it was made of MultiWOZ dialogues, among others
            kept = [d.id for d in corpus if not copied & _long_utterances([d])]
            found.dropped, corpus = len(corpus) - len(kept), corpus.subset(kept)
        other = cz.load(folder / TEST_FILES[name]) if name in TEST_FILES else corpus
        parts[name] = corpus.subset(corpus.ids[:train]), other.subset(other.ids[-test:])
        found.documents[name] = [len(part) for part in parts[name]]
    return parts


def _at_home(parts: dict[str, tuple[Any, Any]], name: str) -> dict[str, tuple[Any, Any]]:
    """Return the documents to train on and to score within a dataset."""
    import caesura as cz

    if name not in WITHIN:
        return parts
    corpus = cz.load(_folder() / DATASETS[name][0])
    return {**parts, name: (corpus.subset(corpus.ids[: WITHIN[name]]), parts[name][1])}


def _long_utterances(documents: Any) -> set[str]:
    texts = (re.sub(r"[^a-z0-9]", "", unit.lower()) for document in documents for unit in document.units)
    return {text for text in texts if len(text) > _LONG}


def _without_edges(corpus: Any) -> Any:
    """Return documents without the first and the last unit of every segment of four units or more."""
    import dataclasses
    import itertools

    from caesura.corpus import Corpus
    from caesura.segmentation import Segmentation

    made = []
    for document in corpus:
        edges = [0, *document.segmentation.boundaries, document.n_units]
        pieces = [
            document.units[a + 1 : b - 1] if b - a > 3 else document.units[a:b] for a, b in itertools.pairwise(edges)
        ]
        units = tuple(unit for piece in pieces for unit in piece)
        gold = Segmentation.from_masses([len(piece) for piece in pieces], unit=document.unit)
        made.append(
            dataclasses.replace(
                document,
                n_units=len(units),
                units=units,
                segmentation=gold,
                speakers=None,
                unit_times=None,
                hierarchy=(),
            )
        )
    return Corpus(made, name=corpus.name)


def _trained(
    found: Numbers,
    parts: Any,
    label: str,
    how: str,
    dataset: str,
    names: list[str],
    trim: int = 0,
    others: Sequence[str] = (),
    changes: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Train on some datasets and score on one, or on others too, unless that was done."""
    from caesura.evaluation.inputs import Source
    from caesura.training import Config, train
    from caesura.training.config import Splicing
    from caesura.training.data import make_data

    if f"{label}, {how}, {dataset}" in found.runs:
        return
    scorer = (HEADS | TORCH)[label].replace("{minilm}", os.environ.get("CAESURA_MODELS", ".") + "/minilm")
    config = Config(**{"scorer": scorer, "stage1": Splicing(documents=200), **changes})
    changed = _without_edges if trim else (lambda corpus: corpus)
    sources = {name: Source(changed(parts[name][0]), name) for name in names}
    abroad = {name: Source(parts[name][1], name) for name in others}
    test = {dataset: Source(changed(parts[dataset][1]), dataset)}
    data = make_data(config, sources, test=test, abroad=abroad)
    folder = BUILD / f"{label}, {how}, {dataset}"
    BUILD.mkdir(parents=True, exist_ok=True)
    made = train(config, folder, data, encoding=_encoding(), overwrite=True)
    size = (folder / "model.safetensors").stat().st_size
    if how == "as in the paper":
        _streamed(found, parts, str(folder))
        found.curves = curves(parts, str(folder), _encoding(), _folder())
    for name, facts in zip([dataset, *others], made.facts.datasets, strict=True):
        found.runs[f"{label}, {how}, {name}"] = Run(label, how, name, facts, made.facts.stages, size)
        scores = (f"{system} {facts.equal[system]['W-F1']:.3f}" for system in facts.equal)
        print(label, how, name, *scores, flush=True)
    _write(found)


def _streamed(found: Numbers, parts: Any, folder: str) -> None:
    """Score streams: the adaptive selector on frozen windows that wait for one, two and four units, and on whole ones."""
    from caesura.segmenters import ScoreThenSelect
    from caesura.segmenters.run import run_method
    from caesura.selectors import AdaptiveSelector
    from caesura.tuning.streams import evaluate_stream

    for name in ("TIAGE", "SuperDialseg"):
        corpus = parts[name][1]
        rate = len(corpus.flat.pos) / int((corpus.flat.n_units - 1).sum())
        for after in (1, 2, 4, 0):
            scorer = f"Frozen(scorer='model:{folder}', before=8, after={after})" if after else f"model:{folder}"
            made = run_method(corpus, ScoreThenSelect(scorer, "TopKSelector(k=1)"), encoding=_encoding())
            selector = AdaptiveSelector(rate=round(rate, 3), horizon=3, threshold=0.3)
            summary = evaluate_stream(made, selector, corpus).stream.summary
            shown = f"frozen, {after} after" if after else "whole document, not online"
            delay = float(summary.delay_mean or 0) + max(after - 1, 0)
            found.streams[f"{name}, {after}"] = Streamed(
                name,
                shown,
                float(summary.score or 0),
                float(summary.static_score or 0),
                delay,
                float(summary.rate or 0),
            )


def mean_w_f1(found: Numbers, label: str, how: str, system: str = "trained") -> float:
    """Return the mean W-F1 at equal density over the datasets of one kind of run."""
    scores = [r.facts.equal[system]["W-F1"] or 0.0 for r in found.runs.values() if (r.head, r.how) == (label, how)]
    return sum(scores) / len(scores)


def chosen_head(found: Numbers) -> str:
    """Return the head that is best on the development datasets."""
    return max(HEADS, key=lambda label: mean_w_f1(found, label, "development"))


def page() -> str:
    """Return the page, from the numbers."""
    from studies.training.page import page as written

    return written(_numbers())


def main() -> None:
    """Run the part that is named."""
    if sys.argv[1:] == ["run"]:
        run()
    elif sys.argv[1:2] == ["torch"]:
        run_torch(sys.argv[2:] or list(TORCH))
    elif sys.argv[1:] != ["page"]:
        raise SystemExit("usage: python -m studies.training.study run | torch [HEAD...] | page")
    (DOCS / "train.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
