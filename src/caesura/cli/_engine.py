# SPDX-License-Identifier: Apache-2.0
"""The options of commands that work on shards, and the run itself: a bar, and what was done when it is interrupted."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from caesura.cli import _options as opt
from caesura.cli._console import say
from caesura.cli._help import Large
from caesura.cli._output import Outputs, echo_note, make_folder
from caesura.cli._progress import progress_bar

if TYPE_CHECKING:
    from caesura.cli._evaluating import Given
    from caesura.corpus import Corpus
    from caesura.encoders import Encoder, Precomputed
    from caesura.encoders.npz import Part
    from caesura.errors import CaesuraError
    from caesura.evaluation.cohesion import Cohesion
    from caesura.scale.encoding import PartsEncoding
    from caesura.scale.files import Gathered
    from caesura.scale.work import Work
    from caesura.scorers import Encoding
    from caesura.segmenters.base import Segmenter

_OF_SHARDS = (
    "against",
    "by",
    "profile",
    "missing",
    "match",
    "duration",
    "durations",
    "cut",
    "threads",
    "format",
    "strict",
)
Shard = TypeVar("Shard")
Result = TypeVar("Result")


@dataclasses.dataclass(frozen=True)
class Engine:
    """Where shards are worked on: the engine, the folder that keeps their results, and the number of actors."""

    name: str | None = None
    folder: str | None = None
    actors: int | None = None

    def __bool__(self) -> bool:
        return self.name is not None

    @contextlib.contextmanager
    def shards(self) -> Iterator[str]:
        """Yield the folder for the results of shards; without one, a folder that is removed afterwards."""
        if self.folder is not None:
            make_folder(self.folder)
            yield self.folder
            return
        with tempfile.TemporaryDirectory(prefix="caesura-") as folder:
            yield folder

    def encode(self, work: PartsEncoding, parts: Sequence[Part], kept: str | None) -> list[str]:
        """Encode parts, and return a line for each document, or part, that failed."""
        from caesura.errors import CaesuraError

        lines = []
        outcomes = self.run(work, parts, "encoding", "units", [part.units for part in parts], kept=kept)
        for part, found in zip(parts, outcomes, strict=True):
            lines += [f"{work.name(part)}: {found}"] if isinstance(found, CaesuraError) else found.failed
        return lines

    def run(
        self,
        work: Work[Shard, Result],
        shards: Sequence[Shard],
        what: str,
        unit: str = "shards",
        sizes: Sequence[int] | None = None,
        *,
        kept: str | None = None,
    ) -> list[Result | CaesuraError]:
        """Do the work on all shards, and return what became of each, in their order.

        ``what`` is done to so many ``unit`` of each shard (``sizes``). ``kept`` is the folder that keeps results, that of
        the engine unless it is named.
        """
        from caesura.scale.work import run_shards

        weights = [1] * len(shards) if sizes is None else list(sizes)
        folder = kept or self.folder
        outcomes: dict[int, Result | CaesuraError] = {}
        done = 0
        with progress_bar(what, unit) as progress:
            if progress is not None:
                progress(0, sum(weights))
            try:
                for place, outcome in run_shards(work, shards, engine=self.name or "local", actors=self.actors):
                    outcomes[place], done = outcome, done + weights[place]
                    if progress is not None:
                        progress(done, sum(weights))
            except KeyboardInterrupt:
                where = (
                    f"kept in {folder}; the same command goes on from there"
                    if folder is not None
                    else "lost; with --shards FOLDER they would be kept"
                )
                echo_note(f"{len(outcomes)} of {len(shards)} shards were done, and are {where}")
                raise
        return [outcomes[place] for place in range(len(shards))]


def _checked(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Refuse an engine that there is not."""
    if value is not None:
        from caesura.scale.work import check_engine

        check_engine(value)
    return value


