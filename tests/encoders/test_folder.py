"""A folder of vectors: parts that are written whole, resumed, and read memory-mapped."""

from __future__ import annotations

import json

import numpy as np
import pytest

import caesura as cz
from caesura.corpus import Corpus, Document
from caesura.encoders import embed
from caesura.encoders._folder import VectorFolder, encode_parts
from caesura.errors import EncoderError, OutputExistsError
from tests.encoders.conftest import Toy, toy_vectors

DOCUMENTS = [
    Document(id=f"d{i}", n_units=2 + i % 3, units=tuple(f"{i} {j}" for j in range(2 + i % 3)))
    for i in range(7)
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


def test_parts_are_read_as_they_were_encoded(tmp_path):
    corpus = Corpus(DOCUMENTS)
    parts = list(encode_parts(corpus, Toy(), tmp_path, cache=False, documents=3))
    assert [(p.place, p.parts, p.was_there) for p in parts] == [(0, 3, False), (1, 3, False), (2, 3, False)]
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
    run = encode_parts(corpus, encoder, tmp_path, cache=False, documents=3)
    next(run)
    run.close()  # interrupted after the first part
    encoder.seen.clear()
    parts = list(encode_parts(corpus, encoder, tmp_path, cache=False, documents=3))
    assert [p.was_there for p in parts] == [True, False, False]
    assert not [text for text in encoder.seen if text.startswith(("0 ", "1 ", "2 "))]
    array = tmp_path / "00001.npy"
    array.write_bytes(array.read_bytes()[:-4])
    assert [p.was_there for p in encode_parts(corpus, encoder, tmp_path, documents=3, cache=False)] == [
        True,
        False,
        True,
    ]
    (tmp_path / "00002.json").unlink()
    with pytest.raises(EncoderError):
        embed(corpus, f"npz:{tmp_path}")


def test_an_encoder_that_fails_on_one_document(tmp_path):
    corpus = Corpus(DOCUMENTS)
    parts = list(encode_parts(corpus, Counting("4 1"), tmp_path, cache=False, documents=3))
    assert [p.failed for p in parts] == [[], ["document 'd4': the server refused a text"], []]
    assert sorted(VectorFolder(tmp_path).names()) == ["d0", "d1", "d2", "d3", "d5", "d6"]
    again = list(encode_parts(corpus, Counting(), tmp_path, cache=False, documents=3))
    assert [p.was_there for p in again] == [True, False, True], "the part with a failure is tried again"
    assert "d4" in VectorFolder(tmp_path).names()


def test_other_documents_and_encoders_are_refused(tmp_path):
    corpus = Corpus(DOCUMENTS)
    list(encode_parts(corpus, Toy(), tmp_path, cache=False, documents=3))
    changed = Corpus([*DOCUMENTS[:-1], Document(id="d6", n_units=1, units=("new",))])
    with pytest.raises(OutputExistsError, match=r"other documents or of another encoder \(00002.json\)"):
        list(encode_parts(changed, Toy(), tmp_path, cache=False, documents=3))
    with pytest.raises(OutputExistsError, match=r"00002\.json"):
        list(encode_parts(Corpus(DOCUMENTS[:6]), Toy(), tmp_path, cache=False, documents=3))
    list(encode_parts(Corpus(DOCUMENTS[:6]), Toy(), tmp_path, cache=False, documents=3, overwrite=True))
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
    list(encode_parts(Corpus(DOCUMENTS), Toy(), tmp_path, cache=False))
    (tmp_path / name).write_text(text)
    with pytest.raises(EncoderError, match=why) as caught:
        embed(Corpus(DOCUMENTS), f"npz:{tmp_path}")
    assert name in str(caught.value)


def test_cohesion_reads_a_folder(tmp_path):
    corpus = Corpus(DOCUMENTS)
    folder = tmp_path / "vectors"
    folder.mkdir()
    list(encode_parts(corpus, Toy(), folder, cache=False, documents=2))
    systems = {"a": {d.id: cz.Segmentation(d.n_units, (1,)) for d in DOCUMENTS}}
    one = cz.cohesion(corpus, systems, encoder=f"npz:{folder}").scores
    assert one == cz.cohesion(corpus, systems, encoder=Toy(), cache=False).scores
