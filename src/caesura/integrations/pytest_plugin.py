# SPDX-License-Identifier: Apache-2.0
"""The fixture `caesura_gate`. pytest loads this file in every run, so it imports nothing of the package until the fixture is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from caesura.evaluation.evaluate.report import Evaluation
    from caesura.evaluation.inputs import CorpusLike, SystemsLike

__all__ = ["caesura_gate"]


@pytest.fixture(scope="session")
def caesura_gate() -> Callable[..., Evaluation]:
    """Fail a test when scores are too low or have dropped: ``caesura_gate(reference, systems, {"W-F1": 0.6}, last="results.json")``.

    The arguments are those of `caesura.evaluate` and `caesura.gate`; the metrics are those of the limits, if there are any. What is
    returned is the evaluation, to save or to look at.
    """
    return _check


def _check(
    reference: CorpusLike,
    systems: SystemsLike,
    minimum: Mapping[str, float] | Iterable[str] = (),
    *,
    last: str | Path | None = None,
    max_drop: float = 0.0,
    **reading: Any,
) -> Evaluation:
    from caesura.evaluation.evaluate import evaluate
    from caesura.evaluation.gate.run import Gate, gate

    limits = [Gate(*each) for each in minimum.items()] if hasattr(minimum, "items") else map(Gate.parse, minimum)
    gates = list(limits)
    metrics = reading.pop("metrics", None) or list(dict.fromkeys(each.metric for each in gates)) or None
    evaluation: Evaluation = evaluate(reference, systems, metrics, **reading)
    breaches = gate(evaluation, gates, last=last, max_drop=max_drop).breaches
    if breaches:
        pytest.fail("\n".join(["caesura_gate:", *map(str, breaches), "", str(evaluation.table())]), pytrace=False)
    return evaluation
