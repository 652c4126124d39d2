# SPDX-License-Identifier: Apache-2.0
"""A small folder of every dataset in its original layout, written for the tests; the texts are made up."""

from __future__ import annotations

import json
import pickle
from typing import Any

NITE = 'xmlns:nite="http://nite.sourceforge.net/"'
HEAD = '<?xml version="1.0" encoding="ISO-8859-1"?>\n'


def _json(content: Any) -> bytes:
    return json.dumps(content).encode()


def _nxt(folders: tuple[str, str, str], segments: str) -> dict[str, bytes]:
    topics, spoken, words = folders
    word = "".join(f'<w nite:id="M.A.words{n}" starttime="{n}" endtime="{n}.5">w{n}</w>' for n in range(6))
    segment = "".join(
        f'<segment nite:id="M.A.s{n}" starttime="{2 * n}" endtime="{2 * n + 1}">'
        f'<nite:child href="M.A.words.xml#id(M.A.words{2 * n})..id(M.A.words{2 * n + 1})"/></segment>'
        for n in range(3)
    )
    topic = (
        '<topic nite:id="t1" description="one"><nite:child href="M.A.words.xml#id(M.A.words0)..id(M.A.words3)"/></topic>'
        f'<topic nite:id="t2" description="two"><nite:child href="M.A.{segments}.xml#id(M.A.s2)"/></topic>'
    )
    files = {f"{topics}/M.topic.xml": topic, f"{spoken}/M.A.{segments}.xml": segment, f"{words}/M.A.words.xml": word}
    return {name: f"{HEAD}<nite:root {NITE}>{body}</nite:root>".encode("latin-1") for name, body in files.items()}


_TURNS = [("user", "hello"), ("agent", "hi there"), ("user", "a hotel"), ("agent", "which one")]
_POOL = [(f"d{n}", f"topic {n % 3}", [f"one {n}", f"two {n}"]) for n in range(6)]

SAMPLES: dict[str, tuple[str, dict[str, bytes]]] = {
    "AMI": ("AMI", _nxt(("topics", "segments", "words"), "segments")),
    "BMAT": (
        "BMAT",
        {
            "BMAT-ATS.json": _json({"doc0": ["a.wav", "b.wav"]}),
            "BMAT_transcripts.json": _json({"a.wav": [{"word": "one"}], "b.wav": [{"word": "two"}, {"word": "three"}]}),
        },
    ),
    "Choi": ("Choi", {"1.ref": b"==========\none\ntwo\n==========\nthree\n==========\n"}),
    "Chroma": (
        "Chroma",
        {
            "questions_df.csv": b'question,references,corpus_id\nWhat?,"[{""start_index"": 0, ""end_index"": 4, ""content"": ""Some""}]",notes\n',
            "corpora/notes.md": b"Some words that answer it.\n",
        },
    ),
    "DailyDialog": (
        "DailyDialog(count=2)",
        {
            "dialogues_text.txt": "".join(f"{a} __eou__ {b} __eou__\n" for _, _, (a, b) in _POOL).encode(),
            "dialogues_topic.txt": "".join(f"{topic[-1]}\n" for _, topic, _ in _POOL).encode(),
        },
    ),
    "DialSeg711": (
        "DialSeg711",
        {"dialseg_711.json": _json([{"dial_id": 1, "utterances": list("abc"), "segments": [1, 2], "set": "test"}])},
    ),
    "HAPS": ("HAPS", {"ch1/ch1-an1.csv": b"par,level1,level2\r1,0,1\r2,0,0\r3,1,1"}),
    "HiCBench": ("HiCBench", {"docs/HiCBench/d.txt": b"# One\none\ntwo\n## Two\nthree\n"}),
    "ICSI": ("ICSI", _nxt(("Contributions/TopicSegmentation", "Segments", "Words"), "segs")),
    "ICSITimes": ("ICSITimes", {"Bed003.ref": b"38.911\tcut\n201.340\n2239.450\n"}),
    "Moonstone": (
        "Moonstone",
        {
            "segmentations/ch1.csv": b"paragraph,an1,an2\n1,1,1\n2,1,2\n3,2,2",
            "text/ch1.txt": b"One.\n\n\nTwo \xd1 2.\n\n\nThree.",
        },
    ),
    "MultiWOZ": (
        "MultiWOZ",
        {
            "test.json": _json(
                {
                    "D": {
                        "log": [
                            {"text": "a hotel", "dialog_act": {"Hotel-Inform": []}},
                            {"text": "a taxi", "dialog_act": {"Taxi-Inform": []}},
                        ]
                    }
                }
            )
        },
    ),
    "QMSum": (
        "QMSum",
        {
            "test/m.json": _json(
                {
                    "meeting_transcripts": [{"speaker": s, "content": t} for s, t in _TURNS],
                    "topic_list": [{"topic": "x", "relevant_text_span": [["0", "1"]]}],
                }
            )
        },
    ),
    "SBBC": ("SBBC", {"RadioNewsSentence/labs_dict.pkl": pickle.dumps({"24476": [0, 1, 0], "25175": [0, 0]})}),
    "SuperDialseg": (
        "SuperDialseg",
        {
            "superseg_test.jsonl": b"\n".join(
                _json({"id": key, "dialogue": "user: hello[NEWLINE]agent: hi[NEWLINE][BOUNDARY][NEWLINE]user: a hotel"})
                for key in ("s", "t")
            )
        },
    ),
    "Taskmaster": (
        "Taskmaster(count=1, dialogues=2)",
        {
            "data.json": _json(
                [
                    {"conversation_id": k, "vertical": v, "utterances": [{"speaker": "USER", "text": t} for t in texts]}
                    for k, v, texts in _POOL
                ]
            ),
            "train.tsv": b"<PR>call<C><U>a film<A>which one<U>that\t[A]fine\tdlg-1\n",
        },
    ),
    "TIAGE": ("TIAGE", {"anno_test.json": _json({"1": [["hello", "-1"], ["cats", "1"], ["dogs", "0"]]})}),
    "TinyRec": (
        "TinyRec",
        {
            "r.json": _json({"r": {"entries": [{"start": n, "end": n + 1, "doc": f"word {n}"} for n in range(4)]}}),
            "r_anno.json": _json(
                {"r": {"coarse": [[0, 1, "a"], [2, 3, "b"]], "fine": [[0, 0, "a"], [1, 1, "b"], [2, 3, "c"]]}}
            ),
        },
    ),
    "TopicalChat": (
        "TopicalChat(count=2)",
        {
            "test_freq.json": _json(
                {
                    k: {"article_url": v, "content": [{"message": t, "agent": "agent_1"} for t in texts]}
                    for k, v, texts in _POOL
                }
            )
        },
    ),
    "Wiki300": ("Wiki300", {"wiki_test_1.ref": b"==========\nTitle\none\n==========\ntwo\n==========\n"}),
    "Wiki727k": ("Wiki727k", {"123": b"========,1,preface.\none\n========,2,A.\n========,3,B, C.\ntwo\nthree\n"}),
    "WikiSection": (
        "WikiSection",
        {
            "wikisection_en_city_test.json": _json(
                [
                    {
                        "id": "a",
                        "text": "one\ntwo three",
                        "annotations": [
                            {"begin": 0, "length": 3, "sectionLabel": "x"},
                            {"begin": 4, "length": 9, "sectionLabel": "y"},
                        ],
                    }
                ]
            )
        },
    ),
    "YTSeg": ("YTSeg", {"yt_seg.test.json": _json([{"text": list("abc"), "targets": "|=010", "video_id": "v"}])}),
}
"""By dataset: the text that reads it, and its files."""
