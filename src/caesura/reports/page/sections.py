# SPDX-License-Identifier: Apache-2.0
"""One results file as a section of the page: the answer, the tables, the results and their sources."""

from __future__ import annotations

import dataclasses
import functools
import html
import importlib.resources
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from caesura.corpus import Corpus
from caesura.errors import CaesuraError
from caesura.evaluation.agree import agreement
from caesura.evaluation.explain.run import explain
from caesura.evaluation.outcome import Corpora
from caesura.metrics import metric
from caesura.metrics.pairwise.boundaries import BoundaryF1
from caesura.reports import render
from caesura.reports.page.alerts import alerts
from caesura.reports.page.boundaries import contested, errors, paired_chapters, parted
from caesura.reports.page.command import command_of
from caesura.reports.page.documents import has_reference, index
from caesura.reports.page.front import Front, bare_table
from caesura.results import Results, answer_of, as_text, number, tables_of
from caesura.results.evaluate.verdict import Verdict, f1_name
from caesura.results.front import about, headline, heads, lead, main_tables, picture
from caesura.table import Table, Value
from caesura.units.quantity import default_tolerance

__all__ = ["bibtex", "blind_scores", "measured_f1", "section", "shown_f1", "with_one_name"]

_BEGINNING = 20
"""The number of characters that identify a title."""
_MOST_NAMES, _MOST_DOCUMENTS = 40, 2000
_MOST_EXPLAINED = 20_000
"""The number of documents above which conventions are not compared, since that would take seconds."""
_REST = "\u201cEverything else\u201d"
"""The heading under which the page has the output of --full."""


def section(name: str, results: Results, inputs: Corpora, place: int) -> dict[str, Any]:
    """Return a section as plain data."""
    results = _without_old_names(results)
    command, results = command_of(results), with_one_name(results)
    documents, lacking = index(results, inputs, place), inputs.lacking
    f1 = shown_f1(results, results.unit if documents is None else documents["unit"])
    quality = measured_f1(results, f1["name"])
    if documents is not None and results.spans is None and has_reference(results) and inputs.documents is not None:
        runs = {system: facts.runs for system, facts in (results.runs or {}).items()}
        documents["errors"] = errors(documents["ids"], inputs, f1["tolerance"], runs)
        documents["parted"] = parted(documents["ids"], inputs, runs)
    cards, paper = _cards(results), [] if results.reproduction is None else [results.reproduction.title]
    # Scores per document have their own view instead of tables of thousands of rows.
    overall = results
    if results.per_document is not None:
        overall = msgspec.structs.replace(results, documents=None, per_document=None, document_verdicts=None)
    blind = blind_scores(results, quality)
    unread = blind_scores(results, headline(results) if results.metrics else None)
    first = lead(results, unread)
    sentences = [sentence for sentence in answer_of(results) if sentence != first]
    first, sentences = first.replace("--full", _REST), [sentence.replace("--full", _REST) for sentence in sentences]
    tables, papers = tables_of(overall, "page"), tables_of(overall, "latex")
    ids, alike = ([], []) if documents is None else (documents["ids"], documents.get("alike", []))
    warned = alerts(results, inputs, ids, alike, reference=has_reference(results))
    made = Front(f"front-{place + 1}", about(results, command), first, picture(results, unread), warned)
    return {
        "name": name,
        "lead": first,
        "answer": sentences,
        "bare": _bare(results, overall, made, sentences, paired_chapters(results, inputs)),
        "tables": [
            _table(table, heads(results, table), papers[0] if place == 0 else table)
            for place, table in enumerate(tables)
        ],
        "results": msgspec.json.decode(as_text(results)),
        "f1": f1,
        "quality": quality,
        "blind": blind,
        "best": _best(results, f1["name"]),
        "command": command,
        "cards": cards,
        "bibtex": bibtex([*(card["citation"] for card in cards.values()), *paper]),
        "conventions": _conventions(results, inputs, f1["name"]),
        "among": _among_people(inputs),
        "documents": documents,
        "contested": [] if inputs.documents is None else contested(results, inputs.documents),
        "hint": f"{'. '.join(lacking)}. Run caesura report RESULTS --inputs FILE for each of them."
        if lacking
        else None,
    }


def _bare(
    results: Results, overall: Results, made: Front, sentences: Sequence[str], first: Sequence[Table]
) -> tuple[str, str]:
    """Return the HTML of a section that needs no script: its front, which the script keeps, and the answer with its tables."""
    tables = [bare_table(table, heads(results, table)) for table in main_tables(overall)]
    pairs = [bare_table(table, [""] * len(table.columns)) for table in first]
    return made.html(), "\n".join([*pairs, *(f"<p>{html.escape(sentence)}</p>" for sentence in sentences), *tables])


