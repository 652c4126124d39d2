# SPDX-License-Identifier: Apache-2.0
"""Stages of training, epoch by epoch, with a checkpoint after each."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError
from caesura.results.train.facts import StageFacts
from caesura.scorers.trained import Learner
from caesura.scorers.trained.head import Floats, Tensors
from caesura.segmentation import Segmentation
from caesura.training.checkpoint import Checkpoint, CheckpointStore
from caesura.training.config import Config, Splicing
from caesura.training.data import Data
from caesura.training.judging import Judge

__all__ = ["Stages", "controls", "is_stock", "segments_of", "spliced"]

_LONGEST_STOCK = 8  # words; a longer unit says more than hello
_STOCK = re.compile(
    r"\b(?:hi|hello|hey|howdy|greetings|welcome|bye|goodbye|farewell|cheers|thanks|thank you|you'?re welcome|"
    r"good (?:morning|afternoon|evening|night|day)|have a (?:nice|good|great|lovely|wonderful)|see you|take care|"
    r"nice (?:talking|chatting|to (?:meet|talk|chat))|how are you|anything else|that(?:'s| is| will be) all)\b",
    re.IGNORECASE,
)
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


def is_stock(text: str) -> bool:
    """Say whether a unit is a greeting, thanks or a farewell, and little more.

    >>> is_stock("Hello , how are you ?"), is_stock("Thank you!"), is_stock("I thank the city for its trains.")
    (True, True, False)
    >>> is_stock("Which trains leave on Sunday?"), is_stock("Thanks, and which of the trains to Ely leave before nine?")
    (False, False)
    """
    joined = re.sub(r"\s+(?='|n't)", "", text)
    return len(joined.split()) <= _LONGEST_STOCK and _STOCK.search(joined) is not None


Piece = tuple[int, tuple[str, ...]]


def segments_of(corpus: Corpus, how: Splicing) -> list[Piece]:
    """Return the inside of every segment that is long enough for it, and shorter ones whole, with the place of the document."""
    found: list[Piece] = []
    for place, document in enumerate(corpus):
        units = document.units or ()
        boundaries = () if document.segmentation is None else document.segmentation.boundaries
        edges = [0, *boundaries, len(units)]
        for start, stop in itertools.pairwise(edges):
            if stop - start >= 2 * how.trim + how.units[0]:
                start, stop = start + how.trim, stop - how.trim
            inside = [unit for unit in units[start:stop] if not (how.stock and is_stock(unit))]
            if len(inside) >= how.units[0]:
                found.append((place, tuple(inside)))
    return found


def spliced(corpus: Corpus, how: Splicing, documents: int, seed: Sequence[int]) -> Corpus:
    """Return documents that are joined from pieces of different documents, with a boundary at each join."""
    pool = segments_of(corpus, how)
    origins = {place for place, _ in pool}
    if len(origins) < how.pieces[0]:
        raise ComparabilityError(
            f"{len(origins)} of {len(corpus)} documents have a segment of {how.units[0]} units, and a splice takes "
            f"{how.pieces[0]}; give more documents, lower stage1.units, or leave stage 1 out (stage1.epochs = 0)"
        )
    rng = np.random.default_rng(seed)
    made = []
    for number in range(documents):
        wanted = min(int(rng.integers(how.pieces[0], how.pieces[1] + 1)), len(origins))
        pieces = list(_drawn(pool, wanted, how, rng))
        ends = np.cumsum([len(piece) for piece in pieces]).tolist()
        units = tuple(unit for piece in pieces for unit in piece)
        segmentation = Segmentation(len(units), ends[:-1])
        made.append(Document(id=f"splice {number + 1}", n_units=len(units), units=units, segmentation=segmentation))
    return Corpus(made, name="splices")


def _drawn(pool: Sequence[Piece], wanted: int, how: Splicing, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Yield so many pieces, each from a document of its own."""
    taken: set[int] = set()
    while len(taken) < wanted:
        place, units = pool[int(rng.integers(len(pool)))]
        if place in taken:
            continue
        taken.add(place)
        yield _cut(units, how, rng)


def _cut(units: tuple[str, ...], how: Splicing, rng: np.random.Generator) -> tuple[str, ...]:
    """Return some successive units."""
    length = min(len(units), int(rng.integers(how.units[0], how.units[1] + 1)))
    start = int(rng.integers(0, len(units) - length + 1))
    return units[start : start + length]


def controls(corpus: Corpus, how: Splicing, seed: Sequence[int]) -> Corpus:
    """Return documents of one segment each, in which no boundary belongs; fewer where there are not so many segments."""
    pool = [units for _, units in segments_of(corpus, how) if len(units) > 1]
    order = np.random.default_rng(seed).permutation(len(pool))[: how.control]
    made = [
        Document(
            id=f"control {number + 1}", n_units=len(pool[place]), units=pool[place],
            segmentation=Segmentation(len(pool[place])),
        )
        for number, place in enumerate(order)
    ]  # fmt: skip
    return Corpus(made, name="control")
