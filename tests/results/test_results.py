"""The results file: what was written is what is read, and its JSON Schema is true."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path

import numpy as np
import pytest

import caesura as cz
from caesura.errors import FormatError
from caesura.results import Ends, Results, Score, as_text, json_schema, number, read_counts, tables_of, write_results

S = cz.Segmentation


@pytest.fixture(scope="module")
def evaluation():
    rng = np.random.default_rng(1)
    gold = {f"d{n}": S(20, sorted(rng.choice(19, 3, replace=False) + 1)) for n in range(12)}
    near = {key: S(20, sorted({min(19, b + 1) for b in s.boundaries})) for key, s in gold.items()}
    none = {key: S(20) for key in gold}
    e = cz.evaluate(
        gold, {"near": near, "none": none}, ["Pk", "W-F1", "BOR", "BoundaryPrecision(length='short', cut=99)", "CovN"]
    )
    e.intervals(resamples=50)
    e.compare(resamples=50, permutations=99, draws=5)
    e.skill(draws=5)
    e.verdicts(by_document=True)
    e.gate({"W-F1": 0.99})
    return e


def test_everything_asked_is_stored_and_read_back(evaluation, tmp_path):
    written = evaluation.save(tmp_path / "r.json", per_document=True)
    read = cz.read_results(tmp_path / "r.json")
    assert read == written
    assert read.comparisons == evaluation.results().comparisons
    assert [t.title for t in tables_of(read)] == [t.title for t in evaluation.tables(per_document=True)]
    assert [str(t) for t in tables_of(read)] == [str(t) for t in evaluation.tables(per_document=True)]
    documents, tables = read_counts(tmp_path / "r.json")
    assert documents == list(evaluation.documents)
    facts = read.metrics["Pk"]
    assert set(tables["near"][facts.request].T.shape) == {len(read.counts.requests[facts.request]), 12}


def test_infinity_and_undefined_survive(tmp_path):
    gold = {"a": S(9), "b": S(9)}
    e = cz.evaluate(gold, {"s": {"a": S(9, (3,)), "b": S(9, (4,))}}, ["BOR", "BoundaryRecall(length='short', cut=99)"])
    e.save(tmp_path / "r.json", per_document=True)
    assert '"inf"' in (tmp_path / "r.json").read_text()
    read = cz.read_results(tmp_path / "r.json")
    assert read.systems["s"]["BOR"].score == math.inf
    assert read.per_document == {
        "s": {"BOR": [math.inf, math.inf], "BoundaryRecall(length='short', cut=99)": [None, None]}
    }
    assert read.systems["s"]["BoundaryRecall(length='short', cut=99)"].score is None
    assert read.systems["s"]["BoundaryRecall(length='short', cut=99)"].reason


def test_large_results_are_written_without_indentation(evaluation, tmp_path):
    small = as_text(evaluation.results())
    assert small.startswith('{\n  "schema": ')
    large = evaluation.results()
    large.notes = [f"note {number}" for number in range(100_000)]
    text = as_text(large)
    assert "\n" not in text
    (tmp_path / "r.json").write_text(text, encoding="utf-8")
    assert cz.read_results(tmp_path / "r.json") == large


def test_results_that_do_not_fit_together_make_no_table(evaluation):
    results = evaluation.results()
    results.metrics = {}
    with pytest.raises(FormatError, match="do not fit together"):
        tables_of(results)


def test_numbers():
    assert number(math.nan) is None
    assert number(-math.inf) == -math.inf
    assert 0.5 in Ends(0.0, 1.0)
    assert 2 not in Ends(0.0, 1.0)
    assert "x" not in Ends(0.0, 1.0)


def test_the_schema_holds_for_what_is_written(evaluation):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    plain = json.loads(as_text(evaluation.results(per_document=True)))
    assert not list(validator.iter_errors(plain))
    odd = Results(systems={"s": {"BOR": Score(score=math.inf, aggregation="micro", documents=1)}})
    assert not list(validator.iter_errors(json.loads(as_text(odd))))
    plain["systems"]["near"]["Pk"]["score"] = "high"
    assert list(validator.iter_errors(plain))


def test_the_shipped_schema_is_fresh():
    shipped = Path(cz.__file__).parent / "results" / "schema.json"
    assert json.loads(shipped.read_text()) == json_schema()


def test_the_schema_does_not_tell_where_a_class_stands():
    assert [name for name in json_schema()["$defs"] if "." in name] == []


@pytest.mark.parametrize("ids", [["d1", "d22"], ["Zürich", "d\ud800", ""], ["d" * 100, "d"], []])
def test_ids_of_any_letters_and_length_are_read_back(ids, tmp_path):
    tables = {"a": {"pk()": np.arange(2.0 * len(ids)).reshape(-1, 2) / 3}}
    write_results(tmp_path / "r.json", Results(question="evaluate"), tables, ids)
    documents, read = read_counts(tmp_path / "r.json")
    assert documents == ids
    assert np.array_equal(read["a"]["pk()"], tables["a"]["pk()"])


def test_tables_in_any_order_of_memory_are_read_back(tmp_path):
    results = Results(question="evaluate")
    table = np.asfortranarray(np.arange(12.0).reshape(4, 3))
    write_results(
        tmp_path / "r.json", results, {"a": {"own": table, "part": np.repeat(table, 2, axis=0)[::2]}}, list("abcd")
    )
    written = (tmp_path / "r.counts.npz").read_bytes()
    assert results.counts.sha256 == hashlib.sha256(written).hexdigest()
    _, read = read_counts(tmp_path / "r.json")
    assert np.array_equal(read["a"]["own"], table)
    assert np.array_equal(read["a"]["part"], table)
