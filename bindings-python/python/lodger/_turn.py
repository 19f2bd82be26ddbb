"""One prompt and all that follows from it: iterate it, await it, cancel it.

The hub holds a `Running` until the turn has ended. It knows neither the `Turn` nor its reader, so that those two are
freed, and the turn cancelled, in the moment their owner lets go of them.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any

from . import _native
from ._base import outcome_of
from ._diagnostics import Watching
from ._errors import ask_engine, error
from ._events import Event, TurnResult, event_from_wire
from ._sending import Sending
from ._serving import Serving

#: Events that cross at once.
_BATCH = 256


class Running:
    """A turn as its hub knows it."""

    __slots__ = (
        "_bell",
        "_ended",
        "_loop",
        "_rested",
        "_sending",
        "_serving",
        "_waiting",
        "_watching",
        "is_read",
        "native",
    )

    def __init__(
        self,
        native: _native.Turn,
        serving: Serving,
        sending: Sending,
        watching: Watching,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.native = native
        self.is_read = False
        self._serving = serving
        self._sending = sending
        self._watching = watching
        self._loop = loop
        self._bell: asyncio.Future[None] | None = None
        self._rested = True
        self._ended: dict[str, Any] | None = None
        self._waiting: set[asyncio.Future[None]] = set()

    @property
    def has_ended(self) -> bool:
        return self._ended is not None

    def claim(self) -> None:
        """The caller is the one reader from now on."""
        ask_engine(self.native.claim_reader)
        self.is_read = True

    async def next_batch(self) -> str:
        """The next events as a JSON array, empty at the end. Giving up waiting for it loses none."""
        if not self._rested:
            # A reader that always finds more would starve its loop: between two batches the loop has its turn.
            await asyncio.sleep(0)
        self._rested = False
        while (batch := self.native.drain(_BATCH)) is None:
            if self._bell is not None and not self._bell.done():
                raise error("reader_busy", "another task waits for this turn's next event already")
            self._bell = self._future()
            await self._bell
            self._rested = True
        return batch

    async def result(self) -> TurnResult:
        """Waits for the end, and raises when it is an error."""
        while self._ended is None:
            await self._until_ended()
        return outcome_of(self._ended)

    async def _until_ended(self) -> None:
        waiting = self._future()
        self._waiting.add(waiting)
        try:
            await waiting
        finally:
            self._waiting.discard(waiting)

    async def settle(self) -> None:
        """Cancels, and waits for the end, whatever it is and whoever cancels the task that waits: it comes soon."""
        self.native.cancel()
        cancelled: asyncio.CancelledError | None = None
        while not self.has_ended:
            try:
                await self._until_ended()
            except asyncio.CancelledError as again:
                cancelled = again
        if cancelled is not None:
            raise cancelled

    def _future(self) -> asyncio.Future[None]:
        if asyncio.get_running_loop() is not self._loop:
            raise error("unsupported", "a turn belongs to the event loop that it was prompted on; use it there")
        return self._loop.create_future()

    def events_ready(self) -> None:
        if self._bell is not None and not self._bell.done():
            self._bell.set_result(None)

    def requests_ready(self) -> bool:
        self._sending.serve()
        has_ended = self._take_lane()
        # Whoever waits for the end hears of it after this.
        self._watching.tell_in(self._serving.context)
        return has_ended

    def _take_lane(self) -> bool:
        for item in json.loads(self.native.take_lane() or "[]"):
            if item["type"] == "opened":
                self._serving.opened(item["request"])
            elif item["type"] == "withdrawn":
                self._serving.withdrawn(item["requestId"])
            elif item["type"] == "ended":
                self._end(item["result"])
        return self.has_ended

    def _end(self, result: dict[str, Any]) -> None:
        self._ended = result
        # The hub tells no more, and all events are in the queue.
        self.events_ready()
        self._serving.all_withdrawn()
        self._sending.all_given_up()
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)

    def agent_closed(self) -> None:
        """What the lane still holds is the last word."""
        if not self._take_lane():
            wire = {"code": "closed", "message": "the agent was closed before the turn had ended", "retryable": False}
            self._end({"reason": "error", "usage": {}, "text": "", "error": wire})

    def abandoned(self) -> None:
        self.native.cancel()


class Turn:
    """A turn that runs from the moment `agent.prompt()` returned it.

    - `async for event in turn` yields every event, `done` the last. Leaving the loop early cancels the turn.
    - `await turn` reads to the end and gives the result. Cancelling the task that awaits cancels the turn, and the
      task ends when the turn is settled.
    - `await turn.result()` only waits. Somebody has to read, or a long turn stands still when its queue is full.

    A turn has one reader: a second loop raises `reader_busy`. A result whose reason is `error` is raised as a
    `LodgerError` with the partial result in `.result`; a cancelled turn ends normally, with reason `cancelled`.
    """

    __slots__ = ("__weakref__", "_agent", "_running")

    def __init__(self, agent: object, running: Running) -> None:
        # The agent must not be dropped under a turn that somebody holds.
        self._agent = agent
        self._running = running

    @property
    def id(self) -> str:
        """The turn, as events name it."""
        return self._running.native.id

    def cancel(self) -> None:
        """Asks the turn to end; does not wait. Late or repeated calls have no effect."""
        self._running.native.cancel()

    async def result(self) -> TurnResult:
        """Waits for the result without reading events. Giving up waiting leaves the turn alone."""
        return await self._running.result()

    def __aiter__(self) -> Events:
        return Events(self)

    def __await__(self) -> Generator[Any, None, TurnResult]:
        return self._read_through().__await__()

    async def _read_through(self) -> TurnResult:
        running = self._running
        try:
            if not running.is_read:
                running.claim()
                while await running.next_batch() != "[]":
                    pass
            return await running.result()
        except asyncio.CancelledError:
            # Whoever cancels the task may prompt again when it has ended.
            await running.settle()
            raise
        except GeneratorExit:
            running.native.cancel()
            raise


class Events:
    """The one reader of a turn. Dropping it, or closing it, before `done` cancels the turn.

    Giving up waiting for one event (`asyncio.wait_for(anext(events), 1)`) loses nothing and cancels nothing.
    """

    __slots__ = ("__weakref__", "_batch", "_has_ended", "_running", "turn")

    def __init__(self, turn: Turn) -> None:
        # Until the claim succeeded there is nothing that dropping this object could cancel.
        self._has_ended = True
        turn._running.claim()
        self._has_ended = False
        #: The turn that is read.
        self.turn = turn
        self._running = turn._running
        self._batch: deque[dict[str, Any]] = deque()

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> Event:
        while not self._batch:
            if self._has_ended:
                raise StopAsyncIteration
            batch = await self._running.next_batch()
            self._has_ended = batch == "[]"
            self._batch.extend(json.loads(batch))
        return event_from_wire(self._batch.popleft())

    async def aclose(self) -> None:
        """Cancels the turn unless it has ended, and waits until it is settled."""
        self._batch.clear()
        self._has_ended = True
        if not self._running.has_ended:
            await self._running.settle()

    def __del__(self) -> None:
        if not self._has_ended:
            self._running.native.cancel()


class Stream:
    """`async with agent.stream(...) as events`: the prompt starts with the block and is settled at its end."""

    __slots__ = ("_events", "_prompt")

    def __init__(self, prompt: Callable[[], Turn]) -> None:
        self._prompt = prompt
        self._events: Events | None = None

    async def __aenter__(self) -> Events:
        self._events = aiter(self._prompt())
        return self._events

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._events is not None:
            await self._events.aclose()
