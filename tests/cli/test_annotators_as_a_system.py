"""Annotators given where a system is wanted are named, with what to do; nothing else is said of them."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.filterwarnings("always::caesura.errors.CaesuraWarning")

UNITS = {"d1": ["a b", "c d", "e f", "g h"], "d2": ["i j", "k l", "m n"]}
WIDE = ("doc,alice,bob", "d1,1,1", "d1,1,2", "d1,2,2", "d1,2,2", "d2,1,1", "d2,2,1", "d2,2,2")
LINES = (
    {"id": "d1", "n_units": 4, "annotations": {"alice": [2], "bob": [1]}},
    {"id": "d2", "n_units": 3, "annotations": {"alice": [1], "bob": [2]}},
)


@pytest.fixture
def gold(write):
    return write("gold.jsonl", *({"id": key, "units": units, "boundaries": [1]} for key, units in UNITS.items()))


@pytest.mark.parametrize("command", ["evaluate", "compare", "cohesion"])
@pytest.mark.parametrize("kind", ["table", "lines"])
def test_they_are_named(run, write, gold, command, kind):
    people = write("people.csv", *WIDE) if kind == "table" else write("people.jsonl", *LINES)
    systems = [people] if command != "compare" else [f"first={gold}", people]
    done = run(command, gold, *systems)
    assert done.code == 2
    assert done.err.splitlines()[-1] == (
        "caesura: 'people' has the annotators alice, bob, and no boundaries of its own; make some with caesura agree FILE "
        "--consensus 0.5 --consensus-output OUT, or read one column of a table: --columns label=alice"
    )


def test_what_the_message_says_works(run, write, gold, tmp_path):
    people, made = write("people.csv", *WIDE), tmp_path / "made.jsonl"
    assert run("agree", people, "--consensus", 0.5, "--consensus-output", made).code == 0
    assert run("evaluate", gold, made, "-m", "Pk").code == 0
    assert run("evaluate", gold, people, "-m", "Pk", "--columns", "label=alice").code == 0


def test_spans(run, write, gold):
    answers = write("answers.jsonl", {"id": "d1", "spans": [[0, 3]]}, {"id": "d2", "spans": [[0, 3]]})
    done = run("spans", gold, answers, write("people.jsonl", *LINES))
    assert done.code == 2
    assert "'people' has the annotators alice, bob, and no boundaries of its own" in done.err
