"""What an agent hands out: events, requests and results, as objects.

Generated from the Rust types in core/protocol by `make gen`. Do not edit.

Attributes have the names of the JSON, in snake_case; what is absent there is `None` here. They are read-only, and the
objects and lists in them are made when they are looked at. An event or a block of a type that this version does not
know comes as `UnknownEvent` or `UnknownContent`: ignore it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from ._record import Record

if TYPE_CHECKING:
    from . import _types


class CheckRequest(Record):
    """Does anything speak against this call? It has not run yet, and nobody was asked for leave so far."""

    __slots__ = ()
    __match_args__ = ("tool_name", "input", "target", "targets", "risk", "diff")
    _wire: _types.CheckRequest

    @property
    def tool_name(self) -> str:
        """Name of the tool."""
        return self._wire["toolName"]

    @property
    def input(self) -> Any:
        """The input, as the model wrote it."""
        return self._wire["input"]

    @property
    def target(self) -> Target:
        """What the call would do."""
        return Target.from_wire(self._wire["target"])

    @property
    def targets(self) -> list[str]:
        """Every file or command that the call touches, one line each."""
        return self._wire["targets"]

    @property
    def risk(self) -> _types.Risk:
        """How much harm it could do."""
        return self._wire["risk"]

    @property
    def diff(self) -> str | None:
        """A unified diff, for changes of files."""
        return self._wire.get("diff")


class Checks(Record):
    """Findings of checks that ran before the request was opened."""

    __slots__ = ()
    __match_args__ = ("blocking", "findings")
    _wire: _types.Checks

    @property
    def blocking(self) -> bool:
        """A blocking finding refuses the call whatever the answer is."""
        return self._wire["blocking"]

    @property
    def findings(self) -> list[str]:
        """What was found, one line each."""
        return self._wire["findings"]


class TextContent(Record):
    """Plain text."""

    __slots__ = ()
    __match_args__ = ("text",)
    type: ClassVar[Literal["text"]] = "text"
    _wire: _types.TextContent

    def __init__(self, text: str) -> None:
        self._fill({"type": "text", "text": text})

    @property
    def text(self) -> str:
        """UTF-8 text."""
        return self._wire["text"]


class ThinkingContent(Record):
    """What the model thought, where the provider shows it."""

    __slots__ = ()
    __match_args__ = ("text", "signature")
    type: ClassVar[Literal["thinking"]] = "thinking"
    _wire: _types.ThinkingContent

    def __init__(self, text: str, signature: str | None = None) -> None:
        self._fill({"type": "thinking", "text": text, "signature": signature})

    @property
    def text(self) -> str:
        """The thought, possibly a summary; may be empty when only the signature was sent."""
        return self._wire["text"]

    @property
    def signature(self) -> str | None:
        """The provider's own data about the thought: a signature, or the thought encrypted. Sent back unchanged to
        the model that wrote it, and to no other. Opaque."""
        return self._wire.get("signature")


class RedactedThinkingContent(Record):
    """Thought that the provider encrypted; sent back unchanged."""

    __slots__ = ()
    __match_args__ = ("data",)
    type: ClassVar[Literal["redacted_thinking"]] = "redacted_thinking"
    _wire: _types.RedactedThinkingContent

    def __init__(self, data: str) -> None:
        self._fill({"type": "redacted_thinking", "data": data})

    @property
    def data(self) -> str:
        """Opaque data of the provider."""
        return self._wire["data"]


class ToolCallContent(Record):
    """The model asks for a tool."""

    __slots__ = ()
    __match_args__ = ("tool_call_id", "tool_name", "input")
    type: ClassVar[Literal["tool_call"]] = "tool_call"
    _wire: _types.ToolCallContent

    def __init__(self, tool_call_id: str, tool_name: str, input: Any) -> None:
        self._fill({"type": "tool_call", "toolCallId": tool_call_id, "toolName": tool_name, "input": input})

    @property
    def tool_call_id(self) -> str:
        """Ties the call to its result."""
        return self._wire["toolCallId"]

    @property
    def tool_name(self) -> str:
        """Name of the tool."""
        return self._wire["toolName"]

    @property
    def input(self) -> Any:
        """The input, as the model wrote it."""
        return self._wire["input"]


class ToolResultContent(Record):
    """What a tool answered."""

    __slots__ = ()
    __match_args__ = ("tool_call_id", "content", "is_error")
    type: ClassVar[Literal["tool_result"]] = "tool_result"
    _wire: _types.ToolResultContent

    def __init__(self, tool_call_id: str, content: list[Content], is_error: bool = False) -> None:
        self._fill({"type": "tool_result", "toolCallId": tool_call_id, "content": content, "isError": is_error})

    @property
    def tool_call_id(self) -> str:
        """The call that this answers."""
        return self._wire["toolCallId"]

    @property
    def content(self) -> list[Content]:
        """Text, images and documents for the model."""
        return [content_from_wire(item) for item in self._wire["content"]]

    @property
    def is_error(self) -> bool:
        """The tool failed or was refused."""
        return self._wire.get("isError", False)


class ImageContent(Record):
    """A picture."""

    __slots__ = ()
    __match_args__ = ("mime_type", "data")
    type: ClassVar[Literal["image"]] = "image"
    _wire: _types.ImageContent

    def __init__(self, mime_type: str, data: str) -> None:
        self._fill({"type": "image", "mimeType": mime_type, "data": data})

    @property
    def mime_type(self) -> str:
        """`image/png`, `image/jpeg`, `image/gif` or `image/webp`."""
        return self._wire["mimeType"]

    @property
    def data(self) -> str:
        """Base64 of the picture; at most 5 MiB of text."""
        return self._wire["data"]


class DocumentContent(Record):
    """A file to read. A text is told to every model; a PDF to those that read PDF files, and the others are told that
    there is one.
    """

    __slots__ = ()
    __match_args__ = ("mime_type", "data", "name")
    type: ClassVar[Literal["document"]] = "document"
    _wire: _types.DocumentContent

    def __init__(self, mime_type: str, data: str, name: str | None = None) -> None:
        self._fill({"type": "document", "mimeType": mime_type, "data": data, "name": name})

    @property
    def mime_type(self) -> str:
        """`application/pdf` or `text/plain`."""
        return self._wire["mimeType"]

    @property
    def data(self) -> str:
        """Base64 of the file; at most 10 MiB of text. A text is UTF-8."""
        return self._wire["data"]

    @property
    def name(self) -> str | None:
        """What the file is called, such as `report.pdf`; at most 255 bytes. It gives no access to anything."""
        return self._wire.get("name")


class ResourceContent(Record):
    """A named text that the host hands over. The URI gives no access to anything."""

    __slots__ = ()
    __match_args__ = ("uri", "text")
    type: ClassVar[Literal["resource"]] = "resource"
    _wire: _types.ResourceContent

    def __init__(self, uri: str, text: str | None = None) -> None:
        self._fill({"type": "resource", "uri": uri, "text": text})

    @property
    def uri(self) -> str:
        """What the text is called."""
        return self._wire["uri"]

    @property
    def text(self) -> str | None:
        """The text itself."""
        return self._wire.get("text")


class UnknownContent(Record):
    """Of a type that this version does not know: ignore it, or look into `wire`."""

    __slots__ = ()
    __match_args__ = ("wire",)
    type: ClassVar[Literal["unknown"]] = "unknown"

    @property
    def wire(self) -> dict[str, Any]:
        """All of it, as it came."""
        return self.to_wire()


class DiagnosticBase(Record):
    """What every diagnostic has."""

    __slots__ = ()
    __match_args__ = ("ts", "session_id")
    _wire: _types.DiagnosticBase

    @property
    def ts(self) -> int:
        """Unix milliseconds."""
        return self._wire["ts"]

    @property
    def session_id(self) -> str:
        """Whose agent."""
        return self._wire["sessionId"]


class RuntimeStartDiagnostic(DiagnosticBase):
    """The agent is being made."""

    __slots__ = ()
    type: ClassVar[Literal["runtime.start"]] = "runtime.start"
    _wire: _types.RuntimeStartDiagnostic


class RuntimeReadyDiagnostic(DiagnosticBase):
    """The agent takes prompts."""

    __slots__ = ()
    type: ClassVar[Literal["runtime.ready"]] = "runtime.ready"
    _wire: _types.RuntimeReadyDiagnostic


class RuntimeExitDiagnostic(DiagnosticBase):
    """The agent is closed: always the last one, once."""

    __slots__ = ()
    __match_args__ = ("code",)
    type: ClassVar[Literal["runtime.exit"]] = "runtime.exit"
    _wire: _types.RuntimeExitDiagnostic

    @property
    def code(self) -> int:
        """0."""
        return self._wire["code"]


class TransportStartDiagnostic(DiagnosticBase):
    """A request to the model begins."""

    __slots__ = ()
    __match_args__ = ("attempt", "method", "endpoint", "model")
    type: ClassVar[Literal["transport.start"]] = "transport.start"
    _wire: _types.TransportStartDiagnostic

    @property
    def attempt(self) -> int:
        """1, and one more for each retry of the same model call."""
        return self._wire["attempt"]

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self._wire["method"]

    @property
    def endpoint(self) -> str:
        """Scheme, host and path; never a query, which may carry a key."""
        return self._wire["endpoint"]

    @property
    def model(self) -> str:
        """`provider/model`."""
        return self._wire["model"]


class TransportQueuedDiagnostic(DiagnosticBase):
    """It had to wait for its turn, since as many requests as may be were under way to its host. Told when the wait is
    over.
    """

    __slots__ = ()
    __match_args__ = ("attempt", "queued_ms", "model")
    type: ClassVar[Literal["transport.queued"]] = "transport.queued"
    _wire: _types.TransportQueuedDiagnostic

    @property
    def attempt(self) -> int:
        """As in `transport.start`."""
        return self._wire["attempt"]

    @property
    def queued_ms(self) -> int:
        """Milliseconds that it waited; they are part of what `elapsedMs` says later."""
        return self._wire["queuedMs"]

    @property
    def model(self) -> str:
        """`provider/model`."""
        return self._wire["model"]


class TransportResponseDiagnostic(DiagnosticBase):
    """The head of its answer came."""

    __slots__ = ()
    __match_args__ = ("attempt", "status", "elapsed_ms", "model", "provider", "request_id")
    type: ClassVar[Literal["transport.response"]] = "transport.response"
    _wire: _types.TransportResponseDiagnostic

    @property
    def attempt(self) -> int:
        """As in `transport.start`."""
        return self._wire["attempt"]

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self._wire["status"]

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds since `transport.start`."""
        return self._wire["elapsedMs"]

    @property
    def model(self) -> str:
        """`provider/model`."""
        return self._wire["model"]

    @property
    def provider(self) -> str:
        """The part of the model's name before the `/`."""
        return self._wire["provider"]

    @property
    def request_id(self) -> str | None:
        """What the provider calls the request, if it said so."""
        return self._wire.get("requestId")


