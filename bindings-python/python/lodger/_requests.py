"""What an agent asks its host: permission, host tool, question, plan, check are one thing, from `opened` to the answer.

Nothing here waits or chooses a thread: `_serving` does so for asyncio, `sync` for programs without a loop. A handler
that raises or answers nonsense refuses; what comes too late is dropped.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _events
from ._errors import LodgerError, RequestError, ask_engine
from ._options import to_json, well_formed
from ._record import Record
from ._results import answer_of, failure_of
from ._tools import Tool, ToolContext

if TYPE_CHECKING:
    from . import _native


class _Asked(Record):
    """What a handler is told beside the question itself."""

    __slots__ = ()

    @property
    def request_id(self) -> str:
        """Names the request in events and in `agent.answer`."""
        return str(self._wire["requestId"])

    @property
    def tool_call_id(self) -> str | None:
        """The call that it is about."""
        tool_call_id: str | None = self._wire.get("toolCallId")
        return tool_call_id

    @property
    def expires_at(self) -> int | None:
        """Unix milliseconds after which it is refused; None when it waits for ever."""
        expires_at: int | None = self._wire.get("expiresAt")
        return expires_at


class PermissionRequest(_events.PermissionRequest, _Asked):
    """May this call run?"""

    __slots__ = ()


class QuestionRequest(_events.QuestionRequest, _Asked):
    """A question to the person, that the model asks by `ask_user`."""

    __slots__ = ()


class PlanRequest(_events.PlanRequest, _Asked):
    """A plan to approve, that the model presents by `present_plan` in plan mode."""

    __slots__ = ()


class CheckRequest(_events.CheckRequest, _Asked):
    """A call that is judged before it runs."""

    __slots__ = ()


class Handlers(NamedTuple):
    """What the host brought along."""

    permission: Callable[[PermissionRequest], Any] | None
    question: Callable[[QuestionRequest], Any] | None
    plan: Callable[[PlanRequest], Any] | None
    check: Callable[[CheckRequest], Any] | None
    tools: dict[str, Tool[..., Any]]


class Request:
    """One open request: the call that answers it, and how the engine hears of the answer."""

    __slots__ = ("_agent", "_handlers", "_wire", "cancelled", "id")

    def __init__(
        self, agent: _native.Agent, handlers: Handlers, wire: dict[str, Any], cancelled: threading.Event
    ) -> None:
        #: As events name it.
        self.id: str = wire["requestId"]
        #: Set when it was settled without its handler.
        self.cancelled = cancelled
        self._agent = agent
        self._handlers = handlers
        self._wire = wire

    def call(self) -> Callable[[], Any]:
        """The handler with what it is to be given. Raises for what cannot be given to it."""
        kind = self._wire["kind"]
        # What is asked may be called like its kind: `question` of a question, `plan` of a plan.
        asked = {**self._wire, **self._wire[kind]}
        match kind:
            case "permission" if self._handlers.permission is not None:
                return functools.partial(self._handlers.permission, PermissionRequest.from_wire(asked))
            case "question" if self._handlers.question is not None:
                return functools.partial(self._handlers.question, QuestionRequest.from_wire(asked))
            case "plan" if self._handlers.plan is not None:
                return functools.partial(self._handlers.plan, PlanRequest.from_wire(asked))
            case "check" if self._handlers.check is not None:
                return functools.partial(self._handlers.check, CheckRequest.from_wire(asked))
            case "tool" if (tool := self._handlers.tools.get(asked["toolName"])) is not None:
                progress = functools.partial(self._settle, self._agent.progress)
                context = ToolContext(self._wire.get("toolCallId"), self.cancelled, progress)
                return functools.partial(tool.execute, **tool.bind(asked["input"], context))
        raise LodgerError("unsupported", f"this agent has no handler for a request of kind {kind}")

    def answered(self, result: Any) -> None:
        """What the handler returned, whatever it is."""
        try:
            answer = to_json(answer_of(result) if self._is_tool else result, "invalid_input")
        except Exception as raised:
            self.failed(raised)
        else:
            self._settle(self._agent.answer, answer)

    def failed(self, raised: BaseException) -> None:
        """The handler raised. A tool's error is told to the model, any other handler's refuses."""
        if self._is_tool and isinstance(raised, Exception):
            self._settle(self._agent.answer, _told(raised))
        else:
            self._settle(self._agent.fail_request, f"the handler failed: {str(raised) or type(raised).__name__}")

    @property
    def _is_tool(self) -> bool:
        return bool(self._wire["kind"] == "tool")

    def _settle(self, call: Callable[[str, str], None], text: str) -> None:
        try:
            ask_engine(call, self.id, well_formed(text))
        except RequestError:
            pass  # Somebody was faster: a timeout, a cancel, `agent.answer`. The first outcome stands.
        except LodgerError as error:
            if error.code != "closed":
                raise


def _told(raised: Exception) -> str:
    """The answer for a tool that raised. A result that it carries may itself be one that cannot be told."""
    try:
        answer = failure_of(raised)
    except Exception as wrong:
        answer = failure_of(wrong)
    return to_json(answer, "invalid_input")


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine."""
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004  An object whose `__call__` is a coroutine function.
    )
