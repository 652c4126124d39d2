# SPDX-License-Identifier: Apache-2.0
"""The included weights of Support, and what they are worth on corpora they were not trained on.

``python -m studies.placement.support run FOLDER`` reads fourteen corpora (found through ``CAESURA_DATA``) into FOLDER, one file each,
so that a run that was stopped goes on; trains the weights on those whose licence allows it; and writes
``src/caesura/metrics/cohesion/support.json`` and ``studies/placement/support.json``. `table` is for docs/placement.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from caesura.corpus import Corpus
from caesura.evaluation.validate.systems import REAL_SYSTEMS
from caesura.metrics.cohesion._gaps import FEATURES, UNTRAINED
from caesura.metrics.cohesion.support import LISTS, TERMS, Source, Terms, Weights, weights_bytes
from caesura.results.validate.facts import DAMAGES
from caesura.scorers import Encoding
from caesura.segmenters import segmenter
from caesura.training.metric import Examples, examples, fit, noticed
from studies.placement.variants import parts, systems
from studies.validity.study import CORPORA, table

DATA = Path(__file__).with_name("support.json")
INCLUDED = Path(__file__).resolve().parents[2] / "src/caesura/metrics/cohesion/support.json"
SOURCES: dict[str, tuple[str, str]] = {
    "TIAGE": ("MIT", "github.com/HuiyuanXie/tiage"),
    "SuperDialseg": ("MIT", "github.com/Coldog2333/SuperDialseg"),
    "MultiWOZ": ("MIT", "MultiWOZ 2.1, github.com/thu-coai/ConvLab-2"),
    "QMSum": ("MIT", "github.com/Yale-LILY/QMSum"),
    "TinyRec": ("Apache-2.0", "github.com/AugmendTech/treeseg"),
    "Taskmaster": ("CC BY 4.0", "github.com/google-research-datasets/Taskmaster"),
    "Topical-Chat": ("CDLA-Sharing-1.0", "github.com/alexa/Topical-Chat"),
    "Wiki-50": ("CC BY-SA 3.0", "Wikipedia, by github.com/Ighina/DeepTiling"),
    "Wiki-300": ("CC BY-SA 3.0", "Wikipedia, by github.com/pinkeshbadjatiya/neuralTextSegmentation"),
    "WikiSection disease": ("CC BY-SA 3.0", "Wikipedia, in Portuguese, by github.com/MaiRodrigues/SpokenNLP"),
    "WikiSection city": ("CC BY-SA 3.0", "Wikipedia, in Portuguese, by github.com/MaiRodrigues/SpokenNLP"),
}
"""The corpora that weights are trained on, with licences. Choi (research only), DailyDialog (non-commercial) and DialSeg711 (no licence
at its first publication) are only judged."""
SISTERS = {"DialSeg711": "MultiWOZ"}
METRICS = ("Placement", "Placement(of='both')", "Placement(of='gaps')", "Support")
TRAINED, RANKED, RESAMPLES = 120, 40, 1000
MOST = 500  # units of a document that segmenters are run on


class Judged(msgspec.Struct, forbid_unknown_fields=True):
    """What one metric makes of one corpus.

    Shares of documents by perturbation, with the interval of the worst; the same after shuffling; rank correlations with Pk, B and W-F1
    over fifteen systems, and over eight real ones; and the share of documents and real systems in which gold is above.
    """

    shares: dict[str, float]
    worst: tuple[float, float, float]
    blind: dict[str, float]
    tau: list[float]
    tau_real: list[float]
    above: float


Numbers = dict[str, dict[str, Judged]]
"""Corpus to metric; "oracle" knows gold."""


def read(name: str, folder: Path) -> dict[str, Any]:
    """Return what is known of a corpus, from the folder if it is there."""
    file = folder / f"{name}.npz"
    if not file.exists():
        seen, fresh = parts(name)
        corpus, encoding = Corpus([*seen, *fresh]), Encoding("default")
        fields: dict[str, Any] = {"n": len(corpus)}
        runs = {
            "train": examples(corpus.subset(corpus.ids[:TRAINED]), encoding),
            "all": examples(corpus, encoding, draws=10, systems=False),
            "blind": examples(corpus.subset(corpus.ids[:RANKED]), encoding, draws=10, shuffled=True),
        }
        for run, of in runs.items():
            fields |= {f"{run} {field}": getattr(of, field) for field in Examples.__dataclass_fields__}
        fields |= _ranked(corpus, encoding)
        np.savez_compressed(file, **fields)
        print(name, len(corpus), flush=True)
    stored = np.load(file)
    return {key: stored[key] for key in stored.files}


def _ranked(corpus: Corpus, encoding: Encoding) -> dict[str, Any]:
    """Return terms and reference scores of the fifteen systems and the real ones: system x document x (terms, scores)."""
    import caesura as cz

    some = corpus.subset([d.id for d in corpus if d.n_units <= MOST][:RANKED])
    made = systems(some) | {name: segmenter(name).segment(some, encoding=encoding) for name in REAL_SYSTEMS}
    scored = cz.evaluate(some, made, metrics=["Pk", "B", "W-F1"])
    scores = [[scored.per_document(name, metric) for metric in ("Pk", "B", "W-F1")] for name in made]
    encoding.prepare(some)
    terms, oracle = [], []
    for document in some:
        known = Terms(encoding.vectors(document), document.units, document.speakers, shared=True)
        gold = made["gold"][document.id].segmentation.boundaries  # type: ignore[union-attr]
        flags = np.isin(np.arange(1, document.n_units), gold).astype(float)
        flags -= flags.mean()
        cuts = [of[document.id].segmentation.positions for of in made.values()]  # type: ignore[union-attr]
        terms.append([known.of(cut) for cut in cuts])
        m = document.n_units - 1
        scale = [np.sqrt(len(c) * (m - len(c)) / (m - 1)) if 0 < len(c) < m else np.inf for c in cuts]
        oracle.append([flags[c - 1].sum() / (flags.std() or 1.0) / s for c, s in zip(cuts, scale, strict=True)])
    return {
        "systems": np.array(list(made)),
        "terms": np.array(terms).transpose(1, 0, 2).astype(np.float32),
        "oracle": np.array(oracle).T,
        "scores": np.array(scores),
    }


def _examples(stored: Mapping[str, Any], run: str) -> Examples:
    return Examples(*(stored[f"{run} {field}"] for field in Examples.__dataclass_fields__))


def _untrained() -> dict[str, Any]:
    """Return the weights of the metrics that were not learned."""
    vectors, both, gaps = np.zeros((3, len(TERMS)))
    vectors[-2], both[-2:], gaps[: len(FEATURES)] = 1.0, 1.0, UNTRAINED
    return dict(zip(METRICS, (vectors, both, gaps), strict=False))


def judge(stored: Mapping[str, Any], weights: Any) -> Judged:
    """Return what weights make of a corpus."""
    every = _examples(stored, "all")
    shares = noticed(every, weights)
    values = np.einsum("sdt,t->sd", stored["terms"], weights)
    return Judged(
        {kind: round(share, 4) for kind, share in shares.items()}, _interval(every, weights),
        {kind: round(share, 4) for kind, share in noticed(_examples(stored, "blind"), weights).items()},
        *_rankings(stored, values),
    )  # fmt: skip


def _interval(of: Examples, weights: Any) -> tuple[float, float, float]:
    """Return the worst of six, and its bootstrap interval over documents."""
    margin = of.apart @ weights
    right = np.where(np.abs(margin) < 1e-9, 0.5, margin > 0)
    size = int(of.documents.max()) + 1
    cell = of.kinds * size + of.documents
    times = np.bincount(cell, minlength=len(DAMAGES) * size).reshape(-1, size)
    mean = np.bincount(cell, right, minlength=len(DAMAGES) * size).reshape(-1, size) / np.maximum(times, 1)
    drawn = np.random.default_rng(0).integers(0, size, (RESAMPLES, size))
    there = (times > 0).astype(float)
    worst = [(mean[:, d].sum(1) / np.maximum(there[:, d].sum(1), 1)).min() for d in drawn]
    low, high = np.quantile(worst, (0.025, 0.975))
    return round(float((mean.sum(1) / there.sum(1)).min()), 4), round(float(low), 4), round(float(high), 4)


def _rankings(stored: Mapping[str, Any], values: Any) -> tuple[list[float], list[float], float]:
    from scipy.stats import kendalltau

    real = np.isin(stored["systems"], REAL_SYSTEMS)
    good = stored["scores"].mean(axis=2) * np.array([-1.0, 1.0, 1.0])
    tau, only = (
        [round(float(kendalltau(values[some].mean(axis=1), good[some, j]).statistic), 4) for j in range(3)]
        for some in (~real, real)
    )
    gold = values[list(stored["systems"]).index("gold")]
    differs = stored["scores"][real][:, 2] < 1 - 1e-9
    above = np.where(np.abs(gold - values[real]) < 1e-9, 0.5, gold > values[real])[differs]
    return tau, only, round(float(above.mean()), 4)


def run(folder: Path) -> None:
    """Measure, and write the weights and the numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    known = {name: read(name, folder) for name in CORPORA}
    every, plain = np.ones(len(TERMS), dtype=bool), np.array([term not in LISTS for term in TERMS])
    train = {name: _examples(known[name], "train") for name in SOURCES}

    def learned(without: str, used: Any) -> Any:
        return fit([train[name] for name in SOURCES if name not in (without, SISTERS.get(without))], used)

    numbers: Numbers = {}
    for name, stored in known.items():
        numbers[name] = {metric: judge(stored, weights) for metric, weights in _untrained().items()}
        numbers[name]["Support"] = judge(stored, learned(name, plain if name.startswith("WikiSection") else every))
        oracle = Judged({}, (1.0, 1.0, 1.0), {}, *_rankings(stored, stored["oracle"]))
        numbers[name]["oracle"] = oracle
    DATA.write_bytes(msgspec.json.format(msgspec.json.encode(numbers), indent=1) + b"\n")
    source = Encoding("default").source
    named = [
        {term: float(f"{value:.5g}") for term, value in zip(TERMS, learned("", used), strict=True) if value}
        for used in (every, plain)
    ]
    weights = Weights(
        encoder=source.name, fingerprint=source.fingerprint, english=named[0], other=named[1],
        sources=[
            Source(name=name, documents=min(TRAINED, int(known[name]["n"])), licence=licence, origin=origin)
            for name, (licence, origin) in SOURCES.items()
        ],
        settings={"l2": 0.02, "draws": 3, "documents": TRAINED, "system_pairs": 0.05, "seed": 0},
        left_out={name: of["Support"].shares for name, of in numbers.items()},
        blind={name: of["Support"].blind for name, of in numbers.items()},
    )  # fmt: skip
    INCLUDED.write_bytes(weights_bytes(weights))
    print(summary())


