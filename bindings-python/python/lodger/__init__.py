"""Lodger: a coding agent that lives inside your program.

import asyncio, lodger

async def main():
    async with await lodger.create_agent(cwd=".", model="anthropic/claude-sonnet-5-5") as agent:
        async for event in agent.prompt("What does this project do?"):
            if event.type == "text_delta":
                print(event.text, end="", flush=True)

asyncio.run(main())
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ._diagnostics import DiagnosticHandler
from ._errors import (
    CheckpointError,
    ClosedError,
    ForkedError,
    InvalidArgument,
    LodgerError,
    ProviderError,
    RequestError,
    SessionError,
)
from ._events import (
    AssistantMessageEvent,
    BackgroundTaskEndedEvent,
    CheckpointCreatedEvent,
    Checks,
    CompactedEvent,
    Content,
    Diagnostic,
    DiagnosticsDroppedDiagnostic,
    DocumentContent,
    DoneEvent,
    Event,
    FallbackEvent,
    FileChange,
    FileChangedEvent,
    ImageContent,
    Message,
    ModeChangedEvent,
    ModelChangedEvent,
    NoticeEvent,
    OutputBackpressureDiagnostic,
    OutputRejectedEvent,
    PermissionDecisionDiagnostic,
    PermissionRequestDiagnostic,
    PlanUpdateEvent,
    PromptQueuedEvent,
    PromptStartedEvent,
    QuestionChoice,
    RedactedThinkingContent,
    ReplayGapEvent,
    RequestOpenedEvent,
    RequestResolvedEvent,
    ResourceContent,
    RetryEvent,
    RuntimeExitDiagnostic,
    RuntimeReadyDiagnostic,
    RuntimeStartDiagnostic,
    SessionClosedEvent,
    SessionStateEvent,
    SubagentEndEvent,
    SubagentStartEvent,
    Target,
    Task,
    TaskUpdateEvent,
    TextContent,
    TextDeltaEvent,
    ThinkingContent,
    ThinkingDeltaEvent,
    ToolCallContent,
    ToolCallEvent,
    ToolDeniedEvent,
    ToolInputDeltaEvent,
    ToolProgressEvent,
    ToolRequest,
    ToolResultContent,
    ToolResultEvent,
    TraceStep,
    TransportErrorDiagnostic,
    TransportQueuedDiagnostic,
    TransportResponseDiagnostic,
    TransportRetryDiagnostic,
    TransportStartDiagnostic,
    TurnResult,
    TurnStartEvent,
    UnknownContent,
    UnknownDiagnostic,
    UnknownEvent,
    Usage,
    UsageEvent,
    UsageReport,
    UserMessageEvent,
)
from ._fetch import FetchRequest, FetchResponse
from ._native import version as _version
from ._requests import PermissionRequest, PlanRequest, QuestionRequest
from ._results import Document, Image, ToolResult
from ._token import IssuedToken, TokenRequest
from ._tools import Tool, ToolContext, tool

if TYPE_CHECKING:
    from ._agent import Agent, AgentOptions, create_agent
    from ._base import Answer, Input
    from ._inputs import (
        Auth,
        DebugOptions,
        Endpoint,
        EnvOptions,
        Limits,
        NetworkOptions,
        PermissionAnswer,
        PlanAnswer,
        QuestionAnswer,
        ToolAnswer,
    )
    from ._listing import ListModelsOptions, list_models
    from ._sending import Fetch, HostAuth, TokenSource
    from ._serving import PermissionHandler, PlanHandler, QuestionHandler
    from ._turn import Events, Stream, Turn
    from ._types import (
        Boundary,
        DeniedBy,
        DoneReason,
        Effect,
        Effort,
        EndpointKind,
        EnvInherit,
        ErrorCode,
        Mode,
        NoticeLevel,
        Outcome,
        Persist,
        PlanStatus,
        RequestDelivery,
        RequestKind,
        Risk,
        Role,
        StopReason,
        TargetKind,
        TaskStatus,
    )
else:
    #: Where the names above are found, once somebody looks at them: a program on `lodger.sync` does without asyncio,
    #: and hardly any needs names at run time that stand for types alone.
    _LATER = ("_agent", "_turn", "_serving", "_sending", "_listing", "_base", "_inputs", "_types")

    def __getattr__(name):
        for module in _LATER if name in __all__ else ():
            members = vars(import_module(f".{module}", __name__))
            if name in members:
                globals()[name] = members[name]
                return members[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})


__version__ = _version()

__all__ = [
    "Agent",
    "AgentOptions",
    "Answer",
    "AssistantMessageEvent",
    "Auth",
    "BackgroundTaskEndedEvent",
    "Boundary",
    "CheckpointCreatedEvent",
    "CheckpointError",
    "Checks",
    "ClosedError",
    "CompactedEvent",
    "Content",
    "DebugOptions",
    "DeniedBy",
    "Diagnostic",
    "DiagnosticHandler",
    "DiagnosticsDroppedDiagnostic",
    "Document",
    "DocumentContent",
    "DoneEvent",
    "DoneReason",
    "Effect",
    "Effort",
    "Endpoint",
    "EndpointKind",
    "EnvInherit",
    "EnvOptions",
    "ErrorCode",
    "Event",
    "Events",
    "FallbackEvent",
    "Fetch",
    "FetchRequest",
    "FetchResponse",
    "FileChange",
    "FileChangedEvent",
    "ForkedError",
    "HostAuth",
    "Image",
    "ImageContent",
    "Input",
    "InvalidArgument",
    "IssuedToken",
    "Limits",
    "ListModelsOptions",
    "LodgerError",
    "Message",
    "Mode",
    "ModeChangedEvent",
    "ModelChangedEvent",
    "NetworkOptions",
    "NoticeEvent",
    "NoticeLevel",
    "Outcome",
    "OutputBackpressureDiagnostic",
    "OutputRejectedEvent",
    "PermissionAnswer",
    "PermissionDecisionDiagnostic",
    "PermissionHandler",
    "PermissionRequest",
    "PermissionRequestDiagnostic",
    "Persist",
    "PlanAnswer",
    "PlanHandler",
    "PlanRequest",
    "PlanStatus",
    "PlanUpdateEvent",
    "PromptQueuedEvent",
    "PromptStartedEvent",
    "ProviderError",
    "QuestionAnswer",
    "QuestionChoice",
    "QuestionHandler",
    "QuestionRequest",
    "RedactedThinkingContent",
    "ReplayGapEvent",
    "RequestDelivery",
    "RequestError",
    "RequestKind",
    "RequestOpenedEvent",
    "RequestResolvedEvent",
    "ResourceContent",
    "RetryEvent",
    "Risk",
    "Role",
    "RuntimeExitDiagnostic",
    "RuntimeReadyDiagnostic",
    "RuntimeStartDiagnostic",
    "SessionClosedEvent",
    "SessionError",
    "SessionStateEvent",
    "StopReason",
    "Stream",
    "SubagentEndEvent",
    "SubagentStartEvent",
    "Target",
    "TargetKind",
    "Task",
    "TaskStatus",
    "TaskUpdateEvent",
    "TextContent",
    "TextDeltaEvent",
    "ThinkingContent",
    "ThinkingDeltaEvent",
    "TokenRequest",
    "TokenSource",
    "Tool",
    "ToolAnswer",
    "ToolCallContent",
    "ToolCallEvent",
    "ToolContext",
    "ToolDeniedEvent",
    "ToolInputDeltaEvent",
    "ToolProgressEvent",
    "ToolRequest",
    "ToolResult",
    "ToolResultContent",
    "ToolResultEvent",
    "TraceStep",
    "TransportErrorDiagnostic",
    "TransportQueuedDiagnostic",
    "TransportResponseDiagnostic",
    "TransportRetryDiagnostic",
    "TransportStartDiagnostic",
    "Turn",
    "TurnResult",
    "TurnStartEvent",
    "UnknownContent",
    "UnknownDiagnostic",
    "UnknownEvent",
    "Usage",
    "UsageEvent",
    "UsageReport",
    "UserMessageEvent",
    "__version__",
    "create_agent",
    "list_models",
    "tool",
]
