# SPDX-License-Identifier: Apache-2.0
"""The one call that trains the weights of `Support`, and says what they are worth on corpora they have not seen.

Boundaries of readers must score above the same boundaries perturbed, and of two systems the one with the higher W-F1 above the other.
A score is linear in the weights, so this is a logistic regression on differences, without an intercept, and convex.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from caesura.batches.embedded import Embedded
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, OutputExistsError
from caesura.evaluation.inputs import CorpusLike, Reading, read_source
from caesura.evaluation.validate.systems import REAL_SYSTEMS
from caesura.evaluation.validate.trials import do_damage, trials
from caesura.files import write_atomically
from caesura.metrics import metric
from caesura.metrics.base import Floats
from caesura.metrics.cohesion.support import FILE, LISTS, TERMS, Source, Terms, Weights, weights_bytes
from caesura.results.validate.facts import DAMAGES, Limits
from caesura.scorers import Encoding
from caesura.segmentation import Segmentation
from caesura.segmenters import segmenter
from caesura.table import Column, Table, Value, columns_of

__all__ = ["Examples", "MetricTraining", "examples", "fit", "noticed", "pairs", "train_metric"]

_DOCUMENTS, _DRAWS = 120, 3
_SEGMENTED, _LONGEST = 40, 300  # documents of a corpus that are segmented, and their most units: C99 is cubic
_PAIRS, _APART = 40, 0.05  # pairs of outputs of a document, and the least difference of W-F1
_L2, _OF_PAIRS = 0.02, 0.1  # measured in docs/placement.md
_HEAVY = {"removal": 2.0, "splitting": 2.0}  # the two that pull in opposite directions
_LIGHT = 0.5
_STEPS, _DONE = 50, 1e-9
Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Examples:
    """Differences of terms, better less worse, of one corpus: by perturbation and document, and of pairs of outputs with weights."""

    kinds: Ints  # place in DAMAGES
    documents: Ints
    apart: Floats
    pairs: Floats
    weights: Floats

    def weighted(self, of_pairs: float) -> tuple[Floats, Floats]:
        """Return all differences and their weights, which sum to 1."""
        size = int(self.documents.max(initial=0)) + 1
        draws = np.bincount(self.kinds * size + self.documents, minlength=len(DAMAGES) * size)
        each = np.array([_HEAVY.get(kind, _LIGHT) for kind in DAMAGES])[self.kinds]
        each /= draws[self.kinds * size + self.documents]
        each /= np.count_nonzero(draws.reshape(-1, size), axis=1)[self.kinds]
        share = of_pairs if len(self.pairs) else 0.0
        return (
            np.concatenate((self.apart, self.pairs)),
            np.concatenate((each / each.sum() * (1 - share), self.weights * share)),
        )


def examples(
    corpus: Corpus,
    encoding: Encoding,
    *,
    draws: int = _DRAWS,
    seed: int = 0,
    shuffled: bool = False,
    systems: bool = True,
) -> Examples:
    """Return what gold, perturbed gold and outputs of segmenters differ in.

    ``shuffled`` puts the units of each document into random order under the same boundaries: a metric that reads the text is then
    right in half of the documents.
    """
    encoding.prepare(corpus)
    vectors = {document.id: encoding.vectors(document) for document in corpus}
    gold = {document.id: _gold(corpus, document.id) for document in corpus}
    batch = Embedded.of(gold, vectors)
    damages = {
        trial.kind: list(do_damage(batch, trial, draws, seed))
        for trial in trials([Limits().removal], [])
        if trial.kind in DAMAGES
    }
    made = _outputs(corpus, encoding) if systems and not shuffled else {}
    rng = np.random.default_rng(seed)
    kinds: list[int] = []
    rows: list[int] = []
    apart: list[Floats] = []
    better: list[Floats] = []
    weights: list[Floats] = []
    for row, document in enumerate(corpus):
        order = rng.permutation(document.n_units) if shuffled else np.arange(document.n_units)
        texts = [(document.units or ())[place] for place in order]
        speakers = None if document.speakers is None else [document.speakers[place] for place in order]
        terms = Terms(np.asarray(vectors[document.id])[order], texts, speakers, shared=True)
        own = terms.of(gold[document.id].positions)
        outputs = [(own, 1.0)]
        for place, kind in enumerate(DAMAGES):
            for number, run in enumerate(damages[kind]):
                if run.changed[row]:
                    boundaries = run.flat.pos[run.flat.ptr[row] : run.flat.ptr[row + 1]]
                    found = terms.of(boundaries)
                    kinds.append(place)
                    rows.append(row)
                    apart.append(own - found)
                    if number == 0:
                        outputs.append((found, _w_f1(gold[document.id], boundaries)))
        if document.id in made:
            outputs += [(terms.of(b), _w_f1(gold[document.id], b)) for b in made[document.id]]
            some, heavy = pairs(np.array([each for each, _ in outputs]), np.array([score for _, score in outputs]), rng)
            if len(some):
                better.append(some)
                weights.append(heavy)
    nothing = np.empty((0, len(TERMS)))
    return Examples(
        np.array(kinds, dtype=np.int64), np.array(rows, dtype=np.int64), np.array(apart).reshape(-1, len(TERMS)),
        np.concatenate(better or [nothing]), np.concatenate(weights) / len(weights) if weights else np.empty(0),
    )  # fmt: skip


def _gold(corpus: Corpus, key: str) -> Segmentation:
    """Return the boundaries of a document, of which it is known that it has some."""
    document = corpus[key]
    return document.segmentation or Segmentation(document.n_units)


def _outputs(corpus: Corpus, encoding: Encoding) -> dict[str, list[Ints]]:
    """Return what every segmenter makes of the first documents that are not too long."""
    ids = [document.id for document in corpus if document.n_units <= _LONGEST][:_SEGMENTED]
    some = corpus.subset(ids)
    found = [segmenter(name).segment(some, encoding=encoding) for name in REAL_SYSTEMS] if ids else []
    return {key: [_gold(each, key).positions for each in found] for key in ids}


def _w_f1(gold: Segmentation, boundaries: Ints) -> float:
    return float(metric("W-F1")(gold, Segmentation(gold.n_units, boundaries.tolist(), unit=gold.unit)))


def pairs(terms: Floats, scores: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return differences of random pairs of outputs of a document, the better one first, and weights by the difference of W-F1."""
    one, other = rng.integers(0, len(terms), (2, 20 * _PAIRS))
    chosen = np.flatnonzero(scores[one] - scores[other] > _APART)[:_PAIRS]
    apart = scores[one[chosen]] - scores[other[chosen]]
    return terms[one[chosen]] - terms[other[chosen]], apart / max(apart.sum(), 1e-12)


