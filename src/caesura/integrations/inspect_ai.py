# SPDX-License-Identifier: Apache-2.0
"""A scorer for Inspect: a model answers with the lengths of segments, such as 6-3-4, and is scored against the target."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from caesura.errors import CaesuraError
from caesura.metrics import metric as metric_of
from caesura.segmentation import Segmentation

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["read_lengths", "segmentation"]

_LENGTHS = re.compile(r"(?<![\w.-])\d+(?:\s*[-,]\s*\d+)*(?![\w-]|\.\d)")


def read_lengths(text: str) -> Segmentation:
    """Read the last list of lengths in a text.

    >>> read_lengths("The topics last 6, 3 and 4 turns. Answer: 6-3-4").masses
    (6, 3, 4)
    """
    found = _LENGTHS.findall(text)
    if not found:
        raise CaesuraError("no lengths of segments such as 6-3-4 in the answer")
    return Segmentation.from_masses([int(part) for part in re.split(r"\s*[-,]\s*", found[-1])])


def segmentation(metric: str = "BoundarySimilarity", read: Callable[[str], Segmentation] = read_lengths) -> Any:
    """Return a scorer of Inspect that reads answer and target with ``read`` and gives the score of a metric.

    An answer that cannot be read, or that has another number of units than the target, gets the worst score and says why.
    """
    from inspect_ai.scorer import Score, mean, scorer, stderr

    measure = metric_of(metric)
    worst = {"higher": measure.card.bounds[0], "lower": measure.card.bounds[1]}.get(measure.card.direction, math.inf)
    if not math.isfinite(worst):
        raise CaesuraError(f"{metric} has no worst score, which an unreadable answer must get; choose another metric")

    def made() -> Any:
        async def scored(state: Any, target: Any) -> Any:
            reference, text = read(target.text), state.output.completion
            try:
                hypothesis = read(text)
                value = float(measure(reference, hypothesis))
            except CaesuraError as error:
                return Score(value=worst, answer=text, explanation=str(error))
            lengths = "-".join(map(str, hypothesis.masses))
            return Score(value=value, answer=lengths, explanation=f"{metric} of {lengths}, target {target.text}")

        return scored

    return scorer(metrics=[mean(), stderr()], name=f"caesura_{measure.name()}")(made)()
