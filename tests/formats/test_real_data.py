# SPDX-License-Identifier: Apache-2.0
"""Real corpora: the counts that their provenance states, and projections onto some of the turns."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesura.corpus import Corpus
from caesura.formats import load, save
from caesura.units.projection import project_to_subset, project_to_time, project_to_units
from tests.corpora import corpus_file, needs

pytestmark = [needs(), pytest.mark.filterwarnings("ignore:.*carr(y|ies) unknown keys:caesura.errors.CaesuraWarning")]

# documents, units, boundaries: the table "Counts" of the corpora's provenance
COUNTS = {
    "choi/choi_3_3-11.jsonl.gz": (300, 21097, 2700),
    "choi/choi_1_3-5_6-8_9-11.jsonl.gz": (150, 10489, 1350),
    "wiki50/wiki50_shared25.jsonl.gz": (25, 1894, 211),
    "tiage/tiage_test.jsonl.gz": (100, 1564, 315),
    "dialseg711/dialseg711_shared500.jsonl.gz": (500, 13104, 1923),
    "superdialseg/superseg_test.jsonl.gz": (1322, 16006, 4017),
    "qmsum/qmsum_test_academic_product.jsonl.gz": (29, 19412, 155),
    "multiwoz/multiwoz21_test_multidomain.jsonl.gz": (770, 12608, 1068),
    "dailydialog/dailydialog_concat_test.jsonl.gz": (100, 2259, 200),
    "topical_chat/topicalchat_concat_test_freq.jsonl.gz": (100, 6527, 200),
    "taskmaster/taskmaster_concat_tm3_tm4.jsonl.gz": (100, 2670, 200),
    "wikisection_pt/wikisection_pt_disease_test_shared500.jsonl.gz": (500, 29319, 3402),
    "wikisection_pt/wikisection_pt_city_val_first300.jsonl.gz": (300, 21205, 2035),
    "tinyrec/tinyrec_test_10.jsonl.gz": (10, 2477, 124),
    "moonstone/moonstone_8ch.jsonl.gz": (8, 387, 22),
    "stargazer/stargazer_annotations.jsonl.gz": (1, 21, 6),
    "wiki300/wiki300_first100.jsonl.gz": (100, 19358, 674),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    corpus = load(corpus_file(name))
    assert (len(corpus), int(corpus.flat.n_units.sum()), len(corpus.flat.pos)) == COUNTS[name]


@pytest.mark.parametrize("name", ["tinyrec/tinyrec_test_10.jsonl.gz", "moonstone/moonstone_8ch.jsonl.gz"])
def test_own_format_round_trip(name: str, tmp_path: Path) -> None:
    corpus = load(corpus_file(name))
    save(corpus, tmp_path / "again.jsonl.gz")
    assert list(load(tmp_path / "again.jsonl.gz")) == list(corpus)


def test_choi_files_equal_their_conversion(tmp_path: Path) -> None:
    converted = {
        tuple(document.units or ()): document.segmentation
        for document in load(corpus_file("choi/choi_3_3-11.jsonl.gz"))
    }
    originals = load(corpus_file("choi/original"))
    assert len(originals) == 6
    found = 0
    for document in originals:
        assert document.units is not None
        if document.id.startswith("3_"):
            assert converted[document.units] == document.segmentation
            found += 1
        save(Corpus([document], ids_are_given=False), tmp_path / f"{document.id}.ref")
    assert found == 3
    assert list(load(tmp_path)) == list(originals)


def test_wiki300_files_are_in_the_same_layout() -> None:
    for document in load(corpus_file("wiki300/original")):
        assert document.segmentation is not None
        assert document.segmentation.n_boundaries > 0


def test_segeval_files_of_every_kind_agree() -> None:
    folder = corpus_file("stargazer/original")
    json, tsv, csv = (next(iter(load(folder / f"hearst1997{end}"))) for end in (".json", ".tsv", "_positions.csv"))
    assert json.annotations == tsv.annotations == csv.annotations
    (own,) = load(corpus_file("stargazer/stargazer_annotations.jsonl.gz"))
    assert [s.boundaries for s in own.annotations.values()] == [s.boundaries for s in json.annotations.values()]
    assert next(iter(load(corpus_file("stargazer_annotations.json")))).annotations == json.annotations


def test_grouped_annotations_equal_their_conversion() -> None:
    grouped = load(corpus_file("moonstone_annotations.json"))
    own = load(corpus_file("moonstone/moonstone_8ch.jsonl.gz"))
    assert len(grouped) == len(own) == 8
    ours = sorted(sorted(s.boundaries for s in document.annotations.values()) for document in own)
    theirs = sorted(sorted(s.boundaries for s in document.annotations.values()) for document in grouped)
    assert ours == theirs


@pytest.mark.parametrize(("with_last", "expected"), [(False, 287), (True, 304)])
def test_boundaries_of_user_turns(with_last: bool, expected: int) -> None:
    corpus = load(corpus_file("tiage/tiage_test.jsonl.gz"))
    made = []
    for row, document in enumerate(corpus):
        members = set(range(0, document.n_units, 2)) | ({document.n_units - 1} if with_last else set())
        made.append(project_to_subset(corpus.segmentation(row), sorted(members)))
    assert sum(p.segmentation.n_boundaries for p in made) == expected
    assert sum(p.segmentation.n_boundaries + p.merged + p.dropped for p in made) == 315


def test_recordings_go_to_time_and_back() -> None:
    for document in load(corpus_file("tinyrec/tinyrec_test_10.jsonl.gz")):
        assert document.segmentation is not None
        assert document.unit_times is not None
        there = project_to_time(document.segmentation, document.unit_times)
        assert there.merged == there.dropped == 0
        assert there.max_displacement <= 0.5  # milliseconds, by rounding
        assert project_to_units(there.segmentation, document.unit_times).segmentation == document.segmentation


@pytest.mark.parametrize("name", ["wiki50/original/10037144", "qmsum/original/Academic_Bed016.json"])
def test_other_formats_are_refused_in_one_line(name: str) -> None:
    with pytest.raises(ValueError, match=r"does not look like|the keys are topic_list"):
        load(corpus_file(name))
