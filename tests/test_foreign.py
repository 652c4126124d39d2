"""Code of others: its errors in one line, its prints on standard error, the directory as before, and no connection that nobody allowed."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import types
from pathlib import Path

import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import DeclarationError, EncoderError, SegmentationError, reason
from caesura.foreign import foreign_code, named_server, set_apart
from caesura.scorers import Encoding
from caesura.segmenters import segmenter
from caesura.segmenters.run import run_method

HUBS = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
CORPUS = Corpus([Document(id="d", n_units=3, units=("One.", "Two.", "Three."))])


@pytest.fixture
def listener():
    """A server on this machine that counts who connects; a proxy would stand in the same place."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        yield server


def reach(server: socket.socket) -> None:
    socket.create_connection(server.getsockname()[:2], timeout=1).close()


def suppressed(server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        reach(server)


def was_reached(server: socket.socket) -> bool:
    try:
        server.accept()[0].close()
    except TimeoutError:
        return False
    return True


class Broken(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


class Odd(BaseException):
    pass


class Signal(SystemExit):
    pass


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (Broken(), "it fails (Broken); do"),
        (Odd("a"), "it fails (Odd: a); do"),
        (SystemExit(3), "(SystemExit: 3)"),
        (GeneratorExit(), "(GeneratorExit)"),
    ],
)
def test_whatever_is_raised_is_one_line(error, says):
    with pytest.raises(SegmentationError) as caught, foreign_code("it fails", "do", SegmentationError):
        raise error
    assert says in str(caught.value)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Signal(143), EncoderError("ours; do")])
def test_ctrl_c_signals_and_our_own_errors_pass(error):
    with pytest.raises(type(error)) as caught, foreign_code("it fails", "do"):
        raise error
    assert caught.value is error


def test_an_error_without_words_has_a_name():
    assert reason(Broken()) == "Broken"


def test_prints_go_to_standard_error_and_the_directory_is_restored(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with set_apart():
        print("Loading")
        os.chdir("/")
    print("done")
    assert capsys.readouterr() == ("done\n", "Loading\n")
    assert Path.cwd() == tmp_path.resolve()


def test_the_directory_is_restored_after_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def fail() -> None:
        os.chdir("/")
        raise ValueError("x")

    with pytest.raises(EncoderError), foreign_code("it fails", "do"):
        fail()
    assert Path.cwd() == tmp_path.resolve()


def test_a_directory_that_is_gone_is_no_fault(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with set_apart():
        pass


def test_a_library_gets_no_connection(listener):
    """Neither in its own thread nor in another, neither by a number nor by a name."""
    tried: list[str] = []
    with set_apart(connecting=False, tried=tried):
        with pytest.raises(OSError, match="not allowed"):
            reach(listener)
        with pytest.raises(OSError, match="not allowed"):
            socket.getaddrinfo("hub.example", 443)
        with pytest.raises(OSError, match="not allowed"), socket.socket(type=socket.SOCK_DGRAM) as datagrams:
            datagrams.sendto(b"a", listener.getsockname())
        thread = threading.Thread(target=suppressed, args=[listener])
        thread.start()
        thread.join()
    assert set(tried) == {"127.0.0.1", "hub.example"}
    assert len(tried) == 4
    assert not was_reached(listener)
    reach(listener)
    assert was_reached(listener)


def test_a_server_that_the_user_named_is_reached_from_within_a_library(listener):
    with set_apart(connecting=False), named_server():
        reach(listener)
    assert was_reached(listener)


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no sockets of Unix")
def test_sockets_that_do_not_leave_the_machine(tmp_path):
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(tmp_path / "s"))
        server.listen()
        with set_apart(connecting=False):
            client.connect(str(tmp_path / "s"))
            first, second = socket.socketpair()
            first.close()
            second.close()


@pytest.mark.parametrize("before", [None, "1", "0"])
def test_hubs_are_offline_within_and_as_before_after(monkeypatch, before):
    hub = types.ModuleType("huggingface_hub.constants")
    hub.HF_HUB_OFFLINE = before == "1"
    monkeypatch.setitem(sys.modules, "huggingface_hub.constants", hub)
    for name in HUBS:
        monkeypatch.delenv(name, raising=False)
        if before is not None:
            monkeypatch.setenv(name, before)
    with set_apart(connecting=False):
        with set_apart(connecting=False):
            assert [os.environ[name] for name in HUBS] == ["1", "1"]
        assert hub.HF_HUB_OFFLINE is True
        assert os.environ[HUBS[0]] == "1"
    assert [os.environ.get(name) for name in HUBS] == [before, before]
    assert hub.HF_HUB_OFFLINE is (before == "1")


@pytest.fixture
def splitter(monkeypatch, listener):
    """A library whose splitter connects: when it is made, or when it splits."""

    class TokenTextSplitter:
        def __init__(self, late: bool = False) -> None:
            self.late = late
            if not late:
                reach(listener)

        def split_text(self, text: str) -> list[str]:
            print("splitting")
            if self.late:
                reach(listener)
            return text.split("\n")

    module = types.ModuleType("langchain_text_splitters")
    module.TokenTextSplitter = TokenTextSplitter
    monkeypatch.setitem(sys.modules, "langchain_text_splitters", module)
    monkeypatch.setitem(sys.modules, "langchain_experimental", None)


@pytest.mark.parametrize(
    ("spec", "kind"),
    [("langchain:TokenTextSplitter", DeclarationError), ("langchain:TokenTextSplitter(late=True)", SegmentationError)],
)
def test_an_adapter_connects_only_if_that_is_allowed(splitter, listener, capsys, spec, kind):
    with pytest.raises(
        kind, match=r"wants to connect to 127\.0\.0\.1, which nobody allowed; allow it with --allow-download"
    ):
        run_method(CORPUS, segmenter(spec))
    assert not was_reached(listener)
    made = run_method(CORPUS, segmenter(spec), encoding=Encoding(allow_download=True))
    assert made["d"].segmentation.boundaries == (1, 2)
    assert was_reached(listener)
    out, err = capsys.readouterr()
    assert (out, "splitting\n" in err) == ("", True)
