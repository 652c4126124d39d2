# SPDX-License-Identifier: Apache-2.0
"""AdaptiveSelector."""

from __future__ import annotations

import dataclasses
import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from caesura.declare import Card, param
from caesura.errors import SegmentationError
from caesura.selectors._base import SELECTORS, SPACING, Floats, Scores, Selector, checked_scores

__all__ = ["AdaptiveSelector", "Commit"]

_VERSION = 1


@dataclasses.dataclass(frozen=True)
class Commit:
    """A committed boundary: its gap, and the step of the commit."""

    gap: int
    step: int


@dataclasses.dataclass
class _State:
    """The state of an online run."""

    step: int = 0
    threshold: float = 0.0
    active: list[list[float]] = dataclasses.field(default_factory=list)
    committed: deque[int] = dataclasses.field(default_factory=deque)
    evaluations: int = 0
    recent: deque[bool] = dataclasses.field(default_factory=deque)
    origin: int = 0  # the step before the first step of the document

    def possible(self) -> bool:
        """Return whether a run can reach this state; a stored state may have been edited or damaged."""
        gaps = [*self.committed, *(candidate[0] for candidate in self.active if candidate)]
        return (
            0 <= self.origin <= self.step < 2**52  # gaps are kept as floats
            and self.evaluations >= 0
            and math.isfinite(self.threshold)
            and all(1 <= gap <= self.step for gap in gaps)
            and all(len(one) == 4 and all(map(math.isfinite, one)) for one in self.active)
        )


