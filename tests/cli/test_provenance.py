# SPDX-License-Identifier: Apache-2.0
"""Whoever shows results reads their inputs exactly as they were scored."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import pytest

import caesura as cz
from caesura.corpus import Change, Corpus
from caesura.reports.page import find_inputs
from caesura.results import Input, Results, read_results

FLAGS = {"d1": "100100010", "d2": "101000100", "d3": "100000100"}
OTHER = {"d1": "100010010", "d2": "101000100", "d3": "100100100"}
ADDRESSES = ("anna@uni.example", "ben@uni.example")


@pytest.fixture
def people(tmp_path):
    """Write a table with a column of flags for each annotator, whose names are addresses."""
    rows = [f"{key},{a},{b}" for key in FLAGS for a, b in zip(FLAGS[key], OTHER[key], strict=True)]
    path = tmp_path / "data" / "people.csv"
    path.parent.mkdir()
    path.write_text("\n".join(["doc," + ",".join(ADDRESSES), *rows]) + "\n")
    return path


@pytest.fixture
def table(tmp_path):
    """Write a table with a column that is 1 where a segment begins."""
    path = tmp_path / "data" / "gold.csv"
    path.parent.mkdir()
    path.write_text("\n".join(["doc,is_start", *(f"{key},{a}" for key in FLAGS for a in FLAGS[key])]) + "\n")
    return path


def gaps(flags: str) -> list[int]:
    return [place for place, flag in enumerate(flags) if flag == "1" and place]


def boundaries(corpus: Corpus | None) -> dict[str, list[int]]:
    assert corpus is not None
    return {d.id: list(d.segmentation.boundaries) if d.segmentation else [] for d in corpus}


def everything(page: Path) -> str:
    """Return all the data of a page as text, unpacked."""
    text = page.read_text("utf-8")
    parts = re.findall(r'<script type="text/plain" id="[^"]*">([^<]*)</script>', text)
    assert parts
    return text + "".join(gzip.decompress(base64.b64decode(part)).decode() for part in parts)


def test_marks_names_and_exclusions_are_those_that_were_scored(run, people, tmp_path):
    """Both were lost before: the page drew other boundaries, under the addresses that were to be hidden."""
    results, page = tmp_path / "runs" / "s.json", tmp_path / "s.html"
    results.parent.mkdir()
    spec = f"labels(columns='annotators={'+'.join(ADDRESSES)}',marks='first')"
    names = [word for old, new in zip(ADDRESSES, "AB", strict=True) for word in ("--names", f"{old}={new}")]
    assert run("agree", people, "--from", spec, *names, "-o", results).code == 0
    done = run("report", results, "-o", page)
    assert (done.code, done.err) == (0, "")
    found = find_inputs(read_results(results), folder=results.parent)
    assert found.lacking == ()
    assert found.documents is not None
    for key in FLAGS:
        codings = found.documents[key].annotations
        assert {name: list(coding.boundaries) for name, coding in codings.items()} == {
            "A": gaps(FLAGS[key]),
            "B": gaps(OTHER[key]),
        }
    shown = everything(page)
    assert '"A"' in shown
    assert not [old for old in ADDRESSES if old in shown]
    without = tmp_path / "runs" / "w.json"
    rows = "\n".join(f"{k},{a},{b},{c}" for k in FLAGS for a, b, c in zip(FLAGS[k], OTHER[k], FLAGS[k], strict=True))
    third = tmp_path / "three.csv"
    third.write_text(f"doc,ann,bob,cleo\n{rows}\n")
    spec = "labels(columns='annotators=ann+bob+cleo',marks='first')"
    assert run("agree", third, "--from", spec, "--exclude", "cleo", "-o", without).code == 0
    left = find_inputs(read_results(without), folder=without.parent).documents
    assert left is not None
    assert set(left["d1"].annotations) == {"ann", "bob"}
    assert run("report", without, "-o", tmp_path / "w.html").code == 0
    assert "--exclude cleo" in everything(tmp_path / "w.html")


def test_files_elsewhere_with_columns(run, table, tmp_path, monkeypatch):
    """Paths are stored from the results file on, never absolute, and found from any folder."""
    results = tmp_path / "runs" / "e.json"
    results.parent.mkdir()
    system = tmp_path / "elsewhere" / "auto.jsonl"
    system.parent.mkdir()
    lines = [json.dumps({"id": key, "n_units": 9, "boundaries": gaps(OTHER[key])}) for key in FLAGS]
    system.write_text("\n".join(lines))
    spec = f"{table}::labels(columns='boundary=is_start',marks='first')"
    monkeypatch.chdir(tmp_path / "data")
    assert run("evaluate", spec, system, "-m", "Pk", "-o", results).code == 0
    stored = json.loads(results.read_text())["inputs"]
    assert [entry["file"] for entry in stored] == ["../data/gold.csv", "../elsewhere/auto.jsonl"]
    assert stored[0]["format"] == "labels(columns='boundary=is_start', marks='first')"
    monkeypatch.chdir("/")
    found = find_inputs(read_results(results), folder=results.parent)
    assert found.lacking == ()
    assert boundaries(found.documents) == {key: gaps(flags) for key, flags in FLAGS.items()}
    assert boundaries(found.systems["auto"]) == {key: gaps(flags) for key, flags in OTHER.items()}


def test_folders_and_patterns(run, tmp_path):
    results = tmp_path / "r.json"
    for side, flags in (("editor", FLAGS), ("auto", OTHER)):
        (tmp_path / side).mkdir()
        for key, text in flags.items():
            (tmp_path / side / f"{key}.masses").write_text(
                " ".join(str(b - a) for a, b in zip([0, *gaps(text)], [*gaps(text), 9], strict=True)) + "\n"
            )
    assert run("evaluate", tmp_path / "editor", tmp_path / "auto", "-m", "Pk", "-o", results).code == 0
    found = find_inputs(read_results(results), folder=tmp_path)
    assert found.lacking == ()
    assert boundaries(found.systems["auto"]) == {key: gaps(text) for key, text in OTHER.items()}
    # One file that changed costs its own documents, and is told.
    (tmp_path / "auto" / "d2.masses").write_text("9\n")
    found = find_inputs(read_results(results), folder=tmp_path)
    assert found.lacking == ("auto: 1 of 3 files were not found or have changed; not shown",)
    assert set(boundaries(found.systems["auto"])) == {"d1", "d3"}
    pattern = tmp_path / "p.json"
    assert run("evaluate", tmp_path / "editor", f"all={tmp_path}/editor/*.masses", "-m", "Pk", "-o", pattern).code == 0
    again = find_inputs(read_results(pattern), folder=tmp_path)
    assert again.lacking == ()
    assert boundaries(again.systems["all"]) == {key: gaps(text) for key, text in FLAGS.items()}


def test_a_folder_per_annotator(run, tmp_path):
    for name, flags in (("ann", FLAGS), ("bob", OTHER)):
        (tmp_path / "people" / name).mkdir(parents=True)
        for key, text in flags.items():
            line = json.dumps({"id": key, "n_units": 9, "boundaries": gaps(text)})
            (tmp_path / "people" / name / f"{key}.jsonl").write_text(line)
    results = tmp_path / "a.json"
    assert run("agree", tmp_path / "people", "-o", results).code == 0
    found = find_inputs(read_results(results), folder=tmp_path)
    assert found.lacking == ()
    assert found.documents is not None
    assert list(found.documents["d1"].annotations["bob"].boundaries) == gaps(OTHER["d1"])


def test_documents_matched_by_order_and_the_end_of_a_recording(run, tmp_path):
    gold, bits = tmp_path / "gold.jsonl", tmp_path / "auto.bits"
    gold.write_text(
        "\n".join(json.dumps({"id": key, "n_units": 9, "boundaries": gaps(text)}) for key, text in FLAGS.items())
    )
    bits.write_text("\n".join(text[1:] for text in OTHER.values()) + "\n")
    results = tmp_path / "o.json"
    assert run("evaluate", gold, f"{bits}::bits", "--match", "order", "-m", "Pk", "-o", results).code == 0
    found = find_inputs(read_results(results), folder=tmp_path)
    assert found.lacking == ()
    assert boundaries(found.systems["auto"]) == {key: gaps(text) for key, text in OTHER.items()}
    chapters, auto = tmp_path / "show.txt", tmp_path / "machine.txt"
    chapters.write_text("0:00 One\n5:00 Two\n10:00 Three\n")
    auto.write_text("0:00 One\n5:10 Two\n9:00 Three\n")
    timed = tmp_path / "t.json"
    assert run("evaluate", chapters, auto, "--duration", "20:00", "-o", timed).code == 0
    found = find_inputs(read_results(timed), folder=tmp_path)
    assert found.lacking == ()
    assert found.documents is not None
    assert [d.n_units for d in (*found.documents, *found.systems["machine"])] == [1_200_000] * 2


@pytest.mark.parametrize("damage", ["gone", "changed", "unreadable"])
def test_what_is_lost_costs_its_own_documents(run, tmp_path, damage):
    """The page is made with what there is, with one line for each input that is missing."""
    gold, auto, results = tmp_path / "gold.jsonl", tmp_path / "auto.jsonl", tmp_path / "r.json"
    for path, flags in ((gold, FLAGS), (auto, OTHER)):
        path.write_text("\n".join(json.dumps({"id": k, "n_units": 9, "boundaries": gaps(t)}) for k, t in flags.items()))
    assert run("evaluate", gold, auto, "-m", "Pk", "-o", results).code == 0
    if damage == "gone":
        auto.unlink()
    else:
        auto.write_text("{" if damage == "unreadable" else gold.read_text())
    done = run("report", results, "-o", tmp_path / "r.html")
    assert done.code == 0
    (note,) = done.err.splitlines()
    assert note.startswith("caesura: note: auto.jsonl: ")
    assert ("not found" if damage == "gone" else "has changed since it was measured") in note
    assert (
        f"looked for auto.jsonl in {tmp_path.resolve()}, the folder of {results}; name the file with --inputs" in note
    )
    assert str(tmp_path) not in everything(tmp_path / "r.html")


def test_a_recipe_from_outside_is_not_trusted(tmp_path):
    """Absolute paths, unknown formats and names of other people cost the input, and never the page."""
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"id": "a", "n_units": 9, "boundaries": [3]}\n')
    known = cz.load(gold).origin
    assert known is not None
    entry = Input(role="reference", name="reference", documents=1, unit="", file="gold.jsonl", sha256=known.sha256)
    for change in (
        {"format": "nonsense(1)"},
        {"format": "choi"},
        {"changes": (Change(names=("A", "B")),)},
        {"file": None},
        {"file": "/etc/hostname", "sha256": "0" * 64},
        {"file": "../" * 30 + "gold.jsonl", "sha256": "0" * 64},
    ):
        for key, value in change.items():
            setattr(entry, key, value)
        found = find_inputs(Results(question="evaluate", caesura="0", inputs=[entry]), folder=tmp_path)
        assert found.documents is None
        assert len(found.lacking) == 1


def test_a_gate_reads_as_the_last_run_did(run, table, tmp_path):
    """Without it the flags of the reference would be refused, or read as topics."""
    auto = tmp_path / "auto.jsonl"
    auto.write_text("\n".join(json.dumps({"id": k, "n_units": 9, "boundaries": gaps(t)}) for k, t in FLAGS.items()))
    last = tmp_path / "last.json"
    spec = f"{table}::labels(columns='boundary=is_start',marks='first')"
    assert run("evaluate", spec, auto, "-m", "W-F1", "-o", last).code == 0
    done = run("gate", table, auto, "-m", "W-F1", "--last", last)
    assert done.code == 0, done.err
    assert "gold.csv is read as labels(columns='boundary=is_start', marks='first'), as for" in done.err
    assert "the reference file has changed" not in done.err


TEXTS = [
    "Cats sleep on warm mats.", "A cat sleeps all day.", "Cats like warm mats.",
    "Rain fell on the hills.", "The rain fills the river.", "The river floods in rain.",
]  # fmt: skip


def test_every_writer_carries_on_who_made_the_boundaries(run, write, tmp_path):
    """So that a later command knows with which vectors they were made."""
    docs = write("docs.jsonl", *[{"id": key, "units": TEXTS, "read_as": "Tales(split='dev')"} for key in "abc"])
    made, chosen, moved, other = (tmp_path / f"{name}.jsonl" for name in ("made", "chosen", "moved", "other"))
    assert run("segment", docs, "--method", "VectorTiling(window=2)", "-o", made).code == 0
    recipe = cz.load(made)["a"].extra["made_by"]
    assert recipe["method"] == "VectorTiling(window=2)"
    for command, path, further in (
        (["select", made, "--top-k", "2", "-o", chosen], chosen, {"selector": "TopKSelector(k=2)"}),
        (["convert", chosen, moved], moved, {"selector": "TopKSelector(k=2)"}),
        (["degrade", made, "-d", "Even", "-o", other], other, {"degradations": ["Even"]}),
    ):
        assert run(*command).code == 0
        document = cz.load(path)["a"]
        assert document.extra["made_by"] == {**recipe, **further}
        assert document.extra["read_as"] == "Tales(split='dev')"
    results = tmp_path / "r.json"
    assert run("cohesion", docs, chosen, "-o", results).code == 0
    (entry,) = (entry for entry in read_results(results).inputs if entry.role == "system")
    assert entry.made_by == {
        "method": "VectorTiling(window=2)", "selector": "TopKSelector(k=2)", "encoder": recipe["encoder"]
    }  # fmt: skip
    assert "Placement(of='words')" in read_results(results).metrics


def test_turns_of_one_speaker_are_still_of_their_dataset(run, write, tmp_path):
    turns = {"id": "a", "units": TEXTS, "speakers": ["x", "y"] * 3, "boundaries": [3], "read_as": "Tales"}
    out = tmp_path / "x.jsonl"
    assert run("canonicalize", write("d.jsonl", turns), "--members", "x", "-o", out).code == 0
    assert cz.load(out)["a"].extra["read_as"].startswith("Tales")


def test_answers_and_chunks_are_found_again(run, write, tmp_path):
    """The page of a stored file shows the same answers in the same chunks as the page of the run."""
    docs = write("docs.jsonl", {"id": "d", "text": " ".join(TEXTS), "units": TEXTS})
    spans = write("answers.jsonl", {"id": "d", "spans": ["mats. A cat", "Rain fell"]})
    chunks = write("fixed.jsonl", {"id": "d", "chunks": [" ".join(TEXTS)[i : i + 40] for i in range(0, 150, 30)]})
    results, live, stored = (tmp_path / name for name in ("s.json", "live.html", "stored.html"))
    assert run("spans", docs, spans, chunks, "-o", results, "--report", live).code == 0
    done = run("report", results, "-o", stored)
    assert (done.code, done.err) == (0, "")
    shown = [
        [json.loads(gzip.decompress(base64.b64decode(part))) for part in
         re.findall(r'<script type="text/plain" id="block-0-\d+">([^<]*)</script>', page.read_text("utf-8"))]
        for page in (live, stored)
    ]  # fmt: skip
    assert shown[0] == shown[1]
    assert "mats. A cat" in json.dumps(shown[0])
    spans.unlink()
    done = run("report", results, "-o", stored, "--force")
    assert done.code == 0
    assert "answers.jsonl: not found" in done.err


def blocks(page: Path) -> dict[str, list[dict[str, object]]]:
    """Return the documents of a page, without scores per document."""
    found = re.findall(r'<script type="text/plain" id="(block-[^"]*)">([^<]*)</script>', page.read_text("utf-8"))
    return {name: json.loads(gzip.decompress(base64.b64decode(part))) for name, part in found}


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "gold", "a", "b"],
        ["compare", "gold", "a", "b"],
        ["gate", "gold", "a", "--min", "Pk=0.9"],
        ["evaluate", "people", "a", "--against", "consensus=0.5"],
        ["evaluate", "people", "a", "--against", "annotators"],
        ["agree", "people", "--exclude", "r"],
        ["cohesion", "gold", "a", "b"],
        ["sweep", "gold", "scores"],
        ["validate", "texts", "a"],
        ["correlate", "gold", "a", "b", "scored"],
    ],
    ids=lambda words: " ".join(words[:1] + [word for word in words if word.startswith("--")]),
)
@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
def test_the_page_of_a_stored_file_shows_the_documents_of_the_run(run, write, tmp_path, words):
    places = {"gold": [3, 6, 9], "a": [2, 6], "b": [3, 7, 10], "scored": [5]}
    files = {
        name: write(f"{name}.jsonl", *[
            {"id": key, "units": TEXTS * 2, "boundaries": [gap - row % 2 for gap in gaps]}
            for row, key in enumerate("abcdef")
        ])
        for name, gaps in places.items()
    }  # fmt: skip
    files["texts"] = write("texts.jsonl", *[{"id": key, "units": TEXTS * 2} for key in "abcdef"])
    files["scores"] = write(
        "scores.jsonl",
        *[{"id": key, "n_units": 12, "scores": [i * 7 % 11 / 11 for i in range(11)]} for key in "abcdef"],
    )
    people = {"p": [3, 6], "q": [3, 7], "r": [4, 9], "s": [3, 6, 9]}
    files["people"] = write("people.jsonl", *[{"id": key, "n_units": 12, "annotations": people} for key in "abcdef"])
    results, live, stored = (tmp_path / name for name in ("r.json", "live.html", "stored.html"))
    command = [files.get(word, word) for word in words]
    assert run(*command, "-o", results, "--report", live).code == 0
    done = run("report", results, "-o", stored)
    assert (done.code, done.err) == (0, "")
    assert blocks(live)
    assert blocks(stored) == blocks(live)
