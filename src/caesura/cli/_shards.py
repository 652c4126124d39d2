# SPDX-License-Identifier: Apache-2.0
"""From merged shards to results on the terminal, with what failed named."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from caesura.cli._console import say
from caesura.cli._output import Outputs, echo_note, make_folder

if TYPE_CHECKING:
    from caesura.cli._engine import Engine
    from caesura.cli._evaluating import Given
    from caesura.scale.files import Gathered

__all__ = ["evaluate_shards", "finish_gathered"]

_OF_SHARDS = ("against", "by", "profile", "missing", "match", "duration", "cut", "threads", "format", "strict")


def evaluate_shards(given: Given, engine: Engine, outputs: Outputs, *, ci: bool) -> None:
    """Evaluate shard by shard; what is done when the run is interrupted stays, and the same command goes on."""
    from caesura.cli._evaluating import with_pseudo
    from caesura.scale.counting import Counting
    from caesura.scale.files import gather
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
