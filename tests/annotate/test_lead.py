"""What the lead sees: alerts that are calibrated, anchoring, self-agreement, and gold from decisions."""

from __future__ import annotations

import re

import numpy as np
import pytest

import caesura as cz
from caesura.annotate import Project
from caesura.annotate.alerts import alerts
from caesura.annotate.checking import Sent, checked
from caesura.annotate.lead import Overview, anchoring, course, self_agreement, trend
from caesura.annotations import LEAD
from caesura.annotations.state import Task
from caesura.corpus import Corpus, Document
from caesura.evaluation.agree import agreement
from caesura.evaluation.agree.gold import contested_places, gold_corpus
from caesura.formats import load
from caesura.segmentation import Segmentation
from tests.annotate.conftest import corpus_of


def simulated(seed, people=5, documents=24, units=60, who=None, since=0, more=0.0):
    """Draw a project: everybody marks a tenth of the gaps that matter with noise; ``who`` marks more from a document on."""
    draw = np.random.default_rng(seed)
    order = np.array([draw.permutation(documents) for _ in range(people)]).T.astype(float)
    boundaries, agreement = np.empty((documents, people)), np.empty((documents, people))
    for row in range(documents):
        topics = draw.random(units) < 0.1
        extra = np.array(
            [0.04 + (more if person == who and order[row, person] >= since else 0) for person in range(people)]
        )
        marks = (topics & (draw.random((people, units)) < 0.7)) | (draw.random((people, units)) < extra[:, None])
        counts = marks.sum(axis=1)
        both = marks.astype(int) @ marks.T.astype(int)
        same = 2 * both / np.maximum(1, counts[:, None] + counts[None])
        boundaries[row], agreement[row] = counts, (same.sum(axis=1) - np.diag(same)) / (people - 1)
    return boundaries, agreement, order


def found(boundaries, agreement, order, until=None):
    people = [f"a{k}" for k in range(1, boundaries.shape[1] + 1)]
    names = [f"d{k}" for k in range(len(boundaries))]
    here = order < (len(order) if until is None else until)
    return alerts(people, names, *(np.where(here, each, np.nan) for each in (boundaries, agreement, order)))


def test_exchangeable_people_raise_no_alert_in_95_percent_of_200_projects():
    """At either of two looks, as the lead sees them while the project goes on."""
    alarmed = 0
    for seed in range(200):
        drawn = simulated(seed)
        alarmed += any(found(*drawn, until=until) for until in (12, 24))
    assert alarmed <= 10


def test_an_outlier_is_found_with_the_document_since_which():
    since = 0
    for seed in range(10):
        raised = found(*simulated(500 + seed, who=3, since=13, more=0.15))
        assert {alert.person for alert in raised} == {"a4"}, seed
        since += any(alert.kind == "change" and "their document" in alert.text for alert in raised)
    assert since >= 8
    assert {alert.kind for alert in found(*simulated(9, who=1, more=0.2))} >= {"density"}


def test_too_few_documents_raise_nothing():
    boundaries, agreement, order = simulated(1, documents=3, who=0, more=0.5)
    assert found(boundaries, agreement, order) == []
    assert alerts(["a"], ["d"], np.array([[3.0]]), np.array([[np.nan]]), np.array([[1.0]])) == []


def finish(project, person, document, gaps, turn=1):
    place = project.state.tasks[person].index(Task(document, turn))
    sent = [Sent(k, "mark", {"gap": gap, "level": 1}, place) for k, gap in enumerate(gaps, start=1)]
    sent.append(Sent(len(sent) + 1, "finish", {}, place))
    project.record(*(checked(project.state, person, f"{person} {document} {turn}", each) for each in sent))


