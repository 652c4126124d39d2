# SPDX-License-Identifier: Apache-2.0
"""What the lead sees: who is how far, what `agree` says now, who differs, and the places to decide.

Everything but progress is measured on the folder as every command reads it, in a thread, from finished documents only.
"""

from __future__ import annotations

import math
import warnings

import msgspec
import numpy as np

from caesura.annotate.alerts import alerts
from caesura.annotate.project import Project
from caesura.annotations.events import EventStore, Payload
from caesura.annotations.state import State, Task, project_state
from caesura.corpus import DECISIONS, Corpus, Document
from caesura.errors import CaesuraError
from caesura.evaluation.agree import agreement
from caesura.evaluation.agree.gold import contested_places
from caesura.evaluation.agree.report import Agreement
from caesura.formats import load
from caesura.metrics import metric
from caesura.metrics.base import Floats
from caesura.results.agree.answer import answer
from caesura.segmentation import Segmentation
from caesura.statistics import Bootstrap

__all__ = ["Overview", "anchoring", "course", "self_agreement", "trend"]

_RESAMPLES = 200
"""Resamples of the intervals on the lead's page, which are computed again whenever somebody finishes a document."""
_TREND, _FEWEST = "FleissKappa", 3
"""What is followed over time, and the documents of either half and of a point of the curve."""
_CONTEXT = 4
"""Units before and after a place that the lead reads."""


class Overview:
    """The lead's view of a project; what takes long is computed again only if somebody has finished something."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._measured: tuple[object, Payload] = (None, {})

    def progress(self) -> Payload:
        """Return how far everybody is with every document, and the hours."""
        state = self.project.state
        people, codings = list(state.people), dict(state.codings)
        given = {person: set(tasks) for person, tasks in state.tasks.items()}
        status: dict[str, list[str]] = {}
        for document in state.n_units:
            row = []
            for person in people:
                coding = codings.get((person, Task(document)))
                if coding is None:
                    row.append("open" if Task(document) in given.get(person, ()) else "")
                else:
                    row.append("begun" if coding.finished is None else "done")
            status[document] = row
        seconds = dict.fromkeys(people, 0.0)
        for (person, _), coding in codings.items():
            seconds[person] += coding.seconds
        named = {state.name(person): spent for person, spent in seconds.items()}
        return {"people": list(named), "status": status, "seconds": named, "number": state.number}

    def view(self) -> Payload:
        """Return progress and agreement."""
        progress = self.progress()
        done = [cell == "done" for row in progress["status"].values() for cell in row]
        decided = sum(map(len, list(self.project.state.decisions.values())))
        if self._measured[0] != (sum(done), decided):
            self._measured = ((sum(done), decided), self._agreement(any(done)))
        return progress | self._measured[1]

    def _agreement(self, finished: bool) -> Payload:
        """Return what `caesura agree` says of the folder now, people over time, alerts, places, and what is needed."""
        if not finished:
            return {"answer": ["Nobody has finished a document yet."]}
        folder = self.project.folder
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                report = agreement(folder, resamples=_RESAMPLES)
                # What to do next is a button of this page, not an option of the command.
                said = [sentence for sentence in answer(report.results()) if not sentence.startswith("Next")]
        except CaesuraError as error:
            return {"answer": [str(error).replace(str(folder), "the project")]}
        with EventStore(folder) as store:
            state = project_state(store.events())
        view: Payload = {"answer": said}
        if report.n_pairs:
            view |= _people(report, state) | {"places": self._places(report.corpus), "needed": _needed(report)}
            view |= {"trend": trend(report, state), "course": course(report, state)}
        view["self"] = self_agreement(state)
        view["anchoring"] = anchoring(report.corpus, state)
        return view

    def _places(self, corpus: Corpus) -> list[Payload]:
        """Return the documents with contested places, most undecided first."""
        rows = []
        for document in corpus:
            places = contested_places(document)
            decided = {gap for decision in document.extra.get(DECISIONS, ()) for gap in decision["gaps"]}
            open_places = sum(not decided & set(place.gaps) for place in places)
            if places:
                rows.append({"document": document.id, "places": len(places), "open": open_places})
        return sorted(rows, key=lambda row: -row["open"])

    def places(self, key: str) -> Payload:
        """Return the contested places of a document in context, with votes, titles, comments and decisions."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            document = load(self.project.folder)[key]
        decided = {gap: each for each in document.extra.get(DECISIONS, ()) for gap in each["gaps"]}
        titles, comments = document.extra.get("annotator_titles", {}), document.extra.get("annotator_comments", {})
        found = []
        for place in contested_places(document):
            first, last = max(0, place.gaps[0] - _CONTEXT), min(document.n_units, place.gaps[-1] + _CONTEXT)
            found.append(
                {
                    "gaps": place.gaps,
                    "best": place.best,
                    "annotators": len(place.annotators),
                    "first": first,
                    "units": list((document.units or ())[first:last]),
                    "speakers": list((document.speakers or ())[first:last]),
                    "votes": [
                        {
                            "gap": gap,
                            "people": [[name, titles.get(name, {}).get(str(gap), "")] for name in place.votes[gap]],
                        }
                        for gap in place.gaps
                    ],
                    "comments": [
                        [name, int(gap), text]
                        for name, texts in comments.items()
                        for gap, text in texts.items()
                        if first <= int(gap) <= last
                    ],
                    "decision": next((decided[gap] for gap in place.gaps if gap in decided), None),
                }
            )
        return {"document": key, "n_units": document.n_units, "places": found}


