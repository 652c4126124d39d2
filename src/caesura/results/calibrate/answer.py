# SPDX-License-Identifier: Apache-2.0
"""The answer of a calibration: the temperature, what it changes on the documents that chose it, and what it does not."""

from __future__ import annotations

from caesura.results._sentences import number_of
from caesura.results.base import required
from caesura.results.schema import Results
from caesura.table import format_number

__all__ = ["answer"]


def answer(results: Results) -> tuple[str, ...]:
    """Say which temperature was fitted on what, how likelihood and calibration change, and what to do next."""
    c = required(results.calibration)
    on = (
        f"{number_of(c.documents, 'document')} with {number_of(c.boundaries, 'boundary', 'boundaries')} in "
        f"{number_of(c.gaps, 'gap')}"
    )
    if not c.interior:
        return (
            f"No temperature is best for {c.scorer} on {on}: {c.reason}.",
            f"The printed value, {c.temperature:g}, is only the limit of the search; do not use it, and check the scores first.",
        )
    return (
        f"The temperature of {c.scorer} is {format_number(c.temperature)}, fitted on {on}.",
        f"There the negative log-likelihood changes from {format_number(c.before.nll)} to {format_number(c.after.nll)}, the "
        f"calibration error from {format_number(c.before.ece)} to {format_number(c.after.ece)}; other documents were not tried.",
        "The order of the gaps stays as it was: at equal density the same boundaries are selected.",
    )
