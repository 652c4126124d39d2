"""A notebook finishes the job: every object shows itself, and page, figure and tables come from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import caesura as cz
from caesura.errors import CaesuraError, ComparabilityError, FormatError
from caesura.reports import notebook
from tests.browser.conftest import made_corpus, made_system

GOLD = made_corpus(12, units=(20, 30))
NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def compared():
    evaluation = cz.evaluate(
        GOLD, {"first": made_system(GOLD, 1, 0.9), "second": made_system(GOLD, 2, 0.2)}, ["Pk", "W-F1"]
    )
    evaluation.compare(permutations=999, resamples=50, ci=True)
    return evaluation


def test_the_table_of_a_paper_has_intervals_and_marks(compared, tmp_path):
    score = compared.results().systems["first"]["W-F1"]
    text = compared.to_latex(tmp_path / "table.tex")
    assert (tmp_path / "table.tex").read_text() == text
    assert rf"\textbf{{{score.score:.3f}* [{score.interval.low:.3f}, {score.interval.high:.3f}]}}" in text
    assert text.count(r"\begin{tabular}") == 1
    assert compared.to_latex(full=True).count(r"\begin{tabular}") == len(compared.tables())


def test_compare_gives_intervals_only_if_asked(compared):
    plain = cz.evaluate(GOLD, {"a": GOLD, "b": made_system(GOLD, 2, 0.2)}, ["Pk"])
    plain.compare(permutations=99, resamples=20)
    assert plain.results().systems["a"]["Pk"].interval is None
    with_ci = compared.results()
    drawn = cz.intervals(compared, 50)["first"]["Pk"]
    assert with_ci.systems["first"]["Pk"].interval == (drawn.low, drawn.high)
    assert with_ci.comparison_resampling.permutations == 999


def test_the_page_is_shown_and_written(compared, tmp_path, monkeypatch):
    made = compared.report(tmp_path / "page.html", title="Chats & calls")
    text = (tmp_path / "page.html").read_text()
    assert text == made.text
    assert "<h1>Chats &amp; calls</h1>" in text
    shown = made._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "<script" not in shown  # escaped, inside the frame
    monkeypatch.setattr(notebook, "_SHOWN", 10)
    assert "comes closest to the reference" in made._repr_html_()
    assert "<iframe" not in made._repr_html_()


def test_the_figure_is_shown_and_written(compared, tmp_path):
    made = compared.figure(tmp_path / "scores.json")
    written = json.loads((tmp_path / "scores.json").read_text())
    assert written == json.loads(json.dumps(made.specification))
    bundle = made._repr_mimebundle_()
    assert bundle["application/vnd.vegalite.v5+json"]["title"] == made.specification["title"]
    with pytest.raises(FormatError, match="is not a figure"):
        compared.figure(tmp_path / "scores.gif")


def test_documents_have_ids(compared):
    table = compared.per_document()
    assert [row[1] for row in table.rows[: len(GOLD)]] == list(GOLD.ids)
    assert [row[2] for row in table.rows[: len(GOLD)]] == compared.per_document("first", "Pk").tolist()
    with pytest.raises(ComparabilityError, match="name both"):
        compared.per_document("first")
    frame = compared.to_frame(per_document=True)
    assert set(frame["document"]) == set(GOLD.ids)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda e: e, "first"),
        (lambda e: e.results(), "<p>first is better than second"),
        (lambda e: e.tables()[0], "W-F1"),
        (lambda e: GOLD, "the first 10 of 12 documents"),
        (lambda e: GOLD[GOLD.ids[0]], "segments</caption>"),
        (lambda e: cz.explain(GOLD, GOLD, ["Pk"]), "convention"),
        (lambda e: cz.agreement(cz.bundled("stargazer")), "FleissKappa"),
    ],
)  # fmt: skip
def test_what_people_see_has_html(compared, made, text):
    assert text in made(compared)._repr_html_()


def test_text_from_outside_is_escaped_in_a_notebook():
    corpus = made_corpus(1, hostile="<script>x</script>")
    for shown in (corpus, corpus[corpus.ids[0]]):
        assert "<script>" not in shown._repr_html_()
        assert "&lt;script&gt;" in shown._repr_html_()


def test_an_error_is_one_line_in_ipython():
    error = ComparabilityError("two systems are called 'a'; name them apart")
    assert error._render_traceback_() == ["ComparabilityError: two systems are called 'a'; name them apart"]
    assert all("_render_traceback_" in dir(kind) for kind in (CaesuraError, FormatError))


def test_the_notebook_of_the_documentation_runs(tmp_path, monkeypatch):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = {"".join(cell.source).split("\n")[-1]: cell.outputs for cell in book.cells if cell.cell_type == "code"}

    def html(line):
        return shown[line][-1]["data"]["text/html"]

    assert "100 documents" in html("gold") or "the first 10 of 100" in html("gold")
    assert "TextTiling" in html("e")
    assert "p (adjusted)" in next(
        outputs[0]["data"]["text/html"] for line, outputs in shown.items() if "ci=True" in line
    )
    latex = shown["print(e.to_latex())"][0]["text"]
    assert latex.count(" [0.") >= 10
    assert html('e.report("chats.html", title="Two segmenters on chats")').startswith("<iframe")
    assert (tmp_path / "chats.html").stat().st_size > 100_000
    assert "W-F1" in html("e.to_frame()")
    assert "image/svg+xml" in next(o[0]["data"] for line, o in shown.items() if line.startswith("e.figure"))
    (failed,) = shown['cz.evaluate(gold, "nowhere.jsonl")']
    assert failed["output_type"] == "error"
    assert len(failed["traceback"]) == 1
    assert "nowhere.jsonl" in failed["traceback"][0]
