"""The recipe of docs/scale.md: record batches in, record batches out, for any engine that maps over them."""

import re
import shutil
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

import caesura as cz
from caesura.scale import finish, merge, parse_shard

pa = pytest.importorskip("pyarrow", reason="needs pyarrow (caesura-eval[parquet])")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scale.md"


METRICS = ["Pk", "B"]


@pytest.fixture(scope="module")
def page():
    """The functions as the page has them."""
    (code,) = [
        block for block in re.findall(r"^```py\n(.*?)^```$", PAGE.read_text(), re.M | re.S) if "def score" in block
    ]
    names: dict = {}
    exec(code, names)
    return names


def columns():
    rng = np.random.default_rng(2)
    n = rng.integers(3, 30, 50)
    found = {"id": [f"d{i}" for i in range(50)], "n_units": n.tolist()}
    for side, density in (("reference", 0.2), ("hypothesis", 0.3)):
        found[side] = [(np.flatnonzero(rng.random(m - 1) < density) + 1).tolist() for m in n]
    return found


def table():
    kinds = {"id": pa.string(), "n_units": pa.int64()}
    kinds |= dict.fromkeys(("reference", "hypothesis"), pa.list_(pa.int32()))
    return pa.table(columns(), schema=pa.schema(kinds))


@pytest.fixture
def paths(tmp_path):
    """The table in four files."""
    pq = pytest.importorskip("pyarrow.parquet")
    for place, batch in enumerate(table().to_batches(max_chunksize=13)):
        pq.write_table(pa.Table.from_batches([batch]), tmp_path / f"pairs-{place}.parquet")
    return sorted(map(str, tmp_path.glob("*.parquet")))


def check(texts):
    """The merged texts are the evaluation of all documents."""
    found = finish(merge(map(parse_shard, texts)))
    made = columns()
    sides = {
        side: {
            key: cz.Segmentation(m, tuple(gaps))
            for key, m, gaps in zip(made["id"], made["n_units"], made[side], strict=True)
        }
        for side in ("reference", "hypothesis")
    }
    whole = cz.evaluate(sides["reference"], {"a": sides["hypothesis"]}, METRICS).results()
    assert msgspec.to_builtins(found.systems) == msgspec.to_builtins(whole.systems)


def test_batches_in_and_batches_out_give_the_evaluation(page):
    out = list(page["score"](iter(table().to_batches(max_chunksize=13))))
    assert all(isinstance(batch, pa.RecordBatch) for batch in out)
    texts = [text for batch in out for text in batch.column("shard").to_pylist()]
    assert len(texts) == 4
    check(texts)


def test_dask(page, paths):
    pytest.importorskip("dask", reason="needs dask")
    check(page["on_dask"](paths))


def test_daft(page, paths):
    pytest.importorskip("daft", reason="needs daft")
    check(page["on_daft"](paths))


@pytest.mark.filterwarnings("ignore")  # of Spark itself, about versions of pandas
def test_spark(page, paths, monkeypatch):
    sql = pytest.importorskip("pyspark.sql", reason="needs pyspark")
    if shutil.which("java") is None:
        pytest.skip("needs Java")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    spark = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        check(page["on_spark"](spark, paths))
    finally:
        spark.stop()
