"""A project folder: what is added to it, who gets what, and that every command reads it."""

from __future__ import annotations

import warnings
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.annotate import Project
from caesura.annotate.assigning import new_tasks
from caesura.annotate.checking import Sent, checked
from caesura.annotations.state import Settings, State, Task
from caesura.errors import CaesuraError, CaesuraWarning, FormatError
from caesura.formats import load
from caesura.segmentation import Segmentation
from tests.annotate.conftest import corpus_of


def mark(project, person, document, *gaps, finish=True):
    """Let a person mark gaps of a document, as a page would."""
    place = project.state.tasks[person].index(Task(document))
    sent = [Sent(k, "mark", {"gap": gap, "level": 1}, place) for k, gap in enumerate(gaps, start=1)]
    if finish:
        sent.append(Sent(len(sent) + 1, "finish", {}, place))
    project.record(*(checked(project.state, person, f"{person} {document}", each) for each in sent))


@pytest.mark.filterwarnings("ignore:.*begun but not finished")
def test_a_project_is_read_as_annotations_while_people_work(project, run):
    mark(project, "a1", "m1", 4, 8)
    mark(project, "a2", "m1", 4, 9)
    mark(project, "a1", "m2", 5, finish=False)
    with pytest.warns(CaesuraWarning, match="1 document is begun but not finished"):
        corpus = load(project.folder)
    assert corpus["m1"].annotations == {"a1": Segmentation(12, (4, 8)), "a2": Segmentation(12, (4, 9))}
    assert not corpus["m2"].annotations
    assert load(project.folder, "annotation_project(unfinished=True)")["m2"].annotations["a1"].boundaries == (5,)
    code, out, err = run("agree", project.folder)
    assert code == 0, err
    assert "kappa" in out.lower()


def test_results_name_the_event_until_which_they_read(project, run, tmp_path):
    for person, gap in (("a1", 4), ("a2", 5)):
        mark(project, person, "m1", gap)
        mark(project, person, "m2", 10)
    assert run("agree", project.folder, "-o", tmp_path / "r.json").code == 0
    before = load(project.folder)
    mark(project, "a1", "m3", 3)
    assert load(project.folder).origin.sha256 != before.origin.sha256
    again = load(project.folder, before.origin.format)
    assert (again.origin, again["m3"].annotations) == (before.origin, {})
    assert "until=" in before.origin.format
    # The page shows what was measured, though the project has gone on.
    assert run("report", tmp_path / "r.json", "-o", tmp_path / "r.html").code == 0
    assert "cannot be shown" not in (tmp_path / "r.html").read_text()


def test_titles_comments_and_doubts_stand_beside_the_boundaries(project):
    place = project.state.tasks["a1"].index(Task("m1"))
    for k, (kind, payload) in enumerate(
        [
            ("mark", {"gap": 4, "level": 1}),
            ("title", {"gap": 0, "text": "Opening"}),
            ("title", {"gap": 4, "text": "Budget"}),
            ("title", {"gap": 7, "text": "of a boundary that is not there"}),
            ("comment", {"gap": 5, "text": "<b>or here?</b>"}),
            ("unsure", {"gap": 4, "on": True}),
            ("time", {"seconds": 12.5}),
            ("finish", {}),
        ],
        start=1,
    ):
        project.record(checked(project.state, "a1", "c1", Sent(k, kind, payload, place)))
    extra = load(project.folder)["m1"].extra
    assert extra["annotator_titles"] == {"a1": {"0": "Opening", "4": "Budget"}}
    assert extra["annotator_comments"] == {"a1": {"5": "<b>or here?</b>"}}
    assert extra["annotator_unsure"] == {"a1": [4]}
    assert extra["annotated_at"]["a1"].startswith("20")
    assert project.state.coding("a1", Task("m1")).seconds == 12.5


