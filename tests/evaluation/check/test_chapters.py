"""Lists of chapters checked without a reference."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

import caesura
from caesura.cli import cli
from caesura.errors import ComparabilityError, OutputExistsError
from caesura.evaluation.check.chapters import RULES

GOOD = "0:00 Welcome\n1:00 News\n2:00 Goodbye\n"


def broken(tmp_path: Path, text: str, **options: object) -> dict[str, list[str]]:
    """Return the rules that a list breaks, each with its places."""
    file = tmp_path / "show.txt"
    file.write_text(text, encoding="utf-8")
    facts = caesura.check(file, format="youtube", **options).facts
    return {rule.name: [place.at for place in rule.worst] for rule in facts.rules if rule.count}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GOOD, {}),
        ("0:12 Welcome\n1:00 News\n2:00 Goodbye\n", {"starts at 0:00": ["0:12"]}),
        ("0:00 Welcome\n2:00 News\n1:00 Goodbye\n3:00 End", {"in order": ["1:00"]}),
        ("0:00 Welcome\n1:00 News\n1:00 Weather\n2:00 Goodbye\n", {"each at a time of its own": ["1:00"]}),
        ("0:00 Welcome\n1:00 News\n", {"at least three chapters": [""]}),
        ("0:00 Welcome\n1:00 News\n1:07 Goodbye\n", {"each lasts 10 s or more": ["1:00"]}),
        ("0:00 Welcome\n1:00 News\n2:00 news\n", {"no title twice": ["2:00"]}),
        ("0:00 Welcome\n1:00 Chapter 2\n2:00 3\n", {"titles say something": ["1:00", "2:00"]}),
        ("0:00 Welcome\n1:00\n2:00 Goodbye\n", {"each has a title": ["1:00"]}),
        ("", {"there is a chapter": [""]}),
        ("0:00 挨拶\n1:00 第二章\n2:00 さようなら\n", {}),
    ],
)
def test_each_rule(tmp_path: Path, text: str, expected: dict[str, list[str]]) -> None:
    assert broken(tmp_path, text) == expected


def test_a_length_shows_what_lies_behind_it(tmp_path: Path) -> None:
    assert broken(tmp_path, GOOD, duration="1:59") == {
        "inside the recording": ["2:00"],
        "at least three chapters": [""],
    }
    assert broken(tmp_path, GOOD, duration="2:05") == {"each lasts 10 s or more": ["2:00"]}


def test_platforms_ask_for_different_things(tmp_path: Path) -> None:
    text = "0:12 Welcome\n0:15 News\n"
    assert set(broken(tmp_path, text, asked="youtube")) == {
        "starts at 0:00",
        "at least three chapters",
        "each lasts 10 s or more",
    }
    assert set(broken(tmp_path, text, asked=["apple"])) == {"starts at 0:00", "at least three chapters"}
    assert broken(tmp_path, text, asked="Podcasting") == {}
    with pytest.raises(ComparabilityError, match="'youtub' has no rules here; did you mean youtube"):
        broken(tmp_path, text, asked="youtub")


def test_a_folder_counts_shows_and_mends_them(tmp_path: Path) -> None:
    lists = tmp_path / "auto"
    lists.mkdir()
    (lists / "a.txt").write_text(GOOD, encoding="utf-8")
    (lists / "b.txt").write_text("0:05 Welcome\n2:00 News\n1:00 Weather\n1:03 Sport\n3:00 Goodbye\n", encoding="utf-8")
    (lists / "c.txt").write_text("0:00 Welcome\n1:00 News\n", encoding="utf-8")
    run = CliRunner().invoke(
        cli, ["check", str(lists), "--fix", str(tmp_path / "mended"), "-o", str(tmp_path / "r.json")]
    )
    assert run.exit_code == 1, run.output
    assert run.output.startswith("1 of 3 lists can be published (10 chapters).")
    assert "After mending, 2 of 3 lists can be published." in " ".join(run.output.split())
    facts = caesura.read_results(tmp_path / "r.json").check
    assert facts is not None
    assert facts.broken["c"] == {"at least three chapters": 1}
    assert facts.mended == 2
    mended = json.loads((tmp_path / "mended" / "b.json").read_text(encoding="utf-8"))
    assert [(each["startTime"], each["title"]) for each in mended["chapters"]] == [(0, "Welcome"), (63, "Sport"), (120, "News"), (180, "Goodbye")]  # fmt: skip
    page = tmp_path / "page.html"
    CliRunner().invoke(cli, ["report", str(tmp_path / "r.json"), "-o", str(page)])
    assert "1 of 3 lists can be published" in page.read_text(encoding="utf-8")
    shown = CliRunner().invoke(cli, ["show", str(tmp_path / "r.json")])
    assert shown.output == run.output
    again = CliRunner().invoke(cli, ["check", str(tmp_path / "mended" / "b.json")])
    assert again.exit_code == 0, again.output
    refused = CliRunner().invoke(cli, ["check", str(lists), "--fix", str(tmp_path / "mended")])
    assert isinstance(refused.exception, OutputExistsError)


def test_mending_leaves_nothing_that_it_promises_to_mend(tmp_path: Path) -> None:
    promised = {rule.name for rule in RULES if rule.mend}
    rng = random.Random(3)
    for number in range(60):
        times = [rng.choice([0, 3, 9, 10, 30, 31, 45, 100, 400]) for _ in range(rng.randint(1, 7))]
        file = tmp_path / f"{number}.txt"
        file.write_text("".join(f"{at // 60}:{at % 60:02d} Title {chr(97 + place) * 3}\n" for place, at in enumerate(times)), encoding="utf-8")  # fmt: skip
        checked = caesura.check(file, format="youtube", duration=rng.choice([None, "0:40", "7:00"]))
        after = caesura.check(checked.mended())
        assert not promised & {rule.name for rule in after.facts.rules if rule.count}, times


def test_what_is_no_list_of_chapters_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": "a", "units": ["one", "two"], "boundaries": [1]}\n', encoding="utf-8")
    with pytest.raises(ComparabilityError, match="check reads lists of chapters"):
        caesura.check(file)