def _people(report: Agreement, state: State) -> Payload:
    """Return each person's density and agreement, also over time, and alerts."""
    panel = report.panel
    names, ids = list(panel.names), list(panel.ids)
    shape = (len(ids), len(names))
    boundaries, scores, when = (np.full(shape, np.nan) for _ in range(3))
    boundaries[panel.document, panel.annotator] = panel.n_boundaries
    scores[panel.document, panel.annotator] = report.pairwise(report.by).by_coding
    codings = state.first_round()
    for row, document in enumerate(ids):
        for column, name in enumerate(names):
            coding = codings[document].get(name)
            if coding is not None and coding.finished is not None:
                when[row, column] = coding.finished
    found = alerts(names, ids, boundaries, scores, when, state.settings.seed)
    units = panel.n_units.astype(np.float64)
    rows = []
    for column, name in enumerate(names):
        order = np.argsort(when[:, column])[: int((~np.isnan(when[:, column])).sum())]
        density = 100 * boundaries[order, column] / units[order]
        rows.append(
            {
                "name": name,
                "documents": len(order),
                "density": _rounded(
                    100 * np.nansum(boundaries[:, column]) / units[~np.isnan(boundaries[:, column])].sum()
                ),
                "agreement": _rounded(np.nanmean(scores[:, column])) if (~np.isnan(scores[:, column])).any() else None,
                "densities": [_rounded(value) for value in density],
                "scores": [_rounded(value) for value in scores[order, column]],
            }
        )
    return {"rows": rows, "by": report.by, "alerts": [msgspec.to_builtins(each) for each in found]}


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), 3)


def _needed(report: Agreement) -> str:
    """Return what is still needed for an interval of kappa that is narrower than 0.2."""
    try:
        plan = report.plan(0.2)
    except CaesuraError as error:
        return str(error)
    if plan.documents_needed is None:
        return "An interval of kappa narrower than 0.2 is out of reach with documents like these."
    more = plan.documents_needed - plan.documents
    if more <= 0:
        return "The interval of kappa is narrower than 0.2 already."
    said = f"About {more} more documents like these bring the interval of kappa under 0.2"
    if plan.annotators_needed is not None and plan.annotators_needed > plan.annotators:
        said += f"; so would {plan.annotators_needed} people on each of those that are there"
    return f"{said}."


def self_agreement(state: State) -> list[Payload]:
    """Return how far each person agrees with themselves on documents that they got twice, by B."""
    same = metric("B")
    scores: dict[str, list[float]] = {}
    for (person, task), again in state.codings.items():
        first = state.codings.get((person, Task(task.document)))
        if task.round == 2 and again.finished is not None and first is not None and first.finished is not None:
            n = state.n_units[task.document]
            scores.setdefault(state.name(person), []).append(
                same(Segmentation(n, first.boundaries()), Segmentation(n, again.boundaries()))
            )
    return [
        {"name": person, "documents": len(each), "agreement": _rounded(float(np.nanmean(each)))}
        for person, each in scores.items()
        if not np.isnan(each).all()
    ]


