"""What goes wrong, as exceptions: one class with a stable `code`, and names for those that programs tell apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from . import _native
from ._spelling import in_python

if TYPE_CHECKING:
    from . import _types
    from ._events import TurnResult

_P = ParamSpec("_P")
_R = TypeVar("_R")


class LodgerError(Exception):
    """Something failed. `code` is stable and listed in docs/errors.md; the message says what to do."""

    #: Stable name of what went wrong.
    code: str
    #: What was expected, what was found, what to do. Never holds a secret.
    message: str
    #: Whether the same call may succeed later, unchanged.
    retryable: bool
    #: How long the provider asked to wait.
    retry_after_ms: int | None
    #: Details for programs.
    data: Any
    #: How far the turn came, where a turn failed.
    result: TurnResult | None

    def __init__(
        self,
        code: str,
        message: str,
        retryable: bool = False,
        retry_after_ms: int | None = None,
        data: Any = None,
        result: TurnResult | None = None,
    ) -> None:
        # All arguments go up, so that the exception can be copied and pickled.
        super().__init__(code, message, retryable, retry_after_ms, data, result)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.retry_after_ms = retry_after_ms
        self.data = data
        self.result = result

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class InvalidArgument(LodgerError):
    """`invalid_options`, `invalid_input`: the call itself is wrong."""


class ProviderError(LodgerError):
    """`provider_*`, `model_not_found`: the model's side failed. `retryable` and `retry_after_ms` say whether to come
    back.
    """


class SessionError(LodgerError):
    """`session_*`: the conversation is busy, locked or not there."""


class CheckpointError(LodgerError):
    """`checkpoint_*`: these bytes cannot be gone on from, or are too many."""


class RequestError(LodgerError):
    """`request_*`: nobody waits for this answer any more."""


class ClosedError(LodgerError):
    """`closed`: the agent was closed. Create a new one."""


class ForkedError(LodgerError):
    """`forked`: the agent belongs to the parent process. Create a new one in the child."""


_BY_PREFIX: dict[str, type[LodgerError]] = {
    "invalid_": InvalidArgument,
    "provider_": ProviderError,
    "model_not_found": ProviderError,
    "session_": SessionError,
    "checkpoint_": CheckpointError,
    "request_": RequestError,
    "closed": ClosedError,
    "forked": ForkedError,
}


def error(code: str, message: str, **more: Any) -> LodgerError:
    """The exception of the class that the code belongs to."""
    kind = next((kind for prefix, kind in _BY_PREFIX.items() if code.startswith(prefix)), LodgerError)
    return kind(code, message, **more)


def error_from_wire(wire: _types.Error, result: TurnResult | None = None) -> LodgerError:
    """The exception for an error of the engine."""
    return error(
        wire["code"],
        in_python(wire["code"], wire["message"]),
        retryable=wire["retryable"],
        retry_after_ms=wire.get("retryAfterMs"),
        data=wire.get("data"),
        result=result,
    )


def ask_engine(call: Callable[_P, _R], *given: _P.args, **named: _P.kwargs) -> _R:
    """Calls a method of the native half, and raises what it fails with as an exception of its class."""
    try:
        return call(*given, **named)
    except _native.Failure as failure:
        raise error_from_wire(json.loads(failure.args[0])) from None
