"""A language model that fails on one of several documents: one line, and everything else is kept."""

from __future__ import annotations

import json

import pytest

from tests.segmenters.others.test_chat import ENDLESS, server  # noqa: F401  (a fixture)

UNITS = ["cats purr", "a cat purrs", "cats sleep", "rain falls", "the rain fell", "falling rain"]
FAULTS = {
    "prose": ("Sure! Unit 4 begins\na new topic.", "it answers 'Sure! Unit 4 begins a new topic.', which is not a JSON list"),
    "half JSON": ("[4, 5", "it answers '[4, 5', which is not a JSON list of increasing numbers from 2 to 6"),
    "a number that is too large": ("[4, 7]", "it answers '[4, 7]', which is not a JSON list of increasing numbers from 2 to 6"),
    "nothing": ((200, b""), "document 'b': the response is not that of a chat server"),
    "too many requests": ((429, b"slow down"), "document 'b': requested 5 times, but it responds with 429 Too Many Requests"),
    "an error": ((500, b"out of order"), "document 'b': requested 5 times, but it responds with 500"),
    "a redirect": ((307, b""), "document 'b': it responds with 307 Temporary Redirect; redirects are refused"),
    "an endless stream": ((200, ENDLESS), "document 'b': the response is larger than 4 MiB"),
}  # fmt: skip


@pytest.fixture
def docs(write):
    return write("docs.jsonl", *({"id": name, "units": [f"{name}.", *UNITS[1:]], "boundaries": [3]} for name in "abc"))


@pytest.mark.parametrize("fault", FAULTS)
def test_documents_that_fail_are_a_line_each_and_the_others_are_kept(run, server, docs, tmp_path, fault):  # noqa: F811
    answer, line = FAULTS[fault]
    server.answers = ["[4]", answer]
    folder = tmp_path / "systems"
    code, out, err = run("segment", docs, "--method", server.spec, "--method", "C99", "-o", folder)
    assert code == 4
    of_b, of_c = err.splitlines()
    for each in (of_b, of_c):
        assert each.startswith(f"caesura: {server.spec}: ")
        assert each.count(server.spec) == 1
    assert line in of_b
    assert line.replace("'b'", "'c'") in of_c
    (kept,) = (path for path in folder.iterdir() if path.name != "C99.jsonl")
    assert [(each["id"], each["boundaries"]) for each in map(json.loads, kept.read_text().splitlines())] == [("a", [3])]
    assert "C99.jsonl: 3 documents" in out


def test_a_method_that_fails_on_all_documents_is_one_line(run, server, docs, tmp_path):  # noqa: F811
    server.answers = ["no"]
    code, _, err = run("segment", docs, "--method", server.spec, "--method", "C99", "-o", tmp_path / "systems")
    assert code == 4
    assert err.count("\n") == 1
    assert "asked 3 times about document 'a'" in err
    assert [path.name for path in (tmp_path / "systems").iterdir()] == ["C99.jsonl"]


@pytest.mark.parametrize("engine", [(), ("--engine", "local")])
def test_the_other_documents_are_kept_with_and_without_an_engine(run, server, docs, tmp_path, engine):  # noqa: F811
    server.answers = ["[4]", *["no"] * (6 if engine else 3), "[3]"]
    target = tmp_path / "out.jsonl"
    code, _, err = run("segment", docs, "--method", server.spec, *engine, "-o", target)
    assert code == 4
    assert err.startswith(f"caesura: {server.spec}: asked 3 times about document 'b', but")
    assert err.count(server.spec) == 1
    kept = [json.loads(line) for line in target.read_text().splitlines()]
    assert [(each["id"], each["boundaries"]) for each in kept] == [("a", [3]), ("c", [2])]


def test_bench_scores_the_methods_that_answer(run, server, docs):  # noqa: F811
    server.answers = ["no"]
    code, out, err = run("bench", docs, "--method", server.spec, "--method", "C99", "--gold", "-m", "Pk")
    assert code == 4
    assert err.count("\n") == 1
    assert f"failed: {server.spec}: asked 3 times about document 'a'" in out
    assert "C99" in out
