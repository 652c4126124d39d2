# SPDX-License-Identifier: Apache-2.0
"""``caesura evaluate --extra``, and what is said without it."""

from __future__ import annotations

from caesura.results import read_results
from tests.cli.conftest import Run, Write

TOPICS = ("rain cloud storm wet", "bank loan credit money", "goal match player keeper", "bread flour oven yeast")


def documents() -> list[dict[str, object]]:
    """Return documents of two topics with two sub-topics each, 5 to 7 units long."""
    made = []
    for place in range(12):
        sizes = [5 + (place + step) % 3 for step in range(4)]
        units = [topic for topic, size in zip(TOPICS, sizes, strict=True) for _ in range(size)]
        made.append({"id": f"d{place}", "units": units, "boundaries": [sizes[0] + sizes[1]], "sizes": sizes})
    return made


def files(write: Write) -> tuple[object, object]:
    gold, fine = documents(), []
    for each in gold:
        a, b, c, _ = each.pop("sizes")  # type: ignore[misc]
        fine.append({"id": each["id"], "n_units": len(each["units"]), "boundaries": [a, a + b, a + b + c]})  # type: ignore[arg-type]
    return write("gold.jsonl", *gold), write("fine.jsonl", *fine)


def test_dense_systems_are_asked_about_by_themselves(run: Run, write: Write) -> None:
    gold, fine = files(write)
    out = run("evaluate", gold, fine).out
    assert "and the text supports 100 % of the extra boundaries" in out
    assert "Extra boundaries" not in out
    assert "Extra boundaries" in run("evaluate", gold, fine, "--full").out


def test_told_to_it_reads_words_and_vectors(run: Run, write: Write, tmp_path: object) -> None:
    gold, fine = files(write)
    code, out, _ = run("evaluate", gold, fine, "--extra", "both", "-m", "Pk,W-F1", "-o", f"{tmp_path}/r.json", "--full")
    assert code == 0
    assert "read: both, default" in out
    extra = read_results(f"{tmp_path}/r.json").extra
    assert extra is not None
    assert (extra["fine"].of, extra["fine"].boundaries, extra["fine"].supported) == ("both", 24, 1.0)
    assert run("show", f"{tmp_path}/r.json", "--full").out == out


def test_what_cannot_be_asked_is_refused_in_one_line(run: Run, write: Write) -> None:
    gold, fine = files(write)
    bare = write("bare.jsonl", *({"id": f"d{n}", "n_units": 9, "boundaries": [3]} for n in range(12)))
    for words, said in (
        (("--encoder", "default"), "--encoder needs --extra"),
        (("--extra", "words", "--against", "annotators"), "--extra"),
        (("--extra", "words", "--levels"), "--levels"),
    ):
        code, _, err = run("evaluate", gold, fine, *words)
        assert (code, said in err) == (2, True), err
    code, _, err = run("evaluate", bare, bare, "--extra", "words")
    assert code == 2
    assert err.count("\n") == 1
    assert "no texts" in err