def _without_old_names(results: Results) -> Results:
    """Return results without the options of formats that may tell the old names of what was renamed."""
    inputs = [
        msgspec.structs.replace(entry, format=None)
        if any(change.names or change.ids for change in entry.changes or ())
        else entry
        for entry in results.inputs
    ]
    return msgspec.structs.replace(results, inputs=inputs)


def _table(table: Table, words: Sequence[str] = (), paper: Table | None = None) -> dict[str, object]:
    """Return a table as plain data, with its columns in words; ``paper`` is the one to copy as LaTeX."""
    numeric = [table.is_numeric(place) for place in range(len(table.columns))]
    return {
        "title": table.title,
        "brief": not table.detail,
        "columns": [
            {"title": c.title, "arrow": c.arrow, "direction": c.direction, "numeric": number}
            | ({"detail": True} if c.detail else {})
            | ({"words": said} if said else {})
            for c, number, said in zip(table.columns, numeric, words or [""] * len(numeric), strict=True)
        ],
        "rows": [[_plain(value) for value in row] for row in table.rows],
        "texts": table.texts(),
        "notes": list(table.notes),
        "marked": sorted(table.marked or ()) if table.title else [],
        "latex": render(paper or table, "latex"),
        "markdown": render(table, "markdown"),
        "csv": render(table, "csv"),
    }


def _plain(value: Value) -> float | int | str | None:
    """Return a value that JSON can hold, and rows are sorted by: of an interval the lower end."""
    if isinstance(value, tuple):
        value = value[0]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def _best(results: Results, f1: str) -> str | None:
    """Return the system with the best score by the F1 of the section, or by the first metric."""
    name = f1 if f1 in results.metrics else next(iter(results.metrics), None)
    if name is None:
        return None
    scores = {
        system: results.metrics[name].badness(score)
        for system, row in results.systems.items()
        if name in row and (score := row[name].score) is not None
    }
    return min(scores, key=scores.__getitem__) if scores else None


def _cards(results: Results) -> dict[str, dict[str, str]]:
    """Return title, formula and source of every metric that this version knows."""
    cards = {}
    measured = {name: facts.metric for name, facts in results.metrics.items()}
    if results.agreement is not None:
        measured |= {name: facts.metric for name, facts in results.agreement.coefficients.items()}
    for name, text in measured.items():
        try:
            card = metric(text).facts()
        except CaesuraError:
            continue
        cards[name] = {"title": card.title, "formula": card.formula, "citation": card.citation}
    return cards


def _conventions(results: Results, inputs: Corpora, f1: str) -> dict[str, object] | None:
    """Return the scores of the best system under other programs' conventions, with reasons; None if unavailable."""
    system = inputs.systems.get(_best(results, f1) or "")
    scored = results.question in ("evaluate", "compare", "gate") and results.against == "boundaries"
    if not scored or system is None or inputs.documents is None or len(inputs.documents) > _MOST_EXPLAINED:
        return None
    try:
        explained = explain(inputs.documents, system, missing="skip").table()
    except CaesuraError:
        return None
    known = results.metrics.get(f1)
    rows = [[f1 if known and value == known.metric else value for value in row] for row in explained.rows]
    return _table(dataclasses.replace(explained, rows=rows))


def _among_people(inputs: Corpora) -> dict[str, object] | None:
    """Return the pairwise metric between all annotators and systems; None if there are none or too many of either."""
    documents = inputs.documents
    if documents is None or not inputs.systems or len(documents) > _MOST_DOCUMENTS:
        return None
    people = dict.fromkeys(name for document in documents for name in document.annotations)
    systems = {name if name not in people else f"{name} (system)": made for name, made in inputs.systems.items()}
    if len(people) < 2 or len(people) + len(systems) > _MOST_NAMES:
        return None
    joined = []
    for document in documents:
        key = document.id
        given = {n: c.segmentation(key) for n, c in systems.items() if key in c and c.present[c.row(key)]}
        joined.append(dataclasses.replace(document, annotations={**document.annotations, **given}))
    try:
        outcome = agreement(Corpus(joined, name=documents.name))
        found = outcome.pairwise(outcome.by)
    except CaesuraError:
        return None
    names = [name for name in (*people, *systems) if name in found.names]
    order = [found.names.index(name) for name in names]
    matrix = [[number(float(value)) for value in row] for row in found.matrix[order][:, order]]
    return {"metric": outcome.by, "names": names, "systems": list(systems), "matrix": matrix}