class TransportErrorDiagnostic(DiagnosticBase):
    """No answer, or one that is an error, or an answer that broke."""

    __slots__ = ()
    __match_args__ = ("attempt", "elapsed_ms", "error")
    type: ClassVar[Literal["transport.error"]] = "transport.error"
    _wire: _types.TransportErrorDiagnostic

    @property
    def attempt(self) -> int:
        """As in `transport.start`."""
        return self._wire["attempt"]

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds since `transport.start`."""
        return self._wire["elapsedMs"]

    @property
    def error(self) -> _types.ErrorCode:
        """Its code. The message is in the turn's own error."""
        return self._wire["error"]


class TransportRetryDiagnostic(DiagnosticBase):
    """The same model call is tried again after a wait."""

    __slots__ = ()
    __match_args__ = ("attempt", "elapsed_ms", "error", "next_attempt", "delay_ms")
    type: ClassVar[Literal["transport.retry"]] = "transport.retry"
    _wire: _types.TransportRetryDiagnostic

    @property
    def attempt(self) -> int:
        """The attempt that failed."""
        return self._wire["attempt"]

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds since its `transport.start`."""
        return self._wire["elapsedMs"]

    @property
    def error(self) -> _types.ErrorCode:
        """Why."""
        return self._wire["error"]

    @property
    def next_attempt(self) -> int:
        """The attempt to come."""
        return self._wire["nextAttempt"]

    @property
    def delay_ms(self) -> int:
        """Milliseconds until it."""
        return self._wire["delayMs"]


class OutputBackpressureDiagnostic(DiagnosticBase):
    """The reader of a turn is slower than its sources, which now wait. Once in a turn."""

    __slots__ = ()
    __match_args__ = ("buffered_bytes", "buffered_events")
    type: ClassVar[Literal["output.backpressure"]] = "output.backpressure"
    _wire: _types.OutputBackpressureDiagnostic

    @property
    def buffered_bytes(self) -> int:
        """Bytes that lie unread, about."""
        return self._wire["bufferedBytes"]

    @property
    def buffered_events(self) -> int:
        """Events that lie unread."""
        return self._wire["bufferedEvents"]


class PermissionRequestDiagnostic(DiagnosticBase):
    """A call needs leave."""

    __slots__ = ()
    __match_args__ = ("tool_name", "kind")
    type: ClassVar[Literal["permission.request"]] = "permission.request"
    _wire: _types.PermissionRequestDiagnostic

    @property
    def tool_name(self) -> str:
        """Name of the tool."""
        return self._wire["toolName"]

    @property
    def kind(self) -> _types.TargetKind:
        """What the call acts on."""
        return self._wire["kind"]


class PermissionDecisionDiagnostic(DiagnosticBase):
    """A call that needed leave has its answer."""

    __slots__ = ()
    __match_args__ = ("tool_name", "kind", "outcome")
    type: ClassVar[Literal["permission.decision"]] = "permission.decision"
    _wire: _types.PermissionDecisionDiagnostic

    @property
    def tool_name(self) -> str:
        """Name of the tool."""
        return self._wire["toolName"]

    @property
    def kind(self) -> _types.TargetKind:
        """What the call acts on."""
        return self._wire["kind"]

    @property
    def outcome(self) -> _types.Outcome:
        """How it was decided."""
        return self._wire["outcome"]


class DiagnosticsDroppedDiagnostic(DiagnosticBase):
    """The host did not take its diagnostics for so long that some were lost, between this one and the one before."""

    __slots__ = ()
    __match_args__ = ("count",)
    type: ClassVar[Literal["diagnostics.dropped"]] = "diagnostics.dropped"
    _wire: _types.DiagnosticsDroppedDiagnostic

    @property
    def count(self) -> int:
        """How many."""
        return self._wire["count"]


class UnknownDiagnostic(DiagnosticBase):
    """Of a type that this version does not know: ignore it, or look into `wire`."""

    __slots__ = ()
    __match_args__ = ("wire",)
    type: ClassVar[Literal["unknown"]] = "unknown"

    @property
    def wire(self) -> dict[str, Any]:
        """All of it, as it came."""
        return self.to_wire()


class Error(Record):
    """An error as every face shows it."""

    __slots__ = ()
    __match_args__ = ("code", "message", "retryable", "data", "retry_after_ms")
    _wire: _types.Error

    @property
    def code(self) -> _types.ErrorCode:
        """Stable name of what went wrong."""
        return self._wire["code"]

    @property
    def message(self) -> str:
        """What was expected, what was found, what to do. Never holds a secret."""
        return self._wire["message"]

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later, unchanged."""
        return self._wire["retryable"]

    @property
    def data(self) -> Any:
        """Details for programs."""
        return self._wire.get("data")

    @property
    def retry_after_ms(self) -> int | None:
        """How long the provider asked to wait."""
        return self._wire.get("retryAfterMs")