def fit(
    several: Sequence[Examples], used: npt.NDArray[np.bool_], *, l2: float = _L2, of_pairs: float = _OF_PAIRS
) -> Floats:
    """Return the weights of the terms that are ``used``; corpora count equally, and so do their documents."""
    parts = [each.weighted(of_pairs) for each in several]
    apart = np.concatenate([differences for differences, _ in parts])[:, used]
    heavy = np.concatenate([weights for _, weights in parts]) / len(parts)
    size = np.sqrt(heavy @ apart**2)
    size[size < 1e-9] = 1.0
    scaled = apart / size

    found = np.zeros(scaled.shape[1])
    for _ in range(_STEPS):  # Newton's method
        wrong = 1.0 / (1.0 + np.exp(np.clip(scaled @ found, -500.0, 500.0)))
        slope = 2 * l2 * found - (heavy * wrong) @ scaled
        bend = scaled.T @ (scaled * (heavy * wrong * (1.0 - wrong))[:, None])
        step = np.linalg.solve(bend + 2 * l2 * np.eye(len(found)), slope)
        found -= step
        if float(np.abs(step).max(initial=0.0)) < _DONE:
            break
    out = np.zeros(len(TERMS))
    out[used] = found / size
    return out


def noticed(of: Examples, weights: Floats) -> dict[str, float]:
    """Return the share of documents in which gold scores better than each perturbation, ties half."""
    margin = of.apart @ weights
    right = np.where(np.abs(margin) < 1e-9, 0.5, margin > 0)
    shares: dict[str, float] = {}
    for place, kind in enumerate(DAMAGES):
        some = of.kinds == place
        times = np.bincount(of.documents[some])
        sums = np.bincount(of.documents[some], right[some])
        if times.any():
            shares[kind] = float((sums[times > 0] / times[times > 0]).mean())
    return shares


