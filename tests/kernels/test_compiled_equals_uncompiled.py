"""Every kernel gives the same integers compiled, uncompiled, and uncompiled without the Cython package."""

from __future__ import annotations

import functools
import importlib.util
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura.kernels
from caesura.batches.flat import Flat
from caesura.errors import CaesuraError
from caesura.kernels import Kernel, compiled, kernel, kernel_names
from caesura.kernels import packing as active_packing
from caesura.kernels._stretch import Stretch
from caesura.segmentation import Segmentation
from tests.strategies import Pair, all_pairs, batch, corpora, count_one, parameters_of, segmentations

FOLDER = Path(caesura.kernels.__file__).parent
FILES = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))


@functools.cache
def load(stem: str, *, shim: bool) -> ModuleType:
    """Load a kernel file as plain Python source under another name, with or without the Cython package."""
    name = f"uncompiled_{stem}{'_shim' if shim else ''}"
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{stem}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    hidden: dict[str, Any] = {"cython": None, "Cython": None} if shim else {}
    with mock.patch.dict(sys.modules, hidden):
        spec.loader.exec_module(module)
    return module


def uncompiled(name: str) -> Iterator[Kernel]:
    """Yield a kernel from its source: with the shim, and with the Cython package where it is installed."""
    active = kernel(name)
    stem = active.module.__name__.rpartition(".")[2]
    for shim in (True, False):
        if not shim and importlib.util.find_spec("cython") is None:
            continue
        yield Kernel(name, active.columns, load(stem, shim=shim))


def _compared(stem: str) -> list[Path]:
    """Return the files of tests that run the source of a kernel file, or what takes its place without a compiler."""
    loaded = re.compile(rf"\bload\(\"{stem}\"")
    imported = re.compile(rf"from caesura\.kernels import ([\w, ]+, )?{stem}\b")
    switched = re.compile(r"(setattr|patch\.object)\([\w.]+, \"COMPILED\", (False|compiled|request)")
    texts = {path: path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("test_*.py")}
    return [
        path for path, text in texts.items() if loaded.search(text) or (imported.search(text) and switched.search(text))
    ]


@pytest.mark.parametrize("stem", FILES)
def test_every_kernel_is_tested(stem: str) -> None:
    """What a file declares is compared with its source below, for every name; a file that declares nothing by tests of its own."""
    declared = getattr(load(stem, shim=True), "KERNELS", {})
    assert set(declared) == {name for name in kernel_names() if kernel(name).module.__name__.endswith(f".{stem}")}
    for name in declared:
        sources = list(uncompiled(name))
        assert sources
        assert all(source.module.COMPILED is False and source.columns == kernel(name).columns for source in sources)
    assert declared or _compared(stem)


@pytest.mark.parametrize("stem", FILES)
def test_source_runs_without_the_cython_package(stem: str) -> None:
    module = load(stem, shim=True)
    assert module.COMPILED is False
    assert module.cython.__name__ == "caesura.kernels._cython"


def test_every_kernel_says_whether_it_is_compiled() -> None:
    assert compiled() == all(kernel(name).module.COMPILED for name in kernel_names())
    for name in kernel_names():
        is_source = str(kernel(name).module.__file__).endswith(".py")
        assert kernel(name).module.COMPILED is not is_source


@pytest.mark.parametrize("name", kernel_names())
@settings(max_examples=150)
@given(data=st.data())
def test_batches_are_equal(name: str, data: st.DataObject) -> None:
    documents, parameters = data.draw(corpora()), data.draw(parameters_of(kernel(name)))
    expected = kernel(name).count(batch(documents), parameters)
    for source in uncompiled(name):
        np.testing.assert_array_equal(source.count(batch(documents), parameters), expected)
        for row, (reference, hypothesis) in zip(expected, documents, strict=True):
            np.testing.assert_array_equal(count_one(source, reference, hypothesis, *parameters), row)
    for row, (reference, hypothesis) in zip(expected, documents, strict=True):
        np.testing.assert_array_equal(count_one(kernel(name), reference, hypothesis, *parameters), row)


