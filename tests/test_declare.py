"""The declaration pattern: parameters, text, registry, plugins."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import caesura as cz
from caesura.declare import Card, Declared, Registry, nearest, param, parameters
from caesura.errors import CaesuraWarning, DeclarationError, MetricError
from caesura.metrics import METRICS, metric


@dataclasses.dataclass(frozen=True)
class Thing(Declared):
    """Something with one parameter of each kind."""

    k: int | None = param(None, "a whole number", minimum=1)
    share: float = param(0.5, "a share", minimum=0, maximum=1)
    width: float = param(1.0, "a width", positive=True)
    mode: str = param("plain", "one of some", choices=("plain", "fancy"))
    loud: bool = param(False, "whether loud")
    even: int = param(2, "an even number", check=lambda value: "must be even" if value % 2 else None)

    card = Card(title="a thing")


@pytest.fixture
def registry() -> Registry[Thing]:
    """Return a registry of its own, with one class and two aliases."""
    things: Registry[Thing] = Registry("thing", "tests.things")
    things.register("T", **{"T-5": {"k": 5}})(Thing)
    return things


# ---------------------------------------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "Thing: parameter k is 0; it must be at least 1"),
        ({"k": 2.0}, "Thing: parameter k is 2.0; it must be int or None"),
        ({"k": "2"}, "Thing: parameter k is '2'; it must be int or None"),
        ({"k": True}, "Thing: parameter k is True; it must be int or None"),
        ({"k": 2**40 + 1}, f"Thing: parameter k is {2**40 + 1}; it must be at most {2**40}"),
        ({"k": 10**30}, f"it must be at most {2**40}"),
        ({"share": 1.01}, "Thing: parameter share is 1.01; it must be at most 1"),
        ({"share": -0.5}, "Thing: parameter share is -0.5; it must be at least 0"),
        ({"share": float("nan")}, "Thing: parameter share is nan; it must be a number"),
        ({"share": "0.5"}, "Thing: parameter share is '0.5'; it must be float"),
        ({"width": 0}, "Thing: parameter width is 0; it must be above 0"),
        ({"mode": "plane"}, "Thing: parameter mode is 'plane'; it must be one of 'plain', 'fancy'"),
        ({"mode": None}, "Thing: parameter mode is None; it must be str"),
        ({"loud": 1}, "Thing: parameter loud is 1; it must be bool"),
        ({"even": 3}, "Thing: parameter even is 3; it must be even"),
    ],
)
def test_values_out_of_place_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        Thing(**options)
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_parameters_are_listed() -> None:
    listed = parameters(Thing)
    assert [p.name for p in listed] == ["k", "share", "width", "mode", "loud", "even"]
    assert listed[0].type == "int | None"
    assert listed[3].choices == ("plain", "fancy")
    assert listed[1].help == "a share"
    assert [p.default for p in parameters(Thing(k=3))] == [None, 0.5, 1.0, "plain", False, 2]
    assert Thing(k=3).options() == {"k": 3, "share": 0.5, "width": 1.0, "mode": "plain", "loud": False, "even": 2}


def test_values_of_numpy_become_plain() -> None:
    made = Thing(share=np.float64(0.25), mode=np.str_("fancy"))
    assert str(made) == "Thing(share=0.25, mode='fancy')"
    assert type(made.share) is float
    assert type(made.mode) is str


def test_a_thing_is_a_value() -> None:
    assert Thing(k=5) == Thing(k=5)
    assert len({Thing(k=5), Thing(k=5), Thing()}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        Thing().k = 5  # type: ignore[misc]


# ---------------------------------------------------------------------------------------------- text


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("Thing", Thing()),
        ("T", Thing()),
        (" Thing ", Thing()),
        ("Thing()", Thing()),
        ("Thing( k = 5 )", Thing(k=5)),
        ("Thing(k=5, mode='fancy')", Thing(k=5, mode="fancy")),
        ('T(mode="fancy", loud=True)', Thing(mode="fancy", loud=True)),
        ("T-5", Thing(k=5)),
        ("T-5(k=6)", Thing(k=6)),
        ("T-5(loud=True)", Thing(k=5, loud=True)),
        ("Thing(k=None)", Thing()),
        ("Thing(share=1)", Thing(share=1)),
        ("Thing(\n  k=5,\n)", Thing(k=5)),
    ],
)
def test_text_makes_a_thing(registry: Registry[Thing], text: str, thing: Thing) -> None:
    assert registry.parse(text) == thing
    assert registry.parse(str(thing)) == thing


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Thnig", "'Thnig' is not a thing; did you mean Thing?"),
        ("thin", "'thin' is not a thing; did you mean Thing?"),
        ("Zebra", "'Zebra' is not a thing; choose from T, T-5, Thing"),
        ("", "'' is not a thing; write a name, or a name with parameters: Name(k=5)"),
        ("5", "'5' is not a thing; write a name"),
        ("Thing(k=5", "'Thing(k=5' is not a thing; write a name"),
        ("Thing(k=5) x", "is not a thing; write a name"),
        ("Thing(kk=5)", "Thing: unknown parameter 'kk'; did you mean k?"),
        ("Thing(q=5)", "Thing: unknown parameter 'q'; choose from even, k, loud, mode, share, width"),
        ("Thing(5)", "'Thing(5)': parameters are given by name, such as (k=5)"),
        ("Thing(**{})", "parameters are given by name"),
        ("Thing(*[])", "parameters are given by name"),
        (
            "Thing(mode=fancy)",
            "'Thing(mode=fancy)': parameter mode is fancy; it must be a number or a quoted word ('fancy')",
        ),
        ("Thing(k=__import__('os'))", "parameter k is __import__('os'); it must be a number or a quoted word"),
        ("Thing(k=[].append)", "it must be a number or a quoted word"),
        ("Thing(k={[]: 1})", "it must be a number or a quoted word"),
        ("Thing(k=5, k=6)", "parameter k is given twice"),
        ("Thing(k=)", "'Thing(k=)' cannot be read; write parameters as Name(k=5, edge='lamprier')"),
        ("Thing()()", "cannot be read"),
        ("Thing(k=5)(k=6)", "cannot be read"),
        ("Thing(k=" + "(" * 300 + "1" + ")" * 300 + ")", "cannot be read"),
        ("Thing(k=" + "9" * 5000 + ")", "cannot be read"),
        ("Thing(k='\0')", "cannot be read"),
        ("Thing(k=0)", "Thing: parameter k is 0; it must be at least 1"),
    ],
)
def test_text_that_makes_nothing(registry: Registry[Thing], text: str, message: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        registry.parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("thing", [5, None, b"Thing", ["Thing"]])
def test_only_text_is_parsed(registry: Registry[Thing], thing: Any) -> None:
    with pytest.raises(DeclarationError, match=r"is not a thing; write a name, or a name with parameters: Name\(k=5\)"):
        registry.parse(thing)


def test_defaults_give_way_to_the_text(registry: Registry[Thing]) -> None:
    profile = {"Thing": {"k": 9, "loud": True, "unheard_of": 1}}
    assert registry.parse("Thing", profile) == Thing(k=9, loud=True)
    assert registry.parse("Thing(k=3)", profile) == Thing(k=3, loud=True)
    assert registry.parse("T-5", profile) == Thing(k=5, loud=True)


def test_nearest_names() -> None:
    assert nearest("windowdif", ["Pk", "WindowDiff", "WinF1"]) == "did you mean WindowDiff?"
    assert nearest("zzz", ["b", "A"]) == "choose from A, b"


# ---------------------------------------------------------------------------------------------- registry


def test_registry_lists_what_it_has(registry: Registry[Thing]) -> None:
    assert list(registry) == [Thing]
    assert registry.names() == ["Thing"]
    assert registry.aliases() == {"T": "Thing", "T-5": "Thing(k=5)"}
    assert registry.aliases_of(Thing) == {"T": {}, "T-5": {"k": 5}}
    assert "Thing" in registry
    assert "T-5" in registry
    assert "Thong" not in registry
    assert 5 not in registry


def test_an_alias_hands_out_its_own_copy(registry: Registry[Thing]) -> None:
    _, preset = registry.lookup("T-5")
    preset["k"] = 99
    assert registry.parse("T-5") == Thing(k=5)


@pytest.mark.parametrize("aliases", [(), ("Fresh", "T"), ("T-5",)])
def test_nothing_is_declared_twice(registry: Registry[Thing], aliases: tuple[str, ...]) -> None:
    class Other(Thing):
        pass

    cls = Thing if not aliases else Other
    with pytest.raises(
        DeclarationError, match=r"thing '(Thing|T|T-5)' is declared twice; give one of them another name"
    ):
        registry.register(*aliases)(cls)


class _Entry:
    """A fake entry point."""

    def __init__(self, load: Callable[[], Any]) -> None:
        self.load = load
        self.name = "plugin"
        self.dist = types.SimpleNamespace(name="somebodys-things")


@dataclasses.dataclass(frozen=True)
class Plugin(Thing):
    """A thing of another package."""


def test_plugins_come_in_through_entry_points(registry: Registry[Thing], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def entry_points(*, group: str) -> list[_Entry]:
        asked.append(group)
        return [_Entry(lambda: Plugin), _Entry(lambda: Thing), _Entry(lambda: "no class")]

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    assert registry.parse("Thing") == Thing()
    assert asked == []  # nobody pays for plugins that nobody asked for
    assert registry.parse("Plugin(k=3)") == Plugin(k=3)
    assert registry.names() == ["Plugin", "Thing"]
    assert asked == ["tests.things"]


def test_a_plugin_that_cannot_be_loaded_leaves_the_others(
    registry: Registry[Thing], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> Any:
        raise ImportError("no module of that name")

    entries = [_Entry(broken), _Entry(lambda: Plugin)]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda *, group: entries)
    said = r"thing plugin of somebodys-things cannot be loaded \(ImportError: no module of that name\); repair or uninstall it"
    with pytest.warns(CaesuraWarning, match=said):
        assert registry.names() == ["Plugin", "Thing"]
    with pytest.raises(DeclarationError, match=said):
        registry.parse("plugin")


def test_unknown_names_are_looked_for_among_plugins_first(
    registry: Registry[Thing], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda *, group: [_Entry(lambda: Plugin)])
    with pytest.raises(DeclarationError, match=r"'Plugni' is not a thing; did you mean Plugin\?"):
        registry.parse("Plugni")


def test_errors_of_a_family_are_its_own() -> None:
    with pytest.raises(MetricError, match=r"'WindowDif' is not a metric; did you mean WindowDiff"):
        metric("WindowDif")
    with pytest.raises(MetricError, match="Pk: unknown parameter 'tolerance'"):
        metric("Pk(tolerance=1)")
    with pytest.raises(MetricError, match="AlignmentIndex: unknown parameter 'k'; it has no parameters"):
        metric("AlignmentIndex(k=1)")


def test_every_file_of_the_folder_is_in_the_registry() -> None:
    """The registry walks the folder: nothing else names a metric."""
    from pathlib import Path

    import caesura.metrics.pairwise

    folder = Path(caesura.metrics.pairwise.__path__[0])
    files = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")}
    assert files == {cls.__module__.rpartition(".")[2] for cls in METRICS}


@pytest.mark.parametrize("make", [cz.metric, cz.segmenter, cz.selector])
@pytest.mark.parametrize(
    "text", ["Pk" + " " * 1_000_000 + "x", "Pk(" + ")" * 1_000_000 + "x", "semchunk:a" + " " * 1_000_000 + "x"]
)
def test_a_long_text_is_refused_in_linear_time(make, text):
    # In quadratic time this test would take hours.
    with pytest.raises(DeclarationError):
        make(text)


def test_a_name_is_found_in_any_case_unless_two_differ_only_by_it(registry):
    assert registry.parse("THING(k=3)") == Thing(k=3)
    assert registry.parse("t-5") == Thing(k=5)
    assert registry.spelled(" t-5 ") == "T-5"

    @dataclasses.dataclass(frozen=True)
    class thing(Thing):
        """Another class, whose name differs only by case."""

    registry.register()(thing)
    assert type(registry.parse("thing")) is thing
    assert type(registry.parse("Thing")) is Thing
    with pytest.raises(DeclarationError, match="'THING' is not a thing; did you mean"):
        registry.parse("THING")
