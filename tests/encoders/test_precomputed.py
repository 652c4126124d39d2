"""Vectors from files: checked against the documents before they are read; nothing is unpickled."""

from __future__ import annotations

import io
import json
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.encoders import Precomputed, embed, source
from caesura.encoders.npz import write_npz
from caesura.errors import EncoderError, FormatError
from tests.encoders.conftest import corpus_of

A, B = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((1, 3), dtype=np.float32)
CORPUS = corpus_of(a=["one", "two"], b=["three"])


def safetensors(tensors: dict[str, tuple[str, list[int], bytes]], header: dict | None = None) -> bytes:
    """Write the format by hand."""
    start, entries, data = 0, {}, b""
    for name, (dtype, shape, numbers) in tensors.items():
        entries[name] = {"dtype": dtype, "shape": shape, "data_offsets": [start, start + len(numbers)]}
        start += len(numbers)
        data += numbers
    text = json.dumps(entries if header is None else header).encode()
    return struct.pack("<Q", len(text)) + text + data


@pytest.fixture
def folder(tmp_path):
    np.savez(tmp_path / "v.npz", a=A, b=B)
    np.savez_compressed(tmp_path / "packed.npz", a=A.astype(np.float64), b=np.asfortranarray(B))
    np.save(tmp_path / "all.npy", np.concatenate([A, B]))
    np.savez(tmp_path / "one.npz", all=np.concatenate([A, B]).astype(">f8"))
    whole = {"a": ("F32", [2, 3], A.tobytes()), "b": ("F64", [1, 3], B.astype("<f8").tobytes())}
    (tmp_path / "v.safetensors").write_bytes(safetensors(whole))
    half = (np.concatenate([A, B]).view(np.uint32) >> 16).astype("<u2")
    (tmp_path / "bf.safetensors#x").write_bytes(safetensors({"y": ("BF16", [3, 3], half.tobytes())}))
    return tmp_path


@pytest.mark.parametrize(
    "spec",
    [
        "npz:v.npz",
        "npz:packed.npz",
        "npy:all.npy",
        "npz:one.npz#all",
        "safetensors:v.safetensors",
        "safetensors:bf.safetensors#x#y",
    ],
)
def test_every_kind_gives_the_same_rows(folder, monkeypatch, spec):
    monkeypatch.chdir(folder)
    found = source(spec)
    assert isinstance(found, Precomputed)
    assert (found.name, found.dim, found.normalized) == (spec, 3, False)
    rows = embed(CORPUS, found)
    assert list(rows) == ["a", "b"]
    for key, wanted in (("a", A), ("b", B)):
        assert rows[key].dtype == np.float32
        assert rows[key].flags.c_contiguous
        np.testing.assert_array_equal(rows[key], wanted)


def test_one_document(folder):
    found = source(f"npz:{folder / 'v.npz'}")
    np.testing.assert_array_equal(found.of("a", 2), A)
    with pytest.raises(EncoderError, match=r"document 'a' has 2 vectors for 3 units"):
        found.of("a", 3)
    with pytest.raises(EncoderError, match=r"no vectors of document 'c'"):
        found.of("c", 1)
    single = source(f"npy:{folder / 'all.npy'}")
    assert single.of("whatever", 3).shape == (3, 3)
    with pytest.raises(EncoderError, match="3 vectors for 2 units"):
        single.of("whatever", 2)


def test_counts_must_agree_before_anything_is_read(folder):
    with pytest.raises(EncoderError, match=r"has no vectors of document 'x' \(and 1 more\)"):
        embed(corpus_of(x=["1"], a=["1", "2"], y=["1"]), f"npz:{folder / 'v.npz'}")
    with pytest.raises(EncoderError, match="holds 3 vectors, but the 1 documents have 2 units"):
        embed(corpus_of(a=["1", "2"]), f"npy:{folder / 'all.npy'}")


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"a": A, "b": np.ones((1, 4))}, "document 'b' has vectors of dimension 4, but 1 of 2 arrays have 3"),
        ({"a": A * np.nan, "b": B}, r"document 'a': vector 1 \(and 1 more\) holds NaN"),
        ({"a": A.astype(int), "b": B}, "must be float16, float32 or float64"),
        ({"a": A.ravel(), "b": B}, "two dimensions"),
        ({"a": np.zeros((2, 0)), "b": B}, "vectors of dimension 0"),
        ({"a": np.array([{}], dtype=object), "b": B}, "holds object"),
        ({}, "holds no array"),
    ],
)
def test_wrong_arrays(tmp_path, arrays, says):
    np.savez(tmp_path / "v.npz", **arrays)
    with pytest.raises(EncoderError, match=says):
        embed(CORPUS, f"npz:{tmp_path / 'v.npz'}")