class EventBase(Record):
    """What every event has."""

    __slots__ = ()
    __match_args__ = ("v", "seq", "ts", "session_id", "agent_id", "parent_tool_call_id", "turn_id")
    _wire: _types.EventBase

    @property
    def v(self) -> int:
        """Version of this schema."""
        return self._wire["v"]

    @property
    def seq(self) -> int:
        """Place in the session, dense from 1."""
        return self._wire["seq"]

    @property
    def ts(self) -> int:
        """Unix milliseconds."""
        return self._wire["ts"]

    @property
    def session_id(self) -> str:
        """The session."""
        return self._wire["sessionId"]

    @property
    def agent_id(self) -> str | None:
        """The sub-agent; absent for the main one."""
        return self._wire.get("agentId")

    @property
    def parent_tool_call_id(self) -> str | None:
        """The call that started the sub-agent."""
        return self._wire.get("parentToolCallId")

    @property
    def turn_id(self) -> str | None:
        """The turn, for what belongs to one."""
        return self._wire.get("turnId")


class UserMessageEvent(EventBase):
    """A prompt entered the conversation."""

    __slots__ = ()
    __match_args__ = ("message_id", "content")
    type: ClassVar[Literal["user_message"]] = "user_message"
    _wire: _types.UserMessageEvent

    @property
    def message_id(self) -> str:
        """The message."""
        return self._wire["messageId"]

    @property
    def content(self) -> list[Content]:
        """Its blocks."""
        return [content_from_wire(item) for item in self._wire["content"]]


class TurnStartEvent(EventBase):
    """A turn began."""

    __slots__ = ()
    __match_args__ = ("prompt_id", "model", "mode", "sandbox")
    type: ClassVar[Literal["turn_start"]] = "turn_start"
    _wire: _types.TurnStartEvent

    @property
    def prompt_id(self) -> str:
        """The prompt that it answers."""
        return self._wire["promptId"]

    @property
    def model(self) -> str:
        """`provider/model`."""
        return self._wire["model"]

    @property
    def mode(self) -> _types.Mode:
        """The mode at the start."""
        return self._wire["mode"]

    @property
    def sandbox(self) -> SandboxState | None:
        """What confines commands; absent where no sandbox was asked for."""
        return SandboxState.from_wire(self._wire["sandbox"]) if "sandbox" in self._wire else None


class AssistantMessageEvent(EventBase):
    """One whole reply of the model, after its deltas."""

    __slots__ = ()
    __match_args__ = ("message_id", "content", "stop_reason", "usage", "model", "cost_usd")
    type: ClassVar[Literal["assistant_message"]] = "assistant_message"
    _wire: _types.AssistantMessageEvent

    @property
    def message_id(self) -> str:
        """The message."""
        return self._wire["messageId"]

    @property
    def content(self) -> list[Content]:
        """Its blocks, tool calls among them."""
        return [content_from_wire(item) for item in self._wire["content"]]

    @property
    def stop_reason(self) -> _types.StopReason:
        """Why the model stopped."""
        return self._wire["stopReason"]

    @property
    def usage(self) -> Usage:
        """What this reply used."""
        return Usage.from_wire(self._wire["usage"])

    @property
    def model(self) -> str:
        """`provider/model` that wrote it."""
        return self._wire["model"]

    @property
    def cost_usd(self) -> float | None:
        """US dollars of this reply; absent when the price is unknown or the provider did not count."""
        return self._wire.get("costUsd")


class ToolCallEvent(EventBase):
    """The model asked for a tool; appended before anything is decided."""

    __slots__ = ()
    __match_args__ = ("tool_call_id", "tool_name", "input", "target")
    type: ClassVar[Literal["tool_call"]] = "tool_call"
    _wire: _types.ToolCallEvent

    @property
    def tool_call_id(self) -> str:
        """The call."""
        return self._wire["toolCallId"]

    @property
    def tool_name(self) -> str:
        """Name of the tool."""
        return self._wire["toolName"]

    @property
    def input(self) -> Any:
        """The input, as the model wrote it."""
        return self._wire["input"]

    @property
    def target(self) -> Target:
        """What the call would do, as far as the input could be read."""
        return Target.from_wire(self._wire["target"])


class ToolResultEvent(EventBase):
    """The end of a call: exactly one for each."""

    __slots__ = ()
    __match_args__ = ("tool_call_id", "tool_name", "content", "is_error", "duration_ms", "truncated", "files")
    type: ClassVar[Literal["tool_result"]] = "tool_result"
    _wire: _types.ToolResultEvent

    @property
    def tool_call_id(self) -> str:
        """The call."""
        return self._wire["toolCallId"]

    @property
    def tool_name(self) -> str:
        """Name of the tool."""
        return self._wire["toolName"]

    @property
    def content(self) -> list[Content]:
        """What the model is told."""
        return [content_from_wire(item) for item in self._wire["content"]]

    @property
    def is_error(self) -> bool:
        """The tool failed or was refused."""
        return self._wire["isError"]

    @property
    def duration_ms(self) -> int:
        """From decision to end; 0 for calls that never ran."""
        return self._wire["durationMs"]

    @property
    def truncated(self) -> bool:
        """Something was left out of `content`."""
        return self._wire["truncated"]

    @property
    def files(self) -> list[FileChange]:
        """Files that the call changed."""
        return [FileChange.from_wire(item) for item in self._wire["files"]]


class ToolDeniedEvent(EventBase):
    """A call was refused."""

    __slots__ = ()
    __match_args__ = ("tool_call_id", "tool_name", "by", "feedback")
    type: ClassVar[Literal["tool_denied"]] = "tool_denied"
    _wire: _types.ToolDeniedEvent

    @property
    def tool_call_id(self) -> str:
        """The call."""
        return self._wire["toolCallId"]

    @property
    def tool_name(self) -> str:
        """Name of the tool."""
        return self._wire["toolName"]

    @property
    def by(self) -> _types.DeniedBy:
        """Who refused."""
        return self._wire["by"]

    @property
    def feedback(self) -> str | None:
        """What the model is told beside."""
        return self._wire.get("feedback")