def train_metric(
    corpora: Mapping[str, CorpusLike],
    folder: str | Path,
    *,
    abroad: Mapping[str, CorpusLike] | None = None,
    encoding: Encoding | None = None,
    seed: int = 0,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
) -> MetricTraining:
    """Train the weights of `Support` on labelled corpora, and write them into a folder for ``model:FOLDER``.

    Parameters
    ----------
    corpora : mapping of name to path or Corpus
        At least two, with text and boundaries; each is left out once, and judged by weights of the others.
    folder : path
        Where ``metric.json`` is written.
    abroad : mapping of name to path or Corpus, optional
        Corpora that are only judged, by the final weights.
    encoding : Encoding, optional
        The encoder of the vectors; weights are for it.
    seed : int
        Random seed.
    overwrite : bool
        Whether weights in the folder may be replaced.
    progress : callable, optional
        Called with the number of corpora read, and of all.
    format, columns, marks, strict
        As in `caesura.evaluate`.

    Returns
    -------
    MetricTraining
        The weights, and the table of what they notice where they were not trained.
    """
    path = Path(folder) / FILE
    if path.exists() and not overwrite:
        raise OutputExistsError(f"{path} exists; name another folder, or replace it with overwrite=True (--force)")
    if len(corpora) < 2:
        raise ComparabilityError(
            f"{len(corpora)} corpus given; a metric is trained on at least two, so that each can be left out"
        )
    encoding = encoding or Encoding("default")
    reading: Reading = {"columns": columns, "marks": marks, "strict": strict, "missing": None}
    known = {name: _labelled(name, each, format, reading) for name, each in corpora.items()}
    held = {name: _labelled(name, each, format, reading) for name, each in (abroad or {}).items()}
    seen: dict[str, Examples] = {}
    blind: dict[str, Examples] = {}
    for place, (name, corpus) in enumerate((known | held).items()):
        seen[name] = examples(corpus, encoding, seed=seed, systems=name in known)
        blind[name] = examples(corpus, encoding, seed=seed, shuffled=True)
        if progress is not None:
            progress(place + 1, len(known) + len(held))
    every, plain = np.ones(len(TERMS), dtype=bool), np.array([term not in LISTS for term in TERMS])
    left_out = {
        name: fit([each for other, each in seen.items() if other in known and other != name], every) for name in known
    }
    training = [seen[name] for name in known]
    english, other = fit(training, every), fit(training, plain)
    shares = {name: noticed(seen[name], weights) for name, weights in left_out.items()}
    source = encoding.source
    weights = Weights(
        encoder=source.name, fingerprint=source.fingerprint, english=_named(english), other=_named(other),
        sources=[_source(name, corpus, corpora[name]) for name, corpus in known.items()],
        settings={"l2": _L2, "draws": _DRAWS, "documents": _DOCUMENTS, "system_pairs": _OF_PAIRS, "seed": seed},
        left_out=_rounded(shares),
        blind=_rounded({name: noticed(blind[name], left_out[name]) for name in known}),
        held_out=_rounded({name: noticed(seen[name], english) for name in held}),
    )  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, weights_bytes(weights))
    return MetricTraining(weights, str(folder))


def _labelled(name: str, given: CorpusLike, form: str | None, reading: Reading) -> Corpus:
    """Return the first documents of a corpus that have text and a boundary."""
    corpus = read_source(given, name, format=form, texts=True, **reading).corpus
    ids = [d.id for d in corpus if d.units is not None and d.segmentation is not None and d.segmentation.n_boundaries]
    if not ids:
        raise ComparabilityError(f"{name!r} has no document with text and a boundary; train on labelled documents")
    return corpus.subset(ids[:_DOCUMENTS])


def _source(name: str, corpus: Corpus, given: object) -> Source:
    file = Path(given) if isinstance(given, (str, Path)) else None
    digest = hashlib.sha256(file.read_bytes()).hexdigest() if file is not None and file.is_file() else None
    return Source(name=name, documents=len(corpus), sha256=digest)


def _named(weights: Floats) -> dict[str, float]:
    return {term: float(f"{value:.5g}") for term, value in zip(TERMS, weights.tolist(), strict=True) if value}


def _rounded(table: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    return {name: {kind: round(share, 4) for kind, share in row.items()} for name, row in table.items()}


@dataclasses.dataclass(frozen=True)
class MetricTraining:
    """Trained weights, and what they notice on corpora that they have not seen."""

    weights: Weights
    folder: str

    def table(self) -> Table:
        """Return one row per corpus left out, their mean, the mean after shuffling, and corpora that were only judged."""
        of = self.weights
        rows = [_row(name, shares) for name, shares in of.left_out.items()]
        rows += [_row("mean, left out", _mean(of.left_out)), _row("blind, shuffled units", _mean(of.blind))]
        rows += [_row(f"{name} (held out)", shares) for name, shares in of.held_out.items()]
        columns = [*columns_of("corpus"), *(Column(kind, style="percent") for kind in (*DAMAGES, "worst"))]
        notes = [
            "share of documents in which gold scores better than gold perturbed; a corpus is judged by weights of the others",
            "blind: the units of each document in random order, the same boundaries; a metric that reads the text has 50 %",
            "it says how well perturbed boundaries are told from a reader's, not which of two systems is better",
        ]
        return Table(columns, rows, notes=notes, title=f"Support, trained on {len(of.sources)} corpora")


def _mean(table: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    rows = list(table.values())
    return {
        kind: float(np.mean([row[kind] for row in rows if kind in row]))
        for kind in DAMAGES
        if any(kind in r for r in rows)
    }


def _row(name: str, shares: Mapping[str, float]) -> list[Value]:
    return [name, *(shares.get(kind) for kind in DAMAGES), min(shares.values(), default=None)]
