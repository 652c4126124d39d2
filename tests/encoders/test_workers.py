"""Encoders on all processors: the same bits for any number of them, whatever becomes of the processes."""

from __future__ import annotations

import gc
import os

import numpy as np
import pytest

from caesura.encoders import _workers, embed, source
from caesura.encoders import default as module
from caesura.encoders import numpy as numpy_module
from caesura.encoders._workers import Workers
from caesura.encoders.numpy import Numpy
from tests.encoders.test_numpy import make

BATCHES = [["rain and wind", "a bank"], [""], ["\ud800 lone", "emoji 🙂", "x" * 3000], ["the last"]]


@pytest.fixture
def table():
    return module.Default().load()


def expected(table):
    return [table.encode(batch) for batch in BATCHES]


def same(found, wanted):
    return all(np.array_equal(one, other) for one, other in zip(found, wanted, strict=True))


@pytest.mark.parametrize("number", [1, 2])
def test_processes_give_the_same_bits(table, number):
    workers = Workers(table, number)
    assert same(workers.map(BATCHES), expected(table))
    assert same(workers.map(BATCHES), expected(table))  # they are still there


def test_a_process_that_dies_costs_time_only(table):
    workers = Workers(table, 2)
    killed = workers._free.get()
    killed.kill()
    killed.wait()
    workers._free.put(killed)
    assert same(workers.map(BATCHES), expected(table))
    kept = [workers._free.get(), workers._free.get()]
    assert kept.count(None) == 1


@pytest.mark.parametrize("program", ["", "/usr/bin/something", "/no/such/python3"])
def test_without_processes_texts_are_encoded_here(table, monkeypatch, program):
    monkeypatch.setattr(_workers.sys, "executable", program)
    workers = Workers(table, 2)
    assert [workers._free.get(), workers._free.get()] == [None, None]
    for _ in range(2):
        workers._free.put(None)
    assert same(workers.map(BATCHES), expected(table))


def test_another_encoder_in_a_process_is_not_believed(table):
    table.fingerprint = "default-of-another-version"
    workers = Workers(table, 1)
    assert same(workers.map(BATCHES), expected(table))
    assert workers._free.get() is None


def test_processes_end_with_their_encoder():
    table = module.Default().load()
    workers = Workers(table, 1)
    process = workers._free.get()
    assert process.poll() is None
    del table, workers
    gc.collect()
    assert process.poll() is not None


def test_very_many_texts_start_them(monkeypatch):
    from caesura.corpus import Corpus, Document

    monkeypatch.setattr(module, "_VERY_MANY", 300)
    monkeypatch.setattr(module, "processors", lambda: 2)
    documents = [Document(id=f"d{d}", n_units=50, units=tuple(f"unit {d} of {u}" for u in range(50))) for d in range(5)]
    one, other = module.Default().load(), source("default")
    plain = embed(Corpus(documents), one)
    assert one._workers is None
    assert len(plain) == 5
    again = embed(Corpus(documents), one)
    assert one._workers is not None
    assert same(again.values(), plain.values())
    monkeypatch.setattr(module, "processors", lambda: 1)
    assert same(embed(Corpus(documents), other).values(), plain.values())


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_threads_give_the_same_bits(tmp_path, monkeypatch, kind):
    encoder = Numpy(where=str(make(tmp_path / "m", kind))).load()
    texts = ["", *(" ".join(["a", "b"] * (1 + n % 9)) for n in range(200))]
    found = []
    for number in (1, 2, 5):
        monkeypatch.setattr(numpy_module, "processors", lambda number=number: number)
        found.append(encoder.encode(texts))
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_an_error_inside_a_thread_is_told(tmp_path, monkeypatch):
    encoder = Numpy(where=str(make(tmp_path / "m", "bert"))).load()

    def broken(tokens):
        raise RuntimeError("broken")

    monkeypatch.setattr(encoder, "_model", broken)
    monkeypatch.setattr(type(encoder), "_numbers", lambda self, text: [1, 2])
    with pytest.raises(RuntimeError, match="broken"):
        encoder.encode(["a"] * 9)


def test_the_environment_decides_how_many(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    most = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert _workers.processors() == most