class OutputRejectedEvent(EventBase):
    """An answer did not fit `outputSchema`; the model is told so and asked again."""

    __slots__ = ()
    __match_args__ = ("message_id", "feedback", "attempt", "max_attempts", "tool_call_id")
    type: ClassVar[Literal["output_rejected"]] = "output_rejected"
    _wire: _types.OutputRejectedEvent

    @property
    def message_id(self) -> str:
        """What the model is told of it."""
        return self._wire["messageId"]

    @property
    def feedback(self) -> str:
        """The same, in words."""
        return self._wire["feedback"]

    @property
    def attempt(self) -> int:
        """The answer that was rejected, from 1."""
        return self._wire["attempt"]

    @property
    def max_attempts(self) -> int:
        """How many there may be."""
        return self._wire["maxAttempts"]

    @property
    def tool_call_id(self) -> str | None:
        """The call that gave the answer, whose result holds the words too; absent where the answer was text."""
        return self._wire.get("toolCallId")


class FileChangedEvent(EventBase):
    """A file was changed by the agent."""

    __slots__ = ()
    __match_args__ = ("tool_call_id", "path", "created", "atomic", "removed")
    type: ClassVar[Literal["file_changed"]] = "file_changed"
    _wire: _types.FileChangedEvent

    @property
    def tool_call_id(self) -> str:
        """The call that changed it."""
        return self._wire["toolCallId"]

    @property
    def path(self) -> str:
        """Absolute path."""
        return self._wire["path"]

    @property
    def created(self) -> bool:
        """The file did not exist before."""
        return self._wire["created"]

    @property
    def atomic(self) -> bool:
        """Replaced in one step; false when it had to be written in place."""
        return self._wire["atomic"]

    @property
    def removed(self) -> bool | None:
        """The file was removed, or moved away. Absent: it was not."""
        return self._wire.get("removed")


class BackgroundTaskEndedEvent(EventBase):
    """A background task ended. Told before the next request to the model, which is told of it too."""

    __slots__ = ()
    __match_args__ = ("task_id", "tool_call_id", "text")
    type: ClassVar[Literal["background_task_ended"]] = "background_task_ended"
    _wire: _types.BackgroundTaskEndedEvent

    @property
    def task_id(self) -> str:
        """The task, as the model names it."""
        return self._wire["taskId"]

    @property
    def tool_call_id(self) -> str:
        """The call that started it."""
        return self._wire["toolCallId"]

    @property
    def text(self) -> str:
        """What the model is told of it."""
        return self._wire["text"]


class RequestOpenedEvent(EventBase):
    """A request to the host was opened."""

    __slots__ = ()
    __match_args__ = (
        "kind",
        "request_id",
        "expires_at",
        "tool_call_id",
        "permission",
        "tool",
        "question",
        "plan",
        "check",
    )
    type: ClassVar[Literal["request_opened"]] = "request_opened"
    _wire: _types.RequestOpenedEvent

    @property
    def kind(self) -> _types.RequestKind:
        """Which of permission, tool, question, plan, check there is."""
        return self._wire["kind"]

    @property
    def request_id(self) -> str:
        """Answer with this id, or by the handle."""
        return self._wire["requestId"]

    @property
    def expires_at(self) -> int | None:
        """Unix milliseconds after which it is refused; absent when it waits for ever."""
        return self._wire.get("expiresAt")

    @property
    def tool_call_id(self) -> str | None:
        """The call that it is about."""
        return self._wire.get("toolCallId")

    @property
    def permission(self) -> PermissionRequest | None:
        """May this call run?"""
        return PermissionRequest.from_wire(self._wire["permission"]) if "permission" in self._wire else None

    @property
    def tool(self) -> ToolRequest | None:
        """Run this tool of yours."""
        return ToolRequest.from_wire(self._wire["tool"]) if "tool" in self._wire else None

    @property
    def question(self) -> QuestionRequest | None:
        """A question to the person."""
        return QuestionRequest.from_wire(self._wire["question"]) if "question" in self._wire else None

    @property
    def plan(self) -> PlanRequest | None:
        """A plan to approve."""
        return PlanRequest.from_wire(self._wire["plan"]) if "plan" in self._wire else None

    @property
    def check(self) -> CheckRequest | None:
        """Does anything speak against this call?"""
        return CheckRequest.from_wire(self._wire["check"]) if "check" in self._wire else None


class RequestResolvedEvent(EventBase):
    """A request was settled: exactly one for each."""

    __slots__ = ()
    __match_args__ = ("request_id", "kind", "outcome")
    type: ClassVar[Literal["request_resolved"]] = "request_resolved"
    _wire: _types.RequestResolvedEvent

    @property
    def request_id(self) -> str:
        """The request."""
        return self._wire["requestId"]

    @property
    def kind(self) -> _types.RequestKind:
        """Which kind it was."""
        return self._wire["kind"]

    @property
    def outcome(self) -> _types.Outcome:
        """How it ended."""
        return self._wire["outcome"]


class CompactedEvent(EventBase):
    """The conversation was made shorter. Not sent yet."""

    __slots__ = ()
    __match_args__ = ("tokens_before", "tokens_after", "summary")
    type: ClassVar[Literal["compacted"]] = "compacted"
    _wire: _types.CompactedEvent

    @property
    def tokens_before(self) -> int:
        """Tokens before."""
        return self._wire["tokensBefore"]

    @property
    def tokens_after(self) -> int:
        """Tokens after."""
        return self._wire["tokensAfter"]

    @property
    def summary(self) -> str:
        """What stands for the part that was left out."""
        return self._wire["summary"]


class ModeChangedEvent(EventBase):
    """The mode changed."""

    __slots__ = ()
    __match_args__ = ("mode",)
    type: ClassVar[Literal["mode_changed"]] = "mode_changed"
    _wire: _types.ModeChangedEvent

    @property
    def mode(self) -> _types.Mode:
        """The new mode."""
        return self._wire["mode"]


class ModelChangedEvent(EventBase):
    """The model changed."""

    __slots__ = ()
    __match_args__ = ("model",)
    type: ClassVar[Literal["model_changed"]] = "model_changed"
    _wire: _types.ModelChangedEvent

    @property
    def model(self) -> str:
        """`provider/model`."""
        return self._wire["model"]


class SubagentStartEvent(EventBase):
    """A sub-agent began. Not sent yet."""

    __slots__ = ()
    __match_args__ = ("description",)
    type: ClassVar[Literal["subagent_start"]] = "subagent_start"
    _wire: _types.SubagentStartEvent

    @property
    def description(self) -> str:
        """What it is to do."""
        return self._wire["description"]


class SubagentEndEvent(EventBase):
    """A sub-agent ended. Not sent yet."""

    __slots__ = ()
    __match_args__ = ("reason",)
    type: ClassVar[Literal["subagent_end"]] = "subagent_end"
    _wire: _types.SubagentEndEvent

    @property
    def reason(self) -> _types.DoneReason:
        """Why it ended."""
        return self._wire["reason"]


class CheckpointCreatedEvent(EventBase):
    """Portable bytes of the session were made. Not sent yet."""

    __slots__ = ()
    __match_args__ = ("checkpoint_id",)
    type: ClassVar[Literal["checkpoint_created"]] = "checkpoint_created"
    _wire: _types.CheckpointCreatedEvent

    @property
    def checkpoint_id(self) -> str:
        """Names it."""
        return self._wire["checkpointId"]


