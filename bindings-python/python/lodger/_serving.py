"""Serves requests on an event loop.

Coroutine functions run as tasks of the turn's loop, with the context variables of `prompt()`. Plain functions run on a
thread each: one that waits for a person must hold neither the loop nor, being a daemon, the end of the process.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from ._requests import CheckRequest, Handlers, PermissionRequest, PlanRequest, QuestionRequest, Request, is_async

if TYPE_CHECKING:
    from . import _inputs, _native

PermissionHandler: TypeAlias = Callable[
    [PermissionRequest], "_inputs.PermissionAnswer | Awaitable[_inputs.PermissionAnswer]"
]
QuestionHandler: TypeAlias = Callable[[QuestionRequest], "_inputs.QuestionAnswer | Awaitable[_inputs.QuestionAnswer]"]
PlanHandler: TypeAlias = Callable[[PlanRequest], "_inputs.PlanAnswer | Awaitable[_inputs.PlanAnswer]"]
CheckHandler: TypeAlias = Callable[[CheckRequest], "_inputs.CheckAnswer | Awaitable[_inputs.CheckAnswer]"]


class Serving:
    """The open requests of one turn."""

    __slots__ = ("_agent", "_handlers", "_loop", "_open", "context")

    def __init__(self, agent: _native.Agent, handlers: Handlers, loop: asyncio.AbstractEventLoop) -> None:
        self._agent = agent
        self._handlers = handlers
        self._loop = loop
        #: That of `prompt()`.
        self.context = contextvars.copy_context()
        self._open: dict[str, tuple[asyncio.Task[None], Request]] = {}

    def opened(self, wire: dict[str, Any]) -> None:
        """Hands the request to its handler and comes back at once."""
        request = Request(self._agent, self._handlers, wire, threading.Event())
        task = self.context.run(self._loop.create_task, _serve(request))
        self._open[request.id] = (task, request)
        task.add_done_callback(lambda _: self._open.pop(request.id, None))

    def withdrawn(self, request_id: str) -> None:
        """The request was settled without its handler, which may stop now."""
        if (entry := self._open.get(request_id)) is not None:
            task, request = entry
            request.cancelled.set()
            task.cancel()

    def all_withdrawn(self) -> None:
        """The turn has ended."""
        for request_id in list(self._open):
            self.withdrawn(request_id)


async def _serve(request: Request) -> None:
    try:
        result = await made(request.call())
    except Exception as raised:
        request.failed(raised)
    except BaseException as raised:
        request.failed(raised)
        raise
    else:
        request.answered(result)


async def made(call: Callable[[], Any]) -> Any:
    """What a function of the host's returns: a coroutine function on this loop, any other on a thread of its own."""
    result = call() if is_async(call) else await on_a_thread(call)
    return await result if inspect.isawaitable(result) else result


async def on_a_thread(call: Callable[[], Any]) -> Any:
    """The same for a call that would hold the loop."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Any, raised: BaseException | None) -> None:
        if not done.done():
            done.set_result((result, raised))

    def run() -> None:
        result, raised = None, None
        try:
            result = context.run(call)
        except BaseException as caught:
            raised = caught
        # A closed loop: nobody waits for this any more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, result, raised)

    threading.Thread(target=run, name="lodger-handler", daemon=True).start()
    result, raised = await done
    if raised is not None:
        raise raised
    return result