def test_annotations_from_elsewhere_are_imported_once(project, tmp_path):
    corpus = corpus_of([12, 9])
    documents = [
        cz.Document(
            id=document.id if document.id == "m1" else "new",
            n_units=document.n_units,
            units=document.units,
            annotations={"ann": Segmentation(document.n_units, (3,)), "ben": Segmentation(document.n_units, (4, 6))},
        )
        for document in corpus
    ]
    path = tmp_path / "export.jsonl"
    cz.save(cz.Corpus(documents), path)
    assert project.add_documents(path) == (1, 4)
    assert project.add_documents(path) == (0, 0)  # it is there
    assert project.state.people == ["a1", "a2", "ann", "ben"]
    project.assign()
    assert Task("m1") not in project.state.tasks["ann"]
    read = load(project.folder)
    assert read["new"].annotations["ben"].boundaries == (4, 6)
    mark(project, "a1", "m1", 2)
    cz.save(cz.Corpus([cz.Document(id="m1", n_units=12, units=corpus["m1"].units, annotations={"a1": Segmentation(12, (9,))})]), path)  # fmt: skip
    with pytest.raises(CaesuraError, match="'a1' has annotated 'm1' in this project"):
        project.add_documents(path)


def test_documents_that_changed_are_refused_in_one_line(project, run):
    file = project.folder / "documents" / "001.jsonl"
    file.write_text(file.read_text().replace("Turn 3", "Turn three"))
    outcome = run("agree", project.folder)
    assert outcome.code == 2
    assert "has changed since it was added" in outcome.err
    assert outcome.err.count("\n") == 1
    assert run("annotate", project.folder, "--no-serve", "--people", "a9").code == 0  # people need no text
    with pytest.raises(FormatError, match="has changed"):
        project.documents()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--people", "a1,A1"], "the name 'A1' is taken"),
        (["--people", "x,,y"], "'' is no name"),
        (["--people", "lead"], "the name 'lead' is taken"),
        (["--people", "a\x1b[31m"], "has a character that cannot be seen"),
        (["--guide", "nowhere.md"], "nowhere.md: cannot be read"),
        (["--add", "nowhere.jsonl"], "no such file"),
        (["--host", "0.0.0.0"], "add --plain-http"),
    ],
)
def test_bad_words_are_one_line_and_leave_nothing(run, tmp_path, docs, words, said):
    folder = tmp_path / "made"
    words = ["--add", docs, *words] if "--add" not in words else words
    code, _, err = run("annotate", folder, "--no-serve", *words)
    assert code == 2
    assert said in err
    assert not folder.exists()


def test_settings_of_a_project_stay(run, tmp_path, docs):
    folder = tmp_path / "made"
    assert run("annotate", folder, "--add", docs, "--people", "a,b,c", "--each", 2, "--no-serve").code == 0
    assert run("annotate", folder, "--each", 2, "--no-serve").code == 0
    code, _, err = run("annotate", folder, "--each", 3, "--no-serve")
    assert (code, "the project has each 2, which cannot change now" in err) == (2, True)
    code, _, err = run("annotate", tmp_path / "nothing", "--no-serve")
    assert (code, "is no annotation project" in err) == (2, True)


def test_without_the_extra_it_is_3_and_says_what_to_install(run, tmp_path, docs, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "starlette.applications", None)
    code, _, err = run("annotate", tmp_path / "p", "--add", docs, "--people", "a")
    assert code == 3
    assert "[explore]" in err


def made_state(sizes, people, **settings):
    state = State()
    state.settings = Settings(project="p", **settings)
    state.n_units = {f"d{k}": size for k, size in enumerate(sizes)}
    state.people = [f"p{k}" for k in range(people)]
    return state


