# SPDX-License-Identifier: Apache-2.0
"""What a paper says of a project: the corpus, hours, agreement and its trend, repetitions, anchoring, and where gold comes from.

People are numbered, not named: the page is made to be sent. It is one HTML file without a script.
"""

from __future__ import annotations

import html
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from caesura.annotate.lead import anchoring, self_agreement, trend
from caesura.annotate.project import Project
from caesura.annotations.state import Coding, State, project_state
from caesura.corpus import Corpus
from caesura.errors import CaesuraError
from caesura.evaluation.agree import agreement
from caesura.evaluation.agree.gold import contested_places, gold_corpus
from caesura.evaluation.agree.report import Agreement
from caesura.reports import render
from caesura.reports.page.html import plain_document
from caesura.results.agree.answer import answer
from caesura.table import Column, Table, Value, columns_of

__all__ = ["Closing", "closing", "closing_page"]


class Closing(msgspec.Struct, frozen=True):
    """Sentences and tables under their headings, a paragraph for the paper, and the table of the corpus, which is LaTeX too."""

    sections: list[tuple[str, list[str], list[Table]]]
    paragraph: str
    corpus: Table


def closing(project: Project) -> Closing:
    """Return what is known of a project now, from finished documents."""
    state = project_state(project.store.events())
    numbered = {state.name(person): f"annotator {place}" for place, person in enumerate(state.people, start=1)}
    if not any(state.first_round().values()):
        raise CaesuraError("nobody has finished a document yet; there is nothing to report")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        marked = {name for codings in state.first_round().values() for name in codings}
        report = agreement(project.folder, names={name: number for name, number in numbered.items() if name in marked})
        said = [sentence for sentence in answer(report.results()) if not sentence.startswith("Next")]
    over_time = trend(report, state)
    anchored = anchoring(report.corpus, state)
    corpus = _corpus_table(report, state)
    settled = _settled(report.corpus)
    sections: list[tuple[str, list[str], list[Table]]] = [
        ("Corpus", [], [corpus]),
        ("Agreement", said + ([over_time] if over_time else []), [_coefficients(report)]),
        ("People", [], [_people(report, state, numbered)]),
        ("Suggestions", [anchored] if anchored else [], []),
        ("From annotations to gold", [], [settled]),
    ]
    kept = [section for section in sections if section[1] or section[2]]
    return Closing(kept, _paragraph(report, state, anchored, settled), corpus)


def closing_page(project: Project) -> str:
    """Return the page."""
    made = closing(project)
    parts: list[str] = []
    for heading, sentences, tables in made.sections:
        parts += [f"<h2>{html.escape(heading)}</h2>", *(f"<p>{html.escape(each)}</p>" for each in sentences)]
        parts += [_as_html(table) for table in tables]
    latex = render(made.corpus, "latex")
    parts += ["<h2>For the paper</h2>", f"<p>{html.escape(made.paragraph)}</p>", f"<pre>{html.escape(latex)}</pre>"]
    return plain_document(f"{project.folder.resolve().name}: the annotation", "\n".join(parts), "annotate")


def _as_html(table: Table) -> str:
    heads = "".join(f'<th scope="col">{html.escape(column.title)}</th>' for column in table.columns)
    rows = [
        f'<tr><th scope="row">{html.escape(first)}</th>{"".join(f"<td>{html.escape(cell)}</td>" for cell in cells)}</tr>'
        for first, *cells in table.texts()
    ]
    notes = "".join(f'<p class="hint">{html.escape(note)}</p>' for note in table.notes)
    return (
        f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>{notes}'
    )


def _measured(state: State) -> Iterator[tuple[int, Coding]]:
    """Yield the units and the coding of everything that was finished here, repetitions too, with its time."""
    for (_, task), coding in state.codings.items():
        if coding.finished is not None and coding.seconds > 0:
            yield state.n_units[task.document], coding


def _mean_range(values: Sequence[float], digits: int = 0) -> str:
    low, high = min(values), max(values)
    mean = f"{np.mean(values):,.{digits}f}"
    return mean if low == high else f"{mean} ({low:,.{digits}f} to {high:,.{digits}f})"


def _corpus_table(report: Agreement, state: State) -> Table:
    panel = report.panel
    units = [state.n_units[key] for key in panel.ids]
    lengths = panel.codings.masses()
    timed = list(_measured(state))
    hours = sum(coding.seconds for _, coding in timed) / 3600
    rows: list[list[Value]] = [
        ["documents", f"{len(panel):,} of {len(state.n_units):,}" if len(panel) < len(state.n_units) else f"{len(panel):,}"],
        [f"{panel.unit}s", f"{sum(units):,}"],
        [f"{panel.unit}s per document", _mean_range(units)],
        ["annotators", str(len(panel.names))],
        ["annotations", f"{len(panel.annotator):,}"],
        ["annotators per document", _mean_range(panel.n_annotators.tolist(), 1)],
        ["boundaries per annotation", _mean_range(panel.n_boundaries.tolist(), 1)],
        [f"{panel.unit}s per segment", f"{lengths.mean():.1f} (median {np.median(lengths):.0f})"],
    ]  # fmt: skip
    if timed:
        rows += [
            ["hours of active time", f"{hours:.1f}"],
            ["minutes per annotation", f"{60 * hours / len(timed):.1f}"],
            [f"minutes per 100 {panel.unit}s", f"{6000 * hours / sum(n for n, _ in timed):.1f}"],
        ]
    return Table(columns_of("what", "value"), rows, title="Corpus")


