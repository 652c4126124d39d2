# SPDX-License-Identifier: Apache-2.0
"""The one call that trains a scorer, and writes its folder."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from caesura._version import __version__
from caesura.corpus import Corpus
from caesura.errors import FormatError, OutputExistsError, shareable
from caesura.evaluation.chance.skill import expectations
from caesura.evaluation.compare.run import compare
from caesura.evaluation.evaluate.run import evaluate
from caesura.evaluation.measurement import environment
from caesura.evaluation.outcome import Outcome, metric_facts
from caesura.metrics import metric
from caesura.results import Input, Number, Results, as_float, number
from caesura.results.train.facts import DatasetFacts, StageFacts, TrainingFacts
from caesura.scorers import Encoding
from caesura.scorers.trained import Learner, ModelCard, TrainedScorer, load_model
from caesura.scorers.trained import head as find_head
from caesura.scorers.trained.head import Floats
from caesura.scorers.trained.model import CARD, write_model
from caesura.segmenters import Segmenter, segmenter
from caesura.segmenters.run import run_method
from caesura.selectors import StaticSelector
from caesura.selectors.scores import FlatScores
from caesura.statistics import holm
from caesura.statistics.calibration import Temperature, fit_temperature
from caesura.training.checkpoint import CHECKPOINT, CheckpointStore
from caesura.training.config import Config
from caesura.training.data import Data, read_data
from caesura.training.judging import labels_of
from caesura.training.stages import Stages

__all__ = ["METRICS", "RIVAL", "TRAINED", "Training", "at_reference_density", "chance_scores", "train"]

METRICS = ("W-F1", "F1", "Pk", "BOR", "Purity", "Coverage")
TRAINED, RIVAL, SKILL, CHANCE = "trained", "VectorTiling", "skill", "chance"
_CLOCKS = {"own": "every", "equal": "even"}
_DRAWS = 50
_CHANCES = 20  # draws whose mean is the row of chance; one draw alone may look like a system
_RESULTS = "training.json"
"""The results file in the folder of a model."""
Progress = Callable[[int, int], None]


def train(
    config: Config,
    folder: str | Path,
    data: Data | None = None,
    *,
    encoding: Encoding | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    tell: Callable[[str], None] | None = None,
) -> Training:
    """Train a scorer, and write it into a folder; a run that was killed goes on where it was.

    Parameters
    ----------
    config : Config
        What to train on what.
    folder : path
        Where to write the model; ``model:FOLDER`` then names it.
    data : Data, optional
        The documents; read from the files of the configuration if not given.
    encoding : Encoding, optional
        The encoder; that of the configuration if not given.
    overwrite : bool
        Replace a model that is there, and start over where the checkpoint of another run is.
    progress : callable, optional
        Called with the number of epochs that are done, and of all.
    tell : callable, optional
        Called with a sentence when a run goes on.

    Raises
    ------
    ComparabilityError
        If the documents have one class only, or the loss is not a finite number.
    FormatError
        If the folder cannot be written, or holds the checkpoint of another run.
    """
    config.check()
    place = Path(folder)
    unfinished = (place / CHECKPOINT).exists()  # a run may be killed after it wrote the model, and before it scored it
    if (place / CARD).exists() and not (overwrite or unfinished):
        raise OutputExistsError(
            f"{place} holds a model already; write to another folder, or replace it with --force (overwrite=True)"
        )
    known = data or read_data(config)
    shared = encoding or Encoding(config.encoder)
    learner = find_head(config.scorer).learner(shared, config.seed)
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise FormatError(f"cannot be made a folder ({error.strerror or error}); choose another name", place) from None
    store = CheckpointStore(place, _recipe(config, known, shared))
    if overwrite:
        store.remove_other()
    stages = Stages(config, known, learner, store, progress, tell)
    facts = stages.run()
    trained = _finish(config, known, shared, learner, facts, len(stages.control), place)
    store.remove()
    return trained


def _recipe(config: Config, data: Data, encoding: Encoding) -> str:
    """Return a hash of everything that decides the weights."""
    texts = hashlib.sha256()
    for corpus in (data.train, data.validation, data.pieces):
        for document in corpus:
            boundaries = document.segmentation and document.segmentation.boundaries
            texts.update(msgspec.json.encode((document.id, document.units, boundaries)))
    files: dict[str, Any] = {"train": [], "validation": [], "test": [], "abroad": {}}
    bare = msgspec.to_builtins(msgspec.structs.replace(config, **files))
    bare["stage1"]["files"] = []
    facts = [bare, encoding.source.fingerprint, texts.hexdigest(), __version__]
    return hashlib.sha256(msgspec.json.encode(facts)).hexdigest()


def _finish(
    config: Config,
    data: Data,
    encoding: Encoding,
    learner: Learner,
    stages: list[StageFacts],
    controls: int,
    folder: Path,
) -> Training:
    """Fit the temperature, choose the threshold, save the model, and score it."""
    logits = np.concatenate(learner.logits(learner.read(data.validation)))
    fitted = fit_temperature(logits, labels_of(data.validation))
    temperature = (
        fitted if fitted.interior else Temperature(1.0, fitted.nll_before, fitted.nll_before, False, fitted.reason)
    )
    threshold = config.threshold
    if threshold is None:
        threshold = _threshold(data.validation, temperature.apply(logits), config.min_gap)
    made = find_head(config.scorer)
    source = encoding.source
    reads = made.needs_vectors
    card = ModelCard(
        head=str(made), encoder=shareable(source.name) if reads else "", fingerprint=source.fingerprint if reads else "",
        dim=source.dim if reads else 0, temperature=temperature.value,
        selector=str(StaticSelector(threshold=threshold, min_gap=config.min_gap)), seed=config.seed, data=list(data.facts),
    )  # fmt: skip
    card = write_model(folder, card, learner.weights(), learner.files())
    method = segmenter(f"model:{folder}")
    datasets = [_transfer("held out", "home", data.test, method, encoding, config.seed)]
    datasets += [
        _transfer(name, "abroad", corpus, method, encoding, config.seed) for name, corpus in data.abroad.items()
    ]
    for dataset, p in zip(datasets, holm([as_float(each.p) for each in datasets]), strict=True):
        dataset.p = number(p)
    card = msgspec.structs.replace(card, scores=_scores_of(datasets))
    card = write_model(folder, card, learner.weights(), learner.files())
    facts = TrainingFacts(
        head=card.head, encoder=card.encoder, fingerprint=card.fingerprint, weights=card.weights, stages=stages,
        control_documents=controls, temperature=temperature.value, nll_before=temperature.nll_before,
        nll_after=temperature.nll_after, temperature_reason=temperature.reason, selector=card.selector, datasets=datasets,
    )  # fmt: skip
    training = Training(folder, card, facts)
    training.save(folder / _RESULTS)
    return training


def _threshold(corpus: Corpus, probabilities: Floats, min_gap: int) -> float:
    """Return the threshold at which documents get as many boundaries as they have, or as nearly as spacing allows."""
    flat = FlatScores(corpus.flat.n_units, probabilities, min_gap)
    allowed = np.sort(probabilities[flat.ranks >= 0])[::-1]
    wanted = min(len(corpus.flat.pos), len(allowed))
    ends: Iterable[float] = allowed[wanted - 1 : wanted + 1]
    return round(float(np.mean(list(ends))), 6)


@dataclasses.dataclass(frozen=True)
class Training(Outcome):
    """A model in a folder, its card, and what every epoch gave."""

    folder: Path
    card: ModelCard
    facts: TrainingFacts

    def scorer(self) -> TrainedScorer:
        """Return the trained scorer."""
        return load_model(str(self.folder))

    def results(self) -> Results:
        """Return everything as typed data."""
        inputs = [
            Input(role=each.role, name=each.name, documents=each.documents, unit="", file=each.file, sha256=each.sha256)
            for each in self.card.data
        ]
        return Results(
            question="train", caesura=__version__, seed=self.card.seed, environment=environment(), inputs=inputs,
            metrics={name: metric_facts(metric(name)) for name in METRICS}, training=self.facts,
        )  # fmt: skip

    def size(self) -> str:
        """Return how many epochs there were."""
        return f" of {sum(len(stage.epochs) for stage in self.facts.stages)} epochs"


def _transfer(
    name: str, role: str, corpus: Corpus, method: Segmenter, encoding: Encoding, seed: int = 0
) -> DatasetFacts:
    """Score a trained scorer on labelled documents (``home`` or ``abroad``), at its own density and at that of the reference."""
    made = {
        TRAINED: run_method(corpus, method, encoding=encoding),
        RIVAL: run_method(corpus, segmenter(RIVAL), encoding=encoding),
    }
    again = {key: at_reference_density(corpus, each) for key, each in made.items()}
    chance = chance_scores(corpus, seed)
    test = evaluate(corpus, again, ["W-F1"])
    tested = compare(test, seed=seed, draws=0)[0] if len(test.documents) > 1 else None
    return DatasetFacts(
        name=name, role=role, documents=len(corpus), rival=RIVAL,
        own={**_numbers(corpus, made, "own", seed), CHANCE: chance},
        equal={**_numbers(corpus, again, "equal", seed), CHANCE: chance},
        difference=None if tested is None else tested.difference, p=None if tested is None else tested.p,
    )  # fmt: skip


def at_reference_density(reference: Corpus, scored: Corpus) -> Corpus:
    """Return the best gaps of each document by their scores, as many as the reference has."""
    counts = np.diff(reference.flat.ptr)
    flat = FlatScores.from_corpus(scored, reference.ids).at_counts(counts)
    return Corpus.from_flat(reference.ids, flat, unit=reference.unit, name=scored.name)


def _numbers(corpus: Corpus, systems: Mapping[str, Corpus], density: str, seed: int) -> dict[str, dict[str, Number]]:
    """Return the scores of each system and of the clock, and the skill of W-F1."""
    known = {**systems, "clock": segmenter(_CLOCKS[density]).segment(corpus, seed)}
    chance = expectations(evaluate(corpus, known, ["W-F1"]), _DRAWS, seed)
    found: dict[str, dict[str, Number]] = {}
    for system, scores in evaluate(corpus, known, METRICS).scores.items():
        found[system] = {metric: number(score) for metric, score in scores.items()}
        found[system][SKILL] = chance[system]["W-F1"].skill
    return found


def chance_scores(corpus: Corpus, seed: int = 0) -> dict[str, Number]:
    """Return the mean scores of random boundaries, as many in each document as the reference has; their skill is 0."""
    method = segmenter("random_density")
    drawn = {str(draw): method.segment(corpus, seed + draw) for draw in range(_CHANCES)}
    scores = evaluate(corpus, drawn, METRICS).scores.values()
    found = {metric: number(float(np.mean([each[metric] for each in scores]))) for metric in METRICS}
    return {**found, SKILL: 0.0}


def _scores_of(datasets: Iterable[DatasetFacts]) -> dict[str, dict[str, dict[str, Number]]]:
    """Return the scores as the card of a model has them: dataset to system, at its own and at equal density, to metric."""
    return {
        f"{each.name} ({each.role})": {
            **{f"{system}, own density": scores for system, scores in each.own.items()},
            **{f"{system}, equal density": scores for system, scores in each.equal.items()},
        }
        for each in datasets
    }
