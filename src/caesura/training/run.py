# SPDX-License-Identifier: Apache-2.0
"""The three stages of training, epoch by epoch, with a checkpoint after each."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from caesura._version import __version__
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, FormatError, OutputExistsError
from caesura.results.training import StageFacts, TrainingFacts
from caesura.scorers import Encoding
from caesura.scorers.trained import Learner, ModelCard
from caesura.scorers.trained import head as find_head
from caesura.scorers.trained.head import Floats, Tensors
from caesura.scorers.trained.saved import CARD, write_model
from caesura.segmenters import segmenter
from caesura.selectors import StaticSelector
from caesura.selectors.scores import FlatScores
from caesura.statistics.calibration import Temperature, fit_temperature
from caesura.training.checkpoint import Checkpoint, CheckpointStore
from caesura.training.config import Config
from caesura.training.data import Data, read_data
from caesura.training.judging import Judge, labels_of
from caesura.training.report import RESULTS, Training
from caesura.training.splices import controls, spliced
from caesura.training.transfer import scores_of, transfer

__all__ = ["train"]

_PURPOSES = {1: "splices", 2: "gold boundaries"}
_SPLICES, _CONTROL, _EPOCH = 1, 2, 3  # parts of the seeds
_CHECKED = 5  # validation splices are a fifth of the training ones

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
        Replace a model that is there, and start over where a checkpoint is.
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
    if (place / CARD).exists() and not overwrite:
        raise OutputExistsError(
            f"{place} holds a model already; write to another folder, or replace it with --force (overwrite=True)"
        )
    known = data or read_data(config)
    shared = encoding or Encoding(config.encoder)
    learner = find_head(config.scorer).learner(shared, config.seed)
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise FormatError(
            f"cannot be made a folder ({error.strerror or error}); choose another name", place
        ) from None
    store = CheckpointStore(place, _recipe(config, known, shared))
    if overwrite:
        store.remove()
    run = _Run(config, known, learner, store, progress, tell)
    stages = run.stages()
    return _finish(config, known, shared, learner, stages, run, place, store)


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


@dataclasses.dataclass
class _Run:
    """One run over both stages that have epochs."""

    config: Config
    data: Data
    learner: Learner
    store: CheckpointStore
    progress: Progress | None
    tell: Callable[[str], None] | None

    def __post_init__(self) -> None:
        self.control = controls(self.data.validation, self.config.stage1, [self.config.seed, _CONTROL])
        self._control_examples = self.learner.read(self.control) if len(self.control) else None
        wanted = {1: self.config.stage1.epochs, 2: self.config.stage2.epochs}
        self._epochs = {stage: epochs for stage, epochs in wanted.items() if epochs}

    def stages(self) -> list[StageFacts]:
        """Run what is left to run, and return the facts of all stages; the learner then has the best weights."""
        found = self.store.read()
        stages: list[StageFacts] = []
        best: Tensors = {}
        over = False
        if found is not None:
            checkpoint, tensors = found
            stages, over = checkpoint.stages, checkpoint.over
            self.learner.restore(_named(tensors, "now"))
            best = _named(tensors, "best")
            if self.tell is not None:
                last = stages[-1]
                self.tell(f"going on after epoch {len(last.epochs)} of stage {last.stage}")
        done = {facts.stage for facts in (stages if over else stages[:-1])}
        for stage, epochs in self._epochs.items():
            if stage in done:
                continue
            going = stages[-1] if stages and stages[-1].stage == stage else None
            best = self._stage(stage, epochs, stages, going, best)
        return stages

    def _stage(
        self, stage: int, epochs: int, stages: list[StageFacts], going: StageFacts | None, best: Tensors
    ) -> Tensors:
        """Run one stage from where it is, and return its best weights."""
        corpus, validation = self._documents(stage)
        if going is None:
            flat = corpus.flat
            gaps = int((flat.n_units - 1).sum())
            going = StageFacts(
                stage=stage, purpose=_PURPOSES[stage], documents=len(corpus), gaps=gaps, boundaries=len(flat.pos),
                epochs=[],
            )  # fmt: skip
            stages.append(going)
        examples, held = self.learner.read(corpus), self.learner.read(validation)
        judge = Judge(validation, self.control, self.data.files, self.config.min_gap)
        before = sum(count for other, count in self._epochs.items() if other < stage)
        while len(going.epochs) < epochs and not going.stopped:
            number = len(going.epochs) + 1
            rng = np.random.default_rng([self.config.seed, _EPOCH, stage, number])
            loss = self.learner.epoch(examples, stage, rng)
            logits = self.learner.logits(held)
            if not (math.isfinite(loss) and all(np.isfinite(each).all() for each in logits)):
                raise ComparabilityError(
                    f"the loss of epoch {number} of stage {stage} is {loss}, and its logits are not all finite; lower the "
                    "learning rate or raise the penalty of the scorer (the epochs before are kept)"
                )
            control = [] if self._control_examples is None else self.learner.logits(self._control_examples)
            going.epochs.append(judge.judge(number, loss, logits, control))
            losses = [epoch.validation_loss for epoch in going.epochs]
            going.best = losses.index(min(losses)) + 1
            going.stopped = number < epochs and number - going.best >= self.config.patience
            if going.best == number:
                best = self.learner.tensors()
            over = going.stopped or number == epochs
            if over:
                self.learner.restore(best)
            self._keep(stages, best, over)
            if self.progress is not None:
                self.progress(before + (epochs if over else number), sum(self._epochs.values()))
        return best

    def _keep(self, stages: list[StageFacts], best: Tensors, over: bool) -> None:
        tensors = {f"now.{name}": array for name, array in self.learner.tensors().items()}
        tensors |= {f"best.{name}": array for name, array in best.items()}
        checkpoint = Checkpoint(recipe=self.store.recipe, stages=stages, over=over)
        self.store.write(checkpoint, tensors)

    def _documents(self, stage: int) -> tuple[Corpus, Corpus]:
        """Return the documents that a stage trains on, and those that it is judged by."""
        if stage == 2:
            return self.data.train, self.data.validation
        how, seed = self.config.stage1, self.config.seed
        made = spliced(self.data.pieces, how, how.documents, [seed, _SPLICES, 1])
        held = max(2, how.documents // _CHECKED)
        return made, spliced(self.data.validation, how, held, [seed, _SPLICES, 2])


def _named(tensors: Tensors, first: str) -> dict[str, Any]:
    """Return the tensors whose name begins with a word and a point, without them."""
    return {
        name.removeprefix(f"{first}."): array
        for name, array in tensors.items()
        if name.startswith(f"{first}.")
    }


def _finish(
    config: Config,
    data: Data,
    encoding: Encoding,
    learner: Learner,
    stages: list[StageFacts],
    run: _Run,
    folder: Path,
    store: CheckpointStore,
) -> Training:
    """Fit the temperature, choose the threshold, save the model, score it, and remove the checkpoint."""
    logits = np.concatenate(learner.logits(learner.read(data.validation)))
    fitted = fit_temperature(logits, labels_of(data.validation))
    temperature = (
        fitted
        if fitted.interior
        else Temperature(1.0, fitted.nll_before, fitted.nll_before, False, fitted.reason)
    )
    threshold = config.threshold
    if threshold is None:
        threshold = _threshold(data.validation, temperature.apply(logits), config.min_gap)
    made = find_head(config.scorer)
    source = encoding.source
    reads = made.needs_vectors
    card = ModelCard(
        head=str(made), encoder=source.name if reads else "", fingerprint=source.fingerprint if reads else "",
        dim=source.dim if reads else 0, temperature=temperature.value,
        selector=str(StaticSelector(threshold=threshold, min_gap=config.min_gap)), seed=config.seed, data=list(data.facts),
    )  # fmt: skip
    card = write_model(folder, card, learner.weights(), learner.files())
    method = segmenter(f"model:{folder}")
    datasets = [transfer("held out", "home", data.test, method, encoding, config.seed)]
    datasets += [
        transfer(name, "abroad", corpus, method, encoding, config.seed)
        for name, corpus in data.abroad.items()
    ]
    card = msgspec.structs.replace(card, scores=scores_of(datasets))
    card = write_model(folder, card, learner.weights(), learner.files())
    facts = TrainingFacts(
        head=card.head, encoder=card.encoder, fingerprint=card.fingerprint, weights=card.weights, stages=stages,
        control_documents=len(run.control), temperature=temperature.value, nll_before=temperature.nll_before,
        nll_after=temperature.nll_after, temperature_reason=temperature.reason, selector=card.selector, datasets=datasets,
    )  # fmt: skip
    training = Training(folder, card, facts)
    training.save(folder / RESULTS)
    store.remove()
    return training


def _threshold(corpus: Corpus, probabilities: Floats, min_gap: int) -> float:
    """Return the threshold at which documents get as many boundaries as they have, or as nearly as spacing allows."""
    flat = FlatScores(corpus.flat.n_units, probabilities, min_gap)
    allowed = np.sort(probabilities[flat.ranks >= 0])[::-1]
    wanted = min(len(corpus.flat.pos), len(allowed))
    ends: Iterable[float] = allowed[wanted - 1 : wanted + 1]
    return round(float(np.mean(list(ends))), 6)
