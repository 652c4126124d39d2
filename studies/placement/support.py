# SPDX-License-Identifier: Apache-2.0
"""The included weights of Support, and what they are worth on corpora they were not trained on.

``python -m studies.placement.support run FOLDER`` reads fourteen corpora (found through ``CAESURA_DATA``) into FOLDER, one file each,
so that a run that was stopped goes on; trains the weights on those whose licence allows it; and writes
``src/caesura/metrics/cohesion/support.json`` and ``studies/placement/support.json``. The tables are for docs/placement.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from caesura.training.metric import Examples, examples, fit, pairs
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
ORACLE = "oracle"
RANKED, RESAMPLES = 40, 1000
MOST = 500  # units of a document that segmenters are run on
OF_PAIRS, L2 = 0.15, 0.02
REFERENCES = ("Pk", "B", "W-F1")

Interval = tuple[float, float, float]
"""A value and its 95 % bootstrap interval over documents."""


class Judged(msgspec.Struct, forbid_unknown_fields=True):
    """What one metric makes of one corpus, or the mean over corpora.

    Shares of documents by perturbation, the worst of the six and their mean; the shares after shuffling; rank correlations with Pk, B and
    W-F1 over fifteen systems, and over eight real ones; and gold above a real system: share of documents, and of systems by their means.
    ``gain`` is the worst of six less that of ``Placement(of='both')``, ``of_oracle`` the three rank correlations as shares of the oracle's.
    """

    above: Interval
    above_means: Interval
    tau: list[Interval]
    tau_real: list[Interval]
    shares: dict[str, Interval] = {}
    worst: Interval | None = None
    mean: Interval | None = None
    blind: dict[str, Interval] = {}
    gain: Interval | None = None
    of_oracle: list[Interval] = []


class Numbers(msgspec.Struct, forbid_unknown_fields=True):
    """By corpus and metric, and means over corpora; "oracle" knows gold."""

    corpora: dict[str, dict[str, Judged]]
    means: dict[str, Judged]


def read(name: str, folder: Path) -> dict[str, Any]:
    """Return what is known of a corpus, from the folder if it is there."""
    file = folder / f"{name}.npz"
    if not file.exists():
        seen, fresh = parts(name)
        corpus, encoding = Corpus([*seen, *fresh]), Encoding("default")
        fields: dict[str, Any] = {"n": len(corpus)}
        runs = {
            "all": examples(corpus, encoding, draws=10, systems=False),
            "blind": examples(corpus.subset(corpus.ids[:RANKED]), encoding, draws=10, shuffled=True),
        }
        for run, of in runs.items():
            fields |= {f"{run} {field}": getattr(of, field) for field in Examples.__dataclass_fields__}
            fields[f"{run} apart"] = of.apart.astype(np.float32)
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
    scored = cz.evaluate(some, made, metrics=list(REFERENCES))
    scores = [[scored.per_document(name, metric) for metric in REFERENCES] for name in made]
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
    fields = {field: stored[f"{run} {field}"] for field in Examples.__dataclass_fields__}
    return Examples(**{**fields, "apart": fields["apart"].astype(np.float64)})


def all_of(stored: Mapping[str, Any]) -> Examples:
    """Return the perturbations of all documents of a corpus."""
    return _examples(stored, "all")


def with_pairs(stored: Mapping[str, Any]) -> Examples:
    """Return the examples of a corpus, with pairs of the outputs of all its systems."""
    of, rng = all_of(stored), np.random.default_rng(0)
    terms, scores = stored["terms"].astype(np.float64), stored["scores"][:, 2]
    found = [pairs(terms[:, row], scores[:, row], rng) for row in range(terms.shape[1])]
    found = [each for each in found if len(each[0])]
    apart, weights = (np.concatenate(each) for each in zip(*found, strict=True))
    return Examples(of.kinds, of.documents, of.apart, apart, weights / len(found))


def untrained() -> dict[str, Any]:
    """Return the weights of the metrics that were not learned."""
    vectors, both, gaps = np.zeros((3, len(TERMS)))
    vectors[-2], both[-2:], gaps[: len(FEATURES)] = 1.0, 1.0, UNTRAINED
    return dict(zip(METRICS, (vectors, both, gaps), strict=False))


# ---------------------------------------------------------------------- what weights are worth


class Drawn(msgspec.Struct):
    """The values of one metric on one corpus: first as they are, then in every resample of the documents."""

    shares: Any = None  # perturbations x draws
    blind: Any = None
    tau: Any = None  # reference metrics x draws
    tau_real: Any = None
    above: Any = None
    above_means: Any = None


def draw(stored: Mapping[str, Any], weights: Any) -> Drawn:
    """Return what a metric makes of a corpus, and of resamples of its documents; without weights, of the oracle."""
    oracle = weights is None
    values = stored["oracle"] if oracle else np.einsum("sdt,t->sd", stored["terms"], weights)
    out = Drawn()
    if not oracle:
        out.shares = shares(all_of(stored), weights)
        out.blind = shares(_examples(stored, "blind"), weights)
    names = list(stored["systems"])
    real, gold = np.isin(names, REAL_SYSTEMS), names.index("gold")
    drawn = _resamples(values.shape[1])
    good = stored["scores"] * np.array([-1.0, 1.0, 1.0])[:, None]
    mean, reference = values @ drawn.T, good @ drawn.T  # systems x draws, systems x metrics x draws
    out.tau, out.tau_real = (
        np.array([_kendall(mean[some], reference[some, j]) for j in range(len(REFERENCES))]) for some in (~real, real)
    )
    differs = (stored["scores"][real, 2] < 1 - 1e-9).astype(float)
    apart = values[gold] - values[real]
    wins = np.where(np.abs(apart) < 1e-9, 0.5, apart > 0) * differs
    out.above = (wins.sum(axis=0) @ drawn.T) / np.maximum(differs.sum(axis=0) @ drawn.T, 1e-12)
    out.above_means = (mean[gold] > mean[real]).mean(axis=0)
    return out


def _resamples(documents: int) -> Any:
    """Return how much each document counts: in all draws alike first, then as often as it was drawn."""
    drawn = np.random.default_rng(0).multinomial(documents, np.full(documents, 1 / documents), RESAMPLES)
    return np.vstack([np.ones(documents), drawn]) / documents


def shares(of: Examples, weights: Any) -> Any:
    """Return the share of documents by perturbation and draw in which gold scores better."""
    margin = of.apart @ weights
    right = np.where(np.abs(margin) < 1e-9, 0.5, margin > 0)
    size = int(of.documents.max()) + 1
    cell = of.kinds * size + of.documents
    times = np.bincount(cell, minlength=len(DAMAGES) * size).reshape(-1, size)
    mean = np.bincount(cell, right, minlength=len(DAMAGES) * size).reshape(-1, size) / np.maximum(times, 1)
    drawn = _resamples(size)
    return (mean @ drawn.T) / np.maximum((times > 0) @ drawn.T, 1e-12)


def _kendall(one: Any, other: Any) -> Any:
    """Return Kendall's tau-b of the columns of two tables."""
    left, right = (np.sign(np.round(each[:, None] - each[None], 12)) for each in (one, other))
    both = (left * right).sum(axis=(0, 1))
    return both / np.sqrt((left**2).sum(axis=(0, 1)) * (right**2).sum(axis=(0, 1)))