@pytest.mark.parametrize("odd", [0, 1, 3])
def test_the_odd_one_out_is_named_wherever_it_stands(tmp_path, odd):
    arrays = {f"d{n}": np.ones((1, 5 if n == odd else 3), np.float32) for n in range(4)}
    np.savez(tmp_path / "v.npz", **arrays)
    whole = {key: ("F32", list(rows.shape), rows.tobytes()) for key, rows in arrays.items()}
    (tmp_path / "v.safetensors").write_bytes(safetensors(whole))
    says = f"document 'd{odd}' has vectors of dimension 5, but 3 of 4 arrays have 3; encode the document again"
    for spec in (f"npz:{tmp_path / 'v.npz'}", f"safetensors:{tmp_path / 'v.safetensors'}"):
        with pytest.raises(EncoderError, match=says):
            embed(corpus_of(**{key: ["a"] for key in arrays}), spec)


def test_several_odd_ones_and_one_with_another_fault(tmp_path):
    dims = {"a": 5, "b": 3, "c": 3, "d": 4, "e": 3}
    arrays = {key: np.ones((1, dim), np.float32) for key, dim in dims.items()}
    np.savez(tmp_path / "v.npz", **arrays, f=np.ones(3))
    with pytest.raises(
        EncoderError, match=r"document 'a' \(and 1 more\) has vectors of dimension 5, but 3 of 5 arrays"
    ):
        embed(corpus_of(**{key: ["a"] for key in dims}), f"npz:{tmp_path / 'v.npz'}")


def test_a_pickle_is_not_opened(tmp_path):
    """An object that would run a command when unpickled."""

    class Bad:
        def __reduce__(self):
            return (open, (str(tmp_path / "was_run"), "w"))

    np.save(tmp_path / "bad.npy", np.array([Bad()], dtype=object), allow_pickle=True)
    with pytest.raises(EncoderError, match="holds object"):
        source(f"npy:{tmp_path / 'bad.npy'}")
    np.savez(tmp_path / "bad.npz", a=np.array([Bad()], dtype=object))
    with pytest.raises(EncoderError, match="holds object"):
        source(f"npz:{tmp_path / 'bad.npz'}")
    assert not (tmp_path / "was_run").exists()


