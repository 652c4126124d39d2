"""Annotation in a real browser: people mark with keys, go offline and come back, and the lead's numbers move."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
import time
import wave

import pytest

import caesura as cz
from caesura.annotate import Project
from caesura.annotate.lead import Overview
from caesura.annotate.offline import collect, write_offline
from caesura.annotations.state import Task
from caesura.corpus import Corpus, Document
from caesura.formats import load
from tests.annotate.conftest import corpus_of
from tests.annotate.test_lead import finish

pytest.importorskip("uvicorn", reason="the extra explore is not installed")

HOSTILE = '<img src=x onerror="document.title=1">"\u202e</script>'
GUIDE = "# Where topics change\n\nMark a change of topic. <b>Not HTML.</b>\n\ndensity: 5-20 per 100 units\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Serve a project: small documents, a hostile one, one in Hebrew, and one of 20,000 units."""
    folder = tmp_path_factory.mktemp("annotate")
    hebrew = Document(id="hebrew", n_units=6, units=("שלום עולם, זה מבחן",) * 6)
    hostile = Document(id="hostile", n_units=6, units=(HOSTILE,) * 6, speakers=("<i>a</i>",) * 6)
    large = Document(id="large", n_units=20_000, units=tuple(f"Turn {k} of a long day." for k in range(20_000)))
    times = tuple((2.0 * k, 2.0 * k + 1.5) for k in range(30))
    talk = Document(id="talk", n_units=30, units=tuple(f"Sentence {k}." for k in range(30)), unit_times=times)
    cz.save(Corpus([*corpus_of([12, 20, 30]), hebrew, hostile, large, talk]), folder / "docs.jsonl")
    (folder / "sound").mkdir()
    with wave.open(str(folder / "sound" / "talk.wav"), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(b"\x80" * 8000 * 60)
    (folder / "guide.md").write_text(GUIDE)
    words = ["annotate", folder / "project", "--add", folder / "docs.jsonl", "--people", "a1,a2,a3,a4", "--guide", folder / "guide.md", "--recordings", folder / "sound"]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "caesura", *map(str, words), "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    links = {}
    for line in process.stdout:
        if "\t" in line:
            links.update([line.strip().split("\t")])
        if line.startswith("Ctrl-C"):
            break
    with Project(folder / "project") as project:
        yield links, project
    process.terminate()
    process.wait()
    process.stdout.close()


@pytest.fixture
def visit(chromium, served):
    """Return a function that opens somebody's link in a browser of their own."""
    contexts = []

    def opened(name, document=None, **options):
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.goto(served[0][name])
        page.wait_for_selector("body[data-ready=yes]")
        if page.query_selector("dialog[open]"):
            page.keyboard.press("Escape")
        if document is not None:
            show(page, document)
        return page

    yield opened
    for context in contexts:
        context.close()


def show(page, document):
    """Open a document by its name."""
    names = page.eval_on_selector_all("header option", "all => all.map((each) => each.textContent)")
    place = next(k for k, name in enumerate(names) if document in name.split())
    page.select_option("header select", str(place))
    page.wait_for_selector(f"body[data-document='{place}']")


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def saved(page):
    page.wait_for_selector(".state.saved")


def reached(page, condition):
    """Wait until something is true; the page's policy lets nothing evaluate in it for long."""
    deadline = time.monotonic() + 30
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, condition
        page.wait_for_timeout(50)


def coding(project, person, document):
    """Return what is on disk."""
    project.record()
    return project.state.coding(person, Task(document))


def test_a_document_by_keys_alone(visit, served):
    page = visit("a1", "m1")
    press(page, "j", "j", "j", "Space", "ArrowDown", "ArrowDown", "Enter", "u")
    press(page, "t", *"Costs", "Enter", "c", *"why", "Enter")
    press(page, "j", "Space", "z", "y", "z", "k", "K")
    saved(page)
    found = coding(served[1], "a1", "m1")
    assert (found.marks, found.titles, found.comments, found.unsure) == ({4: 1, 6: 1}, {6: "Costs"}, {6: "why"}, {6})
    press(page, "/", *"Turn 11", "Enter", "Escape")
    assert "gap 10 of 11" in page.text_content(".actions .facts")
    press(page, "?")
    page.wait_for_selector("dialog[open] dt")
    press(page, "Escape", "f")
    saved(page)
    found = coding(served[1], "a1", "m1")
    assert found.finished is not None
    assert found.seconds >= 0
    show(page, "m1")
    press(page, "Home", "Space")  # a finished document stays as it is
    assert page.locator(".slot.marked").count() == 2
    assert page.faults == []


def test_reloaded_in_the_middle_it_goes_on(visit, served):
    page = visit("a2", "m2")
    press(page, "j", "Space", "t", *"Two", "Enter")
    page.reload()  # at once: what was not sent yet is
    page.wait_for_selector("body[data-ready=yes]")
    show(page, "m2")
    assert page.text_content(".slot.marked b") == "Two"
    assert coding(served[1], "a2", "m2").marks == {2: 1}


def test_offline_it_says_so_keeps_everything_and_sends_it_later(visit, served):
    page = visit("a3", "m2")
    page.context.set_offline(True)
    press(page, "j", "Space", "j", "Space")
    page.wait_for_selector(".state.offline")
    said = r"Offline: \d+ changes not sent yet, kept in this browser; do not reload now"
    assert re.fullmatch(said, page.text_content(".state"))
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.evaluate("setTimeout(() => location.reload(), 0)")
    page.wait_for_timeout(300)
    assert asked == ["beforeunload"]  # and who stays has lost nothing
    assert coding(served[1], "a3", "m2").marks == {}
    page.context.set_offline(False)
    saved(page)
    assert coding(served[1], "a3", "m2").marks == {2: 1, 3: 1}


def test_without_a_connection_one_goes_on_to_the_next_document(visit, served):
    page = visit("a2")
    page.wait_for_selector("body[data-ahead]")
    first, ahead = page.get_attribute("body", "data-document"), int(page.get_attribute("body", "data-ahead"))
    page.context.set_offline(True)
    press(page, "f")
    page.wait_for_selector(f"body[data-document='{ahead}']")
    press(page, "j", "j", "Space")
    page.wait_for_selector(".state.offline")
    page.context.set_offline(False)
    saved(page)
    served[1].record()
    assert served[1].state.coding("a2", served[1].state.tasks["a2"][ahead]).marks == {3: 1}
    page.select_option("header select", first)
    page.wait_for_selector(f"body[data-document='{first}'] .marking.finished")
    press(page, "f")  # reopened, for the other tests
    saved(page)


LEFT = """([events, task]) => {
  const name = Object.keys(localStorage).find((key) => key.endsWith("seen-guide")).split("/")[1];
  const made = Array.from({length: events}, (_, k) => (
    {sequence: k + 1, task, kind: "mark", payload: {gap: 1 + (k % 5), level: k % 2}}));
  localStorage.setItem(`caesura/${name}/a4/an-earlier-page`, JSON.stringify(made));
}"""


def test_a_day_of_unsent_changes_is_sent_in_parts_and_until_then_the_page_says_so(visit, served):
    page = visit("a4")
    page.evaluate(LEFT, [4500, served[1].state.tasks["a4"].index(Task("large"))])
    page.context.route("**/api/events", lambda route: route.abort())
    page.reload()
    page.wait_for_selector(".state.offline:has-text('4500 changes')")
    page.context.unroute("**/api/events")
    saved(page)
    served[1].record()
    events = [each for each in served[1].store.events() if each.client == "an-earlier-page"]
    assert [each.sequence for each in events] == list(range(1, 4501))
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('an-earlier')).length") == 0


