"""``bench --spans`` scores the chunks that real chunkers make: the same numbers as a count by hand, and as ``caesura spans``."""

from __future__ import annotations

import importlib.util
import itertools
import json
import random
import sys

import pytest

from caesura.datasets.bundled import bundled
from caesura.formats import load
from caesura.units.text import text_of

SIZE, OVERLAP = 700, 150
FIXED = """
def fixed(text, size):
    return [text[start:start + size] for start in range(0, len(text), size)]

def pairs(text, size):
    return [(start, min(start + size, len(text))) for start in range(0, len(text), size)]
"""
RNG = random.Random(4)


def _fixed(text):
    return [(start, min(start + SIZE, len(text))) for start in range(0, len(text), SIZE)]


def _langchain(text):
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    made = RecursiveCharacterTextSplitter(chunk_size=SIZE, chunk_overlap=OVERLAP, add_start_index=True)
    return [
        (one.metadata["start_index"], one.metadata["start_index"] + len(one.page_content))
        for one in made.create_documents([text])
    ]


def _llama_index(text):
    from llama_index.core import Document
    from llama_index.core.node_parser import SentenceSplitter

    nodes = SentenceSplitter(chunk_size=128, chunk_overlap=60).get_nodes_from_documents([Document(text=text)])
    return [(node.start_char_idx, node.end_char_idx) for node in nodes]


def _chonkie(text):
    from chonkie import SentenceChunker

    made = SentenceChunker(chunk_size=SIZE, chunk_overlap=OVERLAP).chunk(text)
    return [(one.start_index, one.end_index) for one in made]


def _semchunk(text):
    import semchunk

    made = semchunk.chunkerify(lambda words: len(words.split()), 120)
    return made(text, offsets=True, overlap=0.25)[1]


CHUNKERS = {
    f"own_chunker:fixed(input='text', size={SIZE})": ("json", _fixed),
    f"own_chunker:pairs(input='text', size={SIZE})": ("json", _fixed),
    f"langchain:RecursiveCharacterTextSplitter(chunk_size={SIZE}, chunk_overlap={OVERLAP})": (
        "langchain_text_splitters",
        _langchain,
    ),
    "llama_index:SentenceSplitter(chunk_size=128, chunk_overlap=60)": ("llama_index", _llama_index),
    f"chonkie:SentenceChunker(chunk_size={SIZE}, chunk_overlap={OVERLAP})": ("chonkie", _chonkie),
    "semchunk:chunkerify(chunk_size=120, overlap=0.25)": ("semchunk", _semchunk),
}
MEASURED = ("Inside", "Chunks", "PaddingCharacters", "Lost")


def _installed():
    return {
        text: by_hand for text, (module, by_hand) in CHUNKERS.items() if importlib.util.find_spec(module) is not None
    }


def _count(text, span, chunks):
    """Return inside, fewest chunks, padding and lost share of one span, by trying every set of chunks that touch it."""

    def filled(start, end):
        return {place for place in range(start, end) if not text[place].isspace()}

    wanted = filled(*span)
    near = [(start, end) for start, end in chunks if filled(start, end) & wanted]
    held = set().union(*(filled(*chunk) for chunk in near)) & wanted
    lost = 1 - len(held) / len(wanted)
    for number in range(1, len(near) + 1):
        ways = [
            len(filled(min(start for start, _ in way), max(end for _, end in way)) - wanted)
            for way in itertools.combinations(near, number)
            if held <= set().union(*(filled(*chunk) for chunk in way))
        ]
        if ways:
            return number == 1 and not lost, number, min(ways), lost
    raise AssertionError("no chunk touches the span")


def _answers(texts):
    """Return stretches of words of each text, 60 to 400 characters long, as offsets."""
    answers = {}
    for name, text in texts.items():
        words = [place for place in range(1, len(text)) if text[place - 1].isspace() and text[place].isalpha()]
        rows = []
        for _ in range(6):
            start = RNG.choice(words[:-80])
            end = text.rindex(" ", start, start + RNG.randint(60, 400))
            rows.append([start, end])
        answers[name] = rows
    return answers