def test_decisions_become_gold_with_votes_and_reasons(project, run, tmp_path):
    project.add_people(["a3"])
    project.assign()
    for person, gaps in (("a1", (3, 7)), ("a2", (3, 8)), ("a3", (3, 11))):
        finish(project, person, "m1", gaps)
    document = load(project.folder)["m1"]
    places = contested_places(document)
    assert [(place.gaps, place.best, sorted(place.voters)) for place in places] == [
        ([7, 8], 7, ["a1", "a2"]),
        ([11], 11, ["a3"]),
    ]
    gold, undecided = gold_corpus(load(project.folder))
    assert (gold["m1"].segmentation.boundaries, undecided) == ((3, 7), 2)
    for sequence, (gaps, gap, reason) in enumerate([([7, 8], 8, "the vote"), ([11], None, "")], start=1):
        sent = Sent(sequence, "decision", {"gaps": gaps, "gap": gap, "reason": reason}, document="m1")
        project.record(checked(project.state, LEAD, "lead-page", sent))
    code, _, err = run("agree", project.folder, "--gold", tmp_path / "gold.jsonl")
    assert code == 0, err
    made = load(tmp_path / "gold.jsonl")
    assert made.ids == ["m1"]
    assert made["m1"].segmentation == Segmentation(12, (3, 8), unit=made.unit)
    assert made["m1"].extra["made_by"]["gold"]["boundaries"] == [
        {"gap": 3, "by": "unanimous", "votes": 3, "annotators": 3},
        {"gap": 8, "by": "decision", "votes": 2, "annotators": 3, "reason": "the vote"},
        {"gap": None, "by": "decision", "votes": 1, "annotators": 3, "reason": ""},
    ]
    project.record(checked(project.state, LEAD, "lead-page", Sent(3, "undecided", {"gaps": [7, 8]}, document="m1")))
    assert gold_corpus(load(project.folder))[1] == 1
    view = Overview(project).places("m1")
    assert view["places"][0]["votes"][0] == {"gap": 7, "people": [["a1", ""]]}
    assert [place["decision"] is None for place in view["places"]] == [True, False]


def test_the_lead_s_view_has_people_places_and_what_is_needed(project):
    for document in ("m1", "m2", "m3"):
        finish(project, "a1", document, (2, 5))
        finish(project, "a2", document, (2, 6))
    view = Overview(project).view()
    assert [row["documents"] for row in view["rows"]] == [3, 3]
    assert view["rows"][0]["densities"][0] > 0
    assert {row["document"] for row in view["places"]} == {"m1", "m2", "m3"}
    assert all(row["open"] == row["places"] > 0 for row in view["places"])
    assert "kappa" in view["needed"]
    assert view["anchoring"] is None


@pytest.fixture
def suggested(tmp_path):
    """Make a project of twelve documents with suggestions and repetitions, whose people follow what they see."""
    corpus = corpus_of([20] * 12)
    cz.save(corpus, tmp_path / "docs.jsonl")
    system = [Document(id=d.id, n_units=20, units=d.units, segmentation=Segmentation(20, (5, 10, 15))) for d in corpus]
    cz.save(Corpus(system), tmp_path / "system.jsonl")
    with Project(tmp_path / "project", create=True, options={"repeats": 2, "seed": 3}) as project:
        project.add_documents(tmp_path / "docs.jsonl")
        project.add_people(["a1", "a2"])
        project.assign()
        assert project.add_suggestions(tmp_path / "system.jsonl") == (6, 12)
        yield project


def test_suggestions_are_shown_in_half_and_anchoring_is_measured(suggested):
    from caesura.annotate.content import person_content, task_content

    documents = suggested.documents()
    shown = {
        document.id: task_content(suggested, document, "a1", Task(document.id))["suggested"]
        for document in documents.values()
    }
    assert sorted(map(str, shown.values())) == ["None"] * 6 + ["[5, 10, 15]"] * 6
    assert all(task["name"].startswith("Document ") for task in person_content(suggested, "a1")["tasks"])
    for key, boundaries in shown.items():
        for person in ("a1", "a2"):
            finish(suggested, person, key, boundaries or (2, 8, 18))
    said = anchoring(load(suggested.folder), suggested.state)
    assert said.endswith("on 6 and 6 documents; people follow the suggestions.")
    assert "F1 1.00, without 0.00: a difference of +1.00" in said


