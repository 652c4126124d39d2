# SPDX-License-Identifier: Apache-2.0
"""Stages of training, epoch by epoch, with a checkpoint after each."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from caesura.corpus import Corpus
from caesura.errors import ComparabilityError
from caesura.results.train.facts import StageFacts
from caesura.scorers.trained import Learner
from caesura.scorers.trained.head import Floats, Tensors
from caesura.training.checkpoint import Checkpoint, CheckpointStore
from caesura.training.config import Config
from caesura.training.data import Data
from caesura.training.judging import Judge
from caesura.training.splices import controls, spliced

__all__ = ["Stages"]

_PURPOSES = {1: "splices", 2: "gold boundaries"}
_SPLICES, _CONTROL, _EPOCH = 1, 2, 3  # parts of the seeds
_CHECKED = 5  # validation splices are a fifth of the training ones


@dataclasses.dataclass
class Stages:
    """The stages that have epochs, of one configuration, its documents and its learner."""

    config: Config
    data: Data
    learner: Learner
    store: CheckpointStore
    progress: Callable[[int, int], None] | None
    tell: Callable[[str], None] | None

    def __post_init__(self) -> None:
        self.control = controls(self.data.validation, self.config.stage1, [self.config.seed, _CONTROL])
        self._control_examples = self.learner.read(self.control) if len(self.control) else None
        wanted = {1: self.config.stage1.epochs, 2: self.config.stage2.epochs}
        self._epochs = {stage: epochs for stage, epochs in wanted.items() if epochs}

    def run(self) -> list[StageFacts]:
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
        earlier = sum(count for other, count in self._epochs.items() if other < stage)
        if len(stages) > 1 and not going.epochs:
            going.before = judge.judge(0, None, self.learner.logits(held), self._control_logits())
        while len(going.epochs) < epochs and not going.stopped:
            number = len(going.epochs) + 1
            rng = np.random.default_rng([self.config.seed, _EPOCH, stage, number])
            loss = self.learner.epoch(examples, stage, rng)
            logits = self.learner.logits(held)
            if not (math.isfinite(loss) and all(np.isfinite(each).all() for each in logits)):
                raise ComparabilityError(
                    f"the loss of epoch {number} of stage {stage} is {loss:g}, or a logit is not finite; lower the learning "
                    "rate or raise the penalty of the scorer (the epochs before are kept)"
                )
            going.epochs.append(judge.judge(number, loss, logits, self._control_logits()))
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
                self.progress(earlier + (epochs if over else number), sum(self._epochs.values()))
        return best

    def _control_logits(self) -> Sequence[Floats]:
        return () if self._control_examples is None else self.learner.logits(self._control_examples)

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
    return {name.removeprefix(f"{first}."): array for name, array in tensors.items() if name.startswith(f"{first}.")}