class DoneEvent(EventBase):
    """A turn ended: exactly one for each."""

    __slots__ = ()
    __match_args__ = ("prompt_id", "reason", "usage", "boundary", "cost_usd", "error", "structured")
    type: ClassVar[Literal["done"]] = "done"
    _wire: _types.DoneEvent

    @property
    def prompt_id(self) -> str:
        """The prompt that it answered."""
        return self._wire["promptId"]

    @property
    def reason(self) -> _types.DoneReason:
        """Why it ended."""
        return self._wire["reason"]

    @property
    def usage(self) -> Usage:
        """Tokens of this turn."""
        return Usage.from_wire(self._wire["usage"])

    @property
    def boundary(self) -> _types.Boundary:
        """How whole the last reply is."""
        return self._wire["boundary"]

    @property
    def cost_usd(self) -> float | None:
        """US dollars of this turn; absent when a price is unknown."""
        return self._wire.get("costUsd")

    @property
    def error(self) -> Error | None:
        """What failed."""
        return Error.from_wire(self._wire["error"]) if "error" in self._wire else None

    @property
    def structured(self) -> Any:
        """The answer that fits `outputSchema`, of a turn that ended with one."""
        return self._wire.get("structured")


class SessionStateEvent(EventBase):
    """Where a session stands, for one who joins. Not sent yet."""

    __slots__ = ()
    __match_args__ = ("mode", "model", "running", "sandbox")
    type: ClassVar[Literal["session_state"]] = "session_state"
    _wire: _types.SessionStateEvent

    @property
    def mode(self) -> _types.Mode:
        """The mode."""
        return self._wire["mode"]

    @property
    def model(self) -> str:
        """`provider/model`."""
        return self._wire["model"]

    @property
    def running(self) -> bool:
        """A turn is running."""
        return self._wire["running"]

    @property
    def sandbox(self) -> SandboxState | None:
        """What confines commands; absent where no sandbox was asked for."""
        return SandboxState.from_wire(self._wire["sandbox"]) if "sandbox" in self._wire else None


class SessionClosedEvent(EventBase):
    """The session was closed. Not sent yet."""

    __slots__ = ()
    __match_args__ = ("reason",)
    type: ClassVar[Literal["session_closed"]] = "session_closed"
    _wire: _types.SessionClosedEvent

    @property
    def reason(self) -> str:
        """Why."""
        return self._wire["reason"]


class PromptQueuedEvent(EventBase):
    """A prompt waits for its turn. Not sent yet."""

    __slots__ = ()
    __match_args__ = ("prompt_id", "position")
    type: ClassVar[Literal["prompt_queued"]] = "prompt_queued"
    _wire: _types.PromptQueuedEvent

    @property
    def prompt_id(self) -> str:
        """The prompt."""
        return self._wire["promptId"]

    @property
    def position(self) -> int:
        """How many are before it."""
        return self._wire["position"]


class PromptStartedEvent(EventBase):
    """A waiting prompt's turn begins. Not sent yet."""

    __slots__ = ()
    __match_args__ = ("prompt_id",)
    type: ClassVar[Literal["prompt_started"]] = "prompt_started"
    _wire: _types.PromptStartedEvent

    @property
    def prompt_id(self) -> str:
        """The prompt."""
        return self._wire["promptId"]


class TextDeltaEvent(EventBase):
    """More text of the answer."""

    __slots__ = ()
    __match_args__ = ("message_id", "text")
    type: ClassVar[Literal["text_delta"]] = "text_delta"
    _wire: _types.TextDeltaEvent

    @property
    def message_id(self) -> str:
        """The message that grows."""
        return self._wire["messageId"]

    @property
    def text(self) -> str:
        """Append this."""
        return self._wire["text"]


class ThinkingDeltaEvent(EventBase):
    """More of the model's thought."""

    __slots__ = ()
    __match_args__ = ("message_id", "text")
    type: ClassVar[Literal["thinking_delta"]] = "thinking_delta"
    _wire: _types.ThinkingDeltaEvent

    @property
    def message_id(self) -> str:
        """The message that grows."""
        return self._wire["messageId"]

    @property
    def text(self) -> str:
        """Append this."""
        return self._wire["text"]


class ToolInputDeltaEvent(EventBase):
    """More of a call's input, as raw JSON text."""

    __slots__ = ()
    __match_args__ = ("tool_call_id", "tool_name", "text")
    type: ClassVar[Literal["tool_input_delta"]] = "tool_input_delta"
    _wire: _types.ToolInputDeltaEvent

    @property
    def tool_call_id(self) -> str:
        """The call."""
        return self._wire["toolCallId"]

    @property
    def tool_name(self) -> str:
        """Name of the tool."""
        return self._wire["toolName"]

    @property
    def text(self) -> str:
        """Append this."""
        return self._wire["text"]


class ToolProgressEvent(EventBase):
    """A running call has something to show."""

    __slots__ = ()
    __match_args__ = ("tool_call_id", "stream", "chunk")
    type: ClassVar[Literal["tool_progress"]] = "tool_progress"
    _wire: _types.ToolProgressEvent

    @property
    def tool_call_id(self) -> str:
        """The call."""
        return self._wire["toolCallId"]

    @property
    def stream(self) -> str:
        """`stdout`, `stderr`, or `progress` for a tool of the host."""
        return self._wire["stream"]

    @property
    def chunk(self) -> str:
        """Append this."""
        return self._wire["chunk"]


class RetryEvent(EventBase):
    """A request to the provider failed before its first output and is sent again after a wait."""

    __slots__ = ()
    __match_args__ = ("attempt", "max_attempts", "delay_ms", "reason", "status")
    type: ClassVar[Literal["retry"]] = "retry"
    _wire: _types.RetryEvent

    @property
    def attempt(self) -> int:
        """The attempt that failed, from 1."""
        return self._wire["attempt"]

    @property
    def max_attempts(self) -> int:
        """How many there may be."""
        return self._wire["maxAttempts"]

    @property
    def delay_ms(self) -> int:
        """How long it waits."""
        return self._wire["delayMs"]

    @property
    def reason(self) -> str:
        """What failed: the error's code and message."""
        return self._wire["reason"]

    @property
    def status(self) -> int | None:
        """The provider's status, where it sent one."""
        return self._wire.get("status")


class FallbackEvent(EventBase):
    """A model failed before its first output, and the next of `fallbackModels` carries on for the rest of the turn."""

    __slots__ = ()
    __match_args__ = ("from_model", "to_model", "reason", "status")
    type: ClassVar[Literal["fallback"]] = "fallback"
    _wire: _types.FallbackEvent

    @property
    def from_model(self) -> str:
        """`provider/model` that failed."""
        return self._wire["fromModel"]

    @property
    def to_model(self) -> str:
        """`provider/model` that carries on."""
        return self._wire["toModel"]

    @property
    def reason(self) -> str:
        """What failed: the error's code and message."""
        return self._wire["reason"]

    @property
    def status(self) -> int | None:
        """The provider's status, where it sent one."""
        return self._wire.get("status")