def test_a_boundary_is_set_where_the_recording_is(visit, served):
    page = visit("a1", "talk")
    sound = "document.querySelector('audio')"
    reached(page, f"{sound}.duration > 59")
    press(page, "s")
    reached(page, f"{sound}.currentTime > 4.3")
    press(page, "Space", "s")
    saved(page)
    (gap,) = coding(served[1], "a1", "talk").marks
    assert gap in (2, 3)  # the sentence that is heard began at 4 s, or the next one since
    press(page, "End")
    assert page.evaluate(f"{sound}.currentTime") == 58
    press(page, ",")
    assert "gap 26 of 29" in page.text_content(".actions .facts")
    assert page.faults == []


def test_a_full_disk_is_said_until_there_is_room(visit, served):
    page = visit("a2", "m1")
    full = "/api/events"
    said = '{"error": "the project/annotate.sqlite cannot grow: the disk is full; make room and try again"}'
    page.context.route(f"**{full}", lambda route: route.fulfill(status=507, content_type="application/json", body=said))
    press(page, "End", "Space")
    page.wait_for_selector(".state.failed:has-text('the disk is full')")
    press(page, "k", "Space")  # said again at once, not "Saving"
    assert re.search(r"the disk is full.*: [23] changes not sent yet", page.text_content(".state.failed"))
    page.context.unroute(f"**{full}")
    saved(page)
    assert set(coding(served[1], "a2", "m1").marks) == {10, 11}
    press(page, "z", "z")
    saved(page)


