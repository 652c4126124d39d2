"""Nothing private stands in what will be shared: keys, folders of this machine, old names; any file name can be stored."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import caesura as cz
from caesura.errors import DeclarationError, FormatError, shareable, without_secrets
from caesura.segmenters import segmenter
from caesura.segmenters.run import parse_methods
from tests.encoders.test_numpy import make
from tests.training.toy import corpus
from tests.training.toy import write as write_documents

KEY = "sk-verysecret123"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"command:cut --api-key={KEY} --fast", "command:cut --api-key=*** --fast"),
        (f"command:cut --api-key {KEY}", "command:cut --api-key ***"),
        ("command:cut --hf-token abc --n 3", "command:cut --hf-token *** --n 3"),
        ("mine:cut(api_key='a b', n=3)", "mine:cut(api_key=***, n=3)"),
        ("mine:cut(headers={'Authorization': 'Bearer abc.def'})", "mine:cut(headers={'Authorization': 'Bearer ***'})"),
        ("mine:cut(model={'password': 'x', 'n': 1})", "mine:cut(model={'password': ***, 'n': 1})"),
        ("command:cut hf_abcdefghijklmnopqrstuvwx ghp_0123456789abcdefghij", "command:cut *** ***"),
        ("command:cut sk-proj-Ab3_-d5Ab3d5Ab3d5 sk-ant-api03-Ab3d5Ab3d5", "command:cut *** ***"),
        ("command:cut -H 'X-Api-Key: abc'", "command:cut -H 'X-Api-Key: ***'"),
        ("http:https://me:pass@host/v1#m", "http:https://***@host/v1#m"),
        ("command:/usr/bin/python3 /home/me/cut.py --to=/srv/x/", "command:python3 cut.py --to=x"),
        ("command:'/home/me/my cut.py' /data", "command:'my cut.py' data"),
        ("mine:cut(path='/home/me/a.bin')", "mine:cut(path='a.bin')"),
        ("ScoreThenSelect(scorer='model:/home/me/model')", "ScoreThenSelect(scorer='model:model')"),
    ],
)
def test_what_is_private_in_a_method_is_not_shown(text, shown):
    assert shareable(text) == shown
    assert shareable(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "TextTiling(window=6)", "chonkie:TokenChunker(tokenizer='gpt2', max_tokens=512)", "http:http://localhost:8080/v1#llama",
        "command:./cut.sh a/b.txt -n 3", "document 'sk-news-2021-05' and hf_transformers", "unexpected token: 5 tokens",
        "add ?token=... to the address", "set CAESURA_HTTP_KEY", "risk-analysis0123456789",
    ],
)  # fmt: skip
def test_what_is_not_private_stays(text):
    assert shareable(text) in (text, text.replace("token=...", "token=***"))


def test_paths_below_this_folder_are_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert shareable(f"command:python3 {tmp_path}/tools/cut.py") == "command:python3 tools/cut.py"


def test_messages_hide_keys():
    assert str(DeclarationError(f"cut(api_key='x') at https://me:pass@host failed with {KEY}")) == (
        "cut(api_key=***) at https://***@host failed with ***"
    )
    assert without_secrets("a" * 200_000) == "a" * 200_000


def everything(page: Path) -> str:
    """Return all the data of a page as text, unpacked."""
    text = page.read_text("utf-8")
    parts = re.findall(r'<script type="text/plain" id="[^"]*">([^<]*)</script>', text)
    assert parts
    return text + "".join(gzip.decompress(base64.b64decode(part)).decode() for part in parts)


@pytest.fixture
def program(tmp_path):
    """Write a program that cuts after the second unit, in a folder with a private name, and return the command."""
    place = tmp_path / "private" / "cut.py"
    place.parent.mkdir()
    place.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    d = json.loads(line)\n"
        "    print(json.dumps({'id': d['id'], 'n_units': len(d['units']), 'boundaries': [2]}))\n"
    )
    return f"command:{sys.executable} {place} --api-key={KEY}"


@pytest.mark.parametrize("name", ["", "mine="])
def test_bench_shares_neither_key_nor_folder(run, docs, program, tmp_path, name):
    results, page, folder = tmp_path / "r.json", tmp_path / "p.html", tmp_path / "systems"
    words = ["--gold", "-m", "Pk", "-o", results, "--report", page, "--systems", folder]
    done = run("bench", docs, "--method", name + program, "--method", "even", *words)
    assert done.code == 0
    written = [each.read_text() for each in folder.iterdir()]
    shared = [results.read_text(), everything(page), done.out, done.err, *written, *map(str, folder.iterdir())]
    for text in shared:
        assert KEY not in text
        assert "private" not in text.replace(str(tmp_path), "")
        assert not name or "cut.py" not in text
    costs = json.loads(results.read_text())["costs"]
    if name:
        assert costs["mine"]["method"] == ""
        assert '"method":"mine"' in written[0] + written[1]
        assert "--method mine=METHOD" in everything(page)
    else:
        (cost,) = (each for key, each in costs.items() if key.startswith("command:"))
        assert re.fullmatch(r"command:(?!/)\S*python\S* cut\.py --api-key=\*\*\*", cost["method"])


def test_a_failure_shares_no_key(run, docs, program, tmp_path):
    results = tmp_path / "r.json"
    broken = program.replace("cut.py", "gone.py")
    done = run("bench", docs, "--method", broken, "--method", "even", "--gold", "-m", "Pk", "-o", results)
    assert done.code == 4
    assert KEY not in results.read_text() + done.out + done.err


def test_segment_names_a_method_of_another_program(run, docs, program, tmp_path):
    out = tmp_path / "o.jsonl"
    assert run("segment", docs, "--method", f"mine={program}", "-o", out).code == 0
    recipe = json.loads(out.read_text().splitlines()[0])["made_by"]
    assert (recipe["method"], recipe["parameters"]) == ("mine", {})
    assert KEY not in out.read_text()
    assert run("segment", docs, "--method", program, "-o", out, "--force").code == 0
    assert KEY not in out.read_text()
    assert run("segment", docs, "--method", f"mine={program}", "--engine", "local", "-o", out, "--force").code == 0
    assert '"method":"mine"' in out.read_text()


def test_tune_names_a_method(run, docs, tmp_path):
    results, page = tmp_path / "t.json", tmp_path / "t.html"
    done = run("tune", docs, "mine=TextTiling", "--try", "window=2,3", "-o", results, "--report", page)
    assert done.code == 0
    tried = json.loads(results.read_text())["tuning"]["tried"]
    assert {one["method"] for one in tried} == {"mine(window=2)", "mine(window=3)"}
    assert "TextTiling" not in results.read_text() + done.out


def test_programs_of_one_name_in_two_folders_are_two_methods():
    methods = parse_methods(["command:/a/cut", "command:/b/cut"])
    assert [method.label for method in methods] == ["command:cut", "command:cut"]
    with pytest.raises(DeclarationError, match="given twice"):
        parse_methods(["command:/a/cut", "command:/a/cut"])


def test_arguments_of_a_function_are_masked():
    made = segmenter("json:dumps(api_key='k1', path='/home/me/x.bin', n=3, sizes=[1, 2])")
    assert made.options() == {"api_key": "***", "path": "x.bin", "n": 3, "sizes": [1, 2]}
    assert str(segmenter("mine=json:dumps(api_key='k1')")) == "mine"


def test_new_names_of_annotators_and_documents_replace_the_old_ones_everywhere(run, write, tmp_path):
    rows = [
        {
            "id": f"old{n}",
            "units": [f"u{n}{k}" for k in range(8)],
            "annotations": {"ann@x": [3], "bob@x": [4, 6], "c": [3]},
        }
        for n in range(4)
    ]
    file = write("people.jsonl", *rows)
    names = write("names.json", {"annotators": {"ann@x": "A", "bob@x": "B"}, "documents": {"old1": "new1"}})
    made = {kind: tmp_path / f"out.{kind}" for kind in ("json", "html", "jsonl", "todo", "svg")}
    done = run(
        "agree", file, "--names", names, "-o", made["json"], "--report", made["html"], "--consensus", "0.5",
        "--consensus-output", made["jsonl"], "--adjudicate", made["todo"], "--figure", made["svg"],
        "--full",
    )  # fmt: skip
    assert done.code == 0
    texts = [everything(path) if kind == "html" else path.read_text() for kind, path in made.items()]
    for text in [*texts, done.out, done.err]:
        assert not re.search(r"ann@x|bob@x|old1", text)
    assert "new1" in texts[2]


BAD = b"\xff\xfe-bad.jsonl"


@pytest.fixture
def bad(write, tmp_path, monkeypatch):
    """Write a reference, and a system whose file name is not UTF-8."""
    monkeypatch.chdir(tmp_path)
    rows = [{"id": f"d{n}", "units": [f"cat {n} {k}" for k in range(9)], "boundaries": [4 + n % 2]} for n in range(6)]
    write("gold.jsonl", *rows)
    try:
        Path(os.fsdecode(BAD)).write_bytes(Path("gold.jsonl").read_bytes())
    except OSError:
        pytest.skip("this file system stores only names in UTF-8")
    return os.fsdecode(BAD)


def test_a_file_name_that_is_not_utf8(run, bad):
    odd = os.fsdecode(b"r\xff.json")
    assert run("evaluate", "gold.jsonl", bad, "-m", "Pk", "-o", odd).code == 0
    stored = json.loads(Path(odd).read_text())
    assert list(stored["systems"]) == [r"\udcff\udcfe-bad"]
    assert stored["inputs"][1]["file"] == r"\udcff\udcfe-bad.jsonl"
    assert run("gate", "gold.jsonl", bad, "-m", "Pk", "--last", odd, "-o", "g.json").code == 0
    assert run("report", odd, "-o", os.fsdecode(b"p\xff.html"), "--inputs", bad).code == 0
    assert run("count", "gold.jsonl", bad, "-m", "Pk", "-o", os.fsdecode(b"s\xff")).code == 0
    assert r"\udcff\udcfe-bad" in run("merge", os.fsdecode(b"s\xff")).out
    assert run("agree", bad).code == 2
    folder = Path(os.fsdecode(b"docs\xff"))
    folder.mkdir()
    (folder / os.fsdecode(b"d\xff.masses")).write_text("3 4 2\n")
    assert run("evaluate", folder, folder, "-m", "Pk", "-o", "f.json", "--per-document").code == 0


def test_a_report_of_tuning_without_inputs(run, docs, tmp_path):
    results = tmp_path / "t.json"
    assert run("tune", docs, "TextTiling", "--try", "window=2,3", "-o", results).code == 0
    facts = json.loads(results.read_text())
    facts["inputs"] = []
    results.write_text(json.dumps(facts))
    code, _, err = run("report", results, "-o", tmp_path / "p.html")
    assert (code, "fault" in err) == (0, False)


@pytest.mark.parametrize("question", ["compare", "intervals", "gate"])
@pytest.mark.parametrize("given", ["gold.jsonl", {"a": "a.jsonl"}, None])
def test_a_question_about_what_was_not_evaluated(question, given):
    if question == "gate" and isinstance(given, str):  # the name of a results file
        with pytest.raises(FormatError, match=r"gold.jsonl: cannot be read \(No such file"):
            cz.gate(given, {"a": 0.5})
        return
    with pytest.raises(TypeError, match=rf"{question} takes what evaluate returns, not {type(given).__name__}; write"):
        getattr(cz, question)(given, {"a": "a.jsonl"})


def test_new_names_replace_the_old_ones_in_the_options_of_a_format(run, tmp_path):
    table, made = tmp_path / "people.csv", {kind: tmp_path / f"out.{kind}" for kind in ("json", "html")}
    rows = [f"d{n},u{n}{k},{1 + k // 3},{1 + k // 4}" for n in range(4) for k in range(8)]
    table.write_text("\n".join(["document,text,Ann@x,bob@x", *rows]))
    given = f"{table}::labels(columns='annotators=ann@x+bob@x')"
    done = run("agree", given, "--names", "Ann@x=A", "--names", "bob@x=B", "-o", made["json"], "--report", made["html"])
    assert done.code == 0, done.err
    assert "annotators=#3+#4" in made["json"].read_text()
    again = run("report", made["json"], "-o", made["html"], "--force")
    assert again.code == 0
    for text in (made["json"].read_text(), everything(made["html"]), done.out + done.err, again.out + again.err):
        assert not re.search(r"ann@x|bob@x", text, re.IGNORECASE)
    assert "cannot be read" not in everything(made["html"])


def test_encoders_are_named_without_their_folders(run, write, tmp_path):
    rng = np.random.default_rng(1)
    rows = [{"id": f"d{n}", "units": [f"w{n} {k}" for k in range(9)], "boundaries": [3, 6]} for n in range(6)]
    gold = write("gold.jsonl", *rows)
    systems = [write(f"s{cut}.jsonl", *({**row, "boundaries": [cut, cut + 4]} for row in rows)) for cut in (1, 2, 4)]
    specs = []
    for folder in ("private1", "private2"):
        (tmp_path / folder).mkdir()
        np.savez(tmp_path / folder / "v.npz", **{row["id"]: rng.standard_normal((9, 4)) for row in rows})
        specs += ["--encoder", f"npz:{tmp_path / folder / 'v.npz'}"]
    correlated, validated = tmp_path / "c.json", tmp_path / "v.json"
    assert run("correlate", gold, *systems, *specs, "-m", "ARPcos", "-m", "Pk", "-o", correlated).code == 0
    assert run("validate", gold, *specs, "-m", "ARPcos", "-o", validated).code == 0
    found = json.loads(correlated.read_text())["correlation"]
    assert len({row["encoder"] for row in found["rows"]}) == len(found["checks"]) == 2
    assert len(json.loads(validated.read_text())["validity"]["encoders"]) == 2
    for text in (correlated.read_text(), validated.read_text()):
        assert "npz:v.npz" in text
        assert "private1" not in text


def test_the_card_of_a_model_names_no_folder(run, tmp_path):
    (tmp_path / "private").mkdir()
    encoder = make(tmp_path / "private" / "small", "bert")
    write_documents(tmp_path / "train.jsonl", corpus(20))
    settings = "scorer = \"WindowHead(window=2, parts='products')\"\n[stage1]\ndocuments = 10\nunits = [2, 6]\ntrim = 0\nepochs = 1\n[stage2]\nepochs = 1\n"
    (tmp_path / "stages.toml").write_text(f'train = ["train.jsonl"]\nencoder = "numpy:{encoder}"\n{settings}')
    done = run("train", "--config", tmp_path / "stages.toml", "-o", tmp_path / "model")
    assert done.code == 0, done.err
    for file in ("model.json", "training.json"):
        text = (tmp_path / "model" / file).read_text()
        assert "numpy:small" in text
        assert "private" not in text
    vectors = tmp_path / "v.npz"
    assert run("encode", tmp_path / "train.jsonl", "--encoder", f"numpy:{encoder}", "-o", vectors).code == 0
    assert b"private" not in vectors.read_bytes()
