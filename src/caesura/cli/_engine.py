# SPDX-License-Identifier: Apache-2.0
"""The options of commands that work on shards, and the run itself: a bar, and what was done when it is interrupted."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from caesura.cli._options import number_option, several
from caesura.cli._output import echo_note, make_folder
from caesura.cli._progress import progress_bar

if TYPE_CHECKING:
    from caesura.errors import CaesuraError
    from caesura.scale.work import Work

__all__ = ["Engine", "engine_options", "failures"]

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
        from caesura.scale.run import run_shards

        weights = [1] * len(shards) if sizes is None else list(sizes)
        folder = kept or self.folder
        outcomes: dict[int, Result | CaesuraError] = {}
        done = 0
        with progress_bar(what, unit) as progress:
            try:
                for place, outcome in run_shards(
                    work, shards, engine=self.name or "local", actors=self.actors
                ):
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


def failures(
    work: Work[Shard, Result], shards: Sequence[Shard], outcomes: Sequence[Result | CaesuraError]
) -> list[str]:
    """Return a line for each shard that failed."""
    from caesura.errors import CaesuraError

    pairs = zip(shards, outcomes, strict=True)
    return [f"{work.name(shard)}: {found}" for shard, found in pairs if isinstance(found, CaesuraError)]


def _checked(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Refuse an engine that there is not."""
    if value is not None:
        from caesura.scale.run import check_engine

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
            click.option("--engine", metavar="local|ray[://ADDRESS]", callback=_checked, help=what)
        ]
        if shards:
            every.append(
                click.option(
                    "--shards",
                    "shards_folder",
                    type=click.Path(file_okay=False),
                    help="Keep the result of every shard in this folder, and skip those that are there. Requires --engine.",
                )
            )
        if encoder:
            every.append(
                number_option(
                    "--actors",
                    "Hold the encoder in this many actors of Ray [one per graphics card, else one less than processors].",
                )
            )
        return several(*every)(command)

    return add