class UsageEvent(EventBase):
    """What was used so far."""

    __slots__ = ()
    __match_args__ = ("turn", "session", "context_tokens", "context_window", "cost_usd")
    type: ClassVar[Literal["usage"]] = "usage"
    _wire: _types.UsageEvent

    @property
    def turn(self) -> Usage:
        """This turn."""
        return Usage.from_wire(self._wire["turn"])

    @property
    def session(self) -> Usage:
        """The whole session."""
        return Usage.from_wire(self._wire["session"])

    @property
    def context_tokens(self) -> int | None:
        """Tokens in the context of the last request."""
        return self._wire.get("contextTokens")

    @property
    def context_window(self) -> int | None:
        """The model's context window, where known."""
        return self._wire.get("contextWindow")

    @property
    def cost_usd(self) -> float | None:
        """US dollars of the session; absent when a price is unknown."""
        return self._wire.get("costUsd")


class GuardVerdictEvent(EventBase):
    """A check gave its verdict on a call, or none."""

    __slots__ = ()
    __match_args__ = ("guard", "verdict", "findings", "duration_ms", "command", "tool_call_id")
    type: ClassVar[Literal["guard_verdict"]] = "guard_verdict"
    _wire: _types.GuardVerdictEvent

    @property
    def guard(self) -> _types.GuardKind:
        """Who judged."""
        return self._wire["guard"]

    @property
    def verdict(self) -> _types.GuardVerdict:
        """The verdict."""
        return self._wire["verdict"]

    @property
    def findings(self) -> list[str]:
        """What it found, or why it gave no verdict."""
        return self._wire["findings"]

    @property
    def duration_ms(self) -> int:
        """How long it took."""
        return self._wire["durationMs"]

    @property
    def command(self) -> str | None:
        """The command line that did; absent: the host itself."""
        return self._wire.get("command")

    @property
    def tool_call_id(self) -> str | None:
        """The call that was judged."""
        return self._wire.get("toolCallId")


class NoticeEvent(EventBase):
    """Something that a person may want to know, such as what in settings counts for nothing (code `settings_ignored`)."""

    __slots__ = ()
    __match_args__ = ("level", "code", "text")
    type: ClassVar[Literal["notice"]] = "notice"
    _wire: _types.NoticeEvent

    @property
    def level(self) -> _types.NoticeLevel:
        """How much it matters."""
        return self._wire["level"]

    @property
    def code(self) -> str:
        """Stable name."""
        return self._wire["code"]

    @property
    def text(self) -> str:
        """One line."""
        return self._wire["text"]


class TaskUpdateEvent(EventBase):
    """The agent's task list, after a call of `task_update`."""

    __slots__ = ()
    __match_args__ = ("tasks",)
    type: ClassVar[Literal["task_update"]] = "task_update"
    _wire: _types.TaskUpdateEvent

    @property
    def tasks(self) -> list[Task]:
        """All of it."""
        return [Task.from_wire(item) for item in self._wire["tasks"]]


class PlanUpdateEvent(EventBase):
    """The agent's plan. Not sent yet."""

    __slots__ = ()
    __match_args__ = ("plan", "status")
    type: ClassVar[Literal["plan_update"]] = "plan_update"
    _wire: _types.PlanUpdateEvent

    @property
    def plan(self) -> str:
        """The plan, in Markdown."""
        return self._wire["plan"]

    @property
    def status(self) -> _types.PlanStatus:
        """Where it stands."""
        return self._wire["status"]


class ReplayGapEvent(EventBase):
    """Events before this were lost to a reader that came back too late. Not sent yet."""

    __slots__ = ()
    __match_args__ = ("requested_id", "first_id", "dropped")
    type: ClassVar[Literal["replay_gap"]] = "replay_gap"
    _wire: _types.ReplayGapEvent

    @property
    def requested_id(self) -> int:
        """The last event that the reader had."""
        return self._wire["requestedId"]

    @property
    def first_id(self) -> int:
        """The first that is still there."""
        return self._wire["firstId"]

    @property
    def dropped(self) -> int:
        """How many are missing."""
        return self._wire["dropped"]


class UnknownEvent(EventBase):
    """Of a type that this version does not know: ignore it, or look into `wire`."""

    __slots__ = ()
    __match_args__ = ("wire",)
    type: ClassVar[Literal["unknown"]] = "unknown"

    @property
    def wire(self) -> dict[str, Any]:
        """All of it, as it came."""
        return self.to_wire()


class FileChange(Record):
    """A file that a call changed."""

    __slots__ = ()
    __match_args__ = ("path", "created", "atomic", "removed")
    _wire: _types.FileChange

    @property
    def path(self) -> str:
        """Absolute path."""
        return self._wire["path"]

    @property
    def created(self) -> bool:
        """The file did not exist before."""
        return self._wire["created"]

    @property
    def atomic(self) -> bool:
        """Replaced in one step; false when it had to be written in place."""
        return self._wire["atomic"]

    @property
    def removed(self) -> bool | None:
        """The file was removed, or moved away. Absent: it was not."""
        return self._wire.get("removed")


class Message(Record):
    """One message of the conversation so far."""

    __slots__ = ()
    __match_args__ = ("id", "role", "content", "created_at", "model")
    _wire: _types.Message

    @property
    def id(self) -> str:
        """Opaque id."""
        return self._wire["id"]

    @property
    def role(self) -> _types.Role:
        """Who said it."""
        return self._wire["role"]

    @property
    def content(self) -> list[Content]:
        """The blocks, in order."""
        return [content_from_wire(item) for item in self._wire["content"]]

    @property
    def created_at(self) -> int:
        """Unix milliseconds."""
        return self._wire["createdAt"]

    @property
    def model(self) -> str | None:
        """`provider/model` that wrote it; absent where no model did."""
        return self._wire.get("model")


class PermissionRequest(Record):
    """May this call run?"""

    __slots__ = ()
    __match_args__ = (
        "tool_name",
        "label",
        "input",
        "summary",
        "effect",
        "target",
        "targets",
        "risk",
        "suggested_rules",
        "trace",
        "checks",
        "diff",
    )
    _wire: _types.PermissionRequest

    @property
    def tool_name(self) -> str:
        """Name of the tool."""
        return self._wire["toolName"]

    @property
    def label(self) -> str:
        """A title for a dialog, such as `Run command`."""
        return self._wire["label"]

    @property
    def input(self) -> Any:
        """The input, as the model wrote it."""
        return self._wire["input"]

    @property
    def summary(self) -> str:
        """One line for a person."""
        return self._wire["summary"]

    @property
    def effect(self) -> _types.Effect:
        """What it does to the world."""
        return self._wire["effect"]

    @property
    def target(self) -> Target:
        """What the call would do."""
        return Target.from_wire(self._wire["target"])

    @property
    def targets(self) -> list[str]:
        """Every file or command that the call touches, one line each."""
        return self._wire["targets"]

    @property
    def risk(self) -> _types.Risk:
        """How much harm it could do."""
        return self._wire["risk"]

    @property
    def suggested_rules(self) -> list[str]:
        """Rules that would allow this call from now on; empty when there is none to offer."""
        return self._wire["suggestedRules"]

    @property
    def trace(self) -> list[TraceStep]:
        """How policy came to ask."""
        return [TraceStep.from_wire(item) for item in self._wire["trace"]]

    @property
    def checks(self) -> Checks | None:
        """Findings of checks, where any ran."""
        return Checks.from_wire(self._wire["checks"]) if "checks" in self._wire else None

    @property
    def diff(self) -> str | None:
        """A unified diff, for changes of files."""
        return self._wire.get("diff")


