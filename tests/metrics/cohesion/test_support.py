"""Support: its weights, what it says of gaps, and what it makes of bad input."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import caesura as cz
from caesura.batches.embedded import Embedded
from caesura.corpus import Corpus, Document
from caesura.datasets.bundled import bundled
from caesura.encoders import embed
from caesura.errors import ComparabilityError, FormatError
from caesura.metrics import metric
from caesura.metrics.cohesion._gaps import FEATURES, LISTS, features, scale_of_sum
from caesura.metrics.cohesion._surface import is_english
from caesura.metrics.cohesion._weights import FILE, Weights, read_weights, weights_bytes
from caesura.metrics.cohesion.placement import Placement
from caesura.metrics.cohesion.support import Support
from caesura.reports.text import render
from caesura.segmentation import Segmentation

ENGLISH = [
    "The cat sat on the mat.", "It was a cat that I know.", "Do you like the cat?", "So, what of the rates?",
    "The rates rose in the spring.", "Banks cut the rates again.", "Thanks, that is all I need to know.",
]  # fmt: skip
VECTORS = np.random.default_rng(0).normal(size=(7, 4))


def weights_in(folder: Path, **changes: object) -> str:
    folder.mkdir(exist_ok=True)
    known = Weights(english={"centred 1": 1.0, "placement of words": 0.5}, other={"centred 1": 2.0})
    table = json.loads(weights_bytes(known))
    (folder / FILE).write_text(json.dumps(table | changes))
    return str(folder)


def test_it_is_the_formula_of_its_card(tmp_path: Path) -> None:
    cut = Segmentation(7, (3, 5))
    g = features(VECTORS, ENGLISH)[:, FEATURES.index("centred 1")]
    first = g[[2, 4]].sum() / scale_of_sum(6, 2)
    expected = first + 0.5 * Placement(of="words")(cut, ENGLISH)
    own = Support(weights=weights_in(tmp_path))
    assert own(cut, VECTORS, ENGLISH) == pytest.approx(expected)
    assert own(cut, VECTORS, ["Gatos e cães."] * 7) == pytest.approx(2 * first)
    assert Support(weights=own.weights, language="english")(cut, VECTORS) == pytest.approx(first)
    counts = own.count(Embedded.of({"d": cut}, {"d": VECTORS}).with_texts({"d": ENGLISH}))[0]
    assert counts[2] == pytest.approx(first)  # g has spread 1 here
    assert str(metric(f"model:{own.weights}")) == str(own)


def test_every_gap_has_a_value() -> None:
    cut = Segmentation(7, (3, 5))
    batch = Embedded.of({"d": cut}, {"d": VECTORS}).with_texts({"d": ENGLISH})
    (values,) = Support().gap_values(batch)
    assert (values.mean(), values.std()) == (pytest.approx(0, abs=1e-12), pytest.approx(1))
    first, middle, last = Support().segment_values(batch)
    assert (first, middle, last) == pytest.approx((values[2], (values[2] + values[4]) / 2, values[4]))


def test_readers_are_better_than_the_same_boundaries_elsewhere() -> None:
    chapters = bundled("moonstone")
    vectors = embed(chapters, "default")
    wins = []
    for chapter in chapters:
        for reader in chapter.annotations.values():
            n = chapter.n_units
            here = Support()(reader, vectors[chapter.id], chapter.units)
            for by in (n // 6, n // 3, n // 2, 2 * n // 3, 5 * n // 6):
                moved = Segmentation(n, sorted((b - 1 + by) % (n - 1) + 1 for b in reader.boundaries))
                wins.append(here > Support()(moved, vectors[chapter.id], chapter.units))
    assert np.mean(wins) > 0.8


def test_included_weights_say_where_they_come_from() -> None:
    known = read_weights("included")
    assert len(known.sources) == 11
    assert all(source.licence and source.origin and source.documents for source in known.sources)
    assert not {"Choi", "DailyDialog", "DialSeg711"} & {source.name.split()[0] for source in known.sources}
    assert set(LISTS) <= set(known.english)
    assert not set(LISTS) & set(known.other)
    from caesura.encoders import source

    assert known.fingerprint == source("default").fingerprint


def test_the_signature_says_weights_and_language(tmp_path: Path) -> None:
    spanish = ["El gato duerme.", "El perro corre.", "Los tipos suben."]
    corpus = Corpus(
        [
            Document(id="en", n_units=7, units=tuple(ENGLISH), segmentation=Segmentation(7, (3,))),
            Document(id="es", n_units=3, units=tuple(spanish), segmentation=Segmentation(3, (2,))),
        ]
    )
    outcome = cz.cohesion(corpus, metrics=["Support"], check=False, nulls=(), resamples=1)
    recipe = outcome.signature("Support")
    assert f"weights:included={read_weights('included').sha256[:8]}" in recipe
    assert "language:auto=1 of 2 documents english" in recipe
    english = cz.cohesion(corpus.subset(["en"]), metrics=["Support"], check=False, nulls=(), resamples=1)
    assert "language:auto=english" in english.signature("Support")


def test_another_encoder_is_told(tmp_path: Path) -> None:
    corpus = Corpus([Document(id="d", n_units=7, units=tuple(ENGLISH), segmentation=Segmentation(7, (3,)))])
    call = {"metrics": ["Support"], "check": False, "nulls": (), "resamples": 1}
    assert not cz.cohesion(corpus, **call).remarks
    np.savez(tmp_path / "vectors.npz", d=VECTORS)
    (remark,) = cz.cohesion(corpus, encoder=f"npz:{tmp_path / 'vectors.npz'}", **call).remarks
    assert "trained with another encoder" in remark


def test_weakest_and_missing_are_stored_and_shown() -> None:
    cut = Segmentation(7, (1, 6))
    corpus = Corpus([Document(id="d", n_units=7, units=tuple(ENGLISH), segmentation=cut)])
    outcome = cz.cohesion(corpus, metrics=["Placement", "Support"], check=False, nulls=(), resamples=1)
    (values,) = Support().gap_values(next(iter(outcome.batches.values())))
    weakest, missing = outcome.gaps("boundaries", number=2)
    assert [gap.gap for gap in weakest] == sorted((1, 6), key=lambda gap: values[gap - 1])
    assert missing[0].gap == max((2, 3, 4, 5), key=lambda gap: values[gap - 1])
    assert (missing[0].before, missing[0].after) == (ENGLISH[missing[0].gap - 1], ENGLISH[missing[0].gap])
    facts = outcome.results(worst=1).cohesion
    assert facts is not None
    assert facts.gaps_by == "Support"
    assert facts.weakest == {"boundaries": weakest[:1]}
    tables = {table.title: table for table in outcome.tables()}
    assert "Weakest boundaries by Support" in tables
    assert tables["Strongest gaps left out by Support"].notes[-1].startswith("WHAT CANNOT BE KNOWN WITHOUT A REFERENCE")
    plain = cz.cohesion(corpus, metrics=["Placement"], check=False, nulls=(), resamples=1)
    assert plain.results().cohesion.weakest is None  # type: ignore[union-attr]
    with pytest.raises(cz.CaesuraError, match="measure Support"):
        plain.gaps("boundaries")


def test_tables_with_quotations_are_one_table_of_80_columns() -> None:
    key = "a/very/long/name/of/a/document/in/a/folder"
    texts = tuple(f"{text} " * 20 for text in ENGLISH)
    corpus = Corpus([Document(id=key, n_units=7, units=texts, segmentation=Segmentation(7, (1, 6)))])
    system = {"a system with a name of many words": {key: Segmentation(7, (3,))}}
    outcome = cz.cohesion(corpus, system, ["Placement(of='words')", "Support"], check=False, nulls=(), resamples=1)
    shown = [table for table in outcome.tables() if table.title.startswith(("Worst", "Weakest", "Strongest"))]
    assert len(shown) == 3
    for table in shown:
        lines = render(table, 80).splitlines()
        assert max(map(len, lines)) <= 80
        assert sum(set(line) <= {"-", " "} and "-" in line for line in lines) == 1
        assert any("a/very/long/name/of/" in line for line in lines)


@pytest.mark.parametrize("n", [1, 2])
def test_few_units(n: int) -> None:
    assert Support()(Segmentation(n), np.ones((n, 2)), ["x"] * n) == 0
    assert math.isnan(Support(on_single="nan")(Segmentation(n), np.ones((n, 2)), ["x"] * n))


@pytest.mark.parametrize("texts", [[""] * 6, ["同じ。"] * 6, ["12 34"] * 6, ["a\u0301?", "؟", "…", "🙂", "x", "\x00"]])
def test_any_text_has_a_finite_score(texts: list[str]) -> None:
    for vectors in (np.ones((6, 2)), np.zeros((6, 2)), np.eye(6)):
        assert math.isfinite(Support()(Segmentation(6, (2, 4)), vectors, texts))


def test_long_documents_take_linear_time() -> None:
    rng = np.random.default_rng(2)
    units = [" ".join(rng.choice(["alpha", "beta", "gamma", "delta"], 6)) for _ in range(20_000)]
    found = features(rng.normal(size=(20_000, 8)), units)
    assert found.shape == (19_999, len(FEATURES))
    assert np.isfinite(found).all()


def test_languages() -> None:
    assert is_english(ENGLISH)
    assert not is_english(["O gato dorme a sesta na cama.", "Os juros subiram."])
    assert not is_english([])


def test_speakers_are_checked() -> None:
    with pytest.raises(ComparabilityError, match="2 speakers for 7 units"):
        Support()(Segmentation(7, (3,)), VECTORS, ENGLISH, ["A", "B"])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"schema": "caesura.metric/9"}, "of the version 'caesura.metric/9'"),
        ({"english": {"centred 1": 1.5}}, "do not match their hash"),
        ({"english": {"centred 99": 1.5}}, "does not know"),
        ({"english": {"centred 1": "high"}}, "holds no weights"),
        ({"english": {}}, "all 0"),
        ({"more": 1}, "holds no weights"),
    ],
)
def test_damaged_weights_are_one_line(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    with pytest.raises(FormatError, match=said) as error:
        Support(weights=weights_in(tmp_path, **changes))
    assert "\n" not in str(error.value)


def test_no_weights_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="there is no such file"):
        metric(f"model:{tmp_path / 'nowhere'}")
    (tmp_path / FILE).write_bytes(b"\xff\xfe{")
    with pytest.raises(FormatError, match="holds no weights"):
        Support(weights=str(tmp_path))
    (tmp_path / FILE).write_bytes(b" " * (1 << 21))
    with pytest.raises(FormatError, match="at most"):
        Support(weights=str(tmp_path))
