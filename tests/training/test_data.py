"""Documents held apart: shares, equal texts, several files, and what is refused."""

from __future__ import annotations

import dataclasses

import pytest

from caesura.corpus import Corpus
from caesura.errors import ComparabilityError
from caesura.evaluation.inputs import Source
from caesura.training.data import make_data, read_data
from tests.training.toy import config, corpus, source, write


def test_shares_are_held_out_and_disjoint():
    data = make_data(config(), {"toy": source(40)})
    parts = [set(part.ids) for part in (data.train, data.validation, data.test)]
    assert [len(part) for part in parts] == [28, 6, 6]
    assert len(set.union(*parts)) == 40


def test_equal_texts_stay_together():
    twins = [dataclasses.replace(d, id=f"{d.id} again") for d in corpus(20)]
    both = Source(Corpus([*corpus(20), *twins]), "toy")
    for seed in range(5):
        data = make_data(config(seed=seed), {"toy": both})
        for part in (data.train, data.validation, data.test):
            assert all(f"{key} again" in part or key.removesuffix(" again") in part for key in part.ids)


def test_files_of_several_sources_are_told_apart(tmp_path):
    files = [str(write(tmp_path / f"{name}.jsonl", corpus(10, seed))) for seed, name in enumerate("ab")]
    data = read_data(config(train=files))
    assert set(data.files.values()) == {"a", "b"}
    assert {(each.role, each.name) for each in data.facts} >= {("train", "a"), ("train", "b")}
    assert all(each.sha256 for each in data.facts)


def test_given_files_are_not_split():
    data = make_data(
        config(), {"toy": source(10)}, {"v": source(4, 1, "v")}, {"t": source(5, 2, "t")}, None, {"x": source(3, 3)}
    )
    assert (len(data.train), len(data.validation), len(data.test), len(data.abroad["x"])) == (10, 4, 5, 3)


def test_a_document_in_two_parts_is_refused():
    with pytest.raises(ComparabilityError, match="has the text of"):
        make_data(config(), {"toy": source(10)}, {"v": source(4, 0, "v")}, {"t": source(5, 2, "t")})


def test_what_cannot_be_learnt_from_is_refused():
    with pytest.raises(ComparabilityError, match="there are 4 training documents"):
        make_data(config(), {"toy": source(4)})
    bare = Corpus([dataclasses.replace(d, segmentation=None) for d in corpus(8)])
    with pytest.raises(ComparabilityError, match="document 'd0' has no boundaries"):
        make_data(config(), {"toy": Source(bare, "toy")})
    silent = Corpus([dataclasses.replace(d, units=None) for d in corpus(8)])
    with pytest.raises(ComparabilityError, match="document 'd0' has no text"):
        make_data(config(), {"toy": Source(silent, "toy")})
    with pytest.raises(ComparabilityError, match="nothing to train on"):
        read_data(config())
