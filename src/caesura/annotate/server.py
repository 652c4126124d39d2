# SPDX-License-Identifier: Apache-2.0
"""The server of a project: each person gets their own documents and marks, saves them, and is answered after the commit.

A link carries its token behind the ``#``, which no browser sends: the page puts it into a header of every request. So
there is no cookie that another site could use, and no address with a token in a log. Nobody is sent anything that others
or a system marked, but suggestions where the project shows them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from caesura.annotate.checking import Sent, checked
from caesura.annotate.content import is_video, person_content, task_content
from caesura.annotate.lead import Overview
from caesura.annotate.project import Project
from caesura.annotations import LEAD
from caesura.annotations.events import Given
from caesura.annotations.state import Task
from caesura.errors import CaesuraError, FormatError, MissingExtraError
from caesura.explorer.serving import HEADERS, LOOPBACK, LOOPBACK_NAMES, asset_response, host_of, is_loopback
from caesura.reports.page.html import assets, served_document
from caesura.strict_json import decode

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["application"]

_LARGEST = 1 << 20
"""Bytes of a request."""
_BURST, _PER_SECOND = 60.0, 20.0
"""Requests of a person: at once, and on average."""
_PAUSE = 1.0
"""Seconds between two messages to the lead's page."""


class _Batch(msgspec.Struct, forbid_unknown_fields=True):
    """What a page saves: its own events, and the last event it knows."""

    client: Annotated[str, msgspec.Meta(min_length=8, max_length=64)]
    events: Annotated[list[Sent], msgspec.Meta(max_length=2000)]
    known: int = 0


class _Refused(Exception):
    """A request that is answered with a status and a sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Desk:
    """Takes events in: those that arrive while one commit runs share the next, and nobody is answered before it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.changed = asyncio.Event()
        self._waiting: list[tuple[list[Given], asyncio.Future[None]]] = []
        self._running: asyncio.Task[None] | None = None
        self._allowance: dict[str, tuple[float, float]] = {}

    async def save(self, given: list[Given]) -> None:
        """Return when events are on disk; with none, when everything that is there has been taken in."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((given, future))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        await future

    async def _run(self) -> None:
        while self._waiting:
            together, self._waiting = self._waiting, []
            try:
                await self._commit([event for given, _ in together for event in given])
                outcomes: list[Exception | None] = [None] * len(together)
            except Exception as error:
                outcomes = [error]
                if len(together) > 1:  # one of them may be at fault, and costs itself only
                    outcomes = [await self._alone(given) for given, _ in together]
            for (_, future), outcome in zip(together, outcomes, strict=True):
                if future.done():
                    continue
                if outcome is None:
                    future.set_result(None)
                else:
                    future.set_exception(outcome)

    async def _alone(self, given: list[Given]) -> Exception | None:
        try:
            await self._commit(given)
        except Exception as error:
            return error
        return None

    async def _commit(self, given: list[Given]) -> None:
        events = await asyncio.to_thread(self.project.written, given)
        for event in events:
            self.project.state.apply(event)
        if events:
            self.changed.set()
            self.changed = asyncio.Event()

    def admit(self, person: str) -> None:
        """Count a request; raise if a person makes more than a person can."""
        left, since = self._allowance.get(person, (_BURST, time.monotonic()))
        now = time.monotonic()
        left = min(_BURST, left + (now - since) * _PER_SECOND) - 1
        self._allowance[person] = (max(left, 0.0), now)
        if left < 0:
            raise _Refused(429, "too many requests; the page tries again by itself")


class _Guard:
    """Refuses requests that name another host or come from another site, and adds the headers of every response."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self.app, self.host = app, host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        from starlette.responses import PlainTextResponse

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
                ]
            await send(message)

        given = dict(scope["headers"])
        host = given.get(b"host", b"").decode("latin-1")
        origin = given.get(b"origin", b"").decode("latin-1")
        answer: ASGIApp = self.app
        if is_loopback(self.host) and host_of(host) not in {*LOOPBACK_NAMES, self.host}:
            answer = PlainTextResponse("This address is not served here.\n", 421)
        elif origin and origin not in (f"http://{host}", f"https://{host}"):
            answer = PlainTextResponse("Another site may not ask here.\n", 403)
        await answer(scope, receive, sending)


