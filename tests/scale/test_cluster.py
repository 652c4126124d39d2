"""Connecting to a Ray cluster: what is tried again, and what is not (with a stand-in for Ray; the real one is in test_ray)."""

import socket
import sys
from types import SimpleNamespace

import pytest

from caesura.errors import DeclarationError
from caesura.scale.work import cluster


@pytest.fixture
def address():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"ray://127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def ray(monkeypatch):
    """A Ray whose ``init`` meets the errors in ``faults``, one each time."""
    found = SimpleNamespace(faults=[], calls=[], ended=0, is_initialized=lambda: False)

    def init(**options):
        found.calls.append(options)
        if found.faults:
            raise found.faults.pop(0)

    def shutdown():
        found.ended += 1

    found.init, found.shutdown = init, shutdown
    monkeypatch.setitem(sys.modules, "ray", found)
    return found


def test_a_cluster_that_starts_no_driver_in_time_is_asked_again(ray, address):
    ray.faults = [ConnectionAbortedError("Proxy failed to Connect to backend!")] * 2
    with cluster(address) as found:
        assert found is ray
    assert [call["address"] for call in ray.calls] == [address] * 3
    assert ray.ended == 3


def test_a_cluster_is_asked_a_limited_number_of_times(ray, address):
    ray.faults = [ConnectionAbortedError("Traceback:\n  line 1\nProxy failed to Connect to backend!\n")] * 9
    with pytest.raises(DeclarationError, match=r"starts no driver \(Proxy failed .*less busy"), cluster(address):
        pass
    assert len(ray.calls) == 5


def test_a_wrong_token_is_not_tried_again(ray, address):
    ray.faults = [ConnectionError("ray client connection timeout")]
    with pytest.raises(DeclarationError, match="RAY_AUTH_TOKEN"), cluster(address):
        pass
    assert len(ray.calls) == 1
