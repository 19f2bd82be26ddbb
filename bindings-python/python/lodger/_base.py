"""What agents of both kinds have in common: how they are created, and all of their methods that do not wait."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _native
from ._errors import error, error_from_wire
from ._events import Content, Message, TurnResult, UsageReport
from ._options import to_json
from ._process import open_agents
from ._requests import Handlers
from ._tools import Tool, as_tool

if TYPE_CHECKING:
    from . import _inputs, _types

#: A prompt: a text, or blocks as objects or as dictionaries.
Input: TypeAlias = "str | Sequence[Content | _inputs.Content]"

#: What a request is answered with; which of them, its kind says.
Answer: TypeAlias = "_inputs.PermissionAnswer | _inputs.QuestionAnswer | _inputs.PlanAnswer | _inputs.ToolAnswer"


def create(
    options: dict[str, Any],
    tools: Sequence[Tool[..., Any] | Callable[..., Any]],
    handlers: dict[str, Callable[..., Any] | None],
    checkpoint: bytes | bytearray | memoryview | None,
) -> tuple[_native.Agent, Handlers]:
    """The native half of a new agent, and what answers for the host."""
    for name, handler in handlers.items():
        if handler is not None and not callable(handler):
            raise error("invalid_options", f"option `{name}` must be a function, not {type(handler).__name__}")
    for name, value in options.items():
        if callable(value):
            known = ", ".join(handlers)
            raise error("invalid_options", f"option `{name}` is a function; the handlers are {known}")
    if checkpoint is not None and not isinstance(checkpoint, (bytes, bytearray, memoryview)):
        raise error("invalid_options", f"option `checkpoint` must be bytes, not {type(checkpoint).__name__}")
    host_tools = [as_tool(given) for given in tools]
    permission, question, plan = handlers.values()
    native = _native.Agent(
        to_json({**options, "tools": [tool.to_wire() for tool in host_tools]}, "invalid_options"),
        permission=permission is not None,
        tool=bool(host_tools),
        question=question is not None,
        plan=plan is not None,
        checkpoint=None if checkpoint is None else bytes(checkpoint),
    )
    return native, Handlers(permission, question, plan, {tool.name: tool for tool in host_tools})


def outcome_of(wire: dict[str, Any]) -> TurnResult:
    """What a turn came to; raises when that is an error."""
    result = TurnResult.from_wire(wire)
    if result.reason == "error" and "error" in wire:
        raise error_from_wire(wire["error"], result)
    return result


class AgentBase:
    """The agent that does not wait."""

    __slots__ = ("__weakref__", "_handlers", "_native")

    def __init__(self, native: _native.Agent, handlers: Handlers) -> None:
        self._native = native
        self._handlers = handlers
        open_agents.add(native)

    @property
    def session_id(self) -> str:
        """Names the session."""
        return self._native.session_id

    def interrupt(self) -> bool:
        """Cancels the running turn, whoever holds it. True if there was one."""
        return self._native.interrupt()

    def set_mode(self, mode: _types.Mode) -> None:
        """A stricter mode binds at once, a looser one from the next step on."""
        self._call("session/set_mode", mode=mode)

    def set_model(self, model: str) -> None:
        """`provider/model`, from the next model call on."""
        self._call("session/set_model", model=model)

    def messages(self) -> list[Message]:
        """The conversation so far."""
        return [Message.from_wire(wire) for wire in self._call("session/messages")["messages"]]

    def usage(self) -> UsageReport:
        """Tokens and cost of the last turn and of the session."""
        return UsageReport.from_wire(self._call("session/usage"))

    def answer(self, request_id: str, answer: Answer) -> None:
        """Answers an open request by its id, from any thread. Raises `request_not_found` or `request_settled`."""
        self._native.answer(request_id, to_json(answer, "invalid_input"))

    def __repr__(self) -> str:
        return f"<lodger.Agent {self.session_id}>"

    def _call(self, method: str, **params: Any) -> Any:
        return json.loads(self._native.call(method, json.dumps(params)))