def test_sizes_that_are_lies(tmp_path):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f4", "fortran_order": False, "shape": (2**40, 2**10)})
    (tmp_path / "huge.npy").write_bytes(buffer.getvalue() + b"1234")
    with pytest.raises(EncoderError, match="its header announces"):
        source(f"npy:{tmp_path / 'huge.npy'}")
    with zipfile.ZipFile(tmp_path / "huge.npz", "w") as archive:
        archive.writestr("a.npy", buffer.getvalue() + b"1234")
    with pytest.raises(EncoderError, match="its header announces"):
        source(f"npz:{tmp_path / 'huge.npz'}")
    entry = {"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 2**60]}}
    (tmp_path / "huge.safetensors").write_bytes(safetensors({}, entry))
    with pytest.raises(EncoderError, match="do not fit shape"):
        source(f"safetensors:{tmp_path / 'huge.safetensors'}")
    (tmp_path / "long.safetensors").write_bytes(struct.pack("<Q", 2**62) + b"{}")
    with pytest.raises(EncoderError, match="not a complete safetensors file"):
        source(f"safetensors:{tmp_path / 'long.safetensors'}")


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
@given(data=st.binary(max_size=300))
def test_any_bytes_give_one_line(tmp_path_factory, kind, data):
    path = tmp_path_factory.mktemp("bytes") / "file"
    path.write_bytes(data)
    with pytest.raises(EncoderError) as caught:
        source(f"{kind}:{path}")
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
@given(place=st.integers(0, 400), byte=st.integers(0, 255))
def test_one_wrong_byte_gives_one_line_or_the_right_shape(tmp_path_factory, kind, place, byte):
    folder = tmp_path_factory.mktemp("flipped")
    if kind == "npy":
        np.save(folder / "v.npy", np.concatenate([A, B]))
    elif kind == "npz":
        np.savez(folder / "v.npz", a=A, b=B)
    else:
        (folder / "v.safetensors").write_bytes(
            safetensors({"a": ("F32", [2, 3], A.tobytes()), "b": ("F32", [1, 3], B.tobytes())})
        )
    path = folder / f"v.{kind}"
    data = bytearray(path.read_bytes())
    data[place % len(data)] = byte
    path.write_bytes(bytes(data))
    try:
        rows = embed(CORPUS, f"{kind}:{path}")
    except EncoderError as error:
        assert "\n" not in str(error)  # noqa: PT017  (either is right)
    else:
        assert rows["a"].shape == (2, 3)


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
def test_a_file_that_is_not_there(tmp_path, kind):
    with pytest.raises(EncoderError, match="no such file"):
        source(f"{kind}:{tmp_path / 'none'}")
    # A folder of vectors is read as npz; this one has none.
    with pytest.raises(EncoderError, match="holds no vectors" if kind == "npz" else "is a directory"):
        source(f"{kind}:{tmp_path}")


def test_a_pin_on_a_file(folder):
    from caesura.files import file_hash

    digest = file_hash(folder / "v.npz")
    assert source(f"npz:{folder / 'v.npz'}@sha256:{digest[:12].upper()}").dim == 3
    with pytest.raises(EncoderError, match=r"has sha256 .*… is pinned"):
        source(f"npz:{folder / 'v.npz'}@sha256:{'0' * 12}")


def test_the_fingerprint_is_that_of_the_file(folder, tmp_path):
    before = source(f"npz:{folder / 'v.npz'}").fingerprint
    assert before.startswith("npz-")
    np.savez(folder / "v.npz", a=A, b=B + 1)
    assert source(f"npz:{folder / 'v.npz'}").fingerprint != before


IDS = st.lists(
    st.text(min_size=1, max_size=20).filter(lambda s: "\0" not in s and s.isprintable()), unique=True, max_size=5
)


@given(ids=IDS)
def test_written_and_read_again(tmp_path_factory, ids):
    ids = [*ids, "file", "a/b", "../up", "x.npy", "é"]
    ids = list(dict.fromkeys(ids))
    path = tmp_path_factory.mktemp("npz") / "v.npz"
    rows = {key: np.random.default_rng(n).normal(size=(n + 1, 4)).astype(np.float32) for n, key in enumerate(ids)}
    write_npz(path, ((key, array, None) for key, array in rows.items()))
    found = source(f"npz:{path}")
    with np.load(path, allow_pickle=False) as plain:
        assert set(plain.files) == set(ids)
        for key, array in rows.items():
            # NumPy itself takes x.npy for x where both are there.
            if key.removesuffix(".npy") == key or key.removesuffix(".npy") not in ids:
                np.testing.assert_array_equal(plain[key], array)
            np.testing.assert_array_equal(found.of(key, len(array)), array)


def test_the_texts_are_checked_where_the_file_knows_them(tmp_path):
    path = tmp_path / "v.npz"
    write_npz(path, [("a", A, ["one", "two"]), ("b", B, None)], "toy toy-1")
    found = source(f"npz:{path}")
    assert found.of("a", 2, ["one", "two"]).shape == (2, 3)
    assert found.of("a", 2).shape == (2, 3)
    assert found.of("b", 1, ["anything"]).shape == (1, 3)
    with pytest.raises(EncoderError, match="document 'a': the vectors belong to other texts"):
        embed(corpus_of(a=["one", "twa"], b=["three"]), found)


def test_writing_is_whole_or_not_at_all(tmp_path):
    path = tmp_path / "v.npz"
    path.write_bytes(b"before")

    def broken():
        yield "a", A, None
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_npz(path, broken())
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FormatError, match="is not a valid name in an npz file"):
        write_npz(path, [("a\0b", A, None)])
    with pytest.raises(FormatError, match="cannot be written"):
        write_npz(tmp_path / "none" / "v.npz", [("a", A, None)])
    assert path.read_bytes() == b"before"


def test_equal_vectors_make_equal_files(tmp_path):
    for name in ("1.npz", "2.npz"):
        write_npz(tmp_path / name, [("a", A, ["x", "y"])], "toy")
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()