def _coefficients(report: Agreement) -> Table:
    rows: list[list[Value]] = [
        [name, each.score, (each.interval[0], each.interval[1]), each.documents]
        for name, each in report.coefficients.items()
    ]
    columns = [Column("coefficient"), Column("score"), Column("95 % interval", style="interval"), Column("documents")]
    return Table(columns, rows, notes=["Means over documents that at least two people finished; documents resampled."])


def _people(report: Agreement, state: State, numbered: dict[str, str]) -> Table:
    seconds = dict.fromkeys(numbered.values(), 0.0)
    for (person, _), coding in state.codings.items():
        seconds[numbered[state.name(person)]] += coding.seconds
    again = {numbered[str(row["name"])]: row for row in self_agreement(state)}
    rows: list[list[Value]] = []
    for name in numbered.values():
        row = report.annotators.get(name)
        if row is None:
            continue
        same = again.get(name)
        twice = None if same is None else f"{same['agreement']:.3f} ({same['documents']})"
        rows.append([name, row.documents, row.per_100_units, row.agreement, twice, seconds[name] / 3600])
    columns = columns_of("person", "documents", "per 100", report.by, "with themselves", "hours")
    note = (
        f"per 100: boundaries per 100 {report.panel.unit}s. {report.by}: mean with the others on the same documents. "
        "with themselves: B on documents that came twice, and how many."
    )
    return Table(columns, rows, notes=[note])


def _settled(corpus: Corpus) -> Table:
    """Return how the boundaries of gold come about, and what became of the contested places."""
    gold, undecided = gold_corpus(corpus)
    found: Counter[str] = Counter()
    followed, decided = 0, 0
    for document in gold:
        for row in document.extra["made_by"]["gold"]["boundaries"]:
            found[row["by"] if row["gap"] is not None else "removed"] += 1
            if row["by"] == "decision":
                decided += 1
                followed += int((row["gap"] is not None) == (2 * row["votes"] >= row["annotators"]))
    rows: list[list[Value]] = [
        ["boundaries that all annotators marked", found["unanimous"]],
        ["contested places", sum(len(contested_places(document)) for document in corpus)],
        ["decided as a boundary", found["decision"]],
        ["decided as none", found["removed"]],
        ["decisions with the majority", f"{followed} of {decided}"],
        ["not decided", undecided],
        ["boundaries by majority, where not decided", found["consensus"]],
    ]
    return Table(columns_of("what", "value"), rows)


def _paragraph(report: Agreement, state: State, anchored: str | None, settled: Table) -> str:
    """Return what a paper has to say, in sentences to be changed by hand."""
    panel, settings = report.panel, state.settings
    units = sum(state.n_units[key] for key in panel.ids)
    hours = sum(coding.seconds for _, coding in _measured(state)) / 3600
    per = panel.n_annotators
    each = f"{per[0]} of them" if per.min() == per.max() else f"{per.mean():.1f} of them on average"
    said = [
        f"{len(panel.names)} people marked boundaries in {len(panel):,} documents with {units:,} {panel.unit}s"
        + (f", in {hours:.1f} hours of active time." if hours else "."),
        f"Each document was annotated by {each}"
        + (f", after a pilot of {settings.pilot} documents by everybody" if settings.pilot else "")
        + ", in an order drawn for each person; nobody saw the marks of others.",
        f"A segment has {panel.codings.masses().mean():.1f} {panel.unit}s on average.",
    ]
    shown = [
        f"{name} is {value.score:.3f} [{value.interval[0]:.3f}, {value.interval[1]:.3f}]"
        for name, value in report.coefficients.items()
        if name in ("FleissKappa", "AgreementB") and value.score is not None and None not in value.interval
    ]
    if shown:
        said.append(f"{' and '.join(shown)} (means over documents, 95 % intervals by resampling of documents).")
    again = self_agreement(state)
    if again:
        many = sum(int(row["documents"]) for row in again)
        mean = sum(row["agreement"] * row["documents"] for row in again) / many
        said.append(f"People agree with themselves by B {mean:.3f} on {many} documents that came twice.")
    if anchored:
        said.append(anchored)
    places, undecided = settled.rows[1][1], settled.rows[5][1]
    if isinstance(places, int) and isinstance(undecided, int) and places:
        said.append(
            f"Of {places} contested places, {places - undecided} were decided by an adjudicator, and the others follow the majority."
        )
    return " ".join(said)
