"""``caesura cohesion``."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caesura.reports import render
from caesura.results import answer_of, as_text, read_results, tables_of
from tests.tuning.test_without_reference import TRUE, UNITS, Topics
from tests.tuning.test_without_reference import documents as many_documents

TOPICS = (
    ("The cat slept on the warm mat.", "A kitten chased the cat.", "The dog barked at the cat.", "Cats purr softly."),
    (
        "The bank raised its interest rate.",
        "Loans cost more money now.",
        "The bank lends money.",
        "Interest rates fell.",
    ),
    ("Rain fell over the hills.", "The storm brought wind and rain.", "Clouds hid the sun.", "Snow is forecast."),
)


def documents(n=6):
    for key in range(n):
        units = [f"{text} {key}" for topic in TOPICS for text in topic]
        yield {"id": f"d{key}", "units": units}


def segmentations(boundaries, n=6):
    return [{"id": f"d{key}", "n_units": 12, "boundaries": boundaries} for key in range(n)]


@pytest.fixture
def files(write):
    return (
        write("docs.jsonl", *documents()),
        write("a.jsonl", *segmentations([4, 8])),
        write("b.jsonl", *segmentations([2, 7, 10])),
    )


def test_json_is_as_that_of_evaluate(run, files):
    code, out, err = run("cohesion", *files, "--draws", 20, "--resamples", 50, "--format", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert set(found["systems"]) == {"a", "b"}
    score = found["systems"]["a"]["ARPpair"]
    assert {"score", "aggregation", "documents", "undefined", "signature"} <= set(score)
    assert score["score"] > found["systems"]["b"]["ARPpair"]["score"]
    encoder = found["cohesion"]["encoder"]
    assert encoder["name"] == "default"
    assert f"enc:{encoder['fingerprint']}" in score["signature"]
    assert found["systems"]["a"]["Silhouette"]["nulls"]["count"]["z"] > 0
    assert [c["equal"]["how"] for c in found["comparisons"]] == ["neutral", "neutral", "chance", "chance"]
    assert found["cohesion"]["worst"]["b"][0]["text"]


def test_embeddings_from_a_file(run, files, tmp_path):
    vectors = tmp_path / "v.npz"
    rng = np.random.default_rng(0)
    np.savez(vectors, **{f"d{key}": rng.normal(size=(12, 5)) for key in range(6)})
    code, out, _ = run(
        "cohesion", *files, "--embeddings", vectors, "--null", "none", "--resamples", 20, "--format", "json"
    )
    assert code == 0
    found = json.loads(out)
    assert found["cohesion"]["encoder"]["dim"] == 5
    assert found["systems"]["a"]["ARPpair"]["nulls"] is None
    assert [c["equal"]["how"] for c in found["comparisons"]] == ["neutral", "neutral", "none", "none"]


FEW = ("--draws", 5, "--resamples", 20)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--per-document",),
        ("--by", "median", "--worst", 0),
        ("--by", "length", "--null", "count", "-m", "ARPpair", "-m", "CalinskiHarabasz"),
        ("--by", "micro", "--null", "none", "--seed", 7),
        ("--null", "lengths", "--per-document", "-m", "SegReFree"),
    ],
)
@pytest.mark.parametrize("degenerate", [False, True])
def test_the_results_file_shows_what_the_command_printed(run, files, tmp_path, monkeypatch, options, degenerate):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "r.json"
    if degenerate:  # equal vectors in the first document: infinite scores; zero vectors in the second: undefined ones
        rng = np.random.default_rng(0)
        vectors = {f"d{key}": rng.normal(size=(12, 3)) for key in range(6)}
        vectors["d0"], vectors["d1"] = np.tile([[1.0, 0, 0], [0, 1, 0]], (6, 1)), np.zeros((12, 3))
        np.savez(tmp_path / "v.npz", **vectors)
        options = (*options, "--embeddings", tmp_path / "v.npz")
    code, out, _ = run("cohesion", *files, *FEW, *options, "--full", "-o", path)
    assert code == 0
    stored = read_results(path)
    assert as_text(stored) + "\n" == path.read_text()
    shown = tables_of(stored)
    assert run("show", path, "--full").out == out
    assert all(table.title in out for table in shown)
    assert out.startswith(answer_of(stored)[0][:40])
    for target in ("markdown", "latex"):
        again = run("cohesion", *files, *FEW, *options, "--full", "--format", target).out
        assert again.endswith("\n".join(render(table, target) for table in shown))
    printed = run("cohesion", *files, *FEW, *options, "--format", "json").out
    path.write_text(printed)
    stored.counts = None
    assert read_results(path) == stored


@pytest.mark.parametrize("target", ["table", "csv", "markdown", "latex"])
def test_other_formats(run, files, target):
    code, out, _ = run("cohesion", *files, "--draws", 5, "--resamples", 20, "--format", target)
    assert code == 0
    assert "ARPpair" in out


def test_outputs_and_per_document(run, files, tmp_path):
    results, table = tmp_path / "r.json", tmp_path / "t.csv"
    code, out, _ = run(
        "cohesion", *files, "--draws", 5, "--resamples", 20, "--per-document", "-o", results, "--csv", table
    )
    assert code == 0
    assert "d3" in out
    assert len([line for line in table.read_text().splitlines() if ",d3," in line]) == 2
    assert json.loads(results.read_text())["per_document"]["a"]["ARPpair"]
    assert table.read_text().startswith("system,document,segments")
    code, _, err = run("cohesion", *files, "-o", results)
    assert code == 2
    assert "--force" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-m", "Pk"], "needs a reference"),
        (["--encoder", "nonsense"], "is not an encoder"),
        (["--embeddings", "no.npz"], "no.npz"),
        (["--null", "none", "--null", "count"], "excludes"),
        (["--encoder", "onnx:minilm", "--embeddings", "x.npz"], "one encoder or --embeddings"),
    ],
)
def test_bad_options_are_one_line(run, files, arguments, words):
    code, out, err = run("cohesion", *files, *arguments)
    assert code == 2
    assert out == ""
    assert words in err
    assert "Traceback" not in err


def test_bad_vectors_are_one_line(run, files, tmp_path):
    for name, array, words in (
        ("short", np.ones((11, 3)), "11 vectors for 12 units"),
        ("nan", np.full((12, 3), np.nan), "NaN or infinity"),
        ("flat", np.ones(12), "two dimensions"),
    ):
        path = tmp_path / f"{name}.npz"
        np.savez(path, **{f"d{key}": array for key in range(6)})
        code, _, err = run("cohesion", *files, "--embeddings", path)
        assert code == 2
        assert words in err
        assert len(err.splitlines()) == 1


def test_zero_vectors_and_one_segment_have_a_defined_result(run, write, tmp_path):
    docs = write("docs.jsonl", *documents(2))
    whole = write("whole.jsonl", *segmentations([], 2))
    path = tmp_path / "zero.npz"
    np.savez(path, d0=np.zeros((12, 3)), d1=np.zeros((12, 3)))
    code, out, _ = run("cohesion", docs, whole, "--embeddings", path, "--draws", 3, "--format", "json")
    assert code == 0
    score = json.loads(out)["systems"]["whole"]["ARPpair"]
    assert (score["score"], score["undefined"]) == (None, 2)
    assert score["reason"]


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_vectors_are_never_overwritten(run, files, tmp_path, suffix):
    vectors = tmp_path / f"v.{suffix}"
    with vectors.open("wb") as file:
        np.savez(file, **{f"d{key}": np.ones((12, 2)) for key in range(6)})
    before = vectors.read_bytes()
    option = "--csv" if suffix == "csv" else "-o"
    code, _, err = run("cohesion", *files, "--embeddings", vectors, option, vectors, "--force")
    assert code == 2
    assert "is an input" in err
    assert vectors.read_bytes() == before


def scored(n=6):
    for key in range(n):
        yield {
            "id": f"d{key}",
            "n_units": 12,
            "scores": [0.9 if gap in (4, 8) else 0.1 * (gap % 4) for gap in range(1, 12)],
        }


@pytest.fixture
def swept(write):
    return write("docs.jsonl", *documents()), write("m.jsonl", *scored())


WITHOUT = ("--no-reference", "--draws", 5, "--resamples", 20, "--thresholds", "0.05,0.15,0.25,0.55")


@pytest.fixture
def judged(write, tmp_path):
    """Twelve documents of seven topics, and vectors by which Placement notices every damage."""
    docs, scored_docs = many_documents()
    np.savez(tmp_path / "v.npz", **{document.id: Topics().encode(document.units) for document in docs})
    return (
        write("docs.jsonl", *({"id": d.id, "units": d.units} for d in docs)),
        write("m.jsonl", *({"id": d.id, "n_units": UNITS, "scores": d.scores} for d in scored_docs)),
        "--encoder",
        f"npz:{tmp_path / 'v.npz'}",
    )


def test_sweep_without_reference(run, judged, tmp_path):
    policy, figure = tmp_path / "p.json", tmp_path / "f.svg"
    code, out, err = run("sweep", *judged, *WITHOUT, "--save-policy", policy, "--figure", figure)
    assert (code, err) == (0, "")
    assert out.startswith(
        "Support passes the check and may be used here: of six perturbations of the\n  output of m, the hardest to notice ("
    )
    assert "Recommended for m: StaticSelector(threshold=0.55)" in out
    assert "<svg" in figure.read_text()
    chosen = run("select", judged[1], "--policy", policy).out
    assert [json.loads(line)["boundaries"] for line in chosen.splitlines()] == [list(TRUE)] * 12
    code, out, _ = run("sweep", *judged, *WITHOUT, "--format", "json")
    found = json.loads(out)
    assert found["against"] == "nothing"
    assert found["sweep"]["choices"]["m"]["selector"] == "StaticSelector(threshold=0.55)"
    check = found["sweep"]["without_reference"]["checks"]["m"]["Support"]
    assert (check["verdict"], check["documents"]) == ("usable here", 12)
    scores = [score for line in judged[1].read_text().splitlines() for score in json.loads(line)["scores"]]
    assert [row["boundaries"] for row in found["sweep"]["curves"]["m"]] == [
        sum(score >= threshold for score in scores) for threshold in (0.05, 0.15, 0.25, 0.55)
    ]


def test_a_sweep_of_too_few_documents_recommends_nothing(run, swept, tmp_path):
    why = (
        "No threshold of m is recommended: the check of Placement needs 10 documents and found 6; "
        "mark the boundaries of at least ten documents and choose by them, or select a density"
    )
    policy = tmp_path / "p.json"
    code, out, err = run("sweep", *swept, *WITHOUT, "--save-policy", policy)
    assert (code, out) == (2, "")
    assert why in err
    assert not policy.exists()
    code, out, err = run("sweep", *swept, *WITHOUT, "--format", "json")
    assert code == 0
    found = json.loads(out)
    assert found["sweep"]["choices"] is None
    assert [row["boundaries"] for row in found["sweep"]["curves"]["m"]] == [66, 48, 30, 12]


def test_limits_that_no_threshold_keeps(run, swept, tmp_path):
    code, out, err = run("sweep", *swept, *WITHOUT, "--max-tokens", 1, "--over", 0)
    assert code == 0
    assert "segments/100" in out
    assert "nothing is recommended: no threshold of 'm' meets the limits" in err
    code, _, err = run("sweep", *swept, *WITHOUT, "--max-tokens", 1, "--over", 0, "--save-policy", tmp_path / "p.json")
    assert code == 2
    assert not (tmp_path / "p.json").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--no-reference", "--target-bor", 1], "--target-bor needs a reference"),
        (["--no-reference", "--profile", "paper"], "--profile needs a reference"),
        (["--draws", 9], "--draws needs --no-reference"),
        (["--encoder", "default"], "--encoder needs --no-reference"),
        (["--no-reference", "--max-units", "nan"], "whole number"),
        (["--no-reference", "--max-units", "2.5"], "whole number"),
        (["--no-reference", "--scorer", "x", "--draws", 2, "--thresholds", "0.5"], "there is no scorer 'x'"),
        (["--no-reference", "--best", "Pk", "--draws", 2, "--thresholds", "0.5"], "'Pk' was not swept"),
    ],
)
def test_sweep_without_reference_bad_options(run, swept, arguments, words):
    code, _, err = run("sweep", *swept, *arguments)
    assert code == 2 or "nothing is recommended" in err
    assert words in err
    assert "Traceback" not in err


def test_a_reference_without_boundaries_is_told_of_the_other_way(run, swept):
    code, _, err = run("sweep", *swept)
    assert code == 2
    assert "--no-reference" in err


def test_one_table_has_one_encoder(run, files):
    code, _, err = run("cohesion", *files, "--encoder", "default", "--encoder", "onnx:minilm")
    assert code == 2
    assert "are not comparable" in err


def test_a_metric_without_reference_is_sent_to_its_command(run, files):
    code, _, err = run("evaluate", files[1], files[2], "-m", "Silhouette")
    assert code == 2
    assert "caesura cohesion" in err


def test_thresholds_beyond_every_score_recommend_nothing(run, swept):
    code, _, err = run("sweep", *swept, "--no-reference", "--draws", 2, "--thresholds", "5,9", "--resamples", 5)
    assert code == 0
    assert "no threshold of 'm' sets a boundary" in err


def test_the_check_of_the_metrics_can_be_left_out(run, files):
    call = ("cohesion", *files, "-m", "ARPpair", "--draws", 10, "--resamples", 50, "--format", "json")
    checked, unchecked = (json.loads(run(*call, *more).out) for more in ([], ["--no-check"]))
    assert checked["systems"] == unchecked["systems"]
    assert checked["cohesion"]["checks"] is not None
    assert unchecked["cohesion"]["checks"] is None
