# SPDX-License-Identifier: Apache-2.0
"""Chunks checked without answers or a reference."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

import caesura
from caesura.cli import cli
from caesura.errors import CaesuraError, ComparabilityError

ONE = "One sentence has ten words and a full stop here."
TWO = "Another sentence has ten words and a full stop too."
PLAIN = f"{ONE} {TWO}"
MARKDOWN = f"# Title\n\n{ONE}\n\n## Part\n\n{TWO}\n\n```\ncode\nmore\n```\n\n- {ONE}\n- {TWO}\n"


def broken(text: str | Path, chunks: list[str], **options: object) -> dict[str, list[str]]:
    """Return the rules that the chunks of a text break, each with its places."""
    documents = {"d": text} if isinstance(text, str) else text
    facts = caesura.check(documents, {"d": chunks}, **options).facts
    return {rule.name: [place.at for place in rule.worst] for rule in facts.rules if rule.count}


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([ONE, TWO], {}),
        ([PLAIN], {}),
        ([ONE], {"no text is lost": ["49"]}),
        ([ONE[:-1], TWO], {"no sentence is cut": ["0"]}),  # a lost full stop is no text, but the chunk ends before it
        ([ONE, PLAIN], {"no text is doubled": ["0"]}),
        ([PLAIN[:3], PLAIN[4:]], {"no chunk is under 10 words": ["0"], "no sentence is cut": ["0", "4"]}),
        ([PLAIN[:22], PLAIN[22:]], {"no chunk is under 10 words": ["0"], "no sentence is cut": ["0", "22"]}),
    ],
)
def test_each_rule_of_plain_text(chunks: list[str], expected: dict[str, list[str]]) -> None:
    assert broken(PLAIN, chunks) == expected


def test_the_limit_is_in_words_or_in_tokens_of_a_model(tmp_path: Path) -> None:
    assert broken(PLAIN, [ONE, TWO], max_tokens=10) == {}
    assert broken(PLAIN, [PLAIN], max_tokens=19) == {"no chunk is over 19 words": ["0"]}
    pytest.importorskip("tokenizers")
    from tokenizers import Regex, Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Split

    tokenizer = Tokenizer(WordLevel({"?": 0}, unk_token="?"))
    tokenizer.pre_tokenizer = Split(Regex("."), "isolated")  # every character is a token
    file = tmp_path / "letters.json"
    tokenizer.save(str(file))
    over = broken(PLAIN, [ONE, TWO], tokenizer=file, max_tokens=len(ONE))
    assert over == {f"no chunk is over {len(ONE)} tokens": [str(PLAIN.index(TWO))]}


def test_headings_and_blocks(tmp_path: Path) -> None:
    (tmp_path / "d.md").write_text(MARKDOWN, encoding="utf-8")
    part, code, item = MARKDOWN.index("## Part"), MARKDOWN.index("```"), MARKDOWN.index(f"- {TWO}")
    at = {"behind": part + 8, "code": MARKDOWN.index("more"), "item": item + 20}

    def cut(*places: int, **options: object) -> dict[str, list[str]]:
        edges = [0, *places, len(MARKDOWN)]
        return broken(tmp_path, [MARKDOWN[a:b] for a, b in itertools.pairwise(edges)], **options)

    assert cut() == cut(part) == {}
    assert cut(at["behind"]) == {"no heading is left behind": [str(part)]}
    assert cut(at["code"]) == {"no code, table or list item is cut": [str(code)]}
    assert cut(at["item"]) == {
        "no chunk is under 10 words": [str(at["item"])],
        "no sentence is cut": ["0", str(at["item"])],
        "no code, table or list item is cut": [str(item)],
    }
    # What is longer than the limit must be cut.
    assert "no code, table or list item is cut" not in cut(at["item"], max_tokens=9)
    # An overlap that has the heading with its text leaves nothing behind.
    assert broken(tmp_path, [MARKDOWN[: at["behind"]], MARKDOWN[part:]]) == {"no text is doubled": [str(part)]}


def test_sentences_are_the_units_of_documents_that_have_them() -> None:
    units = ("Mr. Smith went to the town.", "He came back.")
    for unit, found in (("sentence", ["0", "4"]), ("line", [])):
        document = caesura.Document(id="d", n_units=2, units=units, unit=unit)
        facts = caesura.check(caesura.Corpus([document]), {"d": ["Mr.", "Smith went to the town. He came back."]}).facts
        rule = next(rule for rule in facts.rules if rule.name == "no sentence is cut")
        assert [place.at for place in rule.worst] == found


def test_counts_of_characters_are_those_of_brute_force() -> None:
    rng = random.Random(7)
    text = " ".join("".join(rng.choices("abcde", k=rng.randint(1, 6))) for _ in range(60))
    for _ in range(30):
        spans = sorted(sorted(rng.sample(range(len(text)), 2)) for _ in range(rng.randint(1, 6)))
        held = [sum(a <= place < b for a, b in spans) for place in range(len(text))]
        letters = [times for times, letter in zip(held, text, strict=True) if letter != " "]
        document = caesura.Document(id="d", n_units=len(text), unit="character", extra={"chunk_spans": spans})
        facts = caesura.check({"d": text}, caesura.Corpus([document])).facts
        shares = {rule.name: rule.share for rule in facts.rules}
        assert shares["no text is lost"] == pytest.approx(letters.count(0) / len(letters), abs=1e-9)
        assert shares["no text is doubled"] == pytest.approx(
            sum(times > 1 for times in letters) / len(letters), abs=1e-9
        )


def test_the_command_stops_a_build_only_for_what_cannot_be_used(tmp_path: Path) -> None:
    docs, chunks, results = (str(tmp_path / name) for name in ("docs.jsonl", "chunks.jsonl", "r.json"))
    lines = [{"id": "a", "units": [ONE, TWO]}, {"id": "b", "units": [ONE]}]
    Path(docs).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    Path(chunks).write_text(json.dumps({"id": "a", "chunks": [ONE[:20], f"{ONE[20:]} {TWO}"]}) + "\n", encoding="utf-8")
    run = CliRunner().invoke(cli, ["check", docs, chunks, "--max-tokens", "512", "-o", results])
    said = " ".join(run.output.split())
    assert run.exit_code == 1, run.output
    assert said.startswith("The chunks cannot be used as they are (2 chunks of 2 documents).")
    assert "document 'b' has no chunks" in said
    assert CliRunner().invoke(cli, ["show", results]).output == run.output
    lines.pop()
    Path(docs).write_text(json.dumps(lines[0]) + "\n", encoding="utf-8")
    passed = CliRunner().invoke(cli, ["check", docs, chunks, "--max-tokens", "512"])
    said = " ".join(passed.output.split())
    assert passed.exit_code == 0, passed.output
    assert said.startswith("No text is lost and no chunk is over 512 words (2 chunks of 1 document).")
    assert "100 % of the chunks: no sentence is cut (a 0 and a 21)" in said
    page = tmp_path / "page.html"
    assert CliRunner().invoke(cli, ["report", results, "-o", str(page)]).exit_code == 0
    assert "The chunks cannot be used as they are" in page.read_text(encoding="utf-8")
    refused = CliRunner().invoke(cli, ["gate", results, "--min", "Inside=1"])
    assert "r.json has no Inside; choose from blocks, doubled, headings, lost, sentences" in str(refused.exception)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fix", "out"], "--fix is for lists of chapters; leave out CHUNKS"),
        (["--for", "youtube"], "--for is for lists of chapters; leave out CHUNKS"),
    ],
)
def test_options_of_chapters_are_refused(arguments: list[str], message: str) -> None:
    assert message in CliRunner().invoke(cli, ["check", "docs", "chunks", *arguments]).output
    assert "--max-tokens is for CHUNKS" in CliRunner().invoke(cli, ["check", "docs", "--max-tokens", "9"]).output


def test_units_without_words_are_no_sentences() -> None:
    document = caesura.Document(id="d", n_units=3, units=("One here.", "", " "), unit="line")
    assert caesura.check(caesura.Corpus([document]), {"d": ["One", "here."]}).passed


def test_bad_input_costs_itself_only() -> None:
    good, alien = "The cat sat on the mat all day.", "Entirely different words stand in these chunks."
    documents, chunks = {"a": good, "b": good}, {"a": [good], "b": [alien]}
    with pytest.raises(ComparabilityError, match="document 'b'"):
        caesura.check(documents, chunks)
    checked = caesura.check(documents, chunks, missing="skip")
    assert checked.passed
    assert checked.facts.documents == 1
    assert any("1 left out" in note for note in checked.results().notes)
    with pytest.raises(ComparabilityError, match="of none of the documents; check the ids"):
        caesura.check(documents, {"x": [good], "y": [good]})
    with pytest.raises(ComparabilityError, match="chunks cannot be mended"):
        checked.mended()
    for options in ({"max_tokens": 0}, {"asked": "youtube"}, {"tokenizer": "no/such/file"}):
        with pytest.raises(CaesuraError):
            caesura.check(documents, {"a": [good], "b": [good]}, **options)  # type: ignore[arg-type]
