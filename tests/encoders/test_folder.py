"""A folder of vectors: parts that are written whole, resumed, and read memory-mapped."""

from __future__ import annotations

import json

import numpy as np
import pytest

import caesura as cz
from caesura.corpus import Corpus, Document
from caesura.encoders import embed
from caesura.encoders._folder import VectorFolder, parts_of
from caesura.errors import EncoderError, OutputExistsError
from caesura.scale.encoding import PartsEncoding
from caesura.scale.work import run_shards
from caesura.scorers import Encoding
from tests.encoders.conftest import Toy, toy_vectors

DOCUMENTS = [
    Document(id=f"d{i}", n_units=2 + i % 3, units=tuple(f"{i} {j}" for j in range(2 + i % 3))) for i in range(7)
]


class Counting(Toy):
    """Counts texts, and fails on some."""

    def __init__(self, bad: str = "never") -> None:
        self.seen: list[str] = []
        self.bad = bad

    def encode(self, texts):
        self.seen += texts
        if any(text == self.bad for text in texts):
            raise EncoderError("the server refused a text")
        return toy_vectors(texts)


def encode_parts(corpus, encoder, folder, *, overwrite=False, **limits):
    """Encode into a folder; yield each part as it ends: its place, and what became of it."""
    work = PartsEncoding.into(folder, Encoding(encoder, cache=False), overwrite=overwrite)
    yield from run_shards(work, work.shards(corpus, **limits))


def test_parts_are_read_as_they_were_encoded(tmp_path):
    corpus = Corpus(DOCUMENTS)
    parts = dict(encode_parts(corpus, Toy(), tmp_path, documents=3))
    assert [(place, dict(part.vectors)) for place, part in parts.items()] == [(0, {}), (1, {}), (2, {})], (
        "written, so not held"
    )
    found = embed(corpus, f"npz:{tmp_path}")
    for document in DOCUMENTS:
        np.testing.assert_array_equal(found[document.id], toy_vectors(document.units))
    mapped = VectorFolder(tmp_path).member("d4").read()
    assert isinstance(mapped, np.memmap) or isinstance(mapped.base, np.memmap)
    other = Corpus([Document(id="d0", n_units=2, units=("other", "texts"))])
    with pytest.raises(EncoderError, match="d0"):
        embed(other, f"npz:{tmp_path}")


def test_whole_parts_are_skipped_and_damaged_ones_encoded_again(tmp_path):
    corpus, encoder = Corpus(DOCUMENTS), Counting()
    run = encode_parts(corpus, encoder, tmp_path, documents=3)
    next(run)
    run.close()  # interrupted after the first part
    encoder.seen.clear()
    assert len(list(encode_parts(corpus, encoder, tmp_path, documents=3))) == 3
    assert {text[0] for text in encoder.seen} == set("3456")
    array = tmp_path / "00001.npy"
    array.write_bytes(array.read_bytes()[:-4])
    encoder.seen.clear()
    assert len(list(encode_parts(corpus, encoder, tmp_path, documents=3))) == 3
    assert {text[0] for text in encoder.seen} == set("345"), "the damaged part, and no other"
    (tmp_path / "00002.json").unlink()
    with pytest.raises(EncoderError):
        embed(corpus, f"npz:{tmp_path}")


def test_an_encoder_that_fails_on_one_document(tmp_path):
    corpus = Corpus(DOCUMENTS)
    parts = dict(encode_parts(corpus, Counting("4 1"), tmp_path, documents=3))
    assert [part.failed for part in parts.values()] == [[], ["document 'd4': the server refused a text"], []]
    assert sorted(VectorFolder(tmp_path).names()) == ["d0", "d1", "d2", "d3", "d5", "d6"]
    again = Counting()
    assert len(list(encode_parts(corpus, again, tmp_path, documents=3))) == 3
    assert {text[0] for text in again.seen} == set("345"), "the part with a failure is tried again"
    assert "d4" in VectorFolder(tmp_path).names()


def test_a_part_of_which_nothing_can_be_encoded_is_not_written(tmp_path):
    parts = dict(encode_parts(Corpus(DOCUMENTS), Counting("6 0"), tmp_path, documents=3))
    assert isinstance(parts[2], EncoderError)
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["00000.json", "00001.json"]


def test_parts_are_cut_by_documents_and_by_units():
    cut = [[d.id for d in part.documents] for part in parts_of(Corpus(DOCUMENTS), documents=3, units=5)]
    assert cut == [["d0", "d1"], ["d2"], ["d3", "d4"], ["d5"], ["d6"]]  # of 2, 3, 4, 2, 3, 4, 2 units
    assert [len(part.documents) for part in parts_of(Corpus(DOCUMENTS), documents=3)] == [3, 3, 1]
    assert [len(part.documents) for part in parts_of(Corpus(DOCUMENTS), units=1)] == [1] * 7


def test_other_documents_and_encoders_are_refused(tmp_path):
    corpus = Corpus(DOCUMENTS)
    list(encode_parts(corpus, Toy(), tmp_path, documents=3))
    changed = Corpus([*DOCUMENTS[:-1], Document(id="d6", n_units=1, units=("new",))])
    with pytest.raises(OutputExistsError, match=r"other documents or of another encoder \(00002.json\)"):
        list(encode_parts(changed, Toy(), tmp_path, documents=3))
    with pytest.raises(OutputExistsError, match=r"00002\.json"):
        list(encode_parts(Corpus(DOCUMENTS[:6]), Toy(), tmp_path, documents=3))
    list(encode_parts(Corpus(DOCUMENTS[:6]), Toy(), tmp_path, documents=3, overwrite=True))
    assert len(VectorFolder(tmp_path).names()) == 6


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("00000.json", "{", "damaged index"),
        ("00000.json", json.dumps({"schema": "x"}), "damaged index"),
        ("00000.npy", "nothing", "is not a NumPy array"),
    ],
)
def test_damage_is_named(tmp_path, name, text, why):
    list(encode_parts(Corpus(DOCUMENTS), Toy(), tmp_path))
    (tmp_path / name).write_text(text)
    with pytest.raises(EncoderError, match=why) as caught:
        embed(Corpus(DOCUMENTS), f"npz:{tmp_path}")
    assert name in str(caught.value)


def test_cohesion_reads_a_folder(tmp_path):
    corpus = Corpus(DOCUMENTS)
    folder = tmp_path / "vectors"
    folder.mkdir()
    list(encode_parts(corpus, Toy(), folder, documents=2))
    systems = {"a": {d.id: cz.Segmentation(d.n_units, (1,)) for d in DOCUMENTS}}
    one = cz.cohesion(corpus, systems, encoder=f"npz:{folder}").scores
    assert one == cz.cohesion(corpus, systems, encoder=Toy(), cache=False).scores


def test_a_part_is_mapped_once_however_many_documents_it_has(tmp_path):
    """A mapping for each document would end at the number of mappings that a process may have."""
    corpus = Corpus([Document(id=f"d{n}", n_units=1, units=(f"text {n}",)) for n in range(30)])
    work = PartsEncoding.into(tmp_path, Encoding("default"))
    for part in work.shards(corpus):
        work.keep(part, work.do(part))
    folder = VectorFolder(tmp_path)
    arrays = [folder.member(name).read() for name in folder.names()]
    assert len(arrays) == 30
    assert len({id(array.base) for array in arrays}) == 1
