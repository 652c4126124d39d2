"""The recipe of docs/scale.md: record batches in, record batches out, for any engine that maps over them."""

import re
from pathlib import Path

import msgspec
import numpy as np
import pytest

import caesura as cz
from caesura.scale import finish, merge, parse_shard

pa = pytest.importorskip("pyarrow", reason="needs pyarrow (caesura[parquet])")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scale.md"


def score_of_the_page():
    """Return the function as the page has it."""
    (code,) = [
        block
        for block in re.findall(r"^```py\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
        if "def score" in block
    ]
    names: dict = {}
    exec(code, names)
    return names["score"]


def test_batches_in_and_batches_out_give_the_evaluation():
    rng = np.random.default_rng(2)
    n = rng.integers(3, 30, 50)
    columns = {"id": [f"d{i}" for i in range(50)], "n_units": n.tolist()}
    for side, density in (("reference", 0.2), ("hypothesis", 0.3)):
        columns[side] = [(np.flatnonzero(rng.random(m - 1) < density) + 1).tolist() for m in n]
    kinds = {
        "id": pa.string(),
        "n_units": pa.int64(),
        "reference": pa.list_(pa.int32()),
        "hypothesis": pa.list_(pa.int32()),
    }
    table = pa.table(columns, schema=pa.schema(kinds))
    out = list(score_of_the_page()(iter(table.to_batches(max_chunksize=13))))
    assert all(isinstance(batch, pa.RecordBatch) for batch in out)
    texts = [text for batch in out for text in batch.column("shard").to_pylist()]
    assert len(texts) == 4
    found = finish(merge(map(parse_shard, texts)))
    sides = {
        side: {
            key: cz.Segmentation(m, tuple(gaps))
            for key, m, gaps in zip(columns["id"], columns["n_units"], columns[side], strict=True)
        }
        for side in ("reference", "hypothesis")
    }
    whole = cz.evaluate(sides["reference"], {"a": sides["hypothesis"]}, ["Pk", "B"]).results()
    assert msgspec.to_builtins(found.systems) == msgspec.to_builtins(whole.systems)