def test_a_project_is_read_with_the_time_and_the_second_codings_of_each_person(suggested):
    """Time of one document adds up; a second coding is one only when it is finished, also without a boundary."""
    for key in suggested.documents():
        finish(suggested, "a1", key, (5, 10))
    assert not any("annotated_again" in document.extra for document in load(suggested.folder))
    tasks = suggested.state.tasks["a1"]
    once = tasks.index(Task("m3"))
    spent = [Sent(800 + k, "time", {"seconds": each}, once) for k, each in enumerate((60.0, 30.0))]
    suggested.record(*(checked(suggested.state, "a1", "clock", each) for each in spent))
    first, second = [task.document for task in tasks if task.round == 2]
    for key, gaps, last in ((first, (5, 11), "finish"), (second, (4,), None)):
        place = tasks.index(Task(key, 2))
        sent = [Sent(900 + k, "mark", {"gap": gap, "level": 1}, place) for k, gap in enumerate(gaps)]
        sent += [Sent(950, last, {}, place)] if last else []
        suggested.record(*(checked(suggested.state, "a1", f"again {key}", each) for each in sent))
    corpus = load(suggested.folder)
    assert corpus["m3"].extra["annotator_seconds"] == {"a1": 90.0}
    assert corpus[first].extra["annotated_again"] == {"a1": [5, 11]}
    assert corpus[first].annotations["a1"].boundaries == (5, 10)
    assert "annotated_again" not in corpus[second].extra
    place = tasks.index(Task(second, 2))
    rest = [Sent(960, "mark", {"gap": 4, "level": 0}, place), Sent(961, "finish", {}, place)]
    suggested.record(*(checked(suggested.state, "a1", f"again {second}", each) for each in rest))
    assert load(suggested.folder)[second].extra["annotated_again"] == {"a1": []}


def test_the_page_at_the_end_has_what_a_paper_needs_and_no_name(suggested, run, tmp_path):
    for person in ("a1", "a2"):
        for k, task in enumerate(suggested.state.tasks[person]):
            place = suggested.state.tasks[person].index(task)
            sent = Sent(900, "time", {"seconds": 90.0}, place)
            suggested.record(checked(suggested.state, person, f"timing-{k}-{person}", sent))
            both = (5, 10) if task.round == 1 else (5, 11)
            finish(suggested, person, task.document, (*both, 15) if person == "a2" else both, turn=task.round)
    code, _, err = run("annotate", suggested.folder, "--report", tmp_path / "end.html")
    assert code == 0, err
    page = (tmp_path / "end.html").read_text()
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    assert "a1" not in text
    assert "<script" not in page
    for said in (
        "documents 12", "units 240", "annotators 2", "annotations 24", "hours of active time 0.7", "minutes per annotation 1.5",
        "contested places 12", "boundaries that all annotators marked 24", "no change is shown",
    ):  # fmt: skip
        assert said in text, said
    assert "People agree with themselves by B" in text
    assert "on 4 documents that came twice" in text
    assert r"\begin{tabular}" in text
    code, _, err = run("annotate", suggested.folder, "--report", tmp_path / "end.html")
    assert (code, "--force" in err) == (2, True)


def test_the_trend_compares_the_documents_by_date(suggested):
    keys = [task.document for task in suggested.state.tasks["a1"] if task.round == 1]
    for place, key in enumerate(keys):
        finish(suggested, "a1", key, (5, 10, 15))
        finish(suggested, "a2", key, (5, 10, 15) if place >= 6 else (5, 9 + place % 3, 17))
        if place == 2:
            assert course(agreement(suggested.folder), suggested.state) is None
        if place == 4:
            assert trend(agreement(suggested.folder), suggested.state) is None
    report = agreement(suggested.folder)
    said = trend(report, suggested.state)
    assert "6 documents that were finished first and 1.000 in the 6 since" in said
    assert said.endswith("agreement rises.")
    curve = course(report, suggested.state)
    assert len(curve["values"]) == 10
    assert curve["values"][0] < 0.7
    assert curve["values"][-4:] == [1.0] * 4
    assert Overview(suggested).view()["course"] == curve
    for coding in suggested.state.codings.values():
        coding.imported = True  # from elsewhere, at no known date
    assert trend(report, suggested.state) is None
    assert course(report, suggested.state) is None


def test_repetitions_measure_agreement_with_oneself(suggested):
    again = [task.document for task in suggested.state.tasks["a1"] if task.round == 2]
    assert len(again) == 2
    for document, gaps in zip(again, ((5, 10), (5, 11)), strict=True):
        finish(suggested, "a1", document, (5, 10))
        finish(suggested, "a1", document, gaps, turn=2)
    assert self_agreement(suggested.state) == [{"name": "a1", "documents": 2, "agreement": 0.875}]
    assert load(suggested.folder)[again[1]].annotations["a1"].boundaries == (5, 10)  # the first time counts
