"""What the project says of itself to contributors and readers of papers is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from caesura._version import __version__
from caesura.formats import FORMATS

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ("ghinassi2024", "bouchekif2017", "lucas2023", "coen2025", "kazantseva2012")


def test_the_papers_are_cited_as_in_the_references() -> None:
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert citation["license"] == "Apache-2.0"
    bibliography = (ROOT / "src/caesura/metrics/references.bib").read_text(encoding="utf-8")
    for key, paper in zip(PAPERS, citation["references"], strict=True):
        entry = re.search(rf"^@\w+{{{key},\n(.*?)^}}$", bibliography, flags=re.DOTALL | re.MULTILINE)
        assert entry is not None, key
        fields = dict(
            re.findall(r"^  (\w+) = {(.*)},?$", re.sub(r"{\\(['`\"])(\w)}", r"\2", entry[1]), flags=re.MULTILINE)
        )
        plain = {name: value.replace("{", "").replace("}", "") for name, value in fields.items()}
        authors = " and ".join(f"{each['family-names']}, {each['given-names']}" for each in paper["authors"])
        assert (paper["title"], str(paper["year"])) == (plain["title"], plain["year"])
        assert authors.replace("é", "e").replace("è", "e") == plain["author"]
        assert paper.get("collection-title") == plain.get("booktitle")


def test_formats_that_are_offered_to_newcomers_are_not_read_yet() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    offered = re.findall(
        r"`(\.\w+)`|in `(\.\w+)`", text.partition("Formats that are not read yet")[2].partition("\n- ")[0]
    )
    suffixes = {first or second for first, second in offered}
    assert len(suffixes) > 3
    assert suffixes.isdisjoint(suffix for each in FORMATS for suffix in each.suffixes)


@pytest.mark.parametrize("path", sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.stem)
def test_a_template_is_a_form(path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.stem == "config":
        assert form == {"blank_issues_enabled": False}
    else:
        assert set(form) <= {"name", "description", "labels", "body"}
        assert all(each["attributes"]["label"] for each in form["body"])
        assert any(each["validations"]["required"] for each in form["body"] if "validations" in each)


def test_the_action_is_one_that_forges_accept() -> None:
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert action["runs"]["using"] == "composite"
    assert all(step["shell"] == "bash" and step["run"] for step in action["runs"]["steps"])
    assert {name for name, each in action["inputs"].items() if each.get("required")} == {"gate"}
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/ci.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    github, gitlab = map(yaml.safe_load, blocks)
    (step,) = [each for each in github["jobs"]["segmentation"]["steps"] if "caesura" in each.get("uses", "")]
    assert set(step["with"]) <= set(action["inputs"])
    assert gitlab["segmentation"]["artifacts"]["when"] == "always"
    assert all(len(block.splitlines()) <= 16 for block in blocks)
