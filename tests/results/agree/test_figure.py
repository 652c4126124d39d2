"""The figure of annotators: what it holds, that it is drawn, and that names in it stay names."""

from __future__ import annotations

import json

import pytest

import caesura as cz
from caesura.datasets.bundled import bundled
from caesura.errors import ComparabilityError
from caesura.evaluation.agree import agreement
from caesura.reports.figures import draw
from caesura.results import Results
from caesura.results.agree.figure import figure as agree_figure

S = cz.Segmentation


def test_strips_hold_every_mark_of_the_least_agreed_documents():
    report = agreement(bundled("moonstone"), resamples=20)
    figure = agree_figure(report.results())
    strips, matrix = figure["vconcat"][0]["vconcat"], figure["vconcat"][1]
    kappas = dict(zip(report.panel.ids, report.coefficients["FleissKappa"].per_document, strict=True))
    lowest = sorted(kappas, key=kappas.get)[:6]
    assert [strip["title"]["text"].split(":")[0] for strip in strips] == lowest
    for key, strip in zip(lowest, strips, strict=True):
        expected = {(n, gap) for n, c in bundled("moonstone")[key].annotations.items() for gap in c.boundaries}
        assert {(row["annotator"], row["gap"]) for row in strip["data"]["values"]} == expected
        assert strip["encoding"]["y"]["scale"]["domain"] == list(bundled("moonstone")[key].annotations)
    assert matrix["title"]["text"] == "B between every two annotators (higher is better)"
    assert len(matrix["data"]["values"]) == 4 * 3 + 6 * 5


def test_an_annotator_without_a_boundary_keeps_a_row_and_hostile_names_are_data():
    names = ["</script><script>alert(1)</script>", "", "__proto__", "a.b[0]"]
    people = {name: S(9, (3,) if name else ()) for name in names}
    results = agreement(cz.Corpus([cz.Document(id="<b>", n_units=9, annotations=people)])).results()
    strip = agree_figure(results)["vconcat"][0]["vconcat"][0]
    assert strip["encoding"]["y"]["scale"]["domain"] == [names[0], "(no name)", *names[2:]]
    page = json.loads(draw(results, "a.json"))
    assert page["title"]["text"] == "Where annotators part"


def test_many_annotators_have_no_matrix():
    people = {f"a{i}": S(30, (1 + i,)) for i in range(25)}
    figure = agree_figure(agreement(cz.Corpus([cz.Document(id="d", n_units=30, annotations=people)])).results())
    assert len(figure["vconcat"]) == 1


@pytest.mark.parametrize(
    ("kind", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF-"), ("html", b"<!DOC")]
)
def test_every_kind_is_drawn(kind, start):
    pytest.importorskip("vl_convert", reason="the extra 'report' is not installed")
    results = agreement(bundled("moonstone"), resamples=20).results()
    assert draw(results, f"a.{kind}").startswith(start)


def test_other_results_are_refused():
    with pytest.raises(ComparabilityError, match="these are results of 'sweep'"):
        agree_figure(Results(question="sweep"))
