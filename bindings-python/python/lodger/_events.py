"""What an agent hands out: events, requests and results, as objects.

Generated from the Rust types in core/protocol by `make gen`. Do not edit.

Attributes have the names of the JSON, in snake_case; what is absent there is `None` here. An event or a block of a
type that this version does not know comes as `UnknownEvent` or `UnknownContent`: ignore it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from . import _types


@dataclass(slots=True)
class Checks:
    """Findings of checks that ran before the request was opened."""

    #: A blocking finding refuses the call whatever the answer is.
    blocking: bool
    #: What was found, one line each.
    findings: list[str]

    @classmethod
    def from_wire(cls, wire: _types.Checks) -> Checks:
        return cls(
            blocking=wire["blocking"],
            findings=wire["findings"],
        )


@dataclass(slots=True)
class TextContent:
    """Plain text."""

    type: ClassVar[Literal["text"]] = "text"
    #: UTF-8 text.
    text: str

    @classmethod
    def from_wire(cls, wire: _types.TextContent) -> TextContent:
        return cls(
            text=wire["text"],
        )


@dataclass(slots=True)
class ThinkingContent:
    """What the model thought, where the provider shows it."""

    type: ClassVar[Literal["thinking"]] = "thinking"
    #: The thought, possibly a summary; may be empty when only the signature was sent.
    text: str
    #: The provider's signature; sent back unchanged, or the block is left out.
    signature: str | None = None

    @classmethod
    def from_wire(cls, wire: _types.ThinkingContent) -> ThinkingContent:
        return cls(
            text=wire["text"],
            signature=wire.get("signature"),
        )


@dataclass(slots=True)
class RedactedThinkingContent:
    """Thought that the provider encrypted; sent back unchanged."""

    type: ClassVar[Literal["redacted_thinking"]] = "redacted_thinking"
    #: Opaque data of the provider.
    data: str

    @classmethod
    def from_wire(cls, wire: _types.RedactedThinkingContent) -> RedactedThinkingContent:
        return cls(
            data=wire["data"],
        )


@dataclass(slots=True)
class ToolCallContent:
    """The model asks for a tool."""

    type: ClassVar[Literal["tool_call"]] = "tool_call"
    #: Ties the call to its result.
    tool_call_id: str
    #: Name of the tool.
    tool_name: str
    #: The input, as the model wrote it.
    input: Any

    @classmethod
    def from_wire(cls, wire: _types.ToolCallContent) -> ToolCallContent:
        return cls(
            tool_call_id=wire["toolCallId"],
            tool_name=wire["toolName"],
            input=wire["input"],
        )


@dataclass(slots=True)
class ToolResultContent:
    """What a tool answered."""

    type: ClassVar[Literal["tool_result"]] = "tool_result"
    #: The call that this answers.
    tool_call_id: str
    #: Text and images for the model.
    content: list[Content]
    #: The tool failed or was refused.
    is_error: bool = False

    @classmethod
    def from_wire(cls, wire: _types.ToolResultContent) -> ToolResultContent:
        return cls(
            tool_call_id=wire["toolCallId"],
            content=[content_from_wire(item) for item in wire["content"]],
            is_error=wire.get("isError", False),
        )


@dataclass(slots=True)
class ImageContent:
    """A picture."""

    type: ClassVar[Literal["image"]] = "image"
    #: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    mime_type: str
    #: Base64 of the picture; at most 5 MiB of text.
    data: str

    @classmethod
    def from_wire(cls, wire: _types.ImageContent) -> ImageContent:
        return cls(
            mime_type=wire["mimeType"],
            data=wire["data"],
        )


@dataclass(slots=True)
class ResourceContent:
    """A named text that the host hands over. The URI gives no access to anything."""

    type: ClassVar[Literal["resource"]] = "resource"
    #: What the text is called.
    uri: str
    #: The text itself.
    text: str | None = None

    @classmethod
    def from_wire(cls, wire: _types.ResourceContent) -> ResourceContent:
        return cls(
            uri=wire["uri"],
            text=wire.get("text"),
        )


@dataclass(slots=True)
class UnknownContent:
    """Of a type that this version does not know: ignore it, or look into `wire`."""

    type: ClassVar[Literal["unknown"]] = "unknown"
    #: All of it, as it came.
    wire: dict[str, Any]

    @classmethod
    def from_wire(cls, wire: Any) -> UnknownContent:
        return cls(
            wire=wire,
        )


@dataclass(slots=True)
class Error:
    """An error as every face shows it."""

    #: Stable name of what went wrong.
    code: _types.ErrorCode
    #: What was expected, what was found, what to do. Never holds a secret.
    message: str
    #: Whether the same call may succeed later, unchanged.
    retryable: bool
    #: Details for programs.
    data: Any = None
    #: How long the provider asked to wait.
    retry_after_ms: int | None = None

    @classmethod
    def from_wire(cls, wire: _types.Error) -> Error:
        return cls(
            code=wire["code"],
            message=wire["message"],
            retryable=wire["retryable"],
            data=wire.get("data"),
            retry_after_ms=wire.get("retryAfterMs"),
        )


@dataclass(slots=True, kw_only=True)
class EventBase:
    """What every event has."""

    #: Version of this schema.
    v: int
    #: Place in the session, dense from 1.
    seq: int
    #: Unix milliseconds.
    ts: int
    #: The session.
    session_id: str
    #: The sub-agent; absent for the main one.
    agent_id: str | None = None
    #: The call that started the sub-agent.
    parent_tool_call_id: str | None = None
    #: The turn, for what belongs to one.
    turn_id: str | None = None


@dataclass(slots=True)
class UserMessageEvent(EventBase):
    """A prompt entered the conversation."""

    type: ClassVar[Literal["user_message"]] = "user_message"
    #: The message.
    message_id: str
    #: Its blocks.
    content: list[Content]

    @classmethod
    def from_wire(cls, wire: _types.UserMessageEvent) -> UserMessageEvent:
        return cls(
            message_id=wire["messageId"],
            content=[content_from_wire(item) for item in wire["content"]],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class TurnStartEvent(EventBase):
    """A turn began."""

    type: ClassVar[Literal["turn_start"]] = "turn_start"
    #: The prompt that it answers.
    prompt_id: str
    #: `provider/model`.
    model: str
    #: The mode at the start.
    mode: _types.Mode

    @classmethod
    def from_wire(cls, wire: _types.TurnStartEvent) -> TurnStartEvent:
        return cls(
            prompt_id=wire["promptId"],
            model=wire["model"],
            mode=wire["mode"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class AssistantMessageEvent(EventBase):
    """One whole reply of the model, after its deltas."""

    type: ClassVar[Literal["assistant_message"]] = "assistant_message"
    #: The message.
    message_id: str
    #: Its blocks, tool calls among them.
    content: list[Content]
    #: Why the model stopped.
    stop_reason: _types.StopReason
    #: What this reply used.
    usage: Usage
    #: `provider/model` that wrote it.
    model: str

    @classmethod
    def from_wire(cls, wire: _types.AssistantMessageEvent) -> AssistantMessageEvent:
        return cls(
            message_id=wire["messageId"],
            content=[content_from_wire(item) for item in wire["content"]],
            stop_reason=wire["stopReason"],
            usage=Usage.from_wire(wire["usage"]),
            model=wire["model"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class ToolCallEvent(EventBase):
    """The model asked for a tool; appended before anything is decided."""

    type: ClassVar[Literal["tool_call"]] = "tool_call"
    #: The call.
    tool_call_id: str
    #: Name of the tool.
    tool_name: str
    #: The input, as the model wrote it.
    input: Any
    #: What the call would do, as far as the input could be read.
    target: Target

    @classmethod
    def from_wire(cls, wire: _types.ToolCallEvent) -> ToolCallEvent:
        return cls(
            tool_call_id=wire["toolCallId"],
            tool_name=wire["toolName"],
            input=wire["input"],
            target=Target.from_wire(wire["target"]),
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class ToolResultEvent(EventBase):
    """The end of a call: exactly one for each."""

    type: ClassVar[Literal["tool_result"]] = "tool_result"
    #: The call.
    tool_call_id: str
    #: Name of the tool.
    tool_name: str
    #: What the model is told.
    content: list[Content]
    #: The tool failed or was refused.
    is_error: bool
    #: From decision to end; 0 for calls that never ran.
    duration_ms: int
    #: Something was left out of `content`.
    truncated: bool
    #: Files that the call changed.
    files: list[FileChange]

    @classmethod
    def from_wire(cls, wire: _types.ToolResultEvent) -> ToolResultEvent:
        return cls(
            tool_call_id=wire["toolCallId"],
            tool_name=wire["toolName"],
            content=[content_from_wire(item) for item in wire["content"]],
            is_error=wire["isError"],
            duration_ms=wire["durationMs"],
            truncated=wire["truncated"],
            files=[FileChange.from_wire(item) for item in wire["files"]],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class ToolDeniedEvent(EventBase):
    """A call was refused."""

    type: ClassVar[Literal["tool_denied"]] = "tool_denied"
    #: The call.
    tool_call_id: str
    #: Name of the tool.
    tool_name: str
    #: Who refused.
    by: _types.DeniedBy
    #: What the model is told beside.
    feedback: str | None = None

    @classmethod
    def from_wire(cls, wire: _types.ToolDeniedEvent) -> ToolDeniedEvent:
        return cls(
            tool_call_id=wire["toolCallId"],
            tool_name=wire["toolName"],
            by=wire["by"],
            feedback=wire.get("feedback"),
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class FileChangedEvent(EventBase):
    """A file was changed by the agent."""

    type: ClassVar[Literal["file_changed"]] = "file_changed"
    #: The call that changed it.
    tool_call_id: str
    #: Absolute path.
    path: str
    #: The file did not exist before.
    created: bool
    #: Replaced in one step; false when it had to be written in place.
    atomic: bool

    @classmethod
    def from_wire(cls, wire: _types.FileChangedEvent) -> FileChangedEvent:
        return cls(
            tool_call_id=wire["toolCallId"],
            path=wire["path"],
            created=wire["created"],
            atomic=wire["atomic"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class RequestOpenedEvent(EventBase):
    """A request to the host was opened."""

    type: ClassVar[Literal["request_opened"]] = "request_opened"
    #: Answer with this id, or by the handle.
    request_id: str
    #: May this call run?
    permission: PermissionRequest | None = None
    #: Run this tool of yours.
    tool: ToolRequest | None = None
    #: A question to the person.
    question: QuestionRequest | None = None
    #: A plan to approve.
    plan: PlanRequest | None = None
    #: Unix milliseconds after which it is refused; absent when it waits for ever.
    expires_at: int | None = None
    #: The call that it is about.
    tool_call_id: str | None = None

    @classmethod
    def from_wire(cls, wire: _types.RequestOpenedEvent) -> RequestOpenedEvent:
        return cls(
            request_id=wire["requestId"],
            permission=PermissionRequest.from_wire(wire["permission"]) if "permission" in wire else None,
            tool=ToolRequest.from_wire(wire["tool"]) if "tool" in wire else None,
            question=QuestionRequest.from_wire(wire["question"]) if "question" in wire else None,
            plan=PlanRequest.from_wire(wire["plan"]) if "plan" in wire else None,
            expires_at=wire.get("expiresAt"),
            tool_call_id=wire.get("toolCallId"),
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class RequestResolvedEvent(EventBase):
    """A request was settled: exactly one for each."""

    type: ClassVar[Literal["request_resolved"]] = "request_resolved"
    #: The request.
    request_id: str
    #: Which of the four it was.
    kind: _types.RequestKind
    #: How it ended.
    outcome: _types.Outcome

    @classmethod
    def from_wire(cls, wire: _types.RequestResolvedEvent) -> RequestResolvedEvent:
        return cls(
            request_id=wire["requestId"],
            kind=wire["kind"],
            outcome=wire["outcome"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class CompactedEvent(EventBase):
    """The conversation was made shorter."""

    type: ClassVar[Literal["compacted"]] = "compacted"
    #: Tokens before.
    tokens_before: int
    #: Tokens after.
    tokens_after: int
    #: What stands for the part that was left out.
    summary: str

    @classmethod
    def from_wire(cls, wire: _types.CompactedEvent) -> CompactedEvent:
        return cls(
            tokens_before=wire["tokensBefore"],
            tokens_after=wire["tokensAfter"],
            summary=wire["summary"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class ModeChangedEvent(EventBase):
    """The mode changed."""

    type: ClassVar[Literal["mode_changed"]] = "mode_changed"
    #: The new mode.
    mode: _types.Mode

    @classmethod
    def from_wire(cls, wire: _types.ModeChangedEvent) -> ModeChangedEvent:
        return cls(
            mode=wire["mode"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class ModelChangedEvent(EventBase):
    """The model changed."""

    type: ClassVar[Literal["model_changed"]] = "model_changed"
    #: `provider/model`.
    model: str

    @classmethod
    def from_wire(cls, wire: _types.ModelChangedEvent) -> ModelChangedEvent:
        return cls(
            model=wire["model"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class SubagentStartEvent(EventBase):
    """A sub-agent began."""

    type: ClassVar[Literal["subagent_start"]] = "subagent_start"
    #: What it is to do.
    description: str

    @classmethod
    def from_wire(cls, wire: _types.SubagentStartEvent) -> SubagentStartEvent:
        return cls(
            description=wire["description"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class SubagentEndEvent(EventBase):
    """A sub-agent ended."""

    type: ClassVar[Literal["subagent_end"]] = "subagent_end"
    #: Why it ended.
    reason: _types.DoneReason

    @classmethod
    def from_wire(cls, wire: _types.SubagentEndEvent) -> SubagentEndEvent:
        return cls(
            reason=wire["reason"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class CheckpointCreatedEvent(EventBase):
    """Portable bytes of the session were made."""

    type: ClassVar[Literal["checkpoint_created"]] = "checkpoint_created"
    #: Names it.
    checkpoint_id: str

    @classmethod
    def from_wire(cls, wire: _types.CheckpointCreatedEvent) -> CheckpointCreatedEvent:
        return cls(
            checkpoint_id=wire["checkpointId"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class DoneEvent(EventBase):
    """A turn ended: exactly one for each."""

    type: ClassVar[Literal["done"]] = "done"
    #: The prompt that it answered.
    prompt_id: str
    #: Why it ended.
    reason: _types.DoneReason
    #: Tokens of this turn.
    usage: Usage
    #: How whole the last reply is.
    boundary: _types.Boundary
    #: US dollars of this turn; absent when a price is unknown.
    cost_usd: float | None = None
    #: What failed.
    error: Error | None = None

    @classmethod
    def from_wire(cls, wire: _types.DoneEvent) -> DoneEvent:
        return cls(
            prompt_id=wire["promptId"],
            reason=wire["reason"],
            usage=Usage.from_wire(wire["usage"]),
            boundary=wire["boundary"],
            cost_usd=wire.get("costUsd"),
            error=Error.from_wire(wire["error"]) if "error" in wire else None,
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class SessionStateEvent(EventBase):
    """Where a session stands, for one who joins."""

    type: ClassVar[Literal["session_state"]] = "session_state"
    #: The mode.
    mode: _types.Mode
    #: `provider/model`.
    model: str
    #: A turn is running.
    running: bool

    @classmethod
    def from_wire(cls, wire: _types.SessionStateEvent) -> SessionStateEvent:
        return cls(
            mode=wire["mode"],
            model=wire["model"],
            running=wire["running"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class SessionClosedEvent(EventBase):
    """The session was closed."""

    type: ClassVar[Literal["session_closed"]] = "session_closed"
    #: Why.
    reason: str

    @classmethod
    def from_wire(cls, wire: _types.SessionClosedEvent) -> SessionClosedEvent:
        return cls(
            reason=wire["reason"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class PromptQueuedEvent(EventBase):
    """A prompt waits for its turn."""

    type: ClassVar[Literal["prompt_queued"]] = "prompt_queued"
    #: The prompt.
    prompt_id: str
    #: How many are before it.
    position: int

    @classmethod
    def from_wire(cls, wire: _types.PromptQueuedEvent) -> PromptQueuedEvent:
        return cls(
            prompt_id=wire["promptId"],
            position=wire["position"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class PromptStartedEvent(EventBase):
    """A waiting prompt's turn begins."""

    type: ClassVar[Literal["prompt_started"]] = "prompt_started"
    #: The prompt.
    prompt_id: str

    @classmethod
    def from_wire(cls, wire: _types.PromptStartedEvent) -> PromptStartedEvent:
        return cls(
            prompt_id=wire["promptId"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class TextDeltaEvent(EventBase):
    """More text of the answer."""

    type: ClassVar[Literal["text_delta"]] = "text_delta"
    #: The message that grows.
    message_id: str
    #: Append this.
    text: str

    @classmethod
    def from_wire(cls, wire: _types.TextDeltaEvent) -> TextDeltaEvent:
        return cls(
            message_id=wire["messageId"],
            text=wire["text"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class ThinkingDeltaEvent(EventBase):
    """More of the model's thought."""

    type: ClassVar[Literal["thinking_delta"]] = "thinking_delta"
    #: The message that grows.
    message_id: str
    #: Append this.
    text: str

    @classmethod
    def from_wire(cls, wire: _types.ThinkingDeltaEvent) -> ThinkingDeltaEvent:
        return cls(
            message_id=wire["messageId"],
            text=wire["text"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class ToolInputDeltaEvent(EventBase):
    """More of a call's input, as raw JSON text."""

    type: ClassVar[Literal["tool_input_delta"]] = "tool_input_delta"
    #: The call.
    tool_call_id: str
    #: Name of the tool.
    tool_name: str
    #: Append this.
    text: str

    @classmethod
    def from_wire(cls, wire: _types.ToolInputDeltaEvent) -> ToolInputDeltaEvent:
        return cls(
            tool_call_id=wire["toolCallId"],
            tool_name=wire["toolName"],
            text=wire["text"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class ToolProgressEvent(EventBase):
    """A running call has something to show."""

    type: ClassVar[Literal["tool_progress"]] = "tool_progress"
    #: The call.
    tool_call_id: str
    #: `stdout`, `stderr`, or `progress` for a tool of the host.
    stream: str
    #: Append this.
    chunk: str

    @classmethod
    def from_wire(cls, wire: _types.ToolProgressEvent) -> ToolProgressEvent:
        return cls(
            tool_call_id=wire["toolCallId"],
            stream=wire["stream"],
            chunk=wire["chunk"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class RetryEvent(EventBase):
    """A request to the provider is tried again."""

    type: ClassVar[Literal["retry"]] = "retry"
    #: The attempt that failed, from 1.
    attempt: int
    #: How many there may be.
    max_attempts: int
    #: How long it waits.
    delay_ms: int
    #: What failed.
    reason: str
    #: The provider's status, where it sent one.
    status: int | None = None

    @classmethod
    def from_wire(cls, wire: _types.RetryEvent) -> RetryEvent:
        return cls(
            attempt=wire["attempt"],
            max_attempts=wire["maxAttempts"],
            delay_ms=wire["delayMs"],
            reason=wire["reason"],
            status=wire.get("status"),
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class UsageEvent(EventBase):
    """What was used so far."""

    type: ClassVar[Literal["usage"]] = "usage"
    #: This turn.
    turn: Usage
    #: The whole session.
    session: Usage
    #: Tokens in the context of the last request.
    context_tokens: int | None = None
    #: The model's context window, where known.
    context_window: int | None = None
    #: US dollars of the session; absent when a price is unknown.
    cost_usd: float | None = None

    @classmethod
    def from_wire(cls, wire: _types.UsageEvent) -> UsageEvent:
        return cls(
            turn=Usage.from_wire(wire["turn"]),
            session=Usage.from_wire(wire["session"]),
            context_tokens=wire.get("contextTokens"),
            context_window=wire.get("contextWindow"),
            cost_usd=wire.get("costUsd"),
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class NoticeEvent(EventBase):
    """Something that a person may want to know."""

    type: ClassVar[Literal["notice"]] = "notice"
    #: How much it matters.
    level: _types.NoticeLevel
    #: Stable name.
    code: str
    #: One line.
    text: str

    @classmethod
    def from_wire(cls, wire: _types.NoticeEvent) -> NoticeEvent:
        return cls(
            level=wire["level"],
            code=wire["code"],
            text=wire["text"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class TaskUpdateEvent(EventBase):
    """The agent's task list."""

    type: ClassVar[Literal["task_update"]] = "task_update"
    #: All of it.
    tasks: list[Task]

    @classmethod
    def from_wire(cls, wire: _types.TaskUpdateEvent) -> TaskUpdateEvent:
        return cls(
            tasks=[Task.from_wire(item) for item in wire["tasks"]],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class PlanUpdateEvent(EventBase):
    """The agent's plan."""

    type: ClassVar[Literal["plan_update"]] = "plan_update"
    #: The plan, in Markdown.
    plan: str
    #: Where it stands.
    status: _types.PlanStatus

    @classmethod
    def from_wire(cls, wire: _types.PlanUpdateEvent) -> PlanUpdateEvent:
        return cls(
            plan=wire["plan"],
            status=wire["status"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class ReplayGapEvent(EventBase):
    """Events before this were lost to a reader that came back too late."""

    type: ClassVar[Literal["replay_gap"]] = "replay_gap"
    #: The last event that the reader had.
    requested_id: int
    #: The first that is still there.
    first_id: int
    #: How many are missing.
    dropped: int

    @classmethod
    def from_wire(cls, wire: _types.ReplayGapEvent) -> ReplayGapEvent:
        return cls(
            requested_id=wire["requestedId"],
            first_id=wire["firstId"],
            dropped=wire["dropped"],
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class UnknownEvent(EventBase):
    """Of a type that this version does not know: ignore it, or look into `wire`."""

    type: ClassVar[Literal["unknown"]] = "unknown"
    #: All of it, as it came.
    wire: dict[str, Any]

    @classmethod
    def from_wire(cls, wire: Any) -> UnknownEvent:
        return cls(
            wire=wire,
            v=wire["v"],
            seq=wire["seq"],
            ts=wire["ts"],
            session_id=wire["sessionId"],
            agent_id=wire.get("agentId"),
            parent_tool_call_id=wire.get("parentToolCallId"),
            turn_id=wire.get("turnId"),
        )


@dataclass(slots=True)
class FileChange:
    """A file that a call changed."""

    #: Absolute path.
    path: str
    #: The file did not exist before.
    created: bool
    #: Replaced in one step; false when it had to be written in place.
    atomic: bool

    @classmethod
    def from_wire(cls, wire: _types.FileChange) -> FileChange:
        return cls(
            path=wire["path"],
            created=wire["created"],
            atomic=wire["atomic"],
        )


@dataclass(slots=True)
class Message:
    """One message of the conversation so far."""

    #: Opaque id.
    id: str
    #: Who said it.
    role: _types.Role
    #: The blocks, in order.
    content: list[Content]
    #: Unix milliseconds.
    created_at: int

    @classmethod
    def from_wire(cls, wire: _types.Message) -> Message:
        return cls(
            id=wire["id"],
            role=wire["role"],
            content=[content_from_wire(item) for item in wire["content"]],
            created_at=wire["createdAt"],
        )


@dataclass(slots=True)
class PermissionRequest:
    """May this call run?"""

    #: Name of the tool.
    tool_name: str
    #: A title for a dialog, such as `Run command`.
    label: str
    #: The input, as the model wrote it.
    input: Any
    #: One line for a person.
    summary: str
    #: What it does to the world.
    effect: _types.Effect
    #: What the call would do.
    target: Target
    #: Every file or command that the call touches, one line each.
    targets: list[str]
    #: How much harm it could do.
    risk: _types.Risk
    #: Rules that would allow this call from now on; empty when there is none to offer.
    suggested_rules: list[str]
    #: How policy came to ask.
    trace: list[TraceStep]
    #: Findings of checks, where any ran.
    checks: Checks | None = None
    #: A unified diff, for changes of files.
    diff: str | None = None

    @classmethod
    def from_wire(cls, wire: _types.PermissionRequest) -> PermissionRequest:
        return cls(
            tool_name=wire["toolName"],
            label=wire["label"],
            input=wire["input"],
            summary=wire["summary"],
            effect=wire["effect"],
            target=Target.from_wire(wire["target"]),
            targets=wire["targets"],
            risk=wire["risk"],
            suggested_rules=wire["suggestedRules"],
            trace=[TraceStep.from_wire(item) for item in wire["trace"]],
            checks=Checks.from_wire(wire["checks"]) if "checks" in wire else None,
            diff=wire.get("diff"),
        )


@dataclass(slots=True)
class PlanRequest:
    """A plan to approve."""

    #: The plan, in Markdown.
    plan: str

    @classmethod
    def from_wire(cls, wire: _types.PlanRequest) -> PlanRequest:
        return cls(
            plan=wire["plan"],
        )


@dataclass(slots=True)
class QuestionChoice:
    """One answer to choose."""

    #: What to show and to answer with.
    label: str
    #: What choosing it means.
    description: str | None = None

    @classmethod
    def from_wire(cls, wire: _types.QuestionChoice) -> QuestionChoice:
        return cls(
            label=wire["label"],
            description=wire.get("description"),
        )


@dataclass(slots=True)
class QuestionRequest:
    """A question to the person."""

    #: The question.
    question: str
    #: Answers to choose from.
    options: list[QuestionChoice]
    #: More than one may be chosen.
    multi_select: bool
    #: Free text is an answer too.
    allow_other: bool

    @classmethod
    def from_wire(cls, wire: _types.QuestionRequest) -> QuestionRequest:
        return cls(
            question=wire["question"],
            options=[QuestionChoice.from_wire(item) for item in wire["options"]],
            multi_select=wire["multiSelect"],
            allow_other=wire["allowOther"],
        )


@dataclass(slots=True)
class Request:
    """An open request."""

    #: Answer with this id, or by the handle.
    request_id: str
    #: May this call run?
    permission: PermissionRequest | None = None
    #: Run this tool of yours.
    tool: ToolRequest | None = None
    #: A question to the person.
    question: QuestionRequest | None = None
    #: A plan to approve.
    plan: PlanRequest | None = None
    #: Unix milliseconds after which it is refused; absent when it waits for ever.
    expires_at: int | None = None
    #: The call that it is about.
    tool_call_id: str | None = None

    @classmethod
    def from_wire(cls, wire: _types.Request) -> Request:
        return cls(
            request_id=wire["requestId"],
            permission=PermissionRequest.from_wire(wire["permission"]) if "permission" in wire else None,
            tool=ToolRequest.from_wire(wire["tool"]) if "tool" in wire else None,
            question=QuestionRequest.from_wire(wire["question"]) if "question" in wire else None,
            plan=PlanRequest.from_wire(wire["plan"]) if "plan" in wire else None,
            expires_at=wire.get("expiresAt"),
            tool_call_id=wire.get("toolCallId"),
        )


@dataclass(slots=True)
class Target:
    """What a call would do, in a form to show and to judge."""

    #: One line for a person.
    summary: str
    #: What it does to the world.
    effect: _types.Effect
    #: What it acts on.
    kind: _types.TargetKind
    #: The command line, where it is one.
    command: str | None = None
    #: The files it names, as absolute paths, where it names any.
    paths: list[str] | None = None

    @classmethod
    def from_wire(cls, wire: _types.Target) -> Target:
        return cls(
            summary=wire["summary"],
            effect=wire["effect"],
            kind=wire["kind"],
            command=wire.get("command"),
            paths=wire.get("paths"),
        )


@dataclass(slots=True)
class Task:
    """One entry of the agent's task list."""

    #: Opaque id.
    id: str
    #: What is to be done.
    subject: str
    #: Where it stands.
    status: _types.TaskStatus

    @classmethod
    def from_wire(cls, wire: _types.Task) -> Task:
        return cls(
            id=wire["id"],
            subject=wire["subject"],
            status=wire["status"],
        )


@dataclass(slots=True)
class ToolRequest:
    """Run this tool of yours."""

    #: Name of the tool.
    tool_name: str
    #: The input; it fits the tool's schema in form only as far as the model kept to it.
    input: Any

    @classmethod
    def from_wire(cls, wire: _types.ToolRequest) -> ToolRequest:
        return cls(
            tool_name=wire["toolName"],
            input=wire["input"],
        )


@dataclass(slots=True)
class TraceStep:
    """One step of how policy came to its decision."""

    #: What was looked at: `mode`, `built_in`, `path`.
    by: str
    #: What it said, and why.
    reason: str

    @classmethod
    def from_wire(cls, wire: _types.TraceStep) -> TraceStep:
        return cls(
            by=wire["by"],
            reason=wire["reason"],
        )


@dataclass(slots=True)
class TurnResult:
    """What a turn came to."""

    #: Why it ended.
    reason: _types.DoneReason
    #: Tokens of this turn only.
    usage: Usage
    #: Text of the last assistant message; empty when there was none.
    text: str
    #: US dollars of this turn; absent when a price is unknown.
    cost_usd: float | None = None
    #: What failed, when `reason` is `error`.
    error: Error | None = None
    #: The structured output, when one was asked for and given.
    structured: Any = None

    @classmethod
    def from_wire(cls, wire: _types.TurnResult) -> TurnResult:
        return cls(
            reason=wire["reason"],
            usage=Usage.from_wire(wire["usage"]),
            text=wire["text"],
            cost_usd=wire.get("costUsd"),
            error=Error.from_wire(wire["error"]) if "error" in wire else None,
            structured=wire.get("structured"),
        )


@dataclass(slots=True)
class Usage:
    """Tokens in disjoint buckets: their sum is all that was used. What the provider did not say stays absent."""

    #: Prompt tokens read from the provider's cache.
    cache_read_tokens: int | None = None
    #: Prompt tokens written to the provider's cache.
    cache_write_tokens: int | None = None
    #: Prompt tokens that no cache served.
    input_tokens: int | None = None
    #: Tokens of the answer, without reasoning where that is counted apart.
    output_tokens: int | None = None
    #: Tokens of thought, where counted apart.
    reasoning_tokens: int | None = None

    @classmethod
    def from_wire(cls, wire: _types.Usage) -> Usage:
        return cls(
            cache_read_tokens=wire.get("cacheReadTokens"),
            cache_write_tokens=wire.get("cacheWriteTokens"),
            input_tokens=wire.get("inputTokens"),
            output_tokens=wire.get("outputTokens"),
            reasoning_tokens=wire.get("reasoningTokens"),
        )


@dataclass(slots=True)
class UsageReport:
    """What was used so far."""

    #: This turn.
    turn: Usage
    #: The whole session.
    session: Usage
    #: Tokens in the context of the last request.
    context_tokens: int | None = None
    #: The model's context window, where known.
    context_window: int | None = None
    #: US dollars of the session; absent when a price is unknown.
    cost_usd: float | None = None

    @classmethod
    def from_wire(cls, wire: _types.UsageReport) -> UsageReport:
        return cls(
            turn=Usage.from_wire(wire["turn"]),
            session=Usage.from_wire(wire["session"]),
            context_tokens=wire.get("contextTokens"),
            context_window=wire.get("contextWindow"),
            cost_usd=wire.get("costUsd"),
        )


#: One block of a message.
Content: TypeAlias = (
    TextContent
    | ThinkingContent
    | RedactedThinkingContent
    | ToolCallContent
    | ToolResultContent
    | ImageContent
    | ResourceContent
    | UnknownContent
)

_CONTENT: dict[str, Callable[[Any], Content]] = {
    "text": TextContent.from_wire,
    "thinking": ThinkingContent.from_wire,
    "redacted_thinking": RedactedThinkingContent.from_wire,
    "tool_call": ToolCallContent.from_wire,
    "tool_result": ToolResultContent.from_wire,
    "image": ImageContent.from_wire,
    "resource": ResourceContent.from_wire,
}


def content_from_wire(wire: Any) -> Content:
    """Reads any content; one of a type that is not known too."""
    return _CONTENT.get(wire["type"], UnknownContent.from_wire)(wire)


#: One event: an envelope and what happened.
Event: TypeAlias = (
    UserMessageEvent
    | TurnStartEvent
    | AssistantMessageEvent
    | ToolCallEvent
    | ToolResultEvent
    | ToolDeniedEvent
    | FileChangedEvent
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
    | UsageEvent
    | NoticeEvent
    | TaskUpdateEvent
    | PlanUpdateEvent
    | ReplayGapEvent
    | UnknownEvent
)

_EVENT: dict[str, Callable[[Any], Event]] = {
    "user_message": UserMessageEvent.from_wire,
    "turn_start": TurnStartEvent.from_wire,
    "assistant_message": AssistantMessageEvent.from_wire,
    "tool_call": ToolCallEvent.from_wire,
    "tool_result": ToolResultEvent.from_wire,
    "tool_denied": ToolDeniedEvent.from_wire,
    "file_changed": FileChangedEvent.from_wire,
    "request_opened": RequestOpenedEvent.from_wire,
    "request_resolved": RequestResolvedEvent.from_wire,
    "compacted": CompactedEvent.from_wire,
    "mode_changed": ModeChangedEvent.from_wire,
    "model_changed": ModelChangedEvent.from_wire,
    "subagent_start": SubagentStartEvent.from_wire,
    "subagent_end": SubagentEndEvent.from_wire,
    "checkpoint_created": CheckpointCreatedEvent.from_wire,
    "done": DoneEvent.from_wire,
    "session_state": SessionStateEvent.from_wire,
    "session_closed": SessionClosedEvent.from_wire,
    "prompt_queued": PromptQueuedEvent.from_wire,
    "prompt_started": PromptStartedEvent.from_wire,
    "text_delta": TextDeltaEvent.from_wire,
    "thinking_delta": ThinkingDeltaEvent.from_wire,
    "tool_input_delta": ToolInputDeltaEvent.from_wire,
    "tool_progress": ToolProgressEvent.from_wire,
    "retry": RetryEvent.from_wire,
    "usage": UsageEvent.from_wire,
    "notice": NoticeEvent.from_wire,
    "task_update": TaskUpdateEvent.from_wire,
    "plan_update": PlanUpdateEvent.from_wire,
    "replay_gap": ReplayGapEvent.from_wire,
}


def event_from_wire(wire: Any) -> Event:
    """Reads any event; one of a type that is not known too."""
    return _EVENT.get(wire["type"], UnknownEvent.from_wire)(wire)
