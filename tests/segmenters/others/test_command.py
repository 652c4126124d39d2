"""``command:``: a real program, which may hang, die or print rubbish."""

from __future__ import annotations

import json
import shlex
import sys
import time

import pytest

from caesura.corpus import MADE_BY, Corpus, Document
from caesura.errors import CaesuraWarning, DeclarationError, SegmentationError
from caesura.segmentation import Segmentation
from caesura.segmenters import segmenter
from caesura.segmenters.run import run_method

CORPUS = Corpus([
    Document(id="a", n_units=4, units=("one", "two", "three", "four"), segmentation=Segmentation(4, (3,))),
    Document(id="b", n_units=2, units=("x", "y")),
])  # fmt: skip

READ = "import json, sys; docs = [json.loads(line) for line in sys.stdin]; "


@pytest.fixture
def program(tmp_path):
    """Return a way to make a command from the text of a Python program."""

    def made(code, *words):
        path = tmp_path / "program.py"
        path.write_text(code)
        return segmenter("command:" + shlex.join([sys.executable, str(path)]) + "".join(words))

    return made


def cut(method):
    return [document.segmentation.boundaries for document in run_method(CORPUS, method)]


def test_json_lines_in_and_out(program, tmp_path):
    seen = tmp_path / "seen"
    method = program(
        READ + f"open({str(seen)!r}, 'w').write(json.dumps(docs))\n"
        "for d in docs: print(json.dumps({'id': d['id'], 'n_units': len(d['units']), 'boundaries': [1], "
        "'scores': [9] * (len(d['units']) - 1)}))"
    )
    out = run_method(CORPUS, method)
    assert [document.segmentation.boundaries for document in out] == [(1,), (1,)]
    assert out["a"].scores == (9.0, 9.0, 9.0)
    assert "scores" not in out["a"].extra[MADE_BY]
    # No program sees the boundaries.
    assert json.loads(seen.read_text())[0] == {"id": "a", "units": ["one", "two", "three", "four"]}


def test_other_formats_are_matched_by_order(program):
    assert cut(program("print('0101'); print('01')", "::bits(marks='last')")) == [(2,), ()]
    assert cut(program("print('2 2'); print('1 1')", "::masses")) == [(2,), (1,)]


@pytest.mark.parametrize("own", ["", "::jsonl"])
def test_a_byte_order_mark_is_no_content(program, own):
    lines = r"b'\xef\xbb\xbf{\"id\": \"a\", \"masses\": [1, 3]}\r\n{\"id\": \"b\", \"masses\": [2]}\r\n'"
    assert cut(program(f"import sys; sys.stdout.buffer.write({lines})", own)) == [(1,), ()]
    bits = r"b'\xef\xbb\xbf0101\n01\n'"
    assert cut(program(f"import sys; sys.stdout.buffer.write({bits})", "::bits(marks='last')")) == [(2,), ()]


def test_documents_that_were_never_given_are_named(program):
    code = READ + "docs += [{'id': 'x', 'units': [1]}, {'id': 'y', 'units': [1]}]\n"
    method = program(code + "for d in docs: print(json.dumps({'id': d['id'], 'masses': [len(d['units'])]}))")
    with pytest.warns(CaesuraWarning, match=r"'x', 'y' \(2 in all\) were never given to it; left out") as noted:
        assert cut(method) == [(), ()]
    assert len(noted) == 1


def test_chunks_are_aligned(program):
    code = (
        READ + "[print(json.dumps({'id': d['id'], 'chunks': [d['units'][0], ' '.join(d['units'][1:])]})) for d in docs]"
    )
    assert cut(program(code)) == [(1,), (1,)]


def test_a_failure_is_tried_once_more(program, tmp_path):
    flag = tmp_path / "flag"
    code = f"import os, sys\nif not os.path.exists({str(flag)!r}):\n    open({str(flag)!r}, 'w'); sys.exit(3)\nprint('2 2\\n1 1')"
    assert cut(program(code, "::masses")) == [(2,), (1,)]


def test_a_program_that_dies_is_quoted(program):
    method = program("import sys; print('first', file=sys.stderr); print('no memory', file=sys.stderr); sys.exit(7)")
    with pytest.raises(
        SegmentationError, match="started twice, but it ended with exit code 7 and said 'no memory'; repair it"
    ):
        cut(method)


def test_a_program_that_is_killed_is_told(program):
    with pytest.raises(SegmentationError, match="started twice, but it was ended by signal 9; repair it"):
        cut(program("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"))


def test_a_program_that_hangs_is_stopped(program, monkeypatch):
    monkeypatch.setenv("CAESURA_COMMAND_TIMEOUT", "0.4")
    began = time.monotonic()
    with pytest.raises(SegmentationError, match=r"did not end within 0\.4 s"):
        cut(program("import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"))
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("pass", "wrote nothing"),
        ("print('Certainly! Here are the boundaries:')", "output cannot be read"),
        ("print('{\"id\": \"a\", \"n_units\": 4, \"boundaries\": [1]}')", "document 'b' is not in it"),
        ("print('{\"id\": \"a\", \"n_units\": 4, \"boundaries\": [9]}')", "output cannot be read"),
        ("print('{\"id\": \"a\", \"n_units\": 5, \"boundaries\": [1]}\\n{\"id\": \"b\", \"n_units\": 2, \"boundaries\": []}')",
         "document 'a' has 5 units in it, but 4 were given"),
    ],
)  # fmt: skip
def test_rubbish_is_one_line(program, code, words):
    with pytest.raises(SegmentationError, match=words) as caught:
        cut(program(code))
    assert "/tmp/caesura-" not in str(caught.value)


def test_wrong_commands_are_refused(monkeypatch):
    with pytest.raises(DeclarationError, match="no program is named"):
        segmenter("command:")
    with pytest.raises(DeclarationError, match="check the quotes"):
        segmenter("command:'a b")
    with pytest.raises(SegmentationError, match="cannot be started"):
        cut(segmenter("command:/no/such/program"))
    monkeypatch.setenv("CAESURA_COMMAND_TIMEOUT", "soon")
    with pytest.raises(DeclarationError, match="CAESURA_COMMAND_TIMEOUT is 'soon'"):
        cut(segmenter("command:true"))