class PlanRequest(Record):
    """A plan to approve."""

    __slots__ = ()
    __match_args__ = ("plan",)
    _wire: _types.PlanRequest

    @property
    def plan(self) -> str:
        """The plan, in Markdown; at most 64 KiB."""
        return self._wire["plan"]


class QuestionChoice(Record):
    """One answer to choose."""

    __slots__ = ()
    __match_args__ = ("label", "description")
    _wire: _types.QuestionChoice

    @property
    def label(self) -> str:
        """What to show and to answer with: one line of at most 256 bytes."""
        return self._wire["label"]

    @property
    def description(self) -> str | None:
        """What choosing it means; at most 1 KiB."""
        return self._wire.get("description")


class QuestionRequest(Record):
    """A question to the person."""

    __slots__ = ()
    __match_args__ = ("question", "options", "multi_select", "allow_other")
    _wire: _types.QuestionRequest

    @property
    def question(self) -> str:
        """The question; at most 4 KiB."""
        return self._wire["question"]

    @property
    def options(self) -> list[QuestionChoice]:
        """Answers to choose from: 1 to 16, each label once."""
        return [QuestionChoice.from_wire(item) for item in self._wire["options"]]

    @property
    def multi_select(self) -> bool:
        """More than one may be chosen."""
        return self._wire["multiSelect"]

    @property
    def allow_other(self) -> bool:
        """Free text is an answer too."""
        return self._wire["allowOther"]


class Request(Record):
    """An open request."""

    __slots__ = ()
    __match_args__ = (
        "kind",
        "request_id",
        "expires_at",
        "tool_call_id",
        "permission",
        "tool",
        "question",
        "plan",
        "check",
    )
    _wire: _types.Request

    @property
    def kind(self) -> _types.RequestKind:
        """Which of permission, tool, question, plan, check there is."""
        return self._wire["kind"]

    @property
    def request_id(self) -> str:
        """Answer with this id, or by the handle."""
        return self._wire["requestId"]

    @property
    def expires_at(self) -> int | None:
        """Unix milliseconds after which it is refused; absent when it waits for ever."""
        return self._wire.get("expiresAt")

    @property
    def tool_call_id(self) -> str | None:
        """The call that it is about."""
        return self._wire.get("toolCallId")

    @property
    def permission(self) -> PermissionRequest | None:
        """May this call run?"""
        return PermissionRequest.from_wire(self._wire["permission"]) if "permission" in self._wire else None

    @property
    def tool(self) -> ToolRequest | None:
        """Run this tool of yours."""
        return ToolRequest.from_wire(self._wire["tool"]) if "tool" in self._wire else None

    @property
    def question(self) -> QuestionRequest | None:
        """A question to the person."""
        return QuestionRequest.from_wire(self._wire["question"]) if "question" in self._wire else None

    @property
    def plan(self) -> PlanRequest | None:
        """A plan to approve."""
        return PlanRequest.from_wire(self._wire["plan"]) if "plan" in self._wire else None

    @property
    def check(self) -> CheckRequest | None:
        """Does anything speak against this call?"""
        return CheckRequest.from_wire(self._wire["check"]) if "check" in self._wire else None


class SandboxState(Record):
    """What holds the commands of a session."""

    __slots__ = ()
    __match_args__ = ("kind", "network", "missing")
    _wire: _types.SandboxState

    @property
    def kind(self) -> _types.SandboxKind:
        """What holds them; `off` where nothing could and that was accepted."""
        return self._wire["kind"]

    @property
    def network(self) -> bool:
        """They may use the network."""
        return self._wire["network"]

    @property
    def missing(self) -> list[_types.SandboxPart]:
        """What does not hold here. Empty unless `degraded: "accept"` was asked for."""
        return self._wire["missing"]


class Target(Record):
    """What a call would do, in a form to show and to judge."""

    __slots__ = ()
    __match_args__ = ("summary", "effect", "kind", "command", "host", "paths")
    _wire: _types.Target

    @property
    def summary(self) -> str:
        """One line for a person."""
        return self._wire["summary"]

    @property
    def effect(self) -> _types.Effect:
        """What it does to the world."""
        return self._wire["effect"]

    @property
    def kind(self) -> _types.TargetKind:
        """What it acts on."""
        return self._wire["kind"]

    @property
    def command(self) -> str | None:
        """The command line, where it is one."""
        return self._wire.get("command")

    @property
    def host(self) -> str | None:
        """The host name, where it is one of a network."""
        return self._wire.get("host")

    @property
    def paths(self) -> list[str] | None:
        """The files it names, as absolute paths, where it names any."""
        return self._wire.get("paths")


class Task(Record):
    """One entry of the agent's task list."""

    __slots__ = ()
    __match_args__ = ("id", "subject", "status")
    _wire: _types.Task

    @property
    def id(self) -> str:
        """Opaque id."""
        return self._wire["id"]

    @property
    def subject(self) -> str:
        """What is to be done."""
        return self._wire["subject"]

    @property
    def status(self) -> _types.TaskStatus:
        """Where it stands."""
        return self._wire["status"]


class ToolRequest(Record):
    """Run this tool of yours."""

    __slots__ = ()
    __match_args__ = ("tool_name", "input")
    _wire: _types.ToolRequest

    @property
    def tool_name(self) -> str:
        """Name of the tool."""
        return self._wire["toolName"]

    @property
    def input(self) -> Any:
        """The input; it fits the tool's schema in form only as far as the model kept to it."""
        return self._wire["input"]


class TraceStep(Record):
    """One step of how policy came to its decision."""

    __slots__ = ()
    __match_args__ = ("by", "reason", "layer", "rule")
    _wire: _types.TraceStep

    @property
    def by(self) -> str:
        """What was looked at: `rule`, `grant`, `built_in`, `mode`, `path`, `command`."""
        return self._wire["by"]

    @property
    def reason(self) -> str:
        """What it said, and why."""
        return self._wire["reason"]

    @property
    def layer(self) -> str | None:
        """The layer that the rule stands in and where that was read, such as `managed layer (/etc/lodger/settings.json)`."""
        return self._wire.get("layer")

    @property
    def rule(self) -> str | None:
        """The rule, as it was written, where one decided."""
        return self._wire.get("rule")


class TurnResult(Record):
    """What a turn came to."""

    __slots__ = ()
    __match_args__ = ("reason", "usage", "text", "cost_usd", "error", "structured")
    _wire: _types.TurnResult

    @property
    def reason(self) -> _types.DoneReason:
        """Why it ended."""
        return self._wire["reason"]

    @property
    def usage(self) -> Usage:
        """Tokens of this turn only."""
        return Usage.from_wire(self._wire["usage"])

    @property
    def text(self) -> str:
        """Text of the last assistant message; empty when there was none."""
        return self._wire["text"]

    @property
    def cost_usd(self) -> float | None:
        """US dollars of this turn; absent when a price is unknown."""
        return self._wire.get("costUsd")

    @property
    def error(self) -> Error | None:
        """What failed, when `reason` is `error`."""
        return Error.from_wire(self._wire["error"]) if "error" in self._wire else None

    @property
    def structured(self) -> Any:
        """The answer, which fits `outputSchema`. With that option it is there whenever `reason` is `end_turn`, and never
        else."""
        return self._wire.get("structured")