def interval(drawn: Any) -> Interval:
    """Return a value and its interval, from the value and its resamples."""
    low, high = np.quantile(drawn[1:], (0.025, 0.975))
    return round(float(drawn[0]), 4), round(float(low), 4), round(float(high), 4)


def summed(of: Sequence[Drawn], both: Sequence[Drawn], oracle: Sequence[Drawn]) -> Judged:
    """Return the mean over corpora of what one metric makes of each, resampled together."""

    def mean(value: Callable[[Drawn], Any]) -> Any:
        return np.mean([value(each) for each in of], axis=0)

    out = Judged(
        above=interval(mean(lambda d: d.above)),
        above_means=interval(mean(lambda d: d.above_means)),
        tau=[interval(row) for row in mean(lambda d: d.tau)],
        tau_real=[interval(row) for row in mean(lambda d: d.tau_real)],
    )
    if of[0].shares is not None:
        worst = mean(lambda d: d.shares.min(axis=0))
        out.shares = dict(zip(DAMAGES, map(interval, mean(lambda d: d.shares)), strict=True))
        out.worst, out.mean = interval(worst), interval(mean(lambda d: d.shares.mean(axis=0)))
        out.blind = dict(zip(DAMAGES, map(interval, mean(lambda d: d.blind)), strict=True))
        out.gain = interval(worst - np.mean([each.shares.min(axis=0) for each in both], axis=0))
        known = np.mean([each.tau for each in oracle], axis=0)
        out.of_oracle = [interval(row) for row in mean(lambda d: d.tau) / known]
    return out


def learned(
    train: Mapping[str, Examples], without: str, used: Any, *, of_pairs: float = OF_PAIRS, l2: float = L2
) -> Any:
    """Return weights that never saw a corpus, nor one made from it."""
    some = [train[name] for name in train if name not in (without, SISTERS.get(without))]
    return fit(some, used, l2=l2, of_pairs=of_pairs)


def everything() -> Any:
    """Return that all terms are used."""
    return np.ones(len(TERMS), dtype=bool)


def without_lists() -> Any:
    """Return which terms are used where the text is not English."""
    return np.array([term not in LISTS for term in TERMS])


