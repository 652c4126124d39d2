# SPDX-License-Identifier: Apache-2.0
"""Datasets whose originals are not at hand, in the layout that their documentation describes; and choices, on small cases."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import pytest

import caesura as cz
from caesura.datasets import DATASETS
from caesura.errors import DeclarationError, FormatError
from tests.datasets.conftest import read

NITE = 'xmlns:nite="http://nite.sourceforge.net/"'
HEAD = '<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>\n'


def boundaries(corpus, key):
    return list(corpus[key].segmentation.boundaries)


def test_haps_has_old_mac_line_ends_and_levels(tmp_path: Path) -> None:
    rows = ["par,level1,level2,level3", "1,0,1,0", "2,1,1,0", "3,0,0,0", "4,0,1,0", "5,1,1,1"]
    for annotator in ("an1", "an2"):
        (tmp_path / f"ch1-{annotator}.csv").write_bytes("\r".join(rows).encode())
    corpus, _ = read("HAPS", tmp_path)
    assert {name: list(s.boundaries) for name, s in corpus["ch1"].annotations.items()} == {
        "an1": [1, 2, 4],
        "an2": [1, 2, 4],
    }
    top, _ = read("HAPS(level='1')", tmp_path)
    assert list(top["ch1"].annotations["an1"].boundaries) == [2]
    assert list(read("HAPS", tmp_path, level="3")[0]["ch1"].annotations["an1"].boundaries) == []


def test_icsi_times_are_starts(tmp_path: Path) -> None:
    (tmp_path / "Bed003.ref").write_text("38.911\tcut\n201.340\t\n2239.450\n")
    corpus, _ = read("ICSITimes", tmp_path)
    document = corpus["Bed003"]
    assert document.open_ended
    assert document.unit == "ms"
    assert boundaries(corpus, "Bed003") == [201_340, 2_239_450]
    assert boundaries(read("ICSITimes", tmp_path, before="own")[0], "Bed003") == [38_911, 201_340, 2_239_450]


def test_bmat_joins_the_words_of_pieces(tmp_path: Path) -> None:
    word = lambda text: {"word": text, "start_time": 0.0, "end_time": 0.5}  # noqa: E731
    (tmp_path / "BMAT-ATS.json").write_text(json.dumps({"doc0": ["b.wav", "a.wav", "c.wav", "a.wav"]}))
    words = {"a.wav": [word("one"), word("two")], "b.wav": [word("three")], "c.wav": []}
    (tmp_path / "BMAT_transcripts.json").write_text(json.dumps(words))
    corpus, said = read("BMAT", tmp_path)
    assert corpus["doc0"].units == ("three", "one", "two", "one", "two")
    assert boundaries(corpus, "doc0") == [1, 3]
    assert "1 piece without words" in said


def nxt(folder: Path) -> None:
    """Write a meeting of two people who talk at the same time where the topic changes."""
    for name in ("words", "segments", "topics"):
        (folder / name).mkdir()
    words = {
        "A": [("Hello", 0), ("there", 1), ("the", 20), ("budget", 21)],
        "B": [("yes", 2), ("ok", 20.5), ("caf\xe9", 22)],
    }
    for speaker, said in words.items():
        rows = "".join(
            f'<w nite:id="M.{speaker}.words{n}" starttime="{t}" endtime="{t + 1}">{w}</w>\n'
            for n, (w, t) in enumerate(said)
        )
        rows += f'<vocalsound nite:id="M.{speaker}.words{len(said)}" type="laugh"/>\n'
        text = f'{HEAD}<nite:root nite:id="M.{speaker}.words" {NITE}>\n{rows}</nite:root>'
        (folder / f"words/M.{speaker}.words.xml").write_bytes(text.encode("latin-1"))
    spoken = {"A": [(0, 0, 1), (20, 2, 3)], "B": [(2, 0, 0), (20.5, 1, 1), (22, 2, 3)]}
    for speaker, segments in spoken.items():
        rows = "".join(
            f'<segment nite:id="M.{speaker}.s{n}" transcriber_start="{t}" transcriber_end="{t + 1}">'
            f'<nite:child href="M.{speaker}.words.xml#id(M.{speaker}.words{a})..id(M.{speaker}.words{b})"/></segment>\n'
            for n, (t, a, b) in enumerate(segments)
        )
        text = f'{HEAD}<nite:root nite:id="M.{speaker}.segs" {NITE}>\n{rows}</nite:root>'
        (folder / f"segments/M.{speaker}.segments.xml").write_text(text)
    # B's "ok" at 20.5 still answers the first topic; the second has two parts.
    topics = f"""{HEAD}<nite:root nite:id="M.topic" {NITE}>
      <topic nite:id="t1" other_description="opening">
        <nite:child href="M.A.words.xml#id(M.A.words0)..id(M.A.words1)"/>
        <nite:child href="M.B.words.xml#id(M.B.words0)..id(M.B.words1)"/></topic>
      <topic nite:id="t2" other_description="money">
        <nite:child href="M.A.words.xml#id(M.A.words2)..id(M.A.words3)"/>
        <topic nite:id="t3" other_description="coffee"><nite:child href="M.B.words.xml#id(M.B.words2)"/></topic></topic>
    </nite:root>"""
    (folder / "topics/M.topic.xml").write_text(topics)


@pytest.mark.parametrize("name", ["AMI", "ICSI"])
def test_nxt_topics(tmp_path: Path, name: str) -> None:
    nxt(tmp_path)
    corpus, _ = read(name, tmp_path)
    document = corpus["M"]
    assert document.units == ("Hello there", "yes", "the budget", "ok", "café")
    assert document.speakers == ("A", "B", "A", "B", "B")
    assert boundaries(corpus, "M") == [2]
    assert document.extra["segment_titles"] == ["opening", "money"]
    assert boundaries(read(f"{name}(level='innermost')", tmp_path)[0], "M") == [2, 4]


def icsi(folder: Path) -> None:
    """Write a meeting as ICSI has it: numbers with a comma, segments of segments, and segments without a time or an end."""
    files = {
        "Words/Bmr003.C.words.xml": "".join(
            f'<w nite:id="Bmr003.w.{n}" starttime="{t}" endtime="{t}.5" c="W">{word}</w>'
            for n, t, word in [("1,380", 1, "so"), ("1,381", 2, "well"), ("1,382", 5, "money"), ("1,390", 9, "done")]
        )
        + '<vocalsound nite:id="Bmr003.vocalsound.7" description="laugh"/>',
        "Segments/Bmr003.C.segs.xml": """
          <segment nite:id="Bmr003.segment.1,379" starttime="1" endtime="3" participant="me011" type="supersegment">
            <segment nite:id="Bmr003.segment.1,380" starttime="1" endtime="2" participant="me011">
              <nite:child href="Bmr003.C.words.xml#id(Bmr003.w.1,380)"/></segment>
            <segment nite:id="Bmr003.segment.1,381" starttime="2" endtime="3" participant="me011">
              <nite:child href="Bmr003.C.words.xml#id(Bmr003.w.1,381)"/></segment></segment>
          <segment nite:id="Bmr003.segment.1,382" starttime="" endtime="" participant="me011">
            <nite:child href="Bmr003.C.words.xml#id(Bmr003.w.1,382)"/></segment>
          <segment nite:id="Bmr003.segment.1,385" participant="me011"/>
          <segment nite:id="Bmr003.segment.1,390" starttime="9" endtime="" participant="me011">
            <nite:child href="Bmr003.C.words.xml#id(Bmr003.w.1,390)..id(Bmr003.vocalsound.7)"/></segment>""",
        "Contributions/TopicSegmentation/Bmr003.topic.xml": """
          <topic nite:id="Bmr003.topic.1" description="opening">
            <nite:child href="Bmr003.C.segs.xml#id(Bmr003.segment.1,379)"/></topic>
          <topic nite:id="Bmr003.topic.2" description="money">
            <nite:child href="Bmr003.C.segs.xml#id(Bmr003.segment.1,382)..id(Bmr003.segment.1,385)"/>
            <topic nite:id="Bmr003.topic.3" description="end">
              <nite:child href="Bmr003.C.segs.xml#id(Bmr003.segment.1,390)"/></topic></topic>""",
    }
    for name, rows in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f'{HEAD}<nite:root nite:id="{Path(name).stem}" {NITE}>{rows}</nite:root>')


def test_icsi_has_segments_of_segments_and_segments_without_a_time(tmp_path: Path) -> None:
    icsi(tmp_path)
    corpus, _ = read("ICSI", tmp_path)
    document = corpus["Bmr003"]
    assert document.units == ("so", "well", "money", "done")
    assert document.speakers == ("me011",) * 4
    assert document.unit_times == ((1, 2), (2, 3), (5, 5.5), (9, 9.5))
    assert boundaries(corpus, "Bmr003") == [2]
    assert boundaries(read("ICSI(level='innermost')", tmp_path)[0], "Bmr003") == [2, 3]
    words = tmp_path / "Words/Bmr003.C.words.xml"
    words.write_text(words.read_text().replace('starttime="5"', ""))
    with pytest.raises(FormatError, match=r"segs\.xml.*1,382' has no time, and neither do its words"):
        read("ICSI", tmp_path)


def test_nxt_refuses_entities(tmp_path: Path) -> None:
    nxt(tmp_path)
    bomb = f'{HEAD}<!DOCTYPE x [<!ENTITY a "aaaa">]><nite:root {NITE}/>'
    (tmp_path / "topics/M.topic.xml").write_text(bomb)
    with pytest.raises(FormatError, match=r"M\.topic\.xml.*declares a document type"):
        read("AMI", tmp_path)


@pytest.mark.parametrize("targets", ["001000", "|=001000"])
def test_ytseg_marks_first_sentences(tmp_path: Path, targets: str) -> None:
    """The files have ``|=`` before the digits; the documentation shows them without it."""
    video = {"text": list("abcdef"), "targets": targets, "channel_id": "c", "video_id": "v"}
    (tmp_path / "yt_seg.test.json").write_text(json.dumps([video]))
    assert boundaries(read("YTSeg", tmp_path)[0], "v") == [2]
    assert boundaries(read("YTSeg(marks='last')", tmp_path)[0], "v") == [3]
    video["targets"] = "=|001000"
    (tmp_path / "yt_seg.test.json").write_text(json.dumps([video]))
    with pytest.raises(FormatError, match=r"yt_seg\.test\.json.*'v': targets must be one digit"):
        read("YTSeg", tmp_path)


def test_hicbench_levels(tmp_path: Path) -> None:
    splits = [["# A\none\n", 1], ["two\n\nthree\n", 2], ["# B\n", 1], ["four\n", 3]]
    (tmp_path / "HiCBench.json").write_text(json.dumps({"d": {"splits": splits}}))
    corpus, _ = read("HiCBench", tmp_path)
    assert corpus["d"].units == ("# A", "one", "two", "three", "# B", "four")
    assert boundaries(corpus, "d") == [2, 4, 5]
    assert [list(level.boundaries) for level in corpus["d"].hierarchy] == [[4], [2, 4], [2, 4, 5]]
    assert boundaries(read("HiCBench(level=1)", tmp_path)[0], "d") == [4]


def test_multiwoz_22_with_and_without_acts(tmp_path: Path) -> None:
    turns = [
        ("USER", "a hotel", [{"service": "hotel", "state": {"active_intent": "find_hotel"}}, {"service": "taxi"}]),
        ("SYSTEM", "which one?", [{"service": "hotel"}]),
        ("USER", "thanks", [{"service": "hotel", "state": {"active_intent": "NONE"}}]),
        ("SYSTEM", "a taxi?", []),
        ("USER", "a taxi", [{"service": "taxi", "state": {"active_intent": "book_taxi"}}]),
    ]
    listed = [{"turn_id": str(n), "speaker": s, "utterance": u, "frames": f} for n, (s, u, f) in enumerate(turns)]
    (tmp_path / "test").mkdir()
    (tmp_path / "test/dialogues_001.json").write_text(
        json.dumps([{"dialogue_id": "D.json", "services": [], "turns": listed}])
    )
    assert boundaries(read("MultiWOZ", tmp_path)[0], "D") == [4]
    acts = {"3": {"dialog_act": {"Taxi-Request": []}}, "0": {"dialog_act": {"Hotel-Inform": [], "general-greet": []}}}
    (tmp_path / "dialog_acts.json").write_text(json.dumps({"D.json": acts}))
    assert boundaries(read("MultiWOZ", tmp_path)[0], "D") == [3]


def test_multiwoz_domain_rule(tmp_path: Path) -> None:
    """The domain before stays while it is among the acts; bookings and general acts change nothing."""
    acts = [{"general-greet": []}, {"Hotel-Inform": []}, {"Train-Inform": [], "Hotel-Inform": []}, {"Booking-Book": []}]
    acts += ["No Annotation", {"Train-Inform": []}, {}]
    log = [{"text": f"turn {n}", "dialog_act": act} for n, act in enumerate(acts)]
    only = [{"text": "x", "dialog_act": {"Taxi-Inform": []}}, {"text": "y"}]
    (tmp_path / "test.json").write_text(json.dumps({"D": {"log": log}, "E": {"log": only}}))
    corpus, said = read("MultiWOZ", tmp_path)
    assert list(corpus.ids) == ["D"]
    assert boundaries(corpus, "D") == [5]
    assert "1 dialogue of one domain left out" in said
    assert list(read("MultiWOZ(keep='all')", tmp_path)[0].ids) == ["D", "E"]


def test_tadam_and_returning_segments(tmp_path: Path) -> None:
    (tmp_path / "en_dataset_reference_2.txt").write_text(
        "call_id_1\n0 hello\n0 hi\n1 a hotel\n\ncall_id_2\n0 one\n1 two\n"
    )
    corpus, _ = read("DialSeg711", tmp_path)
    assert boundaries(corpus, "call_id_1") == [2]
    assert boundaries(corpus, "call_id_2") == [1]


def test_qmsum_overlaps_gaps_and_blank_turns(tmp_path: Path) -> None:
    turns = [{"speaker": "A", "content": text} for text in ("a", "b", " ", "c", "d", "e")]
    topics = [
        {"topic": "x", "relevant_text_span": [["0", "1"]]},
        {"topic": "y", "relevant_text_span": [["1", "3"], ["5", "5"]]},
    ]
    (tmp_path / "m.json").write_text(json.dumps({"meeting_transcripts": turns, "topic_list": topics}))
    corpus, said = read("QMSum", tmp_path)
    assert "1 blank unit dropped" in said
    assert boundaries(corpus, "m") == [2, 3, 4]
    assert boundaries(read("QMSum", tmp_path, overlap="last")[0], "m") == [1, 3, 4]
    assert boundaries(read("QMSum", tmp_path, gaps="previous")[0], "m") == [2]
    with pytest.raises(FormatError, match="1 blank unit dropped"):
        read("QMSum", tmp_path, strict=True)


def test_labels_are_compared_by_identity_not_by_truth() -> None:
    from caesura.datasets.base import Tally, built

    labels = [0, False, None, "", "0", 0]
    document = built("d", "turn", list("abcdef"), labels, Tally())
    assert document.segmentation is not None
    assert list(document.segmentation.boundaries) == [1, 2, 3, 4, 5]


def test_every_parameter_is_in_the_recipe(tmp_path: Path) -> None:
    (tmp_path / "1.ref").write_text("=====\na\n=====\nb\n=====\n")
    corpus, _ = read("Wiki300(title='drop')", tmp_path)
    assert corpus["1"].extra["read_as"] == "Wiki300(title='drop')"
    assert read("Wiki300", tmp_path)[0]["1"].extra["read_as"] == "Wiki300(title='keep')"


@pytest.mark.parametrize("cls", list(DATASETS), ids=lambda cls: cls.name())
def test_cards_are_complete(cls) -> None:
    card = cls.card
    assert all(
        (card.title, card.citation, card.source, card.licence, card.unit, card.boundary, card.files, card.serves)
    )
    assert str(DATASETS.parse(str(cls()))) == str(cls())


def test_unknown_names_and_parameters() -> None:
    with pytest.raises(DeclarationError, match="did you mean QMSum"):
        read("QMSumm", Path())
    with pytest.raises(DeclarationError, match="must be one of 'first', 'last'"):
        read("QMSum(overlap='both')", Path())


def test_the_recipe_stands_in_every_signature(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(
        json.dumps(
            {
                "meeting_transcripts": [{"speaker": "A", "content": text} for text in "abcdef"],
                "topic_list": [{"topic": "x", "relevant_text_span": [["0", "2"]]}],
            }
        )
    )
    corpus, _ = read("QMSum(overlap='last')", tmp_path)
    recipe = "data:QMSum(split='test',overlap='last',gaps='own')"
    measured = cz.evaluate(corpus, {"all": corpus}, ["Pk"])
    assert f"|{recipe}|" in measured.signature("Pk")
    assert f"|{recipe}|" in measured.signature("Pk", short=True)
    assert "unit:turn" in measured.signature("Pk")
    cz.save(corpus, tmp_path / "gold.jsonl")
    again = cz.evaluate(tmp_path / "gold.jsonl", {"all": tmp_path / "gold.jsonl"}, ["Pk"])
    assert again.signature("Pk") == measured.signature("Pk")


def test_topics_of_ami_are_named_by_their_kind(tmp_path: Path) -> None:
    """A topic that has no words of its own points to a list of kinds; its description comes first where it has one."""
    nxt(tmp_path)
    kinds = f'<topicnames {NITE}><topicname nite:id="top.4" name="opening of the meeting"/></topicnames>'
    (tmp_path / "ontologies").mkdir()
    (tmp_path / "ontologies/default-topics.xml").write_text(HEAD + kinds)
    file = tmp_path / "topics/M.topic.xml"
    pointed = '><nite:pointer role="scenario_topic_type" href="default-topics.xml#id(top.4)"/>'
    file.write_text(file.read_text().replace(' other_description="opening">', pointed))
    assert pointed in file.read_text()
    assert read("AMI", tmp_path)[0]["M"].extra["segment_titles"] == ["opening of the meeting", "money"]
    (tmp_path / "ontologies/default-topics.xml").unlink()
    assert read("AMI", tmp_path)[0]["M"].extra["segment_titles"] == ["", "money"]


def test_ytseg_has_three_transcripts(tmp_path: Path) -> None:
    video = {
        "video_id": "v",
        "text_ref": list("abcd"),
        "target_binary_ref": "0100",
        "text_wt": list("abc"),
        "target_binary_wt": "001",
    }
    (tmp_path / "yt_seg.test.json").write_text(json.dumps([video]))
    assert boundaries(read("YTSeg", tmp_path)[0], "v") == [1]
    assert boundaries(read("YTSeg(transcript='small')", tmp_path)[0], "v") == [2]
    with pytest.raises(FormatError, match="video 'v' has no text and targets of the large transcript"):
        read("YTSeg(transcript='large')", tmp_path)


def test_headings_of_hicbench_are_its_chunks(tmp_path: Path) -> None:
    """As many signs as the level; what stands before the first heading is a chunk of the coarsest."""
    (tmp_path / "d.txt").write_text("before\n# A\none\n## B\ntwo\n\nthree\n# C\nfour #5\n")
    corpus, _ = read("HiCBench", tmp_path)
    assert corpus["d"].units == ("before", "# A", "one", "## B", "two", "three", "# C", "four #5")
    assert boundaries(corpus, "d") == [1, 3, 6]
    assert [list(level.boundaries) for level in corpus["d"].hierarchy] == [[1, 6], [1, 3, 6]]
    assert boundaries(read("HiCBench(level=1)", tmp_path)[0], "d") == [1, 6]
    (tmp_path / "d.txt").write_text("no heading\n")
    with pytest.raises(FormatError, match=r"d\.txt.*no line that begins with '#'"):
        read("HiCBench", tmp_path)


def test_sbbc_labels_and_parts(tmp_path: Path) -> None:
    """A 1 ends a topic, and the last sentence of a show ends nothing; the parts name the files of vectors."""
    folder = tmp_path / "RadioNewsSentence"
    folder.mkdir()
    (folder / "labs_dict.pkl").write_bytes(pickle.dumps({"1": [0, 1, 0, 1, 0, 1], "2": [False, True], "3": []}))
    corpus, said = read("SBBC", tmp_path)
    assert (list(corpus.ids), boundaries(corpus, "1"), boundaries(corpus, "2")) == (["1", "2"], [2, 4], [])
    assert (corpus["1"].n_units, corpus["1"].units) == (6, None)
    assert "without sentences left out: 3" in said
    with pytest.raises(FormatError, match=r"needs RadioNews_split\.json"):
        read("SBBC(split='test')", tmp_path)
    (tmp_path / "RadioNews_split.json").write_text(json.dumps({"train": ["1.npy"], "test": ["2.npy"]}))
    assert list(read("SBBC(split='test')", tmp_path)[0].ids) == ["2"]


class Harmful:
    """A pickle of it would make a folder when it is read."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.place),)


def test_a_pickle_runs_nothing(tmp_path: Path) -> None:
    file = tmp_path / "labs_dict.pkl"
    file.write_bytes(pickle.dumps({"1": Harmful(tmp_path / "made")}))
    with pytest.raises(FormatError, match=r"labs_dict\.pkl.*only plain values are read"):
        read("SBBC", tmp_path)
    assert not (tmp_path / "made").exists()
    for wrong in ([1], {"1": [2]}, {"1": "01"}, {1: [0]}):
        file.write_bytes(pickle.dumps(wrong))
        with pytest.raises(FormatError, match="is not a dict from show"):
            read("SBBC", tmp_path)