def summary() -> str:
    """Return the table of all metrics, means over corpora, for the page."""
    numbers = msgspec.json.decode(DATA.read_bytes(), type=Numbers)

    def mean(metric: str, value: Callable[[Judged], float]) -> float:
        return float(np.mean([value(of[metric]) for of in numbers.values()]))

    def rows() -> Iterator[list[str]]:
        for metric in METRICS:
            yield [
                f"`{metric}`", *(f"{100 * mean(metric, lambda j, kind=kind: j.shares[kind]):.1f}" for kind in DAMAGES),
                f"**{100 * mean(metric, lambda j: j.worst[0]):.1f}**",
                f"{100 * mean(metric, lambda j: float(np.mean(list(j.shares.values())))):.1f}",
            ]  # fmt: skip

    return table(["metric", *DAMAGES, "worst of six", "mean of six"], list(rows()))


def rankings() -> str:
    """Return rank correlations and gold above real systems, means over corpora, and the range of shares after shuffling."""
    numbers = msgspec.json.decode(DATA.read_bytes(), type=Numbers)
    rows = []
    for metric in (*METRICS, "oracle"):
        of = [each[metric] for each in numbers.values()]
        blind = [float(np.mean([j.blind[kind] for j in of])) for kind in DAMAGES] if of[0].blind else []
        rows.append([
            f"`{metric}`", *(f"{value:.2f}" for value in np.mean([j.tau for j in of], axis=0)),
            *(f"{value:.2f}" for value in np.mean([j.tau_real for j in of], axis=0)),
            f"{100 * np.mean([j.above for j in of]):.0f} %",
            f"{100 * min(blind):.0f} to {100 * max(blind):.0f} %" if blind else "",
        ])  # fmt: skip
    titles = ["metric", "Pk", "B", "W-F1", "real: Pk", "real: B", "real: W-F1", "gold above a real system", "blind"]
    return table(titles, rows)


def corpora() -> str:
    """Return the worst of six by corpus, with its interval."""
    numbers = msgspec.json.decode(DATA.read_bytes(), type=Numbers)
    rows = [
        [name, *(f"{100 * w[0]:.0f} ({100 * w[1]:.0f} to {100 * w[2]:.0f})" for w in (of[m].worst for m in METRICS))]
        for name, of in numbers.items()
    ]
    return table(["corpus", *(f"`{metric}`" for metric in METRICS)], rows)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "run":
        raise SystemExit("usage: python -m studies.placement.support run FOLDER")
    run(Path(sys.argv[2]))