@pytest.mark.parametrize(
    "name", [each for each in kernel_names() if each in getattr(kernel(each).module, "BY_BITS", ())]
)
@settings(max_examples=100)
@given(data=st.data())
def test_documents_as_bits_are_equal_to_walks(name: str, data: st.DataObject) -> None:
    """A batch reads up to 64 units as the bits of one word; one pair is always walked through."""
    units = data.draw(st.sampled_from([2, 31, 62, 63, 64, 65]))
    documents = [data.draw(st.tuples(*[segmentations(n_units=units)] * 2)) for _ in range(2)]
    drawn = {"k": st.integers(0, 64), "tolerance": st.integers(0, 1)}
    named = {key: data.draw(drawn[key]) for key in kernel(name).parameters if key in drawn}
    parameters = kernel(name).arranged(named)
    counted = kernel(name).count(batch(documents), parameters)
    by_source = [source.count(batch(documents), parameters) for source in uncompiled(name)]
    for row, (reference, hypothesis) in enumerate(documents):
        alone = count_one(kernel(name), reference, hypothesis, *parameters)
        np.testing.assert_array_equal(counted[row], alone)
        for table in by_source:
            np.testing.assert_array_equal(table[row], alone)


def test_retrieved_pairs_need_no_partners() -> None:
    """Above a gamma of 2/3 pairs are counted; a length class that leaves nothing out, but seems to, is looked up as before."""
    for reference, hypothesis in all_pairs(7):
        for gamma in ((2, 3), (3, 4), (7, 10), (1, 1)):
            for strict in (0, 1):
                pairs, partners = (
                    count_one(kernel("retrieval"), reference, hypothesis, *gamma, strict, 0, high)
                    for high in (2**62, 7)
                )
                if max(*reference.masses, *hypothesis.masses) < 7:
                    np.testing.assert_array_equal(pairs, partners)


@pytest.mark.parametrize("shim", [True, False])
def test_words_and_runs_are_equal(shim: bool) -> None:
    flat = Flat(np.array([64, 9, 65, 1]), np.array([0, 3, 4, 6, 6]), np.array([1, 5, 63, 8, 2, 64]))
    given = [array.tolist() for array in (flat.n_units, flat.ptr, flat.pos)]
    words = [0] * 4
    load("boundaries", shim=shim).set_bits(*given, words)
    assert words == [1 << 1 | 1 << 5 | 1 << 63, 1 << 8, 0, 0]
    assert [side.tolist() for side in Stretch((*arrays(flat), *arrays(flat)[1:])).bits] == [words, words]
    runs = [[0] * 16 for _ in range(3)]
    number = load("expected", shim=shim).list_runs(
        [0, 2, 2], [3, 4], [2, 3], [5, 0], *runs
    )  # windows of two gaps over six, of which 3 and 4 are boundaries; a document without a window
    assert [each[:number] for each in runs] == [[0] * 5, [0, 1, 2, 1, 0], [1, 1, 1, 1, 1]]


def arrays(flat: Flat) -> tuple[Any, ...]:
    return flat.n_units, flat.ptr, flat.pos


@pytest.mark.parametrize("name", kernel_names())
def test_large_documents_are_equal(name: str) -> None:
    random = np.random.default_rng(11)
    n = 2**40
    sides = [np.unique(random.integers(1, n, size=400)) for _ in range(2)]
    near = np.unique(np.clip(sides[0] + random.integers(-50, 50, size=len(sides[0])), 1, n - 1))
    documents = [
        (Segmentation(n, sides[0]), Segmentation(n, sides[1])),
        (Segmentation(n, sides[0]), Segmentation(n, near)),
    ]
    wide = {"n_t": 40, "tolerance": 20, "numerator": 999_999, "denominator": 1_000_000, "edge": 1}
    parameters = kernel(name).arranged({key: value for key, value in wide.items() if key in kernel(name).parameters})
    expected = kernel(name).count(batch(documents), parameters)
    for source in uncompiled(name):
        np.testing.assert_array_equal(source.count(batch(documents), parameters), expected)


