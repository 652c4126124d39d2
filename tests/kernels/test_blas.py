"""Matrix products take one thread meanwhile, and as many as before afterwards."""

from __future__ import annotations

import pytest

from caesura.kernels import _blas, one_thread
from tests.libraries import skip_without_openblas


def test_the_number_of_threads_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = [4]
    monkeypatch.setattr(_blas, "_controls", lambda: (lambda: threads[-1], threads.append))

    @one_thread()
    def fail() -> None:
        assert threads[-1] == 1
        with one_thread():
            assert threads[-1] == 1
        assert threads[-1] == 1
        raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert threads[-1] == 4


def test_the_library_of_numpy_is_told() -> None:
    skip_without_openblas()
    controls = _blas._controls()
    assert controls is not None
    before = controls[0]()
    with one_thread():
        assert controls[0]() == 1
    assert controls[0]() == before


def test_without_such_a_library_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_blas, "_controls", lambda: None)
    with one_thread():
        pass


def test_a_lookup_that_finds_nothing_fails_where_it_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_blas, "_controls", lambda: None)
    monkeypatch.delenv("CAESURA_BLAS", raising=False)
    with pytest.raises(pytest.skip.Exception):
        skip_without_openblas()
    monkeypatch.setenv("CAESURA_BLAS", "required")
    with pytest.raises(pytest.fail.Exception, match="CAESURA_BLAS=required"):
        skip_without_openblas()