def anchoring(corpus: Corpus, state: State) -> str | None:
    """Return how much closer people are to a system where they saw its boundaries, by F1 with a tolerance of one unit.

    Documents are drawn at random for showing, so the difference of the means is what the suggestions did.
    """
    if not state.suggestions:
        return None
    near = metric("W-F1")
    groups: dict[bool, list[float]] = {True: [], False: []}
    for suggestion in state.suggestions:
        for key, boundaries in suggestion.boundaries.items():
            document: Document = corpus[key]
            system = Segmentation(document.n_units, boundaries, unit=document.unit)
            scores = [near(coding, system) for coding in document.annotations.values()]
            if scores:
                groups[key in suggestion.shown].append(float(np.nanmean(scores)))
    shown, hidden = (np.array(groups[key]) for key in (True, False))
    if min(len(shown), len(hidden)) < 3:
        return "Anchoring is measured once three documents with and three without suggestions are finished."
    difference, low, high = _difference(shown, hidden, state.settings.seed)
    verdict = (
        "people follow the suggestions" if low > 0 else "no anchoring is shown" if high >= 0 else "people avoid them"
    )
    return (
        f"With suggestions people agree with the system by F1 {shown.mean():.2f}, without {hidden.mean():.2f}: a difference of "
        f"{difference:+.2f} [{low:+.2f}, {high:+.2f}] on {len(shown)} and {len(hidden)} documents; {verdict}."
    )


def trend(report: Agreement, state: State) -> str | None:
    """Return how agreement changed while the project went on: the second half of the documents against the first, by date.

    A document counts when the last of its annotators has finished it; None with fewer than six documents.
    """
    ordered = _by_date(report, state)
    if len(ordered) < 2 * _FEWEST:
        return None
    early, late = ordered[: len(ordered) // 2], ordered[len(ordered) // 2 :]
    difference, low, high = _difference(late, early, state.settings.seed)
    verdict = "agreement rises" if low > 0 else "no change is shown" if high >= 0 else "agreement falls"
    return (
        f"Over time: {_TREND} is {early.mean():.3f} in the {len(early)} documents that were finished first and {late.mean():.3f} in the "
        f"{len(late)} since, a difference of {difference:+.3f} [{low:+.3f}, {high:+.3f}]; {verdict}."
    )


def course(report: Agreement, state: State) -> Payload | None:
    """Return agreement over time as a curve: at each document, by date, the mean of it and the two before; None under four."""
    values = _by_date(report, state)
    if len(values) <= _FEWEST:
        return None
    means = np.convolve(values, np.full(_FEWEST, 1 / _FEWEST), "valid")
    return {"name": _TREND, "values": [_rounded(value) for value in means]}


def _by_date(report: Agreement, state: State) -> Floats:
    """Return the coefficient of each document in the order in which the last of its annotators finished them."""
    values = dict(zip(report.panel.ids, report.coefficients[_TREND].per_document, strict=True))
    finished = [
        (max(each.finished for each in codings.values() if each.finished is not None), key)
        for key, codings in state.first_round().items()
        # What was imported has no date of its own.
        if values.get(key) is not None and not any(each.imported for each in codings.values())
    ]
    return np.array([values[key] for _, key in sorted(finished)], dtype=np.float64)


def _difference(first: Floats, second: Floats, seed: int) -> tuple[float, float, float]:
    """Return the difference of two means over documents, and its 95 % interval."""
    draws = [Bootstrap(len(each), 2000, seed + k).mean(each) for k, each in enumerate((first, second))]
    fewest = min(len(first), len(second))
    interval = Bootstrap(fewest, 2000, seed).interval(draws[0] - draws[1], fewest)
    # Equal means may differ in the last digit.
    return (
        round(float(first.mean() - second.mean()), 9) + 0.0,
        round(interval.low, 9) + 0.0,
        round(interval.high, 9) + 0.0,
    )