@pytest.fixture(params=["units", "text"])
def case(request, write, tmp_path, monkeypatch):
    """Return documents as units, or as whole texts with paragraphs, with their texts, answers, and a file of either."""
    chapters = list(bundled("moonstone"))[:3]
    if request.param == "units":
        lines = [{"id": each.id, "units": each.units} for each in chapters]
        documents = write("docs.jsonl", *lines)
    else:
        lines = [{"id": each.id, "text": "\n\n".join(each.units)} for each in chapters]
        documents = f"{write('docs.jsonl', *lines)}::text(by='paragraph')"
    texts = {each.id: text_of(each).text for each in load(documents)}
    assert all(("\n\n" in text) == (request.param == "text") for text in texts.values())
    answers = _answers(texts)
    file = write("answers.jsonl", *({"id": name, "spans": rows} for name, rows in answers.items()))
    (tmp_path / "own_chunker.py").write_text(FIXED)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_chunker", raising=False)
    return documents, file, texts, answers


def test_bench_spans_and_a_count_by_hand_agree(run, case, tmp_path):
    """On chunks that overlap, cut words, or are cut with other settings than ours; with units and with paragraphs."""
    documents, answers, texts, placed = case
    chunkers = _installed()
    methods = [word for text in chunkers for word in ("--method", text)]
    target, folder, again = tmp_path / "r.json", tmp_path / "systems", tmp_path / "s.json"
    code, _, err = run(
        "bench", documents, *methods, "--spans", answers, "--systems", folder, "--resamples", 2, "-o", target
    )
    assert (code, err) == (0, "")  # nothing was moved, so nothing is told
    results = json.loads(target.read_text())
    scores = dict(zip(chunkers, list(results["systems"].values()), strict=False))
    files = [path for text in chunkers for path in folder.iterdir() if _same(path.stem, text)]
    assert len(files) == len(chunkers)
    run("spans", documents, answers, *files, "--resamples", 2, "-o", again)
    read = dict(zip(chunkers, json.loads(again.read_text())["systems"].values(), strict=False))  # clocks follow
    for text, by_hand in chunkers.items():
        rows = [_count(texts[name], span, by_hand(texts[name])) for name, spans in placed.items() for span in spans]
        means = [sum(values) / len(rows) for values in zip(*rows, strict=True)]
        for measure, mean in zip(MEASURED, means, strict=True):
            assert scores[text][measure]["score"] == pytest.approx(mean, abs=1e-12), (text, measure)
        for measure, score in scores[text].items():
            assert read[text][measure]["score"] == score["score"], (text, measure)
        chunker = results["spans"]["chunkers"][list(results["systems"])[list(chunkers).index(text)]]
        assert chunker["chunks"] == sum(len(by_hand(own)) for own in texts.values())
    if importlib.util.find_spec("langchain_text_splitters") is not None:
        assert results["costs"]["langchain:RecursiveCharacterTextSplitter"]["moved_mean"] is None


def _same(stem, text):
    return [*filter(str.isalnum, stem)] == [*filter(str.isalnum, text)]


def test_a_chunker_that_cuts_words_does_not_win_by_being_moved(run, write, tmp_path, monkeypatch):
    """Every chunk of 40 characters ends inside a sentence; the sentences themselves are the answers."""
    units = [f"This is sentence {number:02}, which is read whole." for number in range(30)]
    documents = write("docs.jsonl", {"id": "d", "units": units})
    answers = write("answers.jsonl", {"id": "d", "spans": units})
    (tmp_path / "own_chunker.py").write_text(FIXED)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_chunker", raising=False)
    target = tmp_path / "r.json"
    methods = ("--method", "own_chunker:fixed(input='text', size=40)", "--method", "all")
    assert run("bench", documents, *methods, "--spans", answers, "-o", target).code == 0
    results = json.loads(target.read_text())
    fixed, whole = (results["systems"][name]["Inside"]["score"] for name in list(results["systems"])[:2])
    assert (fixed, whole) == (0, 1)
    assert results["costs"]["all"]["per_100"] == pytest.approx(100 * 29 / 30)