class Usage(Record):
    """Tokens in disjoint buckets: their sum is all that was used. What the provider did not say stays absent."""

    __slots__ = ()
    __match_args__ = ("cache_read_tokens", "cache_write_tokens", "input_tokens", "output_tokens", "reasoning_tokens")
    _wire: _types.Usage

    @property
    def cache_read_tokens(self) -> int | None:
        """Prompt tokens read from the provider's cache."""
        return self._wire.get("cacheReadTokens")

    @property
    def cache_write_tokens(self) -> int | None:
        """Prompt tokens written to the provider's cache."""
        return self._wire.get("cacheWriteTokens")

    @property
    def input_tokens(self) -> int | None:
        """Prompt tokens that no cache served."""
        return self._wire.get("inputTokens")

    @property
    def output_tokens(self) -> int | None:
        """Tokens of the answer, without reasoning where that is counted apart."""
        return self._wire.get("outputTokens")

    @property
    def reasoning_tokens(self) -> int | None:
        """Tokens of thought, where counted apart."""
        return self._wire.get("reasoningTokens")


class UsageReport(Record):
    """What was used so far."""

    __slots__ = ()
    __match_args__ = ("turn", "session", "context_tokens", "context_window", "cost_usd")
    _wire: _types.UsageReport

    @property
    def turn(self) -> Usage:
        """This turn."""
        return Usage.from_wire(self._wire["turn"])

    @property
    def session(self) -> Usage:
        """The whole session."""
        return Usage.from_wire(self._wire["session"])

    @property
    def context_tokens(self) -> int | None:
        """Tokens in the context of the last request."""
        return self._wire.get("contextTokens")

    @property
    def context_window(self) -> int | None:
        """The model's context window, where known."""
        return self._wire.get("contextWindow")

    @property
    def cost_usd(self) -> float | None:
        """US dollars of the session; absent when a price is unknown."""
        return self._wire.get("costUsd")


#: One block of a message.
Content: TypeAlias = (
    TextContent
    | ThinkingContent
    | RedactedThinkingContent
    | ToolCallContent
    | ToolResultContent
    | ImageContent
    | DocumentContent
    | ResourceContent
    | UnknownContent
)

_CONTENT: dict[str, type[Content]] = {
    "text": TextContent,
    "thinking": ThinkingContent,
    "redacted_thinking": RedactedThinkingContent,
    "tool_call": ToolCallContent,
    "tool_result": ToolResultContent,
    "image": ImageContent,
    "document": DocumentContent,
    "resource": ResourceContent,
}


def content_from_wire(wire: Any) -> Content:
    """Reads any content; one of a type that is not known too."""
    return _CONTENT.get(wire["type"], UnknownContent).from_wire(wire)


#: One thing that happened inside an agent.
Diagnostic: TypeAlias = (
    RuntimeStartDiagnostic
    | RuntimeReadyDiagnostic
    | RuntimeExitDiagnostic
    | TransportStartDiagnostic
    | TransportQueuedDiagnostic
    | TransportResponseDiagnostic
    | TransportErrorDiagnostic
    | TransportRetryDiagnostic
    | OutputBackpressureDiagnostic
    | PermissionRequestDiagnostic
    | PermissionDecisionDiagnostic
    | DiagnosticsDroppedDiagnostic
    | UnknownDiagnostic
)

_DIAGNOSTIC: dict[str, type[Diagnostic]] = {
    "runtime.start": RuntimeStartDiagnostic,
    "runtime.ready": RuntimeReadyDiagnostic,
    "runtime.exit": RuntimeExitDiagnostic,
    "transport.start": TransportStartDiagnostic,
    "transport.queued": TransportQueuedDiagnostic,
    "transport.response": TransportResponseDiagnostic,
    "transport.error": TransportErrorDiagnostic,
    "transport.retry": TransportRetryDiagnostic,
    "output.backpressure": OutputBackpressureDiagnostic,
    "permission.request": PermissionRequestDiagnostic,
    "permission.decision": PermissionDecisionDiagnostic,
    "diagnostics.dropped": DiagnosticsDroppedDiagnostic,
}


def diagnostic_from_wire(wire: Any) -> Diagnostic:
    """Reads any diagnostic; one of a type that is not known too."""
    return _DIAGNOSTIC.get(wire["type"], UnknownDiagnostic).from_wire(wire)


#: One event: an envelope and what happened.
Event: TypeAlias = (
    UserMessageEvent
    | TurnStartEvent
    | AssistantMessageEvent
    | ToolCallEvent
    | ToolResultEvent
    | ToolDeniedEvent
    | OutputRejectedEvent
    | FileChangedEvent
    | BackgroundTaskEndedEvent
    | RequestOpenedEvent
    | RequestResolvedEvent
    | CompactedEvent
    | ModeChangedEvent
    | ModelChangedEvent
    | SubagentStartEvent
    | SubagentEndEvent
    | CheckpointCreatedEvent
    | DoneEvent
    | SessionStateEvent
    | SessionClosedEvent
    | PromptQueuedEvent
    | PromptStartedEvent
    | TextDeltaEvent
    | ThinkingDeltaEvent
    | ToolInputDeltaEvent
    | ToolProgressEvent
    | RetryEvent
    | FallbackEvent
    | UsageEvent
    | GuardVerdictEvent
    | NoticeEvent
    | TaskUpdateEvent
    | PlanUpdateEvent
    | ReplayGapEvent
    | UnknownEvent
)

_EVENT: dict[str, type[Event]] = {
    "user_message": UserMessageEvent,
    "turn_start": TurnStartEvent,
    "assistant_message": AssistantMessageEvent,
    "tool_call": ToolCallEvent,
    "tool_result": ToolResultEvent,
    "tool_denied": ToolDeniedEvent,
    "output_rejected": OutputRejectedEvent,
    "file_changed": FileChangedEvent,
    "background_task_ended": BackgroundTaskEndedEvent,
    "request_opened": RequestOpenedEvent,
    "request_resolved": RequestResolvedEvent,
    "compacted": CompactedEvent,
    "mode_changed": ModeChangedEvent,
    "model_changed": ModelChangedEvent,
    "subagent_start": SubagentStartEvent,
    "subagent_end": SubagentEndEvent,
    "checkpoint_created": CheckpointCreatedEvent,
    "done": DoneEvent,
    "session_state": SessionStateEvent,
    "session_closed": SessionClosedEvent,
    "prompt_queued": PromptQueuedEvent,
    "prompt_started": PromptStartedEvent,
    "text_delta": TextDeltaEvent,
    "thinking_delta": ThinkingDeltaEvent,
    "tool_input_delta": ToolInputDeltaEvent,
    "tool_progress": ToolProgressEvent,
    "retry": RetryEvent,
    "fallback": FallbackEvent,
    "usage": UsageEvent,
    "guard_verdict": GuardVerdictEvent,
    "notice": NoticeEvent,
    "task_update": TaskUpdateEvent,
    "plan_update": PlanUpdateEvent,
    "replay_gap": ReplayGapEvent,
}


def event_from_wire(wire: Any) -> Event:
    """Reads any event; one of a type that is not known too."""
    return _EVENT.get(wire["type"], UnknownEvent).from_wire(wire)