class _Entry(NamedTuple):
    surname: str
    title: str
    year: str
    text: str

    def named_in(self, citation: str) -> bool:
        """Return whether a citation matches an entry: its first author, with the year or the start of the title."""
        title = self.title[:_BEGINNING].lower()
        return self.surname in citation and (self.year in citation or title in citation.lower())


@functools.cache
def _entries() -> list[_Entry]:
    entries = []
    for text in (
        (importlib.resources.files("caesura.metrics") / "references.bib").read_text("utf-8").strip().split("\n\n")
    ):
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", text, re.MULTILINE))
        title = re.sub(r"[{}]", "", fields["title"])
        entries.append(_Entry(fields["author"].partition(",")[0], title, fields["year"], text))
    return entries


def bibtex(citations: Iterable[str]) -> str:
    """Return the cited entries, in the order of the file.

    >>> bibtex(["Fleiss 1971; as in another"]).splitlines()[0]
    '@article{fleiss1971,'
    """
    given = list(citations)
    return "\n\n".join(entry.text for entry in _entries() if any(entry.named_in(citation) for citation in given))


def _verdict(results: Results) -> Verdict | None:
    return next(iter((results.verdicts or {}).values()), None)


def with_one_name(results: Results) -> Results:
    """Return results in which the F1 of the verdicts has the name that verdicts and sentences use for it."""
    verdict = _verdict(results)
    if verdict is None or verdict.f1 in results.metrics:
        return results
    given = next((name for name, facts in results.metrics.items() if facts.metric == verdict.f1_metric), None)
    if given is None:
        return results
    plain = _renamed(msgspec.json.decode(as_text(results)), given, verdict.f1)
    plain["metrics"][verdict.f1]["metric"] = verdict.f1_metric
    return msgspec.convert(plain, Results, strict=False)


def _renamed(value: Any, old: str, new: str) -> Any:
    """Return plain data with another name for a metric, as a key and as a value."""
    if isinstance(value, dict):
        return {new if key == old else key: _renamed(inner, old, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, old, new) for inner in value]
    return new if value == old else value


def _measured(results: Results) -> dict[str, BoundaryF1]:
    measured = {}
    for name, facts in results.metrics.items():
        try:
            declared = metric(facts.metric)
        except CaesuraError:
            continue
        if isinstance(declared, BoundaryF1):
            measured[name] = declared
    return measured


def shown_f1(results: Results, unit: str) -> dict[str, Any]:
    """Return the F1 that the page computes for a document: its name, and its tolerance in units.

    It is that of the verdicts if it was measured, else the first that was measured and is defined as there, else the usual
    one on the unit.
    """
    verdict = _verdict(results)
    tolerance = default_tolerance(unit) if verdict is None else verdict.tolerance
    own = {name: f1 for name, f1 in _measured(results).items() if f1 == BoundaryF1(tolerance=f1.tolerance)}
    same = (name for name, f1 in own.items() if f1.tolerance == tolerance)
    name = next(same, None) or next(iter(own), f1_name(tolerance))
    try:
        return {"name": name, "tolerance": own.get(name, BoundaryF1(tolerance=tolerance)).reach(unit)}
    except CaesuraError:  # documents in another unit than the scores
        usual = default_tolerance(unit)
        return {"name": f1_name(usual), "tolerance": BoundaryF1(tolerance=usual).reach(unit)}


def measured_f1(results: Results, shown: str) -> str | None:
    """Return the F1 to draw over density: the one that is shown, or else any that was measured."""
    measured = _measured(results)
    return shown if shown in measured else next(iter(measured), None)


def blind_scores(results: Results, name: str | None) -> dict[str, dict[str, float | None]]:
    """Return an F1 by chance and for the better clock, at the density of each system; None where it was not measured."""
    found = {}
    for system, row in results.systems.items():
        score, verdict = row.get(name or ""), (results.verdicts or {}).get(system)
        if name is None or score is None:
            continue
        chance, clock = (None, None) if score.blind is None else (score.blind.chance, score.blind.clock)
        if verdict is not None and verdict.judges(results.metrics[name].metric, score.score):
            chance, clock = verdict.findings["W-F1"].chance, verdict.clock.score
        if score.skill is not None:
            chance = score.skill.expected
        found[system] = {"chance": chance, "clock": clock}
    return found