@SELECTORS.register()
@dataclasses.dataclass(frozen=True)
class AdaptiveSelector(Selector):
    r"""Accumulate evidence for each gap over time, and commit it at a threshold that follows a target rate.

    Definition
    ----------
    At step t the score of gap t arrives and the gap becomes an active candidate. Every active candidate, from left to
    right, adds its own score to its evidence. A candidate whose evidence reaches the threshold is committed if it is at
    least ``min_gap`` from every committed boundary, and otherwise suppressed. Committed and suppressed candidates are
    removed, and so is a candidate after ``horizon`` evaluations. Then the threshold is updated once:

    .. math::  \tau(t+1) = \tau(t) + \eta\,(\hat\rho(t) - \rho)

    :math:`\hat\rho` is the share of boundaries among the last ``window`` gaps (or all gaps so far), or with
    ``count="evaluations"`` the share of commits among the last ``window`` evaluations, as in the pseudocode. In the paper
    no candidate expires, so any positive score is committed in the end; ``horizon`` limits that, and the memory of a live
    stream. The rule does not reduce to the static one: candidates are processed in order of arrival, not of score.

    Online, `push` takes one score and returns the gaps committed at that step; it requires a finite ``horizon``. `state`
    and `restore` save and continue a run. `select` processes a whole document and leaves the online state unchanged;
    `run_all` carries the threshold over several documents.

    Examples
    --------
    >>> s = AdaptiveSelector(rate=0.17, min_gap=2, window=50, step=0.05, threshold=0.5, horizon=50)
    >>> [s.push(score) for score in (0.8, 0.1, 0.3, 0.9)]  # at the last step gap 3 has 0.6, and gap 4 is too near
    [[1], [], [], [3]]
    """

    rate: float = param(0.1, "target share of gaps that become boundaries", minimum=0, maximum=1)
    min_gap: int = param(1, SPACING, minimum=1)
    window: int = param(50, "gaps (or evaluations) over which the rate is measured", minimum=1)
    step: float = param(0.05, "step size of the threshold", minimum=0)
    threshold: float = param(0.5, "initial threshold")
    horizon: int | None = param(None, "evaluations after which a candidate is removed; None for never", minimum=1)
    count: str = param("positions", "what the rate counts", choices=("positions", "evaluations"))
    candidate_threshold: float | None = param(
        None, "minimum score of a candidate; a gap below it is processed but never becomes one"
    )
    lowest: float | None = param(None, "lower bound of the threshold")
    highest: float | None = param(None, "upper bound of the threshold")

    card = Card(
        title="evidence over time against a threshold that follows a target rate",
        citation="Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation",
        equation="Appendix F, Algorithm 1",
    )

    _online: _State = dataclasses.field(default_factory=_State, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lowest is not None and self.highest is not None and self.lowest > self.highest:
            raise self.error(f"AdaptiveSelector: lowest={self.lowest} is above highest={self.highest}")
        self._online.threshold = self.threshold

    def _gaps(self, scores: Floats) -> Iterable[int]:
        return [commit.gap for commit in self.run(scores)]

    def run(self, scores: Floats | list[float]) -> list[Commit]:
        """Process a whole document, and return each boundary with the step of its commit."""
        return next(self.run_all([scores]))

    def run_all(self, documents: Iterable[Scores]) -> Iterator[list[Commit]]:
        """Process documents one after the other, and yield the boundaries of each.

        The threshold and the measured rate are carried over from one document to the next, so that the rate holds over
        all of them. Candidates and spacing end with their document.
        """
        state = _State(threshold=self.threshold)
        for scores in documents:
            state.origin, state.active = state.step, []
            commits = []
            for score in checked_scores(scores).tolist():
                found = self._advance(state, score)
                commits += [Commit(gap - state.origin, state.step - state.origin) for gap in found]
            yield commits

    def push(self, score: float) -> list[int]:
        """Take the score of the next gap, and return the gaps committed at this step; requires a finite ``horizon``."""
        if self.horizon is None:
            raise SegmentationError(
                "AdaptiveSelector: push() needs a finite horizon, such as horizon=50, or its memory grows without bound"
            )
        return self._advance(self._online, float(checked_scores([score])[0]))

    @property
    def steps(self) -> int:
        """The number of scores that the online run has taken."""
        return self._online.step

    def state(self) -> dict[str, object]:
        """Return the state of the online run as plain data for JSON."""
        plain = dataclasses.asdict(self._online)
        plain["committed"] = list(plain["committed"])
        plain["recent"] = [int(hit) for hit in plain["recent"]]
        return {"version": _VERSION, "selector": str(self), **plain}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue a saved run of a selector with the same parameters."""
        damaged = SegmentationError("the state is damaged; pass what state() returned")
        # A state may come from a file, so its type is checked at run time.
        if not isinstance(state, Mapping):
            raise damaged
        if state.get("version") != _VERSION or state.get("selector") != str(self):
            raise SegmentationError(
                f"the state belongs to {state.get('selector')!r}, not to {str(self)!r}; restore it into the same selector"
            )
        try:
            saved = _State(
                step=int(state["step"]),
                threshold=float(state["threshold"]),
                active=[[float(x) for x in candidate] for candidate in state["active"]],
                committed=deque(int(gap) for gap in state["committed"]),
                evaluations=int(state["evaluations"]),
                recent=deque(bool(hit) for hit in state["recent"]),
                origin=int(state.get("origin", 0)),
            )
        except (KeyError, OverflowError, TypeError, ValueError):
            raise damaged from None
        if not saved.possible():
            raise damaged
        vars(self._online).update(vars(saved))

    def _advance(self, state: _State, score: float) -> list[int]:
        state.step += 1
        if self.candidate_threshold is None or score >= self.candidate_threshold:
            state.active.append([float(state.step), score, 0.0, 0.0])
        committed, staying = [], []
        for candidate in state.active:
            gap, own, evidence, age = candidate
            evidence, age = evidence + own, age + 1
            state.evaluations += 1
            hit = False
            if evidence >= state.threshold:
                hit = all(abs(gap - other) >= self.min_gap for other in state.committed if other > state.origin)
                if hit:
                    state.committed.append(int(gap))
                    committed.append(int(gap))
            elif self.horizon is None or age < self.horizon:
                staying.append([gap, own, evidence, age])
            if self.count == "evaluations":
                state.recent.append(hit)
                if len(state.recent) > self.window:
                    state.recent.popleft()
        state.active = staying
        state.threshold = self._clamped(state.threshold + self.step * (self._measured(state) - self.rate))
        self._forget(state)
        return committed

    def _measured(self, state: _State) -> float:
        if self.count == "evaluations":
            return sum(state.recent) / len(state.recent) if state.recent else 0.0
        first = state.step - self.window
        return sum(1 for gap in state.committed if gap > first) / min(self.window, state.step)

    def _clamped(self, threshold: float) -> float:
        if self.lowest is not None:
            threshold = max(threshold, self.lowest)
        return threshold if self.highest is None else min(threshold, self.highest)

    def _forget(self, state: _State) -> None:
        """Drop boundaries that affect neither the rate nor the spacing of any later candidate."""
        if self.horizon is None:
            return
        oldest = state.step - max(self.window, self.horizon + self.min_gap)
        state.committed = deque(gap for gap in state.committed if gap > oldest)