def used_on(name: str) -> Any:
    """Return which terms are used on a corpus."""
    return without_lists() if name.startswith("WikiSection") else everything()


def run(folder: Path) -> None:
    """Measure, and write the weights and the numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    known = {name: read(name, folder) for name in CORPORA}
    train = {name: with_pairs(known[name]) for name in SOURCES}
    drawn: dict[str, list[Drawn]] = {metric: [] for metric in (*METRICS, ORACLE)}
    for name, stored in known.items():
        weights = untrained() | {"Support": learned(train, name, used_on(name)), ORACLE: None}
        for metric, each in weights.items():
            drawn[metric].append(draw(stored, each))
        print(name, flush=True)

    def judged(metric: str, rows: slice) -> Judged:
        return summed(drawn[metric][rows], drawn[METRICS[1]][rows], drawn[ORACLE][rows])

    numbers = Numbers(
        {name: {m: judged(m, slice(row, row + 1)) for m in drawn} for row, name in enumerate(known)},
        {metric: judged(metric, slice(None)) for metric in drawn},
    )
    DATA.write_bytes(msgspec.json.format(msgspec.json.encode(numbers), indent=1) + b"\n")
    source = Encoding("default").source
    named = [
        {term: float(f"{value:.5g}") for term, value in zip(TERMS, learned(train, "", used), strict=True) if value}
        for used in (everything(), without_lists())
    ]
    weights = Weights(
        encoder=source.name, fingerprint=source.fingerprint, english=named[0], other=named[1],
        sources=[
            Source(name=name, documents=int(known[name]["n"]), licence=licence, origin=origin)
            for name, (licence, origin) in SOURCES.items()
        ],
        settings={"l2": L2, "draws": 10, "system_pairs": OF_PAIRS, "seed": 0},
        left_out={name: _plain(of["Support"].shares) for name, of in numbers.corpora.items()},
        blind={name: _plain(of["Support"].blind) for name, of in numbers.corpora.items()},
    )  # fmt: skip
    INCLUDED.write_bytes(weights_bytes(weights))
    print(summary(), rankings(), sep="\n")


def _plain(of: Mapping[str, Interval]) -> dict[str, float]:
    return {kind: value[0] for kind, value in of.items()}


# ---------------------------------------------------------------------- the tables of the page


def stored() -> Numbers:
    """Return the stored numbers."""
    return msgspec.json.decode(DATA.read_bytes(), type=Numbers)


def percent(of: Interval | None, digits: int = 0) -> str:
    """Return a share and its interval in percent."""
    if of is None:
        return ""
    value, low, high = (f"{100 * each:.{digits}f}" for each in of)
    return f"{value} ({low} to {high})"


def _decimal(of: Interval) -> str:
    return f"{of[0]:.2f} ({of[1]:.2f} to {of[2]:.2f})"


def summary() -> str:
    """Return the table of all metrics, means over corpora, for the page."""
    means = stored().means

    def rows() -> Iterator[list[str]]:
        for metric in METRICS:
            of = means[metric]
            shares = [percent(of.shares[kind]) for kind in DAMAGES]
            yield [f"`{metric}`", *shares, f"**{percent(of.worst, 1)}**", percent(of.mean, 1)]

    return table(["metric", *DAMAGES, "worst of six", "mean of six"], list(rows()))


def rankings() -> str:
    """Return rank correlations and gold above real systems, means over corpora, and the range of shares after shuffling."""
    rows = []
    for metric in (*METRICS, ORACLE):
        of = stored().means[metric]
        blind = [value[0] for value in of.blind.values()]
        rows.append([
            f"`{metric}`", *map(_decimal, of.tau), *map(_decimal, of.tau_real), percent(of.above_means), percent(of.above),
            f"{100 * min(blind):.0f} to {100 * max(blind):.0f}" if blind else "",
        ])  # fmt: skip
    titles = ["metric", "Pk", "B", "W-F1", "real: Pk", "real: B", "real: W-F1"]
    return table([*titles, "gold above a system, %", "in a document, %", "blind, %"], rows)


def corpora() -> str:
    """Return the worst of six by corpus, with its interval."""
    rows = [[name, *(percent(of[m].worst) for m in METRICS)] for name, of in stored().corpora.items()]
    return table(["corpus", *(f"`{metric}`" for metric in METRICS)], rows)


def facts() -> dict[str, str]:
    """Return single numbers of the text: the gain over both, and the shares of the oracle's rank correlations."""
    of = stored().means["Support"]
    return {
        "support-gain": percent(of.gain, 1),
        "support-oracle": ", ".join(
            f"{name} {_decimal(each)}" for name, each in zip(REFERENCES, of.of_oracle, strict=True)
        ),
    }


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "run":
        raise SystemExit("usage: python -m studies.placement.support run FOLDER")
    run(Path(sys.argv[2]))