_PLAIN = st.lists(st.integers(-1, 9) | st.sampled_from([2**40, 2**63, -(2**63)]) | st.booleans() | st.floats(0, 3))


@given(masses=_PLAIN | _PLAIN.map(tuple) | st.text() | st.lists(st.integers(1, 9)), limit=st.integers(1, 40))
def test_packed_masses_are_equal(masses: object, limit: int) -> None:
    expected = None
    if isinstance(masses, (list, tuple)) and masses and all(type(mass) is int and mass > 0 for mass in masses):
        expected = list(itertools.accumulate(masses)) if sum(masses) <= limit else None
    for module in (active_packing, load("packing", shim=True), load("packing", shim=False)):
        found = module.packed_ends(masses, limit)
        assert (None if found is None else found.tolist()) == expected


def _paired(documents: list[Pair], n_t: int, *, passes_up_to: int) -> np.ndarray:
    module = load("edits", shim=True)
    with mock.patch.object(module, "_PASSES_UP_TO", passes_up_to):
        return Kernel("edits", module.KERNELS["edits"], module).count(batch(documents), (n_t,))


@pytest.mark.parametrize("n_t", [1, 2, 3, 4, 6])
def test_levels_and_passes_pair_the_same_near_misses(n_t: int) -> None:
    """Both ways of pairing are one definition; the kernel takes the quicker one by n_t."""
    documents = [pair for n_units in range(1, 8) for pair in all_pairs(n_units)]
    np.testing.assert_array_equal(_paired(documents, n_t, passes_up_to=0), _paired(documents, n_t, passes_up_to=10**6))


@settings(max_examples=200)
@given(documents=corpora(max_units=60), n_t=st.integers(1, 12) | st.just(64))
def test_levels_and_passes_agree_in_longer_documents(documents: list[Pair], n_t: int) -> None:
    by_levels, by_passes = (_paired(documents, n_t, passes_up_to=limit) for limit in (0, 10**6))
    np.testing.assert_array_equal(by_levels, by_passes)
    np.testing.assert_array_equal(by_levels, kernel("edits").count(batch(documents), (n_t,)))


def test_inputs_may_be_read_only_and_of_another_layout() -> None:
    documents = [(Segmentation(9, (2, 5)), Segmentation(9, (3,))), (Segmentation(4, (1,)), Segmentation(4, (1, 2, 3)))]
    flat = batch(documents)
    expected = kernel("pk").count(flat, (2, 0, 0, 2, 0, 0))
    spread = type(flat)(
        *(np.repeat(a, 2)[::2] for a in (flat.n_units, flat.ref_ptr, flat.ref_pos, flat.hyp_ptr, flat.hyp_pos))
    )
    assert spread.ref_pos.flags.contiguous
    np.testing.assert_array_equal(kernel("pk").count(spread, (2, 0, 0, 2, 0, 0)), expected)


@pytest.mark.parametrize("name", kernel_names())
def test_columns_have_names_and_places(name: str) -> None:
    counting = kernel(name)
    assert len(set(counting.columns)) == len(counting.columns)
    assert set(getattr(counting.module, "FRACTIONAL", ())) >= set(counting.columns[counting.fractional])


def test_a_kernel_that_nobody_declares_is_refused_by_name() -> None:
    with pytest.raises(CaesuraError, match="'boundary' is not a kernel; did you mean boundaries"):
        kernel("boundary")


def test_long_pairs_have_room_of_their_own() -> None:
    ends = tuple(range(1, 400))
    pair = Segmentation(401, ends), Segmentation(401, ends[::2])
    for name, named in {"edits": {"n_t": 3}, "window_diff": {}, "overlap": {"shares": 1}, "alignment": {}}.items():
        parameters = kernel(name).arranged(named)
        expected = kernel(name).count(batch([pair]), parameters)
        np.testing.assert_array_equal(count_one(kernel(name), *pair, *parameters), expected[0])
