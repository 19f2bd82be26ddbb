"""Carries requests to models, and makes tokens for them, on an event loop.

Each is a task with the context variables of whoever began the turn; a plain function, and a body that is read on a
thread, hold no loop. A request that nobody wants any more has its task cancelled; a token is made to the end, since the
next request wants it too.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
from collections.abc import AsyncIterable, Awaitable, Callable
from typing import TypeAlias, TypedDict

from ._fetch import Carried, FetchRequest, FetchResponse
from ._outgoing import Outgoing
from ._serving import made, on_a_thread
from ._token import IssuedToken, TokenRequest, Wanted

Fetch: TypeAlias = Callable[[FetchRequest], FetchResponse | Awaitable[FetchResponse]]
TokenSource: TypeAlias = Callable[[TokenRequest], IssuedToken | Awaitable[IssuedToken]]


class HostAuth(TypedDict):
    """Tokens that the host makes."""

    #: Makes one when a request needs it. It is kept while it counts, and made anew ahead of its end and when the
    #: provider refuses it.
    token: TokenSource


class Sending:
    """The requests of one turn, or of one list of models."""

    __slots__ = ("_context", "_loop", "_open", "_outgoing")

    def __init__(self, outgoing: Outgoing, loop: asyncio.AbstractEventLoop) -> None:
        self._outgoing = outgoing
        self._loop = loop
        self._context = contextvars.copy_context()
        self._open: dict[int, tuple[asyncio.Task[None], asyncio.Event]] = {}

    def serve(self) -> None:
        """Acts on what has happened, and comes back at once."""
        for wanted in self._outgoing.wanted():
            making = self._context.run(self._loop.create_task, _make(wanted))
            self._outgoing.under_way.add(making)
            making.add_done_callback(self._outgoing.under_way.discard)
        for kind, request_id, carried in self._outgoing.taken():
            if carried is not None:
                self._opened(request_id, carried)
            elif (entry := self._open.get(request_id)) is not None:
                task, room = entry
                room.set() if kind == "room" else task.cancel()

    def all_given_up(self) -> None:
        """Nobody wants anything any more."""
        for task, _ in list(self._open.values()):
            task.cancel()

    def _opened(self, request_id: int, carried: Carried) -> None:
        room = asyncio.Event()
        task = self._context.run(self._loop.create_task, _carry(carried, room))
        self._open[request_id] = (task, room)
        task.add_done_callback(lambda _: self._open.pop(request_id, None))


async def _carry(carried: Carried, room: asyncio.Event) -> None:
    try:
        response = carried.answered(await made(carried.call))
        if response is None:
            return
        if isinstance(response.body, AsyncIterable):
            await _pump(response.body, carried, room)
        else:
            await on_a_thread(functools.partial(carried.pump, response.body))
    except Exception as raised:
        carried.failed(raised)
    except BaseException as raised:
        carried.failed(raised)
        raise


async def _make(wanted: Wanted) -> None:
    try:
        wanted.issued(await made(wanted.call))
    except Exception as raised:
        wanted.failed(raised)
    except BaseException as raised:
        wanted.failed(raised)
        raise


async def _pump(body: AsyncIterable[bytes], carried: Carried, room: asyncio.Event) -> None:
    try:
        async for piece in body:
            room.clear()
            flow = carried.push(piece)
            while flow == "wait":
                await room.wait()
                room.clear()
                flow = carried.push(b"")
            if flow == "given_up":
                return
        carried.ended()
    finally:
        if (close := getattr(body, "aclose", None)) is not None:
            await close()