def engine_options(
    what: str, *, shards: bool = True, encoder: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the options of a command that works on shards, which it gets as one `Engine`."""

    def add(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def command(
            engine: str | None, shards_folder: str | None = None, actors: int | None = None, **options: Any
        ) -> None:
            for option, value in (("--shards", shards_folder), ("--actors", actors)):
                if value is not None and engine is None:
                    raise click.UsageError(f"{option} requires --engine local or ray")
            if actors is not None and engine == "local":
                raise click.UsageError("--actors are those of Ray; leave it out, or use --engine ray")
            function(engine=Engine(engine, shards_folder, actors), **options)

        every: list[Callable[[Callable[..., None]], Callable[..., None]]] = [
            click.option("--engine", cls=Large, metavar="local|ray[://ADDRESS]", callback=_checked, help=what)
        ]
        if shards:
            every.append(
                click.option(
                    "--shards",
                    "shards_folder",
                    cls=Large,
                    type=click.Path(file_okay=False),
                    help="Keep the result of every shard in this folder, and skip those that are there. Requires --engine.",
                )
            )
        if encoder:
            every.append(
                opt.number_option(
                    "--actors",
                    "Hold the encoder in this many actors of Ray [one per graphics card, else one less than processors].",
                    group=Large,
                )
            )
        return opt.several(*every)(command)

    return add


def measure_documents(
    engine: Engine, encoding: Encoding, measure: Callable[[Encoder | Precomputed], Cohesion]
) -> tuple[Cohesion, list[str]]:
    """Measure without a reference: the engine encodes, and draws the random segmentations.

    ``measure`` is called with the source of the vectors. Also returns a line for each document that could not be encoded.
    """
    from caesura.encoders import Precomputed
    from caesura.scale.chance import Chance
    from caesura.scale.encoding import EncodedVectors

    failed: list[str] = []

    def encode(work: PartsEncoding, parts: Sequence[Part]) -> list[str]:
        failed.extend(engine.encode(work, parts, engine.folder))
        return failed

    with engine.shards() as folder:
        source = encoding.source
        outcome = measure(source if isinstance(source, Precomputed) else EncodedVectors(encoding, folder, encode))
        work = Chance.of(outcome, engine.folder)
        shards = work.shards(outcome)
        results = engine.run(work, shards, "chance", "documents", [len(each.documents) for each in shards])
        outcome.chance(drawn=work.collected(shards, results))
    return outcome, failed


def segment_documents(
    corpus: Corpus, methods: Sequence[str], encoding: Encoding, seed: int, engine: Engine, *, whole_text: bool = False
) -> Iterator[tuple[Segmenter, Corpus | CaesuraError, list[str]]]:
    """Segment documents by methods, in shards if there is an engine.

    Yields each method with the documents it segmented, or with the error that stopped it, and a line for each document that
    failed. With ``whole_text`` chunks count, not boundaries.
    """
    from caesura.segmenters.run import parse_methods, run_methods

    if not engine:
        with progress_bar("segmenting", "documents") as progress:
            yield from run_methods(
                corpus, parse_methods(methods), encoding=encoding, seed=seed, whole_text=whole_text, progress=progress,
            )  # fmt: skip
        return
    from caesura.scale.segmenting import Segmenting, joined

    if engine.folder is not None:
        make_folder(engine.folder)
    work = Segmenting(tuple(methods), encoding, seed, engine.folder, whole_text)
    blocks = work.shards(corpus)
    sizes = [len(block.documents) * len(block.methods) for block in blocks]
    results = engine.run(work, blocks, "segmenting", "documents", sizes)
    yield from joined(work, corpus, blocks, results)


def evaluate_shards(given: Given, engine: Engine, outputs: Outputs, *, ci: bool) -> None:
    """Evaluate shard by shard; what is done when the run is interrupted stays, and the same command goes on."""
    from caesura.cli._evaluating import with_pseudo
    from caesura.scale.files import Counting, gather
    from caesura.scale.listing import names_of, shards_of

    call: dict[str, Any] = {**given}
    with_pseudo(call, pseudo=call["pseudo"])
    shards = shards_of(given["reference"], given["systems"])
    if engine.folder is not None:
        make_folder(engine.folder)
    options: Any = {name: call[name] for name in _OF_SHARDS}
    outcomes = engine.run(Counting(given["metrics"], options, engine.folder), shards, "counting")
    results = dict(zip(names_of(shards), outcomes, strict=True))
    finish_gathered(gather({name: results[name] for name in sorted(results)}), outputs, ci=ci)


def finish_gathered(
    gathered: Gathered, outputs: Outputs, *, ci: bool = False, compare: bool = False, per_document: bool = False
) -> None:
    """Print the results of merged shards; leave with 4 if a shard is not among them, with 2 if none is."""
    from caesura.scale import finish
    from caesura.scale.measured import Merged

    for line in gathered.notes:
        echo_note(line)
    for line in gathered.failed:
        say(line)
    if gathered.merged is None:
        sys.exit(2)
    results = finish(gathered.merged, intervals=ci, compare=compare, per_document=per_document)
    if gathered.failed and results.shards is not None:
        results.shards.failed = gathered.failed
        number, total = len(gathered.failed), len(gathered.failed) + results.shards.shards
        results.notes.insert(0, f"{number} of {total} shards failed, and their documents are not in these numbers")
    outputs.finish(results, None if gathered.merged.counts is None else Merged(gathered.merged))
    if gathered.failed:
        sys.exit(4)
