"""What agents of both kinds have in common: all of their methods that do not wait."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _native
from ._diagnostics import Watching
from ._errors import ask_engine, error_from_wire
from ._events import Content, Message, TurnResult, UsageReport
from ._options import to_json
from ._outgoing import Outgoing
from ._process import open_agents
from ._requests import Handlers

if TYPE_CHECKING:
    from . import _inputs, _types

#: A prompt: a text, or blocks as objects or as dictionaries.
Input: TypeAlias = "str | Sequence[Content | _inputs.Content]"

#: What a request is answered with; which of them, its kind says.
Answer: TypeAlias = (
    "_inputs.PermissionAnswer | _inputs.QuestionAnswer | _inputs.PlanAnswer | _inputs.CheckAnswer | _inputs.ToolAnswer"
)


def outcome_of(wire: dict[str, Any]) -> TurnResult:
    """What a turn came to; raises when that is an error."""
    result = TurnResult.from_wire(wire)
    if result.reason == "error" and "error" in wire:
        raise error_from_wire(wire["error"], result)
    return result


class AgentBase:
    """The agent that does not wait."""

    __slots__ = ("__weakref__", "_handlers", "_native", "_outgoing", "_watching")

    def __init__(self, native: _native.Agent, handlers: Handlers, watching: Watching, outgoing: Outgoing) -> None:
        self._native = native
        self._handlers = handlers
        self._watching = watching
        self._outgoing = outgoing
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
        ask_engine(self._native.answer, request_id, to_json(answer, "invalid_input"))

    def __repr__(self) -> str:
        return f"<lodger.Agent {self.session_id}>"

    def _call(self, method: str, **params: Any) -> Any:
        return json.loads(ask_engine(self._native.call, method, json.dumps(params)))
