"""What an agent asks its host, from `opened` to the answer: permission, host tool, question and plan alike.

A handler that raises, answers nonsense or is cancelled refuses; what comes too late is dropped. Coroutine functions run
as tasks of the turn's loop, with the context variables of `prompt()`. Plain functions run on a thread each: one that
waits for a person must hold neither the loop nor, being a daemon, the end of the process.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import inspect
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _events, _native
from ._errors import LodgerError, RequestError
from ._options import to_json, well_formed
from ._results import answer_of
from ._tools import Tool, ToolContext

if TYPE_CHECKING:
    from . import _inputs

_IDS = ("expires_at", "request_id", "tool_call_id")


class PermissionRequest(_events.PermissionRequest):
    """May this call run?"""

    __slots__ = _IDS
    #: Names the request in events and in `agent.answer`.
    request_id: str
    #: The call that it is about.
    tool_call_id: str | None
    #: Unix milliseconds after which it is refused; None when it waits for ever.
    expires_at: int | None


class QuestionRequest(_events.QuestionRequest):
    """A question to the person."""

    __slots__ = _IDS
    #: Names the request in events and in `agent.answer`.
    request_id: str
    #: The call that it is about.
    tool_call_id: str | None
    #: Unix milliseconds after which it is refused; None when it waits for ever.
    expires_at: int | None


class PlanRequest(_events.PlanRequest):
    """A plan to approve."""

    __slots__ = _IDS
    #: Names the request in events and in `agent.answer`.
    request_id: str
    #: The call that it is about.
    tool_call_id: str | None
    #: Unix milliseconds after which it is refused; None when it waits for ever.
    expires_at: int | None


PermissionHandler: TypeAlias = Callable[
    [PermissionRequest], "_inputs.PermissionAnswer | Awaitable[_inputs.PermissionAnswer]"
]
QuestionHandler: TypeAlias = Callable[[QuestionRequest], "_inputs.QuestionAnswer | Awaitable[_inputs.QuestionAnswer]"]
PlanHandler: TypeAlias = Callable[[PlanRequest], "_inputs.PlanAnswer | Awaitable[_inputs.PlanAnswer]"]


@dataclass(frozen=True, slots=True)
class Handlers:
    """What the host brought along."""

    permission: PermissionHandler | None
    question: QuestionHandler | None
    plan: PlanHandler | None
    tools: dict[str, Tool[..., Any]]


class Requests:
    """The open requests of one turn."""

    __slots__ = ("_agent", "_context", "_handlers", "_loop", "_open")

    def __init__(self, agent: _native.Agent, handlers: Handlers, loop: asyncio.AbstractEventLoop) -> None:
        self._agent = agent
        self._handlers = handlers
        self._loop = loop
        self._context = contextvars.copy_context()
        self._open: dict[str, tuple[asyncio.Task[None], threading.Event]] = {}

    def opened(self, wire: dict[str, Any]) -> None:
        """Hands the request to its handler and comes back at once."""
        request_id = wire["requestId"]
        cancelled = threading.Event()
        serving = self._serve(request_id, wire, cancelled)
        task = self._context.run(self._loop.create_task, serving)
        self._open[request_id] = (task, cancelled)
        task.add_done_callback(lambda _: self._open.pop(request_id, None))

    def withdrawn(self, request_id: str) -> None:
        """The request was settled without its handler, which may stop now."""
        if (entry := self._open.get(request_id)) is not None:
            task, cancelled = entry
            cancelled.set()
            task.cancel()

    def all_withdrawn(self) -> None:
        """The turn has ended."""
        for request_id in list(self._open):
            self.withdrawn(request_id)

    async def _serve(self, request_id: str, wire: dict[str, Any], cancelled: threading.Event) -> None:
        try:
            answer = to_json(await self._answer(wire, cancelled), "invalid_input")
        except Exception as raised:
            self._fail(request_id, raised)
        except BaseException as raised:
            self._fail(request_id, raised)
            raise
        else:
            self._settle(self._agent.answer, request_id, answer)

    async def _answer(self, wire: dict[str, Any], cancelled: threading.Event) -> Any:
        match wire["kind"]:
            case "permission" if self._handlers.permission is not None:
                asked = PermissionRequest.from_wire(wire["permission"])
                return await _call(self._handlers.permission, _with_ids(asked, wire))
            case "question" if self._handlers.question is not None:
                asked_question = QuestionRequest.from_wire(wire["question"])
                return await _call(self._handlers.question, _with_ids(asked_question, wire))
            case "plan" if self._handlers.plan is not None:
                plan = PlanRequest.from_wire(wire["plan"])
                return await _call(self._handlers.plan, _with_ids(plan, wire))
            case "tool" if (tool := self._handlers.tools.get(wire["tool"]["toolName"])) is not None:
                progress = functools.partial(self._settle, self._agent.progress, wire["requestId"])
                context = ToolContext(wire.get("toolCallId"), cancelled, progress)
                return await _run(tool, wire["tool"]["input"], context)
            case kind:
                raise LodgerError("unsupported", f"this agent has no handler for a request of kind {kind}")

    def _fail(self, request_id: str, raised: BaseException) -> None:
        self._settle(self._agent.fail_request, request_id, f"the handler failed: {_message(raised)}")

    @staticmethod
    def _settle(call: Callable[[str, str], None], request_id: str, text: str) -> None:
        try:
            call(request_id, well_formed(text))
        except RequestError:
            pass  # Somebody was faster: a timeout, a cancel, `agent.answer`. The first outcome stands.
        except LodgerError as error:
            if error.code != "closed":
                raise


async def _run(tool: Tool[..., Any], given: Any, context: ToolContext) -> dict[str, Any]:
    try:
        return answer_of(await _call(tool.execute, **tool.bind(given, context)))
    except Exception as raised:
        return {"error": _message(raised)}


def _message(raised: BaseException) -> str:
    return str(raised) or type(raised).__name__


def _with_ids(request: Any, wire: dict[str, Any]) -> Any:
    request.request_id = wire["requestId"]
    request.tool_call_id = wire.get("toolCallId")
    request.expires_at = wire.get("expiresAt")
    return request


async def _call(function: Callable[..., Any], *positional: Any, **named: Any) -> Any:
    call = functools.partial(function, *positional, **named)
    result = call() if _is_async(function) else await _on_a_thread(call)
    return await result if inspect.isawaitable(result) else result


def _is_async(function: Callable[..., Any]) -> bool:
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004  An object whose `__call__` is a coroutine function.
    )


async def _on_a_thread(call: Callable[[], Any]) -> Any:
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