def test_what_a_closed_page_could_not_send_the_next_one_sends(visit, served):
    page = visit("a4", "m2")
    page.context.route("**/api/events", lambda route: route.abort())
    press(page, "j", "Space")
    page.wait_for_selector(".state.offline")
    page.context.unroute("**/api/events")
    page.context.route("**/api/events", lambda route: route.abort() if "keepalive" in str(route) else route.continue_())
    page.close(run_before_unload=False)
    again = page.context.new_page()
    again.goto(served[0]["a4"])
    again.wait_for_selector("body[data-ready=yes]")
    assert coding(served[1], "a4", "m2").marks == {2: 1}


@pytest.mark.filterwarnings("ignore:.*begun but not finished")
def test_two_people_and_the_lead_sees_them_move(visit, served):
    lead = visit("lead")
    assert lead.locator("tr:has(th:text-is('m3')) td.done").count() == 0
    for name, key in (("a1", "j"), ("a2", "j")):
        page = visit(name, "m3")
        press(page, key, "j", "Space", "f")
        saved(page)
        numbers = page.evaluate(
            "fetch('api/document/0', {headers: {Authorization: `Bearer ${location.hash.slice(1)}`}}).then((a) => a.json())"
        )
        assert set(numbers) == {"units", "speakers", "times", "unit", "suggested", "coding"}
    lead.wait_for_selector("tr:has(th:text-is('m3')) td.done >> nth=1", timeout=15000)
    lead.wait_for_selector(".answer p:has-text('kappa')", timeout=15000)
    assert lead.faults == []
    assert load(served[1].folder)["m3"].annotations["a1"].boundaries == (3,)  # while it is served


def test_the_lead_on_a_telephone_with_long_names_and_a_curve(visit, tmp_path):
    """The view of another project, of eight finished documents, on this project's page."""
    names = [f"2024-11-{k:02}_municipal-council_public-session_transcript_v{k:02}" for k in range(1, 9)]
    cz.save(
        Corpus([dataclasses.replace(d, id=name) for d, name in zip(corpus_of([12] * 8), names, strict=True)]),
        tmp_path / "d.jsonl",
    )
    with Project(tmp_path / "project", create=True) as project:
        project.add_documents(tmp_path / "d.jsonl")
        project.add_people(["a1", "a2"])
        project.assign()
        for k, name in enumerate(names):
            finish(project, "a1", name, (3, 7))
            finish(project, "a2", name, (3, 7 if k > 3 else 10))
        view = Overview(project).view()
    page = visit("lead", viewport={"width": 390, "height": 780})
    body = f"data: {json.dumps(view)}\n\n"
    page.context.route("**/api/lead", lambda route: route.fulfill(content_type="text/event-stream", body=body))
    page.reload()
    page.wait_for_selector(".course .trend polyline")
    assert page.text_content(".course .hint").endswith("to 1.00.")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    head = page.locator(f".matrix th[title='{names[0]}']")
    assert head.text_content() == "2024-11-01_municipa…ssion_transcript_v01"
    one = page.locator(".matrix tbody th").first.bounding_box()["height"]  # of the word "finished"
    assert head.bounding_box()["height"] < 2.5 * one
    assert page.faults == []


def test_hostile_text_stays_text(visit, served):
    page = visit("a1", "hostile")
    press(page, "j", "Space", "t", *"<img src=x onerror=alert(1)>", "Enter", "c")
    page.keyboard.insert_text(HOSTILE)
    press(page, "Enter", "g")
    saved(page)
    assert page.locator("main img, dialog b, main i").count() == 0
    assert "<b>Not HTML.</b>" in page.text_content("dialog")
    assert HOSTILE in page.text_content(".slot.here")


