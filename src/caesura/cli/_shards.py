# SPDX-License-Identifier: Apache-2.0
"""From merged shards to results on the terminal, with what failed named."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from caesura.cli._console import say
from caesura.cli._output import Outputs, echo_note

if TYPE_CHECKING:
    from caesura.scale.files import Gathered

__all__ = ["finish_gathered"]


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