def application(
    project: Project, *, host: str = LOOPBACK, title: str = "Annotate", recordings: Mapping[str, Path] | None = None
) -> Starlette:
    """Return the server of a project as ASGI, for `serve` or another server; ``recordings`` are played beside documents."""
    try:
        from starlette.applications import Starlette
        from starlette.middleware import Middleware
        from starlette.responses import FileResponse, Response, StreamingResponse
        from starlette.routing import Route
    except ImportError:
        raise MissingExtraError("caesura annotate", "explore") from None
    documents, desk, overview = project.documents(), _Desk(project), Overview(project)
    first, played = "annotate", dict(recordings or {})

    def answer(value: object, status: int = 200) -> Response:
        return Response(msgspec.json.encode(value), status, media_type="application/json")

    def whose(request: Request) -> str:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        person = project.whose(token) if scheme == "Bearer" else None
        if person is None:
            raise _Refused(401, "this link is not valid (any more); ask the lead for a new one")
        return person

    def route(path: str, handle: Callable[[Request, str], Awaitable[Response]], *methods: str) -> Route:
        """Return a route whose refusals and failures are one sentence."""

        async def handled(request: Request) -> Response:
            try:
                person = whose(request)
                desk.admit(person)
                return await handle(request, person)
            except _Refused as error:
                return answer({"error": str(error)}, error.status)
            except FormatError as error:  # of the file of events: full, locked, damaged; nothing was acknowledged
                return answer({"error": str(error).replace(str(project.folder), "the project")}, 507)
            except CaesuraError as error:
                return answer({"error": str(error)}, 400)

        return Route(path, handled, methods=list(methods or ("GET",)))

    async def front(request: Request) -> Response:
        return Response(served_document(title, "api/", first), media_type="text/html")

    async def module(request: Request) -> Response:
        return asset_response(request.path_params["name"], assets(first))

    async def me(request: Request, person: str) -> Response:
        await desk.save([])
        if person == LEAD:
            return answer({"role": "lead", "project": project.state.settings.project})
        return answer(person_content(project, person))

    async def document(request: Request, person: str) -> Response:
        tasks, place = project.state.tasks.get(person, []), int(request.path_params["place"])
        if place >= len(tasks):
            raise _Refused(404, "there is no such document")
        key = tasks[place].document
        content = task_content(project, documents[key], person, tasks[place])
        if key in played:
            address = f"api/recording/{place}?key={project.token(person, 'recording')}"
            content["recording"] = {"address": address, "video": is_video(played[key])}
        return answer(content)

    async def recording(request: Request) -> Response:
        """Answer a player, which sends no header of ours: its address has a token for recordings alone."""
        person = project.whose(request.query_params.get("key", ""), "recording")
        tasks, place = project.state.tasks.get(person or "", []), int(request.path_params["place"])
        path = played.get(tasks[place].document) if person and place < len(tasks) else None
        return Response(status_code=404) if path is None or not path.is_file() else FileResponse(path)

    async def events(request: Request, person: str) -> Response:
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise _Refused(415, "events are JSON")
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > _LARGEST:
                raise _Refused(413, "too much at once")
        try:
            batch = decode(bytes(body), _Batch)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise _Refused(400, f"not understood: {error}") from None
        refused, given = {}, []
        for sent in batch.events:
            try:
                given.append(checked(project.state, person, batch.client, sent))
            except CaesuraError as error:  # costs itself only
                refused[sent.sequence] = str(error)
        await desk.save(given)
        others = await asyncio.to_thread(project.store.events, batch.known) if batch.known else []
        tasks = {task: place for place, task in enumerate(project.state.tasks.get(person, []))}
        mine = [
            {"task": tasks[key], "kind": event.kind, "payload": event.payload}
            for event in others
            if event.person == person and event.client != batch.client
            for key in (Task(event.document, event.round),)
            if key in tasks
        ]
        number = others[-1].number if others else max(batch.known, project.state.number)
        saved = [event.sequence for event in given]
        return answer({"saved": saved, "refused": refused, "number": number, "others": mine})

    def for_lead(person: str) -> None:
        if person != LEAD:
            raise _Refused(403, "only the lead sees this")

    async def lead(request: Request, person: str) -> Response:
        for_lead(person)

        async def stream() -> AsyncIterator[bytes]:
            shown: bytes = b""
            while True:
                changed = desk.changed
                view = msgspec.json.encode(await asyncio.to_thread(overview.view))
                if view != shown:
                    yield b"data: " + view + b"\n\n"
                    shown = view
                else:
                    yield b": still here\n\n"
                await asyncio.sleep(_PAUSE)
                try:
                    await asyncio.wait_for(changed.wait(), 10)
                except TimeoutError:
                    await desk.save([])  # what another program has added

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def places(request: Request, person: str) -> Response:
        for_lead(person)
        key = request.query_params.get("id", "")
        if key not in documents:
            raise _Refused(404, "there is no such document")
        return answer(await asyncio.to_thread(overview.places, key))

    routes = [
        Route("/", front),
        Route("/assets/{name}", module),
        route("/api/me", me),
        route("/api/document/{place:int}", document),
        Route("/api/recording/{place:int}", recording),
        route("/api/events", events, "POST"),
        route("/api/lead", lead),
        route("/api/places", places),
    ]
    return Starlette(routes=routes, middleware=[Middleware(_Guard, host=host)])
