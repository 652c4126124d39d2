# SPDX-License-Identifier: Apache-2.0
"""From merged shards to results on the terminal, with what failed named."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from caesura.cli._console import say
from caesura.cli._output import Outputs, echo_note, make_folder
from caesura.cli._progress import progress_bar

if TYPE_CHECKING:
    from caesura.cli._evaluating import Given
    from caesura.errors import CaesuraError
    from caesura.scale.files import Gathered
    from caesura.scale.shard import ShardResult

__all__ = ["evaluate_shards", "finish_gathered"]

_OF_SHARDS = (
    "against",
    "by",
    "profile",
    "missing",
    "match",
    "duration",
    "cut",
    "threads",
    "format",
    "strict",
)


def evaluate_shards(given: Given, engine: str, folder: str | None, outputs: Outputs, *, ci: bool) -> None:
    """Evaluate shard by shard; what is done when the run is interrupted stays, and the same command goes on."""
    from caesura.cli._evaluating import with_pseudo
    from caesura.scale.files import gather
    from caesura.scale.listing import shards_of
    from caesura.scale.run import check_engine, count_shards

    check_engine(engine)
    call: dict[str, Any] = {**given}
    with_pseudo(call, pseudo=call["pseudo"])
    shards = shards_of(given["reference"], given["systems"])
    if folder is not None:
        make_folder(folder)
    results: dict[str, ShardResult | CaesuraError] = {}
    with progress_bar("counting", "shards") as progress:
        try:
            options = {name: call[name] for name in _OF_SHARDS}
            for name, result in count_shards(
                shards, given["metrics"], engine=engine, folder=folder, **options
            ):
                results[name] = result
                if progress is not None:
                    progress(len(results), len(shards))
        except KeyboardInterrupt:
            kept = (
                f"kept in {folder}; the same command goes on from there"
                if folder is not None
                else "lost; with --shards FOLDER they would be kept"
            )
            echo_note(f"{len(results)} of {len(shards)} shards were counted, and are {kept}")
            raise
    finish_gathered(gather({name: results[name] for name in sorted(results)}), outputs, ci=ci)


def finish_gathered(gathered: Gathered, outputs: Outputs, *, ci: bool = False, compare: bool = False) -> None:
    """Print the results of merged shards; leave with 4 if a shard is not among them, with 2 if none is."""
    from caesura.scale import finish

    for line in gathered.repeated:
        echo_note(line)
    for line in gathered.failed:
        say(line)
    if gathered.merged is None:
        sys.exit(2)
    results = finish(gathered.merged, intervals=ci, compare=compare)
    if gathered.failed and results.shards is not None:
        results.shards.failed = gathered.failed
        number, total = len(gathered.failed), len(gathered.failed) + results.shards.shards
        results.notes.insert(
            0, f"{number} of {total} shards failed, and their documents are not in these numbers"
        )
    outputs.finish(results)
    if gathered.failed:
        sys.exit(4)
