"""The frame: printed numbers beside ours, what can be said of each, and the files that items read."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from caesura.errors import DeclarationError, FormatError
from caesura.results import answer_of, as_text, read_results, tables_of
from caesura.results.reproduce.facts import shown_as
from caesura_reproductions import run as reproductions
from caesura_reproductions.base import Item, Value, finding
from caesura_reproductions.cells import cells_of, errata_of
from caesura_reproductions.data import Data, released_files, shipped_files
from caesura_reproductions.pages import _merged, stored
from caesura_reproductions.printed import Entry
from caesura_reproductions.report import Reproduction
from caesura_reproductions.run import items, papers, reproduce
from tests.corpora import FOLDER, corpus_file, needs

needs_data = needs("reproduction")

ENTRIES = {
    ("a", "W-F1"): Entry("0.528", "exact", "as_run", None),
    ("a", "BOR"): Entry("1.00", "exact", "paper", None),
    ("a", "mean"): Entry("0.87", "arithmetic", "paper", None),
    ("a", "regime"): Entry("Balanced", "arithmetic", "paper", None),
    ("b", "wrong"): Entry("82.5%", "none", "paper", "82.4%"),
    ("b", "drawn"): Entry("0.998", "shape", "paper", None),
    ("b", "kappa"): Entry("0.29", "shape", "paper", None),
    ("b", "signs"): Entry("-0.84", "shape", "paper", None),
    ("b", "model"): Entry("0.412", "none", "paper", None),
}
ITEM = Item("T1", "a table", lambda printed, data: (), otherwise="needs a model")
VALUES = [
    Value("a", "W-F1", 0.52788, definition=0.56317, note="another rule"),
    Value("a", "BOR", 1),
    Value("a", "mean", 0.8775, between=(0.8725, 0.8825)),
    Value("a", "regime", "Balanced"),
    Value("b", "wrong", 100 * 14 / 17, note="14 / 17"),
    Value("b", "drawn", 0.9961, sampling=0.003),
    Value("b", "kappa", 0.31, holds=True),
    Value("b", "signs", 0.98, holds=False),
    Value("c", "curve", 0.5),
    Value("c", "claim", 0.4, note="of our own", holds=False),
    finding("the text", "A is better.", "B has 0.5, A has 0.4."),
]


def made(values=VALUES) -> Reproduction:
    return Reproduction("9", "nobody1999", "t", [ITEM], cells_of(ITEM, ENTRIES, values), errata_of(ITEM, values))


def test_statuses():
    cells = {(c.row, c.column): c for c in made().cells}
    assert {place: cell.status for place, cell in cells.items()} == {
        ("a", "W-F1"): "exact",
        ("a", "BOR"): "exact",
        ("a", "mean"): "exact",
        ("a", "regime"): "exact",
        ("b", "wrong"): "different",
        ("b", "drawn"): "within sampling",
        ("b", "kappa"): "shape",
        ("b", "signs"): "different",
        ("b", "model"): "unavailable",
        ("c", "curve"): None,
        ("c", "claim"): None,
    }
    assert made().matched
    assert cells["a", "W-F1"].difference == pytest.approx(-0.00012)
    assert cells["a", "W-F1"].profile == "as_run"
    assert cells["a", "mean"].by_rounding
    assert cells["b", "wrong"].misprint
    assert cells["b", "model"].note == "needs a model"
    assert cells["c", "curve"].printed is None
    assert cells["c", "claim"].note == "of our own; what the paper says of it does not hold"
    plain = {cell["column"]: cell for cell in json.loads(as_text(made().results()))["cells"]}
    assert plain["curve"].get("status") is None


@pytest.mark.parametrize(
    "value",
    [
        Value("a", "W-F1", 0.5289),
        Value("a", "W-F1"),
        Value("a", "mean", 0.8775, between=(0.8774, 0.8776)),
        Value("a", "regime", "Aggressive"),
        Value("b", "wrong", 82.5),
    ],
    ids=lambda value: f"{value.column} {value.ours}",
)
def test_what_has_to_come_out_and_does_not(value):
    others = [v for v in VALUES[:-1] if (v.row, v.column) != (value.row, value.column)]
    assert not made([*others, value]).matched


def test_a_shape_has_to_be_judged():
    with pytest.raises(DeclarationError, match="b, kappa: only its shape"):
        made([Value("b", "kappa", 0.31)])


def test_no_number_is_given_twice():
    with pytest.raises(DeclarationError, match="T1 gives b, kappa twice"):
        made([*VALUES, Value("b", "kappa", 0.3, holds=True)])


def test_ties_of_the_last_digit_are_exact():
    """0.0950 is printed as 0.10 by some programs and as 0.09 by others; both are right."""
    for printed in ("0.10", "0.09"):
        entries = {("r", "c"): Entry(printed, "arithmetic", "paper", None)}
        assert cells_of(ITEM, entries, [Value("r", "c", 0.095)])[0].status == "exact"


def test_numbers_are_shown_as_printed():
    assert shown_as("+1.69", 1.6899) == "+1.69"
    assert shown_as("0.60.", 0.6) == "0.60"
    assert shown_as("2042", 2042.0) == "2042"
    assert shown_as("8/9", "8/9") == "8/9"
    assert shown_as("0.5", None) == "-"


def test_answer_tables_and_file(tmp_path):
    outcome = made()
    text = " ".join(outcome.answer())
    assert "All 4 numbers that can be exact have every printed digit, 1 of them within the rounding" in text
    assert "1 printed number is a misprint: T1 b, wrong 82.5% for 82.4%." in text
    assert "4 exact, 1 within sampling, 1 equal in shape, 2 different and 1 unavailable" in text
    shown = "\n".join(map(str, outcome.tables()))
    for part in ("misprint", "by rounding", "another rule", "B has 0.5, A has 0.4.", "needs a model"):
        assert part in shown
    results = outcome.save(tmp_path / "r.json")
    again = read_results(tmp_path / "r.json")
    assert (again, as_text(again)) == (results, as_text(results))
    assert list(map(str, tables_of(again))) == list(map(str, outcome.tables()))
    plain = json.loads((tmp_path / "r.json").read_text())
    assert {"row", "column", "printed", "ours", "difference", "profile", "status", "note"} <= set(plain["cells"][0])


def test_only_what_differs():
    results = made().results(unmatched=True)
    assert [cell.column for cell in results.cells] == ["wrong", "signs"]
    assert "Of 9 printed numbers" in " ".join(answer_of(results))  # the counts are of everything


def test_papers_by_number_and_alias():
    assert {"000", "001", "002", "003", "004"} <= set(papers())
    assert reproduce("ghinassi2024", "table 2").paper == "000"
    for wrong, hint in (("03", "003"), ("coen2024", "coen2025")):
        with pytest.raises(DeclarationError, match=f"no reproduction of paper '{wrong}'; did you mean .*{hint}"):
            reproduce(wrong)
    with pytest.raises(DeclarationError, match="paper 003 has no item 'T44'; did you mean T4"):
        reproduce("003", "T44")


def test_every_item_is_printed_in_its_paper_and_says_what_it_lacks():
    for number in papers():
        printed = reproductions._printed(number)
        for name, item in items(number).items():
            ours = "of our own" in item.title
            assert name in printed or name.startswith("Fig") or ours or not item.needs
            assert " " in item.title


def test_an_item_whose_data_are_not_there(monkeypatch):
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    with pytest.raises(FormatError, match=r"Choi 3-11, Wiki-50.*--data"):
        reproduce("002", "T4")
    found = reproduce("002")
    assert found.matched
    without = [cell for cell in found.cells if cell.item == "T4"]
    assert without
    assert all("--data" in c.note and c.status == "unavailable" for c in without)
    assert "exact" in {c.status for c in found.cells if c.item == "T5"}


def test_what_is_numbers_only_needs_no_data(monkeypatch):
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    assert not [item.name for item in items("003").values() if item.needs]
    for name in ("T3", "T4", "AUC", "T12"):
        made = reproduce("003", name)
        assert made.matched
        assert {c.status for c in made.cells if c.can_be_exact} == {"exact"}


def test_copies_in_the_package_are_the_released_files():
    assert len(shipped_files()) == 23
    with zipfile.ZipFile(Path(reproductions.__file__).parent / "released.zip") as archive:
        for name in shipped_files():
            content = archive.read(name)
            assert (len(content), hashlib.sha256(content).hexdigest()) == released_files()[name]


# ------------------------------------------------------------------ the files that items read

NAME = "reproduction/tiage_masses.json"
TABLE = "reproduction/episodic_released/results/auc_summary.csv"
ARCHIVE = "reproduction/episodic_released/results/sweep_dialseg711_random.csv.gz"


@pytest.fixture
def copy(tmp_path) -> Path:
    """Return a folder with a few of the released files."""
    for name in (NAME, TABLE, ARCHIVE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(corpus_file(name), tmp_path / name)
    return tmp_path


@needs_data
def test_every_released_file_is_the_listed_one():
    for name, (size, _) in released_files().items():
        read = Data(FOLDER).read(name)
        assert name.endswith(".gz") or len(read) == size


@needs_data
def test_both_folders_may_be_named(copy):
    assert Data(copy).read(TABLE) == Data(copy / "reproduction").read(TABLE)
    (copy / "choi").mkdir()
    assert Data(copy / "reproduction").path("choi") == copy / "choi"


@needs_data
@pytest.mark.parametrize(
    ("name", "damage", "said"),
    [
        (TABLE, lambda data: data.replace(b"\n", b"\r"), "has old Mac line ends; expected"),
        (TABLE, lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"), "line ends|another version"),
        (TABLE, lambda data: data.decode().encode("utf-16"), "is encoded in UTF-16; expected"),
        (TABLE, lambda data: b"\xef\xbb\xbf" + data, "UTF-8 with a byte order mark; expected"),
        (NAME, lambda data: data[:1000], "has 1,000 bytes, so a part is missing or it is another version"),
        (NAME, lambda data: data.replace(b"2", b"3", 1), "is another version of the released file; expected"),
        (NAME, lambda data: b"", "has 0 bytes"),
        (ARCHIVE, lambda data: data[:-100], r"a part is missing.*expected [\d,]+ bytes with SHA-256 [0-9a-f]{16}"),
        (ARCHIVE, lambda data: gzip.decompress(data), "another version"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_the_released_one(copy, name, damage, said):
    path = copy / name
    path.chmod(0o644)
    before = path.read_bytes()
    path.write_bytes(damage(before))
    if path.read_bytes() == before:
        pytest.skip("the file has these line ends itself")
    with pytest.raises(FormatError, match=said) as error:
        Data(copy).read(name)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_missing(tmp_path):
    with pytest.raises(FormatError, match=r"dialseg711_masses\.json: is missing.*the package has a copy"):
        reproduce("003", "T3", tmp_path)
    (tmp_path / "reproduction").mkdir()
    (tmp_path / NAME).mkdir()
    with pytest.raises(FormatError, match=r"tiage_masses\.json: is not a file; expected"):
        Data(tmp_path).read(NAME)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path):
    (tmp_path / "reproduction").mkdir()
    os.mkfifo(tmp_path / NAME)
    with pytest.raises(FormatError, match="is not a file"):
        Data(tmp_path).read(NAME)


# ------------------------------------------------------------------ the stored pages


@pytest.mark.parametrize("path", stored().values(), ids=stored())
def test_a_number_that_is_not_printed_has_no_status(path):
    cells = read_results(path).cells
    assert cells
    assert {c.status for c in cells if c.printed is None and c.ours is not None} <= {None}
    assert all(c.status is not None for c in cells if c.printed is not None)


def test_one_item_of_a_page_can_be_run_again(tmp_path):
    """The others stay as they were, in their order."""
    before = read_results(stored()["004"])
    again = _merged(before, reproduce("004", "Fig2", data=tmp_path).results())
    assert [(c.item, c.row, c.column) for c in again.cells] == [(c.item, c.row, c.column) for c in before.cells]
    assert [i.name for i in again.reproduction.items] == [i.name for i in before.reproduction.items]
    assert [e.item for e in again.reproduction.errata] == [e.item for e in before.reproduction.errata]
    assert again.reproduction.matched
