"""A function of one's own, in a file of the current folder: found, read alike on all documents, and one failure costs one document."""

from __future__ import annotations

import json
import sys

import pytest

import caesura as cz

LENGTHS = (24, 15, 7, 30)
CODE = """
def clock(units, n=5):
    import own_helper  # found while the function runs too
    return list(range(n, len(units), n))

def two_lengths(units):
    return [9, len(units) - 9] if len(units) > 15 else [len(units)]

def nine_fifteen(units):
    return [9, 15]

def mixed(units):
    return [len(units) - 3, 3] if len(units) == 7 else [5, 10, 20] if len(units) == 24 else [2, 4, 6]

def fails(units):
    if len(units) == 7:
        raise KeyError("seven")
    return [3]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch, write):
    """Return a current folder with own.py and four documents, which no path of Python holds."""
    (tmp_path / "own_code.py").write_text(CODE)
    (tmp_path / "own_helper.py").write_text("")
    monkeypatch.chdir(tmp_path)
    for name in ("own_code", "own_helper"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    write("docs.jsonl", *(document(n) for n in LENGTHS))
    write("one.jsonl", document(24))
    yield tmp_path
    for name in ("own_code", "own_helper"):
        sys.modules.pop(name, None)


def document(n):
    return {"id": f"d{n}", "units": [f"Sentence {at} of {n}." for at in range(n)], "boundaries": [n // 2]}


def boundaries(text):
    return {each["id"]: each["boundaries"] for each in map(json.loads, text.splitlines())}


def test_a_module_of_the_current_folder_is_found_and_leaves_no_trace(run, folder):
    before = list(sys.path)
    code, out, err = run("segment", "docs.jsonl", "--method", "own_code:clock")
    assert (code, err) == (0, "")
    assert boundaries(out) == {f"d{n}": list(range(5, n, 5)) for n in LENGTHS}
    assert sys.path == before


def test_a_module_of_the_current_folder_hides_no_installed_one(run, folder):
    (folder / "json.py").write_text("raise RuntimeError('hidden')")
    (folder / "yaml.py").write_text("raise RuntimeError('hidden')")
    code, _, err = run("segment", "docs.jsonl", "--method", "own_code:clock", "-o", "out.jsonl")
    assert (code, err) == (0, "")


def test_an_encoder_of_the_current_folder_is_found(run, folder):
    (folder / "own_code.py").write_text(
        "import numpy as np\n"
        "class Mine:\n"
        "    name, dim, normalized, fingerprint = 'mine', 2, False, 'mine-1'\n"
        "    def encode(self, texts):\n"
        "        return np.array([[1.0, len(text)] for text in texts], dtype=np.float32)\n"
    )
    code, out, err = run("segment", "docs.jsonl", "--method", "VectorTiling", "--encoder", "own_code:Mine")
    assert (code, err, len(boundaries(out))) == (0, "", 4)


@pytest.mark.parametrize("spec", ["nowhere_to_be_found:cut", "semchunck:cut"])
def test_a_module_that_is_nowhere_is_told_with_the_places(run, folder, spec):
    code, _, err = run("segment", "docs.jsonl", "--method", spec)
    assert code == 2
    assert f"there is no module {spec[:-4]}, installed, on PYTHONPATH or in the current folder ({folder})" in err
    code, _, err = run("segment", "docs.jsonl", "--method", "VectorTiling", "--encoder", "nowhere_to_be_found:Mine")
    assert code == 2
    assert f"in the current folder ({folder})" in err


@pytest.mark.parametrize("engine", [(), ("--engine", "local", "--shards", "kept")])
def test_integers_are_read_alike_on_all_documents(run, folder, engine):
    """[9, 15] of 24 units may be both; the other documents say what it is."""
    code, out, _ = run("segment", "docs.jsonl", "--method", "own_code:clock(n=9)", *engine)
    assert (code, boundaries(out)["d24"], boundaries(out)["d15"]) == (0, [9, 18], [9])
    code, out, _ = run("segment", "docs.jsonl", "--method", "own_code:two_lengths", *engine)
    assert (code, boundaries(out)) == (0, {"d24": [9], "d15": [], "d7": [], "d30": [9]})
    made = json.loads(out.splitlines()[0])["made_by"]
    assert made["returns"] == "lengths"


@pytest.mark.parametrize("engine", [(), ("--engine", "local")])
def test_what_all_documents_leave_open_is_asked_with_both_readings(run, folder, engine):
    code, out, err = run("segment", "one.jsonl", "--method", "own_code:nine_fifteen", *engine)
    assert (code, out) == (2, "")
    assert err == (
        "caesura: own_code:nine_fifteen returned [9, 15] for document 'd24', which may be boundaries (segments of [9, 6, 9] "
        "units) or lengths (segments of [9, 15] units); say which: own_code:nine_fifteen(returns='boundaries') or "
        "own_code:nine_fifteen(returns='lengths')\n"
    )
    for returns, expected in (("boundaries", [9, 15]), ("lengths", [9]), ("masses", [9])):
        _, out, _ = run("segment", "one.jsonl", "--method", f"own_code:nine_fifteen(returns='{returns}')", *engine)
        assert boundaries(out) == {"d24": expected}
    code, _, err = run("segment", "one.jsonl", "--method", "own_code:nine_fifteen(returns='cuts')")
    assert (code, "returns is 'cuts'; it must be boundaries, marks, lengths, masses" in err) == (2, True)


def test_no_reading_for_all_is_asked_and_a_given_one_costs_the_others(run, folder):
    code, _, err = run("segment", "docs.jsonl", "--method", "own_code:mixed")
    assert code == 2
    assert "returned boundaries for document 'd24', and lengths for document 'd7'" in err
    code, out, err = run("segment", "docs.jsonl", "--method", "own_code:mixed(returns='boundaries')")
    assert code == 4
    assert sorted(boundaries(out)) == ["d15", "d24", "d30"]
    told = "document 'd7': own_code:mixed(returns='boundaries') returned [4, 3], which are not increasing boundaries from 1 to 6"
    assert told in err


def test_a_failing_document_costs_itself(run, folder):
    code, out, err = run("segment", "docs.jsonl", "--method", "own_code:fails")
    assert (code, sorted(boundaries(out))) == (4, ["d15", "d24", "d30"])
    assert err == "caesura: own_code:fails fails on document 'd7' (KeyError: 'seven'); repair it\n"
    code, out, err = run("bench", "docs.jsonl", "--method", "own_code:fails", "--method", "C99", "--gold", "-m", "Pk")
    assert code == 4
    assert "documents that failed, and are not in these numbers: 1" in out
    assert "docs:3" in out
    assert err.count("\n") == 1


def test_evaluate_takes_functions_and_segmenters(folder):
    def fails(units):
        if len(units) == 7:
            raise KeyError("seven")
        return [3]

    with pytest.raises(cz.CaesuraError, match=r"mine: fails fails on document 'd7'.*missing='skip'"):
        cz.evaluate("docs.jsonl", {"mine": fails}, "Pk")
    made = {f"d{n}": cz.Segmentation(n, (3,)) for n in LENGTHS if n != 7}
    outcome = cz.evaluate(
        "docs.jsonl", {"mine": fails, "by hand": made, "C99": cz.segmenter("C99")}, "Pk", missing="skip"
    )
    assert outcome.scores["mine"] == outcome.scores["by hand"]
    assert outcome.documents == ["d24", "d15", "d30"]
    notes = "\n".join(outcome.results().notes)
    assert "mine, failed on 1 of 4 documents: fails fails on document 'd7' (KeyError: 'seven')" in notes
    with pytest.raises(cz.CaesuraError, match=r"say which: cz.segmenter\(<lambda>, returns='boundaries'\)"):
        cz.evaluate("one.jsonl", {"mine": lambda units: [9, 15]}, "Pk")
    read = cz.evaluate("one.jsonl", {"mine": cz.segmenter(lambda units: [9, 15], returns="lengths")}, "Pk")
    assert read.scores == cz.evaluate("one.jsonl", {"mine": {"d24": cz.Segmentation(24, (9,))}}, "Pk").scores
    with pytest.raises(cz.CaesuraError, match="write its arguments in its text"):
        cz.segmenter("C99", per_100=8)
