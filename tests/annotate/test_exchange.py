"""In and out: projects are written for other tools and read again, and what people coded elsewhere is adjudicated here."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from caesura.annotate import Project
from caesura.annotate.checking import Sent, checked
from caesura.annotate.lead import Overview
from caesura.annotations import LEAD
from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats import load, save
from caesura.segmentation import Segmentation

SAMPLES = Path(__file__).parent.parent / "formats" / "samples"
ANNOTATION = SAMPLES / "annotation"


@pytest.fixture
def worked(tmp_path):
    """Make a project of two levels, in which two people have titles, a comment and a doubt."""
    turns = Document(
        id="call 1",
        n_units=6,
        unit="turn",
        units=("Hi.", " Yes 😀 ", "So", "Two\nlines", "And", "Bye"),
        speakers=tuple("ABABAB"),
    )
    save(Corpus([turns]), tmp_path / "docs.jsonl")
    with Project(tmp_path / "project", create=True, options={"levels": 2}) as project:
        project.add_documents(tmp_path / "docs.jsonl")
        project.add_people(["anna@example.org", "7"])
        project.assign()
        for person, marks in (("anna@example.org", {2: 1, 4: 2}), ("7", {3: 2})):
            sent = [("mark", {"gap": gap, "level": level}) for gap, level in marks.items()]
            if person != "7":
                sent += [
                    ("title", {"gap": 0, "text": "Opening"}),
                    ("title", {"gap": 4, "text": "<b>Close</b>"}),
                    ("comment", {"gap": 3, "text": "or here?"}),
                    ("unsure", {"gap": 2, "on": True}),
                    ("time", {"seconds": 12.5}),
                ]
            sent.append(("finish", {}))
            for k, (kind, payload) in enumerate(sent, start=1):
                project.record(checked(project.state, person, f"page {person}", Sent(k, kind, payload, 0)))
        yield project


CODED = {"anna@example.org": (2, 4), "7": (3,)}
UPPER = {"anna@example.org": (4,), "7": (3,)}


def coded(document):
    return {name: each.boundaries for name, each in document.annotations.items()}


def test_everything_of_a_project_is_in_its_jsonl_and_comes_back_into_another(worked, run, tmp_path):
    code, _, err = run("convert", worked.folder, tmp_path / "out.jsonl")
    assert code == 0, err
    (document,) = load(tmp_path / "out.jsonl")
    assert coded(document) == CODED
    assert document.extra["annotator_major"] == {name: list(gaps) for name, gaps in UPPER.items()}
    assert document.extra["annotator_titles"] == {"anna@example.org": {"0": "Opening", "4": "<b>Close</b>"}}
    assert document.extra["annotator_comments"] == {"anna@example.org": {"3": "or here?"}}
    assert document.extra["annotator_unsure"] == {"anna@example.org": [2]}
    assert document.extra["annotator_seconds"] == {"anna@example.org": 12.5}
    with Project(tmp_path / "again", create=True, options={"levels": 2}) as other:
        assert other.add_documents(tmp_path / "out.jsonl") == (1, 2)
    (again,) = load(tmp_path / "again")
    for key in ("annotator_major", "annotator_titles", "annotator_comments", "annotator_unsure"):
        assert again.extra[key] == document.extra[key], key
    (upper,) = load(tmp_path / "again", "annotation_project(level=2)")
    assert (coded(upper), "annotator_major" in upper.extra) == (UPPER, False)


@pytest.mark.filterwarnings("always:.*cannot hold")
def test_a_project_goes_to_label_studio_and_back(worked, run, tmp_path):
    path = tmp_path / "out.json"
    code, _, err = run("convert", worked.folder, path, "--to", "label_studio")
    assert (code, "label_studio cannot hold extra" in err) == (0, True), err  # the comment and the doubt
    (task,) = json.loads(path.read_text())
    assert task["data"]["dialogue"][1] == {"author": "B", "text": " Yes 😀 "}
    assert [each["completed_by"] for each in task["annotations"]] == [{"email": "anna@example.org"}, 7]
    regions = task["annotations"][0]["result"]
    assert [(each["type"], each["id"]) for each in regions] == [
        ("paragraphlabels", "s0"), ("textarea", "s0"), ("paragraphlabels", "s2"), ("paragraphlabels", "s4"), ("textarea", "s4"),
    ]  # fmt: skip
    assert regions[0]["value"] == {
        "start": "0", "end": "1", "startOffset": 0, "endOffset": 8, "text": "Hi.\n Yes 😀 ", "paragraphlabels": ["Major"],
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (back,) = load(path)
        (upper,) = load(path, "label_studio(label='Major', holes='previous', marks='segments')")
    (there,) = load(worked.folder)
    assert (back.id, back.units, back.speakers, back.unit) == (there.id, there.units, there.speakers, there.unit)
    assert (coded(back), coded(upper)) == (CODED, UPPER)
    for key in ("annotator_titles", "annotator_seconds", "annotated_at"):
        assert back.extra[key] == there.extra[key], key


def test_what_label_studio_cannot_hold_is_said(tmp_path):
    path = tmp_path / "out.json"
    with pytest.raises(FormatError, match="document 'd' has no text; Label Studio shows nothing else"):
        save(Corpus([Document(id="d", n_units=3)]), path, "label_studio")
    empty = Document(id="d", n_units=3, units=("a", "", "b"), annotations={"x": Segmentation(3, (1, 2))})
    with pytest.raises(FormatError, match=r"a segment of 'x' has no text \(unit 2\); Label Studio cannot mark it"):
        save(Corpus([empty]), path, "label_studio")
    beside = Document(
        id="d", n_units=2, units=("a", "b"), segmentation=Segmentation(2, (1,)), annotations={"x": Segmentation(2)}
    )
    with pytest.warns(CaesuraWarning, match="cannot hold the segmentation beside annotations"):
        save(Corpus([beside]), path, "label_studio")


@pytest.mark.filterwarnings("ignore:.*cannot hold")
@pytest.mark.parametrize("chosen", ["segeval", "jsonl", "label_studio"])
def test_formats_of_several_annotators_take_a_project(worked, run, tmp_path, chosen):
    path = tmp_path / ("out.jsonl" if chosen == "jsonl" else "out.json")
    code, _, err = run("convert", worked.folder, path, "--to", chosen)
    assert code == 0, err
    (document,) = load(path)
    assert coded(document) == CODED


def sheet(folder):
    """Write a sheet with a row per unit and annotator, as a spreadsheet exports it."""
    rows = [
        f"hike,{unit},{who},Step {unit}.,{1 + sum(unit > gap for gap in gaps)}"
        for who, gaps in (("ann", (3, 6)), ("ben", (4, 6)))
        for unit in range(1, 9)
    ]
    path = folder / "sheet.csv"
    path.write_text("\n".join(["document,unit,annotator,text,segment", *rows]) + "\n")
    return path


def elan(folder):
    """Write the recording of the samples with a second tier, whose second topic begins ten seconds later."""
    text = (SAMPLES / "meeting.eaf").read_text(encoding="utf-8")
    tier = text[text.index("    <TIER") : text.index("</TIER>") + len("</TIER>\n")]
    other = tier.replace('"Topics"', '"ben"').replace("ts2", "ts9").replace("ts3", "ts9")
    other = other.replace('ANNOTATION_ID="a', 'ANNOTATION_ID="b')
    text = text.replace("    </TIME_ORDER>", '<TIME_SLOT TIME_SLOT_ID="ts9" TIME_VALUE="55000"/></TIME_ORDER>')
    path = folder / "meeting.eaf"
    path.write_text(text.replace(tier, tier + other), encoding="utf-8")
    return f"{path}::elan(tiers='Topics+ben')"


TALK = Document(
    id="meeting",
    n_units=18,
    unit="turn",
    units=tuple(f"Ten seconds from {k}" for k in range(0, 180, 10)),
    unit_times=tuple((10.0 * k, 10.0 * k + 9) for k in range(18)),
)
ELSEWHERE = {
    "label_studio": (lambda _: ANNOTATION / "label_studio.json", {"7": {"anna@example.org": (2,), "2": (3,)}}, 2),
    "dialogue": (lambda _: ANNOTATION / "label_studio_dialogue.json", {"12": {"1": (2, 4), "2": (4,)}}, 2),
    "doccano": (lambda _: ANNOTATION / "doccano", {"1": {"anna": (2,), "ben": (2, 3)}, "2": {"anna": ()}}, 3),
    "inception": (
        lambda _: ANNOTATION / "inception",
        {"tale.txt": {"anna": (2,), "ben": (1, 2)}, "walk.txt": {"ben": ()}},
        1,
    ),
    "elan": (elan, {"meeting": {"Topics": (5, 10), "ben": (6, 10)}}, 6),  # 45 s is as near to 40 as to 50: the later
    "sheet": (sheet, {"hike": {"ann": (3, 6), "ben": (4, 6)}}, 3),
}
"""What the samples of each tool hold, and a gap of the first document that one of two people marked."""


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@pytest.mark.parametrize("tool", ELSEWHERE)
def test_what_was_coded_elsewhere_is_imported_and_adjudicated(tool, run, tmp_path):
    made, codings, gap = ELSEWHERE[tool]
    folder, source = tmp_path / "project", made(tmp_path)
    if tool == "elan":
        code, _, err = run("annotate", folder, "--add", source, "--people", "lea", "--no-serve")
        assert (code, "add its transcript first" in err) == (2, True)
        save(Corpus([TALK]), tmp_path / "talk.jsonl")
        assert run("annotate", folder, "--add", tmp_path / "talk.jsonl", "--people", "lea", "--no-serve").code == 0
    for _ in range(2):  # again changes nothing
        code, _, err = run("annotate", folder, "--add", source, "--no-serve")
        assert code == 0, err
        assert {document.id: coded(document) for document in load(folder)} == codings
    key = next(iter(codings))
    with Project(folder) as project:
        (place,) = Overview(project).places(key)["places"]
        gaps = [vote["gap"] for vote in place["votes"]]
        assert gap in gaps
        sent = Sent(1, "decision", {"gaps": gaps, "gap": gap, "reason": "heard again"}, document=key)
        project.record(checked(project.state, LEAD, "lead-page", sent))
    assert run("agree", folder, "--gold", tmp_path / "gold.jsonl").code == 0
    gold = load(tmp_path / "gold.jsonl")[key]
    assert gap in gold.segmentation.boundaries
    (decided,) = [each for each in gold.extra["made_by"]["gold"]["boundaries"] if each["by"] == "decision"]
    assert (decided["gap"], decided["reason"]) == (gap, "heard again")


def test_documents_of_another_unit_are_refused(project, run, tmp_path):
    other = Document(id="x", n_units=2, unit="sentence", units=("a", "b"))
    turns = Document(id="y", n_units=2, unit="turn", units=("a", "b"))
    for document, code in ((other, 0), (turns, 2)):
        save(Corpus([document]), tmp_path / f"{document.id}.jsonl")
        outcome = run("annotate", project.folder, "--add", tmp_path / f"{document.id}.jsonl", "--no-serve")
        assert outcome.code == code, outcome.err
    assert "document 'y' counts 'turn', but earlier ones count 'sentence'; start another project" in outcome.err
    assert outcome.err.count("\n") == 1
    with Project(project.folder) as again:
        assert list(again.documents()) == ["m1", "m2", "m3", "x"]
