"""What the page knows of boundaries before it reads a document."""

from __future__ import annotations

import html
import re

import numpy as np

import caesura as cz
from caesura.corpus import Corpus, Document
from caesura.evaluation.agree.gold import contested_places
from caesura.evaluation.outcome import Corpora
from caesura.reports.page import PageData, page
from caesura.reports.page.boundaries import errors, parted
from caesura.reports.page.sections import section
from tests.cli.conftest import *  # noqa: F403  (the command line in this process)


def _drawn(seed, sizes):
    rng = np.random.default_rng(seed)
    return cz.Corpus.from_segmentations(
        {
            f"d{at}": cz.Segmentation.from_boundaries(n, [g for g in range(1, n) if rng.random() < 0.2])
            for at, n in enumerate(sizes)
        }
    )


def test_missed_and_false_boundaries_are_those_that_have_no_other_within_the_tolerance():
    sizes = [1, 2, 30, 5, 17, 40, 3]
    gold, system = _drawn(1, sizes), _drawn(2, sizes)
    ids = ["d5", "d0", "d2", "d6", "d4", "d1", "d3"]  # in another order than in the corpora
    for tolerance in (0, 1, 3):
        found = errors(ids, Corpora(gold, {"a": system}), tolerance)
        for at, key in enumerate(ids):
            wanted, given = gold[key].segmentation.boundaries, system[key].segmentation.boundaries
            lost = [sum(all(abs(p - q) > tolerance for q in others) for p in places) for places, others in ((wanted, given), (given, wanted))]  # fmt: skip
            assert [found["wanted"][at], found["missed"]["a"][at], found["false"]["a"][at]] == [len(wanted), *lost]


def test_a_document_without_a_segmentation_has_no_errors():
    gold = _drawn(1, [20, 20, 20])
    scored = Corpus([Document(id="d0", n_units=20, scores=(0.5,) * 19), gold["d2"]])
    found = errors(gold.ids, Corpora(gold, {"a": scored}), 1)
    assert found["missed"]["a"] == found["false"]["a"] == [None, None, 0]


def test_documents_of_a_sweep_are_cut_where_it_chose(run, tmp_path):
    rng = np.random.default_rng(3)
    gold = _drawn(4, [30] * 8)
    scored = Corpus([Document(id=d.id, n_units=30, scores=tuple(rng.random(29).tolist())) for d in gold])
    cz.save(gold, tmp_path / "gold.jsonl")
    cz.save(scored, tmp_path / "s.jsonl")
    done = run("sweep", tmp_path / "gold.jsonl", tmp_path / "s.jsonl", "--target-bor", 1, "-o", tmp_path / "r.json")
    assert done.code == 0, done.err
    results = cz.read_results(tmp_path / "r.json")
    threshold = results.sweep.choices["s"].threshold
    data = PageData({"r": (results, Corpora(gold, {"s": scored}))})
    for document in data.block(0, 0):
        scores = scored[document["id"]].scores
        assert document["sys"] == [[gap + 1 for gap, score in enumerate(scores) if score >= threshold]]
        assert len(document["scores"][0]["steps"]) == 29  # the slider still moves
    assert data.sections[0]["documents"]["errors"]["wanted"] == [len(d.segmentation.boundaries) for d in gold]


def test_contested_places_are_grouped_and_have_their_text():
    gaps = {"a": (5, 10, 20), "b": (5, 11), "c": (5, 20)}
    coded = {name: cz.Segmentation.from_boundaries(30, places) for name, places in gaps.items()}
    texts = tuple(f"unit {at} {'long ' * 100 if at == 10 else ''}end" for at in range(1, 31))
    corpus = Corpus([Document(id=key, n_units=30, units=texts, annotations=coded) for key in ("x", "y")])
    found = section("r", cz.agreement(corpus).results(), Corpora(corpus), 0)["contested"]
    wanted = {(d.id, tuple(place.gaps)) for d in corpus for place in contested_places(d)}
    assert {(place["document"], tuple(gap for gap, _ in place["votes"])) for place in found} == wanted
    place = next(place for place in found if place["votes"][0][0] == 10)
    assert place["votes"] == [[10, ["a"]], [11, ["b"]]]
    assert place["against"] == ["c"]
    assert place["first"] == 9
    assert [text[:7].strip() for text in place["units"]] == ["unit 9", "unit 10", "unit 11", "unit 12", "unit 13"][:5]
    assert len(place["units"][1]) < 260
    assert place["units"][1].endswith("end")


def test_chapters_are_paired_in_html_that_needs_no_script():
    gold = {"id": "show", "unit": "ms", "n_units": 600_000, "boundaries": [46_000, 250_000], "segment_titles": ["Hello", "News", "End"]}  # fmt: skip
    auto = {"id": "show", "unit": "ms", "n_units": 600_000, "boundaries": [252_000, 400_000], "segment_titles": ["Hello", "Sports", "<b>"]}  # fmt: skip
    evaluation = cz.evaluate([gold], {"auto": [auto]})
    made = page({"r": (evaluation.results(), evaluation.corpora())})
    rows = re.findall(r"<tr>(.*?)</tr>", made[made.index("Chapters of show") :].partition("</table>")[0])[1:]
    cells = [[html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in rows]
    assert cells == [
        ["0:00", "Hello", "0:00", "Hello", "start; titles agree"],
        ["0:46", "News", "-", "", "missed"],
        ["4:10", "End", "4:12", "Sports", "found, 2 s late; titles differ"],
        ["-", "", "6:40", "<b>", "extra"],
    ]
    assert "<td><b></td>" not in made


def test_gaps_at_which_runs_part_are_counted_where_two_runs_have_the_document():
    def corpus(**boundaries):
        return Corpus.from_segmentations(
            {key: cz.Segmentation.from_boundaries(9, places) for key, places in boundaries.items()}
        )

    systems = {
        "llm[1]": corpus(a=(2, 5), b=(3,), c=(4,)),
        "llm[2]": corpus(a=(2, 6), b=(3,)),
        "llm[3]": corpus(a=(2, 5)),
    }
    runs = {"llm": list(systems)}
    # of a 5 and 6 have a boundary of some runs only; two runs of b agree; c has one run
    assert parted(["a", "b", "c"], Corpora(None, systems), runs) == {"llm": [2, 0, None]}
