"""``caesura agree`` and ``caesura evaluate --against annotators``, from outside."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest

from caesura.corpus import Corpus
from caesura.datasets.bundled import bundled, bundled_path
from caesura.formats import load
from caesura.results import read_results
from caesura.segmentation import Segmentation

pytestmark = pytest.mark.filterwarnings("always::caesura.errors.CaesuraWarning")

PILOT = (
    {
        "id": "d1",
        "n_units": 20,
        "units": [f"sentence {i}" for i in range(1, 21)],
        "annotations": {"x": [5, 10], "y": [5, 10, 15], "z": [10]},
    },
    {"id": "d2", "n_units": 10, "annotations": {"x": [5], "y": [5, 8]}},
)
SYSTEM = ({"id": "d1", "n_units": 20, "boundaries": [5, 15]}, {"id": "d2", "n_units": 10, "boundaries": [5]})


@pytest.fixture
def pilot(write):
    return write("pilot.jsonl", *PILOT)


@pytest.fixture
def system(write):
    return write("s.jsonl", *SYSTEM)


def one_line(outcome, *words):
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err
    for word in words:
        assert word in outcome.err


def facts(outcome):
    return json.loads(outcome.out)["agreement"]


def test_tables(run):
    code, out, err = run("agree", bundled_path("moonstone"), "--resamples", 100, "--full")
    assert (code, err) == (0, "")
    for title in ("Agreement", "Every annotator against every other", "Annotators", "Contested gaps"):
        assert f"{title}" in out
    kappa = next(line.split() for line in out.splitlines() if line.startswith("FleissKappa "))
    assert kappa[1] == "0.276"
    assert "pairs of annotators by kind of disagreement: none" in out


def test_intervals_of_few_documents_carry_a_note(run, pilot):
    out = run("agree", pilot, "--resamples", 20, "--full").out
    # Under the coefficients, and under the annotators.
    assert out.count("fewer than ten documents: the intervals are rough") == 2


def test_json_has_the_promised_shape(run):
    code, out, err = run("agree", bundled_path("moonstone"), "--format", "json", "--resamples", 100)
    assert (code, err) == (0, "")
    assert json.loads(out)["schema"] == "caesura.results/2"
    data = json.loads(out)["agreement"]
    kappa = data["coefficients"]["FleissKappa"]
    assert kappa["score"] == pytest.approx(0.2757291311847595, abs=1e-12)
    assert kappa["interval"][0] < kappa["score"] < kappa["interval"][1]
    assert data["coefficients"]["FleissKappa(include_end=True)"]["per_document"][0] == pytest.approx(0.28, abs=0.005)
    assert set(data["annotators"]["an1"]) >= {"bias", "agreement", "outlier", "per_100_units"}
    assert len(data["support"]) == 132
    assert data["pairwise"]["WindowDiff"]["pooled"]["mean"] == pytest.approx(0.3406166658283303, abs=1e-12)
    assert data["plan"] is None


def test_the_seed_decides(run, pilot):
    outs = [run("agree", pilot, "--format", "json", "--seed", seed).out for seed in (1, 1, 2)]
    assert outs[0] == outs[1] != outs[2]
    assert json.loads(outs[0])["seed"] == 1


def test_many_pairs_are_announced(run, pilot, monkeypatch):
    from caesura.cli import agree

    monkeypatch.setattr(agree, "_MANY_PAIRS", 4)
    assert run("agree", pilot).err == "caesura: note: comparing 4 pairs: 3 annotators, 2 documents\n"


def test_csv_has_one_row_per_annotator(run, pilot):
    code, out, err = run("agree", pilot, "--format", "csv", "-m", "FleissKappa")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    expected = facts(run("agree", pilot, "--format", "json"))["annotators"]
    assert [row["annotator"] for row in rows] == list(expected)
    for row in rows:
        known = expected[row["annotator"]]
        assert float(row["B"]) == pytest.approx(known["agreement"], abs=1e-12)
        assert int(row["boundaries"]) == known["boundaries"]


@pytest.mark.parametrize("target", ["markdown", "latex"])
def test_other_formats(run, pilot, target):
    code, out, err = run("agree", pilot, "--format", target, "-m", "FleissKappa", "--full")
    assert (code, err) == (0, "")
    if target == "markdown":
        assert "| FleissKappa |" in out
    else:
        assert out.count(r"\toprule") == 10


def test_coefficients_and_metrics_as_asked(run, pilot):
    data = facts(run("agree", pilot, "-m", "AgreementB(n_t=3)", "-m", "MultiPi", "--format", "json"))
    assert list(data["coefficients"]) == ["AgreementB(n_t=3)", "MultiPi"]
    assert "WindowDiff with others" in run("agree", pilot, "--by", "WindowDiff", "--full").out


def test_profile(run, pilot):
    plain, closed = (
        facts(run("agree", pilot, "--profile", profile, "-m", "FleissKappa", "--format", "json"))
        for profile in ("caesura", "closing_boundary")
    )
    both = facts(run("agree", pilot, "--format", "json"))["coefficients"]
    assert plain["coefficients"]["FleissKappa"]["score"] == both["FleissKappa"]["score"]
    assert closed["coefficients"]["FleissKappa"]["score"] == both["FleissKappa(include_end=True)"]["score"]


def test_profile_segeval_pools_the_documents(run, pilot):
    plain, pooled = (
        facts(run("agree", pilot, "--profile", profile, "-m", "AgreementB", "--format", "json"))["coefficients"][
            "AgreementB"
        ]
        for profile in ("caesura", "segeval")
    )
    assert (plain["aggregation"], pooled["aggregation"]) == ("macro", "micro")
    assert plain["score"] == pytest.approx(sum(plain["per_document"]) / 2, abs=1e-12)
    assert plain["score"] != pytest.approx(pooled["score"], abs=1e-6)
    low, high = pooled["interval"]
    assert low <= pooled["score"] <= high
    out = run("agree", pilot, "--profile", "segeval", "-m", "AgreementB", "-m", "FleissKappa", "--full").out
    assert "score: mean over documents; of all documents together: AgreementB" in " ".join(out.split())


def test_consensus(run, pilot, tmp_path):
    gold = tmp_path / "gold.jsonl"
    code, _, err = run("agree", pilot, "--consensus", 0.5, "--consensus-output", gold)
    few = f"caesura: note: {pilot}: 1 of 2 documents has fewer than 3 annotators; of two, one is enough for 0.5: the consensus is their union\n"
    assert (code, err) == (0, f"{few}caesura: note: {gold} holds the consensus of 2 documents\n")
    made = load(gold)
    assert [d.segmentation for d in made] == [Segmentation(20, (5, 10)), Segmentation(10, (5, 8))]
    run("agree", pilot, "--consensus", 0, "--consensus-output", tmp_path / "union.jsonl")
    assert load(tmp_path / "union.jsonl")["d1"].segmentation == Segmentation(20, (5, 10, 15))
    # What was written is a reference.
    assert run("evaluate", gold, f"me={gold}", "-m", "Pk", "--format", "json").code == 0


def test_a_consensus_of_few_annotators_is_told_of(run, write, tmp_path):
    """Two who differ have no majority: at 0.5 either is enough, above it both must agree."""
    both = {"x": [2, 5, 8, 11, 14], "y": [5, 16]}
    people = [{"id": f"t{n}", "n_units": 20, "annotations": both} for n in range(12)]
    people += [{"id": f"f{n}", "n_units": 20, "annotations": {**both, "z": [5]}} for n in range(18)]
    project, gold = write("project.jsonl", *people), tmp_path / "gold.jsonl"

    def notes(share, *more):
        done = run("agree", project, "--consensus", share, "--consensus-output", gold, "--force", *more)
        assert done.code == 0
        return done.err.splitlines()[:-1]

    few = f"caesura: note: {project}: 12 of 30 documents have fewer than 3 annotators"
    assert notes(0.5) == [f"{few}; of two, one is enough for 0.5: the consensus is their union"]
    assert load(gold)["t0"].segmentation == Segmentation(20, (2, 5, 8, 11, 14, 16))
    assert load(gold)["f0"].segmentation == Segmentation(20, (5,))
    assert notes(0.6) == [f"{few}; of two, both are needed for 0.6"]
    assert load(gold)["t0"].segmentation == Segmentation(20, (5,))
    assert notes(0.5, "--min-annotators", 2) == notes(0) == []
    assert "30 of 30 documents have fewer than 4 annotators" in notes(0.5, "--min-annotators", 4)[0]
    evaluating = ("evaluate", project, gold, "--against", "consensus=0.5", "-m", "Pk")
    assert few in run(*evaluating).err
    assert few in run("gate", *evaluating[1:], "--min", "Pk=1").err


def test_a_consensus_joins_near_misses(run, write, tmp_path):
    votes = {"x": [9], "y": [10], "z": [10], "w": [30]}
    pilot = write("near.jsonl", {"id": "d", "n_units": 40, "annotations": votes})
    gold = tmp_path / "gold.jsonl"
    run("agree", pilot, "--consensus", 0.75, "--near", "--consensus-output", gold)
    assert load(gold)["d"].segmentation == Segmentation(40, (10,))
    one_line(run("agree", pilot, "--near"), "--near needs --consensus SHARE")


def test_exclude_and_names(run, pilot, tmp_path):
    data = facts(run("agree", pilot, "--exclude", "z", "--names", "x=Anna", "--format", "json"))
    assert (data["names"], data["excluded"]) == (["Anna", "y"], ["z"])
    names = tmp_path / "names.json"
    names.write_text('{"annotators": {"x": "Anna"}, "documents": {"d1": "first talk"}}')
    data = facts(run("agree", pilot, "--names", names, "--format", "json"))
    assert data["names"] == ["Anna", "y", "z"]
    assert set(data["segment_counts"]) == {"first talk", "d2"}
    one_line(run("agree", pilot, "--exclude", "u"), "there is no annotator 'u'; there are x, y, z")
    one_line(run("agree", pilot, "--names", "x=y"), "two annotators would be named 'y'")
    one_line(run("agree", pilot, "--names", "x=A", "--names", names), "--names takes one FILE")
    one_line(run("agree", pilot, "--names", names, "-o", names, "--force"), "is an input")


def test_figure(run, pilot, tmp_path):
    assert run("agree", pilot, "--figure", tmp_path / "a.json").code == 0
    assert "vconcat" in json.loads((tmp_path / "a.json").read_text())
    one_line(run("agree", pilot, "--figure", tmp_path / "a.gif"), "is not a figure")


def test_the_answer_comes_first_and_fits(run):
    """The answer to the question of a corpus builder stands in the first lines of 80 columns."""
    out = run("agree", bundled_path("moonstone")).out
    before, _, _ = out.partition("\nAnnotators\n")
    assert before.startswith("The annotators agree beyond chance")
    assert len(before.splitlines()) <= 16
    assert max(map(len, before.splitlines())) <= 80
    rows = [line for line in out.splitlines() if line.startswith("an") and line[2].isdigit() and "0." in line]
    rows = [line for line in rows if line not in before]
    assert len(rows) == 10
    assert max(map(len, rows)) <= 80


def test_adjudicate(run, pilot, tmp_path):
    todo, gold = tmp_path / "todo.jsonl", tmp_path / "gold.jsonl"
    code, _, err = run("agree", pilot, "--adjudicate", todo)
    assert (code, err) == (0, "")
    rows = [json.loads(line) for line in todo.read_text().splitlines()]
    assert [(row["document"], row["gaps"]) for row in rows] == [("d1", [5]), ("d1", [15]), ("d2", [8])]
    assert (rows[0]["votes"], rows[0]["without"]) == ({"5": ["x", "y"]}, ["z"])
    assert rows[0]["context"] == {str(unit): f"sentence {unit}" for unit in range(4, 8)}
    rows[0] |= {"decision": 6, "reason": "the topic ends later"}
    rows[1]["decision"] = False
    rows.append({"document": "d9", "gaps": [3], "decision": 3})
    todo.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, _, err = run("agree", pilot, "--decisions", todo, "--gold", gold)
    assert code == 0
    assert "1 contested places are not decided" in err
    assert "1 of 2 decisions are as most annotators marked the place" in err
    assert "1 decisions are on places that are not contested now, left out: d9 gap 3" in err
    written = load(gold)["d1"].segmentation
    assert 6 in written.boundaries
    assert not {5, 15} & set(written.boundaries)
    assert "the topic ends later" in gold.read_text()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"document": "d1", "gaps": [5], "decision": "yes"}', "is not a place with a decision"),
        ('{"document": "d1", "gaps": [5], "decision": true}', "decides true, which names no gap"),
        ('{"document": "d1", "gaps": [5], "decision": 400}', "a decision names gap 400, which it does not have"),
        ('{"document": "d1", "gaps": [5]}\n{"document": "d1", "gaps": [5, 6]}', "decides on gap 5 of 'd1' again, after line 1"),
    ],
)  # fmt: skip
def test_decisions_that_cannot_be_read(run, pilot, tmp_path, line, says):
    todo, gold = tmp_path / "todo.jsonl", tmp_path / "gold.jsonl"
    todo.write_text(line + "\n")
    code, out, err = run("agree", pilot, "--decisions", todo, "--gold", gold)
    assert (code, out, err.count("\n"), gold.exists()) == (2, "", 1, False)
    assert says in err
    assert "needs --gold" in run("agree", pilot, "--decisions", todo).err


def test_planning(run, monkeypatch):
    from caesura.evaluation.agree import planning

    monkeypatch.setattr(planning, "_DRAWS", 200)
    monkeypatch.setattr(planning, "_SUBSETS", 40)
    out = run("agree", bundled_path("moonstone"), "--plan-width", 0.1).out
    assert "documents like these" in out
    data = facts(run("agree", bundled_path("moonstone"), "--plan-width", 0.1, "--format", "json"))
    assert data["plan"]["documents_needed"] > 8
    assert set(data["plan"]["by_annotators"]) == {"2", "3", "4", "5", "6"}


@pytest.mark.parametrize("target", ["table", "csv", "markdown", "latex", "json"])
def test_a_stored_file_is_shown_as_it_was_printed(run, monkeypatch, tmp_path, target):
    from caesura.evaluation.agree import planning

    monkeypatch.setattr(planning, "_DRAWS", 200)
    monkeypatch.setattr(planning, "_SUBSETS", 40)
    path = tmp_path / "agreement.json"
    printed = run(
        "agree", bundled_path("moonstone"), "--plan-width", 0.1, "--resamples", 50, "-o", path, "--format", target
    )  # fmt: skip
    assert (printed.code, printed.err) == (0, "")
    assert run("show", path, "--format", target) == printed


def test_the_results_file_is_read_back(run, pilot, tmp_path):
    path = tmp_path / "agreement.json"
    run("agree", pilot, "-o", path)
    results = read_results(path)
    assert results.question == "agree"
    assert results.inputs[0].file == pilot.name
    assert results.agreement is not None
    assert [item.gap for item in results.agreement.contested if item.document == "d2"] == [8]


@pytest.mark.parametrize(
    ("path", "value"),
    [(("support", 0, "gap"), "five"), (("disagreements", 0, "kind"), "quarrel"), (("plan",), {"width": 1})],
)
def test_a_file_edited_by_hand_is_one_line(run, pilot, tmp_path, path, value):
    stored = tmp_path / "agreement.json"
    run("agree", pilot, "-o", stored)
    data = json.loads(stored.read_text())
    part = data["agreement"]
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    stored.write_text(json.dumps(data))
    one_line(run("show", stored), "agreement.json", "damaged", f"agreement.{path[0]}")


def test_the_old_spelling_of_a_consensus_is_refused(run, pilot, tmp_path):
    """-o was where the consensus went; it must not become a results file that is taken for a gold."""
    gold = tmp_path / "gold.jsonl"
    one_line(run("agree", pilot, "--consensus", 0.5, "-o", gold), "--consensus-output FILE", "-o is the results")
    assert not gold.exists()
    one_line(run("agree", pilot, "--consensus-output", gold), "--consensus SHARE")
    assert not gold.exists()


def test_an_input_is_never_overwritten(run, pilot):
    text = pilot.read_text()
    one_line(run("agree", pilot, "-o", pilot, "--force"), "is an input")
    one_line(run("agree", pilot, "--adjudicate", pilot, "--force"), "is an input")
    assert pilot.read_text() == text


@pytest.mark.parametrize("option", ["-o", "--adjudicate", "--consensus-output"])
def test_existing_outputs_are_refused(run, pilot, tmp_path, option):
    target = tmp_path / "there.jsonl"
    target.write_text("precious")
    more = ("--consensus", 0.5) if option == "--consensus-output" else ()
    more = (*more, "--min-annotators", 1)
    one_line(run("agree", pilot, *more, option, target), "exists", "--force")
    assert target.read_text() == "precious"
    assert run("agree", pilot, *more, option, target, "--force").code == 0
    assert target.read_text() != "precious"


def test_nothing_is_written_where_something_is_wrong(run, pilot, system, tmp_path):
    gold, todo, tex = tmp_path / "gold.jsonl", tmp_path / "todo.jsonl", tmp_path / "t.tex"
    one_line(
        run(
            "agree", pilot, "-m", "Pk", "--consensus", 0.5, "--consensus-output", gold, "--adjudicate", todo, "-o",
            tmp_path / "a.json", "--min-annotators", 1,
        ),
        "'Pk'",
    )  # fmt: skip
    assert not (tmp_path / "a.json").exists()
    run("evaluate", pilot, system, "--against", "annotators", "--latex", tex, "--segments", tmp_path / "s.csv")
    assert not gold.exists()
    assert not todo.exists()
    assert not tex.exists()


def test_bad_inputs_are_one_line(run, write, tmp_path):
    pilot = write("pilot.jsonl", *PILOT)
    one_line(run("agree", tmp_path / "nothing.jsonl"), "nothing.jsonl")
    bare = write("bare.jsonl", {"id": "d", "n_units": 5, "boundaries": [2]})
    one_line(run("agree", bare), "has no annotations")
    beyond = write("beyond.jsonl", {"id": "d", "n_units": 5, "annotations": {"x": [2], "y": [7]}})
    one_line(run("agree", beyond), "7")
    one_line(run("agree", pilot, "-m", "Pk"), "'Pk' is not an agreement coefficient; choose from", "FleissKappa")
    one_line(run("agree", pilot, "-m", "Kapa"), "'Kapa' is not a metric; choose from")
    one_line(run("agree", pilot, "--by", "FleissKappa"), "'FleissKappa' is not a pairwise metric")
    one_line(run("agree", pilot, "--by", "Nonsense"), "'Nonsense' is not a metric; choose from")
    one_line(run("agree", pilot, "--profile", "nobody"), "'nobody' is not a profile; choose from")
    one_line(run("agree", pilot, "--plan-width", -1), "must be above 0")


@pytest.mark.parametrize(
    "options",
    [
        ("--consensus", 0.5),
        ("--consensus-output", "gold.jsonl"),
        ("--consensus", 2, "--consensus-output", "gold.jsonl"),
        ("--resamples", 0),
        ("--seed", -1),
    ],
)
def test_bad_options(run, pilot, options):
    outcome = run("agree", pilot, *options)
    assert outcome.code == 2
    assert outcome.out == ""
    assert "Traceback" not in outcome.err


def test_annotators_of_different_lengths(run, write):
    lengths = write(
        "lengths.jsonl", {"id": "d", "n_units": 5, "annotations": {"x": {"masses": [2, 3]}, "y": {"masses": [2, 4]}}}
    )
    outcome = run("agree", lengths)
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1


def test_all_identical_or_silent_is_no_perfect_score(run, write):
    silent = write("silent.jsonl", *({"id": k, "n_units": 6, "annotations": {"x": [], "y": []}} for k in "ab"))
    data = facts(run("agree", silent, "--format", "json", "-m", "FleissKappa", "-m", "AgreementS"))
    for name in ("FleissKappa", "AgreementS"):
        found = data["coefficients"][name]
        assert (found["score"], found["interval"], found["undefined"]) == (None, [None, None], 2)
        assert "chance explains everything" in found["reason"]
    assert "FleissKappa: undefined (" in run("agree", silent, "--full").out
    assert run("agree", silent).out.startswith("Agreement is not defined: one annotator only")


def test_time_and_characters(run, write):
    for unit in ("ms", "character"):
        spoken = write(
            f"{unit}.jsonl", {"id": "d", "n_units": 90000, "unit": unit, "annotations": {"x": [30000], "y": [31000]}}
        )
        code, out, err = run("agree", spoken, "--full")
        assert (code, err) == (0, "")
        assert "WindowDiff with others" in out
        assert f"On the unit {unit} people rarely mark exactly the same point" in out


# ---------------------------------------------------------------------------------------------- evaluate --against


def test_evaluate_against_annotators(run, pilot, system):
    code, out, err = run(
        "evaluate", pilot, system, "--against", "annotators", "-m", "B", "-m", "MultiWindowDiff", "--full"
    )
    assert (code, err) == (0, "")
    assert "people (each against the rest)" in out
    assert "Among the annotators" in out
    assert "ref:annotators" in out
    data = json.loads(run("evaluate", pilot, system, "--against", "annotators", "-m", "B", "--format", "json").out)
    assert data["against"] == "annotators"
    score = data["systems"]["s"]["B"]
    assert score["score"] == pytest.approx((1 / 3 + 3 / 4) / 2)
    assert score["among"]["rank"] == 2.5
    assert score["among"]["people"] == pytest.approx(0.5)


def test_evaluate_at_the_levels_of_a_consensus(run, pilot, system):
    code, out, err = run("evaluate", pilot, system, "--levels", "consensus")
    assert (code, err.count("fewer than 3 annotators"), err.count("\n")) == (0, 1, 1)
    assert "1 all annotators" in out
    outcome = run("evaluate", "--levels", pilot, system)
    assert outcome.code == 2
    assert "is not one of 'hierarchy', 'consensus'" in outcome.err


@pytest.mark.parametrize("target", ["csv", "markdown", "latex"])
def test_evaluate_against_annotators_in_other_formats(run, pilot, system, target):
    code, out, err = run("evaluate", pilot, system, "--against", "annotators", "-m", "B", "--format", target)
    assert (code, err) == (0, "")
    assert "people" in out


def test_evaluate_against_annotators_per_document_and_in_files(run, pilot, system, tmp_path):
    out = run("evaluate", pilot, system, "--against", "annotators", "-m", "B", "--per-document", "--format", "csv").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["document"], float(row["B"])) for row in rows] == [("d1", pytest.approx(1 / 3)), ("d2", 0.75)]
    results, tex = tmp_path / "r.json", tmp_path / "t.tex"
    run("evaluate", pilot, system, "--against", "annotators", "-m", "B", "-o", results, "--latex", tex)
    assert json.loads(results.read_text())["against"] == "annotators"
    assert "people" in tex.read_text()
    assert (tmp_path / "r.counts.npz").exists()


@pytest.mark.parametrize(
    ("against", "chosen"),
    [
        ("consensus=0.5", lambda corpus: corpus.consensus(0.5)),
        ("consensus=0", lambda corpus: corpus.consensus(0)),
        ("annotator=an1", lambda corpus: corpus.annotator("an1")),
    ],
)
def test_evaluate_against_one_reading(run, against, chosen, tmp_path):
    from caesura.formats import save
    from caesura.metrics import metric

    corpus: Corpus = chosen(bundled("moonstone"))
    save(bundled("moonstone").consensus(0.3), tmp_path / "s.jsonl")
    out = run(
        "evaluate", bundled_path("moonstone"), tmp_path / "s.jsonl", "--against", against, "-m", "WD",
        "--format", "json",
    ).out  # fmt: skip
    data = json.loads(out)
    system = bundled("moonstone").consensus(0.3)
    expected = [metric("WD")(d.segmentation, system[d.id].segmentation) for d in corpus]
    score = data["systems"]["s"]["WD"]
    assert score["score"] == pytest.approx(sum(expected) / len(expected))
    assert f"|ref:{against}|" in score["signature"]
    assert data["against"] == against


def test_segments_need_one_reference(run, pilot, system, tmp_path):
    target = tmp_path / "segments.csv"
    outcome = run("evaluate", pilot, system, "--against", "annotators", "-m", "B", "--segments", target)
    assert outcome.code == 2
    assert "--verdict, --extra and --segments need one" in outcome.err
    assert not target.exists()
    assert run("evaluate", pilot, system, "--against", "consensus=0.5", "-m", "B", "--segments", target).code == 0


def test_what_evaluate_refuses(run, pilot, system):
    one_line(run("evaluate", pilot, system), "choose what to score against", "against='annotators'")
    one_line(run("evaluate", pilot, system, "--against", "people"), "against 'people' is unknown")
    one_line(run("evaluate", pilot, system, "--against", "consensus=7"), "a share between 0 and 1")
    one_line(run("evaluate", pilot, system, "--against", "annotator=bob"), "no document is annotated by 'bob'")
    one_line(run("evaluate", pilot, system, "--against", "annotators", "-m", "FleissKappa"), "see caesura agree")
    one_line(run("evaluate", system, system, "-m", "MultiWindowDiff"), "needs several annotators")
    one_line(run("evaluate", system, system, "-m", "FleissKappa"), "see caesura agree")
    one_line(run("evaluate", pilot, system, "--against", "annotators", "-m", "ARPpair"), "caesura cohesion")
    one_line(run("evaluate", system, system, "--against", "annotators"), "has no annotations")


def test_missing_documents(run, pilot, write):
    half = write("half.jsonl", SYSTEM[0])
    one_line(run("evaluate", pilot, half, "--against", "annotators"), "document 'd2'", "--missing skip")
    code, out, _ = run("evaluate", pilot, half, "--against", "annotators", "-m", "B", "--missing", "skip")
    assert code == 0
    assert "half: 1 of 2 documents missing, skipped" in out


RELEASE = Path(os.environ.get("CAESURA_DATA", "")) / "moonstone_release"


@pytest.mark.skipif(not (RELEASE / "segmentations").is_dir(), reason="the released Moonstone is not in CAESURA_DATA")
def test_the_released_moonstone_has_27_people(run, tmp_path):
    """With the columns of the tables as people there would be 6, and no outlier among them."""
    run("agree", RELEASE, "-o", tmp_path / "r.json")
    facts = read_results(tmp_path / "r.json").agreement
    assert facts is not None
    assert len(facts.annotators) == 27
    assert all(row.documents == 4 for row in facts.annotators.values())
    found = {name for name, row in facts.annotators.items() if row.outlier or row.density_outlier}
    # Four documents each: two of the six lie so near the limit that the drawn resamples decide.
    assert {"g1.an1", "g1.an2", "g1.an3", "g5.an3"} <= found
    assert found <= {"g1.an1", "g1.an2", "g1.an3", "g5.an3", "g3.an1", "g3.an3"}


def test_one_annotator_so_far(run, write, tmp_path):
    alone = write("alone.jsonl", {"id": "d", "n_units": 5, "annotations": {"x": [2]}}, {"id": "e", "n_units": 5})
    outcome = run("agree", alone, "-o", tmp_path / "r.json", "--report", tmp_path / "r.html")
    assert outcome.code == 0
    assert "x has coded 1 of 2 documents, 5 units with 1 boundary" in outcome.out
    assert "Agreement needs a second annotator on the same documents." in outcome.out
    assert (tmp_path / "r.html").is_file()
    assert run("show", tmp_path / "r.json").code == 0
    assert run("report", tmp_path / "r.json", "-o", tmp_path / "again.html").code == 0