@pytest.mark.filterwarnings("ignore:own_chunker")
def test_a_reference_asks_for_units_and_the_table_says_how_far_cuts_moved(run, write, tmp_path, monkeypatch):
    """The chunks start at characters 0, 30, 60, 90 and 120; the units at 0, 25, 50, 75 and 100; the text ends at 124."""
    units = ["abcde fghij klmno pqrst u."[:24]] * 5
    documents = write("docs.jsonl", {"id": "d", "units": units, "boundaries": [1, 3]})
    (tmp_path / "own_chunker.py").write_text(FIXED)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_chunker", raising=False)
    target, folder = tmp_path / "r.json", tmp_path / "systems"
    method = "own_chunker:pairs(input='text', size=30)"
    call = ("bench", documents, "--method", method, "--method", "all", "--gold", "-m", "Pk")
    code, out, _ = run(*call, "--systems", folder, "-o", target)
    assert code == 0
    cost = next(iter(json.loads(target.read_text())["costs"].values()))
    # 30 -> 25, 60 -> 50, 90 -> 100; 120 is nearer to the end of the text than to any gap, and dropped
    assert (cost["moved_mean"], cost["moved_most"]) == (pytest.approx((5 + 10 + 10) / 3), 10)
    line = next(line for line in out.splitlines() if "nearest gap between units" in line)
    assert line.startswith("cuts were moved to the nearest gap between units, in characters: own_chunker:pairs")
    assert line.endswith("8.3 on average and 10 at most")
    table = run("show", target, "--full").out.partition("\nCost\n")[2]
    assert "moved  moved at most" in table
    made = json.loads(next(folder.glob("own*")).read_text())
    assert made["chunk_spans"] == [[0, 30], [30, 60], [60, 90], [90, 120], [120, 124]]
    assert made["boundaries"] == [1, 2, 4]


def test_a_program_that_writes_chunks_is_scored_by_them(run, write, tmp_path):
    """Its texts, and its offsets alone."""
    units = ["One two three.", "Four five six.", "Seven eight nine."]
    documents = write("docs.jsonl", {"id": "d", "units": units})
    answers = write("answers.jsonl", {"id": "d", "spans": ["five", "six. Seven", "three. Four"]})
    texts = write("texts.py", "import json; print(json.dumps({'id': 'd', 'chunks': "
                  "['One two three. Four fi', 'ive six. Seven eight nine.', 'nine.']}))")  # fmt: skip
    offsets = write("offsets.py", "import json; print(json.dumps({'id': 'd', 'chunks': "
                    "[{'start': 0, 'end': 22}, {'start': 21, 'end': 47}, {'start': 42, 'end': 47}]}))")  # fmt: skip
    target = tmp_path / "r.json"
    methods = [word for file in (texts, offsets) for word in ("--method", f"command:{sys.executable} {file}")]
    code, _, err = run("bench", documents, *methods, "--spans", answers, "-o", target)
    assert (code, err) == (0, "")
    results = json.loads(target.read_text())
    for system in list(results["systems"])[:2]:
        assert results["systems"][system]["Inside"]["score"] == pytest.approx(2 / 3)
        assert results["spans"]["chunkers"][system]["chunks"] == 3


def test_shards_keep_the_chunks(run, write, tmp_path, monkeypatch):
    """Worked on in shards, kept, and read again: the same numbers."""
    units = [f"This is sentence {number:02}, which is read whole." for number in range(30)]
    documents = write("docs.jsonl", *({"id": name, "units": units} for name in ("d", "e")))
    answers = write("answers.jsonl", {"id": "d", "spans": units[::3]}, {"id": "e", "spans": units[::4]})
    (tmp_path / "own_chunker.py").write_text(FIXED)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_chunker", raising=False)
    call = ("bench", documents, "--method", "own_chunker:fixed(input='text', size=100)", "--spans", answers)
    shards = ("--engine", "local", "--shards", tmp_path / "shards")
    found = []
    for number, extra in enumerate(((), shards, shards)):
        target = tmp_path / f"r{number}.json"
        assert run(*call, *extra, "-o", target).code == 0
        found.append(json.loads(target.read_text())["systems"])
    assert found[0] == found[1] == found[2]