@given(
    st.lists(st.integers(2, 50), min_size=1, max_size=25),
    st.integers(1, 6),
    st.integers(0, 4),
    st.integers(1, 6),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_everybody_gets_the_pilot_and_every_other_document_goes_to_k(sizes, people, pilot, each, repeats, seed):
    state = made_state(sizes, people, pilot=pilot, each=each, repeats=repeats, seed=seed)
    drawn, tasks = new_tasks(state)
    assert new_tasks(state) == (drawn, tasks)  # the same again
    assert len(drawn) == min(pilot, len(sizes))
    counts = Counter(task.document for each_tasks in tasks.values() for task in each_tasks if task.round == 1)
    for document in state.n_units:
        assert counts[document] == (people if document in drawn else min(each, people))
    for person_tasks in tasks.values():
        once = [task.document for task in person_tasks if task.round == 1]
        assert len(set(once)) == len(once)
        assert set(once[: len(drawn)]) == set(drawn)
        for place, task in enumerate(person_tasks):
            if task.round == 2:  # after its first time, with half of the others between where there are enough
                between = place - person_tasks.index(Task(task.document)) - 1
                assert between >= len(once) // 2 or place >= len(once) - 1
        assert sum(task.round == 2 for task in person_tasks) == min(repeats, (len(once) + 1) // 2)
    state.tasks, state.pilot = tasks, drawn
    assert new_tasks(state)[1] == {}  # nothing is missing now


def test_orders_differ_by_person_and_a_newcomer_gets_the_pilot():
    state = made_state([10] * 20, 4, pilot=2, each=2)
    state.pilot, state.tasks = new_tasks(state)
    assert len({tuple(task.document for task in tasks[:2]) for tasks in state.tasks.values()}) > 1
    assert max(map(len, state.tasks.values())) - min(map(len, state.tasks.values())) <= 1
    state.people.append("late")
    _, more = new_tasks(state)
    assert more == {"late": more["late"]}
    assert {task.document for task in more["late"]} == set(state.pilot)


def test_tokens_differ_by_person_and_role_and_survive_a_restart(project):
    tokens = [project.token(person) for person in ("", "a1", "a2")] + [project.token("a1", "media")]
    assert len(set(tokens)) == 4
    assert [project.whose(token) for token in tokens] == ["", "a1", "a2", None]
    assert project.whose("") is None
    assert project.whose("é") is None
    assert (project.folder / "secret").stat().st_mode & 0o077 == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Project(project.folder) as again:
            assert again.token("a1") == tokens[1]


def test_a_project_in_which_nobody_has_finished_says_so(project):
    with pytest.warns(CaesuraWarning, match="nobody has finished a document yet"):
        assert not any(document.annotations for document in load(project.folder))


def test_a_person_who_is_renamed_keeps_marks_and_link(project, run, tmp_path):
    place = project.state.tasks["a1"].index(Task("m1"))
    before = project.token("a1")
    sent = [Sent(1, "mark", {"gap": 3, "level": 1}, place), Sent(2, "finish", {}, place)]
    project.record(*(checked(project.state, "a1", "page-one", each) for each in sent))
    code, _, err = run("annotate", project.folder, "--rename", "a1=Zoë", "--no-serve")
    assert code == 0, err
    project.record()
    assert load(project.folder)["m1"].annotations["Zoë"].boundaries == (3,)
    assert project.links("/")["Zoë"] == f"/#{before}"
    assert project.whose(before) == "a1"  # as whom the events go on
    # The page that was open sends its event again, and one more: nothing counts twice.
    more = [*sent, Sent(3, "reopen", {}, place)]
    project.record(*(checked(project.state, "a1", "page-one", each) for each in more))
    assert len([each for each in project.store.events() if each.client == "page-one"]) == 3
    for words, said in (
        ("nobody=x", "nobody is called"),
        ("a2=zoë", "is taken"),
        ("a2", "OLD=NEW"),
        ("a2=", "is no name"),
    ):
        code, _, err = run("annotate", project.folder, "--rename", words, "--no-serve")
        assert (code, said in err) == (2, True), err
    assert run("annotate", project.folder, "--people", "Zoë,a2", "--no-serve").code == 0  # they are there already
    run("annotate", project.folder, "--rename", "Zoë=Zoe B", "--no-serve")
    project.record()
    assert (project.state.people, project.state.name("a1")) == (["a1", "a2"], "Zoe B")
