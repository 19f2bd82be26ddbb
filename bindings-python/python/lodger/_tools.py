"""Tools that the host runs: plain Python functions, with the schema of their input read off their type hints."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, ParamSpec, TypeVar, get_type_hints, overload

from ._errors import error
from ._schema import convert, schema_of

if TYPE_CHECKING:
    from ._types import ToolApproval

_P = ParamSpec("_P")
_R = TypeVar("_R")


class ToolContext:
    """Annotate a parameter of a tool with this class to be handed one. Its members may be used from any thread."""

    __slots__ = ("_progress", "cancelled", "tool_call_id")

    def __init__(self, tool_call_id: str | None, cancelled: threading.Event, progress: Callable[[str], None]) -> None:
        #: The call, as events name it.
        self.tool_call_id = tool_call_id
        #: Set when nobody waits for the result any more. A coroutine is cancelled then; a plain function may look.
        self.cancelled = cancelled
        self._progress = progress

    def progress(self, text: str) -> None:
        """Shows what the tool is at, as a `tool_progress` event."""
        self._progress(text)


class Tool(Generic[_P, _R]):
    """A function that the model may call. Made by `@tool`; calling it calls the function."""

    def __init__(
        self,
        name: str,
        description: str,
        input_schema: dict[str, Any],
        execute: Callable[_P, _R],
        read_only: bool = False,
        timeout_ms: int | None = None,
        approval: ToolApproval = "never",
    ) -> None:
        #: 1 to 64 of letters, digits, `_` and `-`. The name of a built-in tool replaces that tool.
        self.name: Final = name
        #: Told to the model.
        self.description: Final = description
        #: JSON Schema of the input; an object.
        self.input_schema: Final = input_schema
        #: The function. A coroutine function runs on the loop, any other on a thread of its own; in `lodger.sync`
        #: it runs where the turn is read.
        self.execute: Final = execute
        #: It only looks: its calls run side by side with others, and in mode `plan` too.
        self.read_only: Final = read_only
        #: After how many milliseconds a call fails; None: it may take as long as it likes.
        self.timeout_ms: Final = timeout_ms
        #: `ask`: its calls ask in every mode; `never`: they run.
        self.approval: Final[ToolApproval] = approval

    def __repr__(self) -> str:
        return f"<lodger.Tool {self.name}>"

    def __call__(self, *positional: _P.args, **named: _P.kwargs) -> _R:
        return self.execute(*positional, **named)

    @cached_property
    def _parameters(self) -> Parameters:
        return Parameters.of(self.execute)

    def to_wire(self) -> dict[str, Any]:
        """What the engine is told of it."""
        wire = {"name": self.name, "description": self.description, "inputSchema": self.input_schema}
        return {**wire, "readOnly": self.read_only, "timeoutMs": self.timeout_ms, "approval": self.approval}

    def bind(self, given: Any, context: ToolContext) -> dict[str, Any]:
        """The arguments for a call with this input. What is missing or too much is an error that names it."""
        if not isinstance(given, dict):
            raise TypeError(f"the input of {self.name} must be an object")
        hints = self._parameters.hints
        arguments = {name: convert(hints.get(name), value) for name, value in given.items()}
        arguments |= {name: context for name, hint in hints.items() if hint is ToolContext}
        self._parameters.signature.bind(**arguments)
        return arguments


class Parameters(NamedTuple):
    """What a function says of its parameters."""

    signature: inspect.Signature
    hints: dict[str, Any]

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Parameters:
        try:
            hints = get_type_hints(function, include_extras=True)
        except NameError as cause:
            raise error("invalid_options", f"{function.__name__}: a type hint cannot be resolved: {cause}") from cause
        hints.pop("return", None)
        return cls(inspect.signature(function), hints)

    def schema(self, where: str) -> dict[str, Any]:
        """The schema of an object with all parameters that the model is to give."""
        properties: dict[str, Any] = {}
        required: list[str] = []
        for parameter in self.signature.parameters.values():
            hint = self.hints.get(parameter.name)
            if hint is ToolContext:
                continue
            here = f"{where}: parameter {parameter.name}"
            if hint is None or parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                needs = "needs a type hint and a name that it can be given by; or pass input_schema="
                raise error("invalid_options", f"{here} {needs}")
            properties[parameter.name] = schema_of(hint, here)
            if parameter.default is parameter.empty:
                required.append(parameter.name)
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@overload
def tool(function: Callable[_P, _R], /) -> Tool[_P, _R]: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    input_schema: dict[str, Any] | None = None,
    read_only: bool = False,
    timeout_ms: int | None = None,
    approval: ToolApproval = "never",
) -> Callable[[Callable[_P, _R]], Tool[_P, _R]]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    input_schema: dict[str, Any] | None = None,
    read_only: bool = False,
    timeout_ms: int | None = None,
    approval: ToolApproval = "never",
) -> Any:
    """Makes a function a tool: its name, docstring and type hints are the name, description and input schema.

    The model's input arrives as keyword arguments. What the function returns is told to the model: text as it is, a
    `ToolResult` with its pictures, anything else as JSON. An exception fails the call with its message, or with the
    `ToolResult` that is among its arguments.
    """

    def make(function: Callable[..., Any]) -> Tool[..., Any]:
        return Tool(
            name=name or function.__name__,
            description=description or inspect.getdoc(function) or _no_description(function),
            input_schema=input_schema or Parameters.of(function).schema(function.__name__),
            execute=function,
            read_only=read_only,
            timeout_ms=timeout_ms,
            approval=approval,
        )

    return make if function is None else make(function)


def as_tool(given: Any) -> Tool[..., Any]:
    """A tool as it stands in `tools=[...]`: made by `@tool`, or a plain function."""
    if isinstance(given, Tool):
        return given
    if inspect.isroutine(given):
        return tool(given)
    raise error("invalid_options", f"tools: expected functions, best made tools by @lodger.tool, but found {given!r}")


def _no_description(function: Callable[..., Any]) -> str:
    raise error("invalid_options", f"{function.__name__}: write a docstring or pass description=, the model goes by it")