def test_a_telephone_in_the_dark_by_touch(visit, served):
    page = visit(
        "a2", "m1", viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True, color_scheme="dark"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.tap("[aria-label='Gap 3']")
    saved(page)
    assert coding(served[1], "a2", "m1").marks == {3: 1}
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 23)"
    box = page.locator(".actions").bounding_box()
    assert box["y"] + box["height"] <= 780
    show(page, "hebrew")
    assert page.eval_on_selector(".unit p", "(p) => getComputedStyle(p).direction") == "rtl"


PRESSED = """async (keys) => {
  const times = [];
  for (const key of keys) {
    const start = performance.now();
    document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    document.body.offsetHeight; // style and layout are part of the answer
    times.push(performance.now() - start);
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
  return times;
}"""


def test_20000_units_answer_a_key_within_50_ms(visit):
    page = visit("a3", "large")
    keys = ["j", "j", " ", "End", " ", "k", " ", "Home", "PageDown", " ", "K", "J", "u", "z"] * 3
    times = sorted(page.evaluate(PRESSED, keys))
    # The machine may be busy elsewhere for a moment; two of 42 may be.
    assert times[-3] < 50, times
    assert page.locator(".unit").count() < 1500
    saved(page)


def test_a_link_that_is_not_valid_says_so(chromium, served):
    context = chromium.new_context()
    page = context.new_page()
    page.goto(served[0]["a1"].partition("#")[0] + "#" + "0" * 32)
    page.wait_for_selector("body[data-ready=failed]")
    assert "ask the lead for a new one" in page.text_content("main")
    context.close()


def test_the_lead_decides_contested_places_by_keys(visit, served):
    for name, gaps in (("a3", 2), ("a4", 5)):
        page = visit(name, "m3")
        press(page, *["j"] * gaps, "Space", "t", *"Plans", "Enter", "f")
        saved(page)
    lead = visit("lead")
    lead.wait_for_selector(".lead-people .trend", timeout=15000)
    lead.click("li:has-text('m3') button")
    lead.wait_for_selector("dialog .slot.here")
    assert "“Plans”" in lead.text_content("dialog .units")
    press(lead, "r", *"as said", "Enter", "ArrowDown", "y")
    lead.wait_for_selector("dialog .state.saved")
    served[1].record()
    decided = {gap: decision for gap, (decision, _) in served[1].state.decisions["m3"].items()}
    assert {(decision.gap is not None, decision.reason) for decision in decided.values()} == {(True, "as said")}
    press(lead, "z")
    lead.wait_for_selector("dialog .hint:has-text('Not decided')")
    press(lead, "n")
    lead.wait_for_selector("dialog .state.saved")
    served[1].record()
    assert {decision.gap for decision, _ in served[1].state.decisions["m3"].values()} == {None}
    assert lead.faults == []


def test_a_file_is_mailed_marked_without_a_network_and_collected(chromium, served, tmp_path):
    project = served[1]
    page_file = next(path for path in write_offline(project, tmp_path / "out") if path.name == "a4.html")
    context = chromium.new_context(offline=True, accept_downloads=True)
    page = context.new_page()
    for _ in range(2):  # closed and opened again, it goes on
        page.goto(page_file.as_uri())
        page.wait_for_selector("body[data-ready=yes]")
        if page.query_selector("dialog[open]"):
            page.keyboard.press("Escape")
        show(page, "m1")
        press(page, "j", "j", "j", "Space")
        saved(page)
        press(page, "J")
    assert page.locator(".slot.marked").count() == 0  # set, then removed after it was opened again
    press(page, "Home", "j", "Space", "t")
    page.keyboard.insert_text("Début")
    press(page, "Enter", "f")
    saved(page)
    with page.expect_download() as waiting:
        page.click("button.send")
    waiting.value.save_as(tmp_path / "a4.json")
    context.close()
    assert collect(project, tmp_path / "a4.json")[0] == "a4"
    found = coding(project, "a4", "m1")
    assert (found.marks, found.titles, found.finished is not None) == ({2: 1}, {2: "Début"}, True)
