"""The JSON that Lodger speaks, as typed dictionaries.

Generated from the Rust types in core/protocol by `make gen`. Do not edit.

Keys that are `NotRequired` are absent when there is nothing to say; they are never null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

#: An agent inside a session: the main one, or a sub-agent.
AgentId: TypeAlias = str
#: How whole the last reply is.
Boundary: TypeAlias = Literal[
    # The turn ended after a complete reply.
    "complete",
    # The turn was cut in the middle of a reply or of a tool call.
    "interrupted",
]
#: Who refused a call.
DeniedBy: TypeAlias = Literal[
    # The person, through the host's handler.
    "user",
    # The host itself: no handler, or one that failed.
    "host",
    # A rule.
    "rule",
    # Managed policy.
    "policy",
    # A blocking check.
    "checks",
    # The audit log, which could not be written.
    "audit",
    # Nobody answered in time.
    "timeout",
    # The mode.
    "mode",
]
#: Why a turn ended.
DoneReason: TypeAlias = Literal[
    # The model finished.
    "end_turn",
    # The model reached its output limit.
    "max_output_tokens",
    # `limits.maxSteps` model calls were made.
    "max_steps",
    # The budget was used up.
    "max_budget",
    # The model, or its provider, declined.
    "refused",
    # The host cancelled, interrupted, or stopped reading.
    "cancelled",
    # Something failed; see `error`.
    "error",
]
#: What a call does to the world.
Effect: TypeAlias = Literal[
    # Looks only.
    "read",
    # Changes files.
    "write",
    # Runs a program or the host's own code.
    "execute",
    # Talks to the network.
    "network",
]
#: How much a model should think before it answers. Told to each model in the nearest word that it knows; a model
#: that cannot be told ignores it.
Effort: TypeAlias = Literal[
    # As the model does by itself.
    "auto",
    # Not at all, where the model can be told so; else as little as it can.
    "none",
    # As little as it can.
    "minimal",
    # Little.
    "low",
    # Some.
    "medium",
    # Much.
    "high",
    # More than `high`, where the model knows it.
    "xhigh",
    # As much as it can.
    "max",
]
#: The protocol that a server speaks.
EndpointKind: TypeAlias = Literal[
    # Anthropic Messages.
    "anthropic",
    # OpenAI Responses.
    "openai-responses",
    # OpenAI Chat Completions, and all that is compatible with it.
    "openai-chat",
    # Gemini `streamGenerateContent`.
    "gemini",
]
#: How much of the host's environment is taken over. Secrets under names other than those of `safe` are not
#: recognised: leave them out by `unset`, or choose `core`.
EnvInherit: TypeAlias = Literal[
    # All but `*_KEY`, `*_TOKEN`, `*_SECRET`, `*_PASSWORD`, `LD_*`, `DYLD_*`, and that by which a shell would take a
    # command otherwise: `BASH*`, `CDPATH`, `ENV`, `POSIXLY_CORRECT`, `PS4` and `SHELLOPTS`.
    "safe",
    # `PATH`, `HOME`, `USER`, `LOGNAME`, `SHELL`, `TMPDIR`, `TERM`, `LANG`, `LC_*` and `TZ` only.
    "core",
    # Nothing.
    "none",
]
#: What went wrong, as a stable name.
ErrorCode: TypeAlias = Literal[
    # An option is unknown, missing or malformed. The message names the option, what was expected and, for a misspelt name, the likely one.
    "invalid_options",
    # An argument is malformed: a null pointer, text that is not UTF-8, JSON that does not parse, a prompt of the wrong shape or over a limit.
    "invalid_input",
    # The agent, turn or runtime was closed. Create a new one.
    "closed",
    # This build, platform or agent cannot do that. The message says what is missing.
    "unsupported",
    # The handle was made before a fork and is used in the child. Create a new agent in the child.
    "forked",
    # Something took longer than its limit. The message names the limit.
    "timeout",
    # A fault in Lodger. Please report it with the message.
    "internal",
    # A fault in Lodger that was contained: the turn ended, the agent can go on. Please report it with the message.
    "internal_panic",
    # Nobody read a full event queue for `limits.stallTimeoutMs`. Read the turn, or await it.
    "consumer_stalled",
    # A prompt is still running. Wait for its `done`, or interrupt it.
    "session_busy",
    # Another process has the session open.
    "session_locked",
    # There is no such session.
    "session_not_found",
    # There is no open request with that id.
    "request_not_found",
    # The request was answered, cancelled or timed out before; the first outcome stands.
    "request_settled",
    # A path lies outside the folders that the agent may use.
    "outside_roots",
    # A file was replaced between the decision and its use. Read it again.
    "path_changed",
    # The call was refused by a person, a rule or the absence of an answer.
    "permission_denied",
    # Managed policy fixes this setting.
    "locked_by_policy",
    # Policy does not allow this model.
    "model_not_allowed",
    # A policy bundle was not accepted: signature, age or form.
    "policy_rejected",
    # The provider refused the credentials, or there are none. The message says where they are looked for.
    "provider_auth",
    # The provider limits the rate of requests. Wait for `retryAfterMs` where it is given.
    "provider_rate_limited",
    # The provider has too much load.
    "provider_overloaded",
    # The provider could not be reached or answered with a fault of its own.
    "provider_unavailable",
    # The provider did not accept the request. Its own words are in the message.
    "provider_rejected",
    # The provider's stream ended before the reply was complete.
    "provider_stream_cut",
    # The provider sent something that is not its protocol.
    "provider_malformed",
    # The conversation no longer fits the model's context window.
    "context_overflow",
    # The checkpoint bytes are damaged.
    "checkpoint_corrupt",
    # The checkpoint was written by a newer version.
    "checkpoint_unsupported",
    # The checkpoint is whole but does not describe a conversation.
    "checkpoint_invalid",
    # The checkpoint is over `limits.maxCheckpointBytes`.
    "checkpoint_too_large",
    # The turn has a reader already. A turn is read by one; open no second iterator.
    "reader_busy",
    # A call that waits was made from inside a callback. Call it from another thread.
    "would_deadlock",
    # A sized struct is larger than this library knows and its extra bytes are not zero. Use a library at least as new as the header.
    "abi_mismatch",
    # The provider has no such model for this key, or nothing at that address. Its own words are in the message; a list of models says which there are.
    "model_not_found",
    # The account with the provider has nothing left to pay with. Waiting does not help.
    "provider_quota",
    # The model gave no answer that fits `outputSchema`, also when it was told what was wrong. `data.attempts` and `data.errors` say how often, and what was wrong last.
    "output_invalid",
]
#: Which of them it was.
GuardKind: TypeAlias = Literal[
    # A check.
    "check",
]
#: What stood in the way of a call, or did not.
GuardVerdict: TypeAlias = Literal[
    # It let the call go on.
    "passed",
    # It did not.
    "blocked",
    # It gave no verdict: it took too long, failed, or said something else. The call is refused.
    "failed",
]
#: One message of the conversation.
MessageId: TypeAlias = str
#: How much an agent may do without asking.
Mode: TypeAlias = Literal[
    # Reads inside the roots run; everything else asks. The default.
    "ask",
    # File edits inside the roots run too; commands, network and other paths ask.
    "auto-edit",
    # Nothing asks.
    "full-auto",
    # Reads only: every call that would change something is refused.
    "plan",
]
#: How much a notice matters.
NoticeLevel: TypeAlias = Literal[
    # Good to know.
    "info",
    # Something is not as asked for.
    "warning",
    # Something failed, and the turn goes on.
    "error",
]
#: How a request ended.
Outcome: TypeAlias = Literal[
    # Permission, this time.
    "allowed_once",
    # Permission, from now on.
    "allowed_always",
    # No permission.
    "denied",
    # The tool ran, the question was answered, or the check gave its verdict.
    "answered",
    # The person did not want to answer.
    "dismissed",
    # The plan may go ahead.
    "approved",
    # The plan may not go ahead.
    "rejected",
    # Nobody answered in time.
    "expired",
    # The turn ended first.
    "cancelled",
    # The handler failed, answered nonsense, or was dropped.
    "failed",
]
#: Where an "always" is kept.
Persist: TypeAlias = Literal[
    # For the life of the session.
    "session",
    # In the project's settings.
    "project",
    # In the user's settings.
    "user",
]
#: Where a plan stands.
PlanStatus: TypeAlias = Literal[
    # Being written.
    "draft",
    # The person agreed.
    "approved",
    # The person did not agree.
    "rejected",
]
#: A prompt, from the moment it was accepted; it may wait before its turn starts.
PromptId: TypeAlias = str
#: How requests reach the host.
RequestDelivery: TypeAlias = Literal[
    # By the host's handlers. A kind without a handler is refused at once.
    "callback",
    # As `request_opened` events, answered by id.
    "events",
    # Not at all, since nobody is there: permissions, questions and plans are refused at once, whatever handlers there
    # are. Tools and checks of the host run.
    "none",
]
#: One open question to the host.
RequestId: TypeAlias = str
#: The kinds of request.
RequestKind: TypeAlias = Literal[
    # May this call run?
    "permission",
    # Run this tool of yours.
    "tool",
    # A question to the person.
    "question",
    # A plan to approve.
    "plan",
    # Does anything speak against this call?
    "check",
]
#: How much harm a call could do, from one table in the policy.
Risk: TypeAlias = Literal[
    # Looks only, inside the roots.
    "low",
    # Changes that can be undone.
    "medium",
    # Commands, the network, and paths outside the roots.
    "high",
]
#: Who said it.
Role: TypeAlias = Literal[
    # The person, the host, or a tool answering for them.
    "user",
    # The model.
    "assistant",
]
#: What is to happen where a system cannot hold all of a sandbox.
SandboxDegraded: TypeAlias = Literal[
    # No agent is made: `unsupported`.
    "refuse",
    # Commands run with as much of it as there is, be it nothing; `sandbox.missing` of the session says what is not.
    "accept",
]
#: What holds commands.
SandboxKind: TypeAlias = Literal[
    # Nothing does.
    "off",
    # What the system has by itself, without another program: `landlock` on Linux.
    "auto",
    # Landlock and a filter of system calls. Linux; whole from kernel 6.12 on.
    "landlock",
    # The program `bwrap`, which must be installed, and the filter of system calls. Linux.
    "bubblewrap",
]
#: What a sandbox holds commands back from.
SandboxPart: TypeAlias = Literal[
    # Writing outside the writable folders, and reading what a deny rule closes.
    "files",
    # Cutting files outside the writable folders.
    "truncation",
    # Orders to devices, such as terminals.
    "devices",
    # Signals to processes outside, and abstract Unix sockets.
    "signals",
    # The filter of system calls: the network, Unix sockets, tracing other processes, io_uring.
    "system_calls",
]
#: One conversation, kept or not.
SessionId: TypeAlias = str
#: Whose settings file.
SettingsLayer: TypeAlias = Literal[
    # The user's: `settings.json` in the config folder.
    "user",
    # The project's: `.lodger/settings.json` in `cwd`. It can forbid and ask, never allow.
    "project",
]
#: Why the model stopped writing one reply.
StopReason: TypeAlias = Literal[
    # It had said all it wanted.
    "end_turn",
    # It waits for the results of its tool calls.
    "tool_use",
    # It reached the limit of output tokens.
    "max_output_tokens",
    # It, or its provider, declined to answer.
    "refused",
    # The turn was cancelled; the reply holds what had arrived.
    "cancelled",
    # The budget was used up; the reply holds what had arrived.
    "max_budget",
    # The stream broke; the reply holds what had arrived.
    "error",
]
#: What a call acts on.
TargetKind: TypeAlias = Literal[
    # A shell command.
    "command",
    # Files.
    "file",
    # A network address.
    "network",
    # A tool of an MCP server.
    "mcp",
    # Something else, such as a tool of the host.
    "other",
]
#: Where a task stands.
TaskStatus: TypeAlias = Literal[
    # Not begun.
    "pending",
    # Being worked on.
    "in_progress",
    # Finished.
    "completed",
]
#: Whether calls of a tool of the host ask. Rules come before it: one in `allow` or `ask` wins.
ToolApproval: TypeAlias = Literal[
    # They run: the host offers the tool and thereby allows its calls.
    "never",
    # They ask in every mode, `full-auto` too, unless the host has allowed such a call from now on.
    "ask",
]
#: One call of a tool by the model. Given by the provider where it gives one.
ToolCallId: TypeAlias = str
#: One prompt and all that follows from it, up to its `done`.
TurnId: TypeAlias = str


class AgentOptions(TypedDict):
    """Everything that a host may set when it creates an agent. All of it is optional but `model`."""

    #: Calls that run without asking: rules such as `run_shell(npm test *)`.
    allow: NotRequired[list[RuleOptions]]
    #: Added after the base prompt or `instructions`.
    appendInstructions: NotRequired[TextOrList]
    #: Calls that ask, even where the mode would not; they win over `allow`.
    ask: NotRequired[list[RuleOptions]]
    #: A file for the audit log: each call, decision, answer, refusal and effect, in a chain that shows when anybody
    #: changes it; relative to `cwd`. It is made for its owner alone, or gone on with. A call whose record cannot be
    #: written does not run. One agent at a time may write it. See `docs/audit.md`.
    audit: NotRequired[str]
    #: Credentials. Absent: `<PROVIDER>_API_KEY` of the environment.
    auth: NotRequired[Auth]
    #: A file that adds to what is known of providers and models, and wins: see `docs/models.md`. Relative to `cwd`.
    catalogue: NotRequired[str]
    #: Who judges changes before they happen, whatever the mode, the rules and the host say. At most 16. See
    #: `docs/guards.md`.
    checks: NotRequired[list[CheckOptions]]
    #: The folder that the agent works in. Absent: no file or shell tools and no base prompt.
    cwd: NotRequired[str]
    #: Aids to find out what goes wrong.
    debug: NotRequired[DebugOptions]
    #: Calls that are refused, whatever the mode is; they win over `ask` and `allow`.
    deny: NotRequired[list[RuleOptions]]
    #: How much the model should think before it answers. Default `auto`.
    effort: NotRequired[Effort]
    #: Points `model` and `fallbackModels` at a server of your choice.
    endpoint: NotRequired[Endpoint]
    #: What of the environment children see.
    env: NotRequired[EnvOptions]
    #: Models that carry on, in this order, when the one before fails in a way that another could mend and nothing of its
    #: reply was shown; each named as `model` is. At most 8. They carry on to the end of the turn; the next prompt begins
    #: with `model` again.
    fallbackModels: NotRequired[list[str]]
    #: Takes the place of the base prompt. `[]` means none at all.
    instructions: NotRequired[TextOrList]
    #: Bounds.
    limits: NotRequired[Limits]
    #: How much the agent may do without asking. Default `ask`.
    mode: NotRequired[Mode]
    #: `provider/model`, such as `anthropic/claude-sonnet-5-5`; `scripted/FILE.json` plays a script. Where `auth` names a
    #: provider, a name without `/` belongs to that one, and none at all is its default.
    model: NotRequired[str]
    #: The way to the providers, for requests that no `fetch` of the host's carries.
    network: NotRequired[NetworkOptions]
    #: A JSON Schema of type `object` that the answer of each turn must fit: the result's `structured` is then that answer.
    #: At most 64 KiB, and whole in itself: no `$ref` may lead out of it. See `docs/structured-output.md`.
    outputSchema: NotRequired[Any]
    #: After how many milliseconds an unanswered request is refused. Default 300,000; 0 waits for ever.
    permissionTimeoutMs: NotRequired[int]
    #: How requests reach the host. Default `callback`.
    requests: NotRequired[RequestDelivery]
    #: The folders that the agent may use, in place of `cwd` alone: name `cwd` too if it is to be one of them.
    roots: NotRequired[list[str]]
    #: What confines commands; tools of yours are not confined. Absent: nothing. See `docs/sandbox.md`.
    sandbox: NotRequired[SandboxOptions]
    #: Names the session: 1 to 128 letters, digits, `.`, `_`, `:` or `-`. Default: a fresh id.
    sessionId: NotRequired[SessionId]
    #: Settings files that count beside the machine's managed one, which always does. Default: none. See
    #: `docs/permissions.md`.
    settings: NotRequired[list[SettingsLayer]]
    #: Tools that the host runs. At most 64.
    tools: NotRequired[list[ToolOptions]]
    #: Gives the model the tool `web_fetch`, which reads pages of the web; `{}` for the defaults. Absent: it has none.
    webFetch: NotRequired[WebFetchOptions]


class AuthApiKey(TypedDict):
    """An API key, for the provider of option `model`."""

    #: The key.
    apiKey: str


class AuthToken(TypedDict):
    """A token that the host obtained itself, sent as `Authorization: Bearer`. Nothing is read from disk, nothing is
    written to it, and nothing renews it.
    """

    #: The token.
    token: str
    #: Whose token it is: it goes to no other provider.
    provider: str


class AuthProvider(TypedDict):
    """What `lodger login PROVIDER` saved in the config folder, renewed on need."""

    #: Whose login it is: it goes to no other provider.
    provider: str


class CheckAnswer(TypedDict):
    """Answer to a request for a check."""

    #: The call must not run, whatever else allows it.
    blocking: bool
    #: What was found, one line each: shown to whoever is asked for leave, and told to the model when it blocks. At most
    #: 64 of at most 1 KiB; what is longer is cut.
    findings: NotRequired[list[str]]


class CheckOptions(TypedDict):
    """A check: judges calls before they run. Whatever is not clearly a judgement refuses the call."""

    #: A command line, run by `bash` in `cwd`. It gets the call as JSON on its standard input and says
    #: `{"blocking": true|false, "findings": ["..."]}` on its standard output. Absent: the host is asked, by a request of
    #: kind `check`.
    command: NotRequired[str]
    #: Milliseconds that it may take; one that takes longer refuses the call. Default 30,000 for a command, else
    #: `permissionTimeoutMs`.
    timeoutMs: NotRequired[int]
    #: The calls that it judges: names of tools, `*` in them for any letters, or the words `read`, `write`, `execute`,
    #: `network` for all calls with that effect. Default: every call that does more than read.
    tools: NotRequired[list[str]]


class CheckRequest(TypedDict):
    """Does anything speak against this call? It has not run yet, and nobody was asked for leave so far."""

    #: Name of the tool.
    toolName: str
    #: The input, as the model wrote it.
    input: Any
    #: What the call would do.
    target: Target
    #: Every file or command that the call touches, one line each.
    targets: list[str]
    #: How much harm it could do.
    risk: Risk
    #: A unified diff, for changes of files.
    diff: NotRequired[str]


class Checks(TypedDict):
    """Findings of checks that ran before the request was opened."""

    #: A blocking finding refuses the call whatever the answer is.
    blocking: bool
    #: What was found, one line each.
    findings: list[str]


class TextContent(TypedDict):
    """Plain text."""

    type: Literal["text"]
    #: UTF-8 text.
    text: str


class ThinkingContent(TypedDict):
    """What the model thought, where the provider shows it."""

    type: Literal["thinking"]
    #: The thought, possibly a summary; may be empty when only the signature was sent.
    text: str
    #: The provider's own data about the thought: a signature, or the thought encrypted. Sent back unchanged to
    #: the model that wrote it, and to no other. Opaque.
    signature: NotRequired[str]


class RedactedThinkingContent(TypedDict):
    """Thought that the provider encrypted; sent back unchanged."""

    type: Literal["redacted_thinking"]
    #: Opaque data of the provider.
    data: str


class ToolCallContent(TypedDict):
    """The model asks for a tool."""

    type: Literal["tool_call"]
    #: Ties the call to its result.
    toolCallId: ToolCallId
    #: Name of the tool.
    toolName: str
    #: The input, as the model wrote it.
    input: Any


class ToolResultContent(TypedDict):
    """What a tool answered."""

    type: Literal["tool_result"]
    #: The call that this answers.
    toolCallId: ToolCallId
    #: Text, images and documents for the model.
    content: list[Content]
    #: The tool failed or was refused.
    isError: NotRequired[bool]


class ImageContent(TypedDict):
    """A picture."""

    type: Literal["image"]
    #: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    mimeType: str
    #: Base64 of the picture; at most 5 MiB of text.
    data: str


class DocumentContent(TypedDict):
    """A file to read. A text is told to every model; a PDF to those that read PDF files, and the others are told that
    there is one.
    """

    type: Literal["document"]
    #: `application/pdf` or `text/plain`.
    mimeType: str
    #: Base64 of the file; at most 10 MiB of text. A text is UTF-8.
    data: str
    #: What the file is called, such as `report.pdf`; at most 255 bytes. It gives no access to anything.
    name: NotRequired[str]


class ResourceContent(TypedDict):
    """A named text that the host hands over. The URI gives no access to anything."""

    type: Literal["resource"]
    #: What the text is called.
    uri: str
    #: The text itself.
    text: NotRequired[str]


class DebugOptions(TypedDict):
    """Aids to find out what goes wrong. Nothing here is on by default."""

    #: A file that takes what the agent says to its model and what comes back, one JSON a line; relative to `cwd`.
    #: It is made for its owner alone, or added to; at most 64 MiB are written. Headers are left out, and credentials
    #: where they stand in one piece; the conversation is not.
    trace: NotRequired[str]


class DetailedRule(TypedDict):
    """A rule with its reason and its examples."""

    #: The rule.
    rule: str
    #: What it is about and what not: checked when the rule is read.
    examples: NotRequired[RuleExamples]
    #: Why it stands there. The model and whoever is asked see it.
    reason: NotRequired[str]


class DiagnosticBase(TypedDict):
    """What every diagnostic has."""

    #: Unix milliseconds.
    ts: int
    #: Whose agent.
    sessionId: SessionId


class RuntimeStartDiagnostic(DiagnosticBase):
    """The agent is being made."""

    type: Literal["runtime.start"]


class RuntimeReadyDiagnostic(DiagnosticBase):
    """The agent takes prompts."""

    type: Literal["runtime.ready"]


class RuntimeExitDiagnostic(DiagnosticBase):
    """The agent is closed: always the last one, once."""

    type: Literal["runtime.exit"]
    #: 0.
    code: int


class TransportStartDiagnostic(DiagnosticBase):
    """A request to the model begins."""

    type: Literal["transport.start"]
    #: 1, and one more for each retry of the same model call.
    attempt: int
    #: The HTTP method.
    method: str
    #: Scheme, host and path; never a query, which may carry a key.
    endpoint: str
    #: `provider/model`.
    model: str


class TransportQueuedDiagnostic(DiagnosticBase):
    """It had to wait for its turn, since as many requests as may be were under way to its host. Told when the wait is
    over.
    """

    type: Literal["transport.queued"]
    #: As in `transport.start`.
    attempt: int
    #: Milliseconds that it waited; they are part of what `elapsedMs` says later.
    queuedMs: int
    #: `provider/model`.
    model: str


class TransportResponseDiagnostic(DiagnosticBase):
    """The head of its answer came."""

    type: Literal["transport.response"]
    #: As in `transport.start`.
    attempt: int
    #: The HTTP status.
    status: int
    #: Milliseconds since `transport.start`.
    elapsedMs: int
    #: `provider/model`.
    model: str
    #: The part of the model's name before the `/`.
    provider: str
    #: What the provider calls the request, if it said so.
    requestId: NotRequired[str]


class TransportErrorDiagnostic(DiagnosticBase):
    """No answer, or one that is an error, or an answer that broke."""

    type: Literal["transport.error"]
    #: As in `transport.start`.
    attempt: int
    #: Milliseconds since `transport.start`.
    elapsedMs: int
    #: Its code. The message is in the turn's own error.
    error: ErrorCode


class TransportRetryDiagnostic(DiagnosticBase):
    """The same model call is tried again after a wait."""

    type: Literal["transport.retry"]
    #: The attempt that failed.
    attempt: int
    #: Milliseconds since its `transport.start`.
    elapsedMs: int
    #: Why.
    error: ErrorCode
    #: The attempt to come.
    nextAttempt: int
    #: Milliseconds until it.
    delayMs: int


class OutputBackpressureDiagnostic(DiagnosticBase):
    """The reader of a turn is slower than its sources, which now wait. Once in a turn."""

    type: Literal["output.backpressure"]
    #: Bytes that lie unread, about.
    bufferedBytes: int
    #: Events that lie unread.
    bufferedEvents: int


class PermissionRequestDiagnostic(DiagnosticBase):
    """A call needs leave."""

    type: Literal["permission.request"]
    #: Name of the tool.
    toolName: str
    #: What the call acts on.
    kind: TargetKind


class PermissionDecisionDiagnostic(DiagnosticBase):
    """A call that needed leave has its answer."""

    type: Literal["permission.decision"]
    #: Name of the tool.
    toolName: str
    #: What the call acts on.
    kind: TargetKind
    #: How it was decided.
    outcome: Outcome


class DiagnosticsDroppedDiagnostic(DiagnosticBase):
    """The host did not take its diagnostics for so long that some were lost, between this one and the one before."""

    type: Literal["diagnostics.dropped"]
    #: How many.
    count: int


class Endpoint(TypedDict):
    """A server to talk to."""

    #: The protocol.
    kind: EndpointKind
    #: Where it is, without the protocol's own path: `http://127.0.0.1:8080`.
    baseUrl: str
    #: Credentials may go over `http`, where anybody on the way can read them, to a server that is neither on this
    #: machine nor in a private network. Default false.
    allowHttp: NotRequired[bool]
    #: Sent with each request.
    headers: NotRequired[dict[str, str]]


class EnvOptions(TypedDict):
    """What of the host's environment the agent's children see."""

    #: What is taken over. Default `safe`.
    inherit: NotRequired[EnvInherit]
    #: Added, over what is taken over.
    set: NotRequired[dict[str, str]]
    #: Left out.
    unset: NotRequired[list[str]]


class Error(TypedDict):
    """An error as every face shows it."""

    #: Stable name of what went wrong.
    code: ErrorCode
    #: What was expected, what was found, what to do. Never holds a secret.
    message: str
    #: Whether the same call may succeed later, unchanged.
    retryable: bool
    #: Details for programs.
    data: NotRequired[Any]
    #: How long the provider asked to wait.
    retryAfterMs: NotRequired[int]


class EventBase(TypedDict):
    """What every event has."""

    #: Version of this schema.
    v: int
    #: Place in the session, dense from 1.
    seq: int
    #: Unix milliseconds.
    ts: int
    #: The session.
    sessionId: SessionId
    #: The sub-agent; absent for the main one.
    agentId: NotRequired[AgentId]
    #: The call that started the sub-agent.
    parentToolCallId: NotRequired[ToolCallId]
    #: The turn, for what belongs to one.
    turnId: NotRequired[TurnId]


class UserMessageEvent(EventBase):
    """A prompt entered the conversation."""

    type: Literal["user_message"]
    #: The message.
    messageId: MessageId
    #: Its blocks.
    content: list[Content]


class TurnStartEvent(EventBase):
    """A turn began."""

    type: Literal["turn_start"]
    #: The prompt that it answers.
    promptId: PromptId
    #: `provider/model`.
    model: str
    #: The mode at the start.
    mode: Mode
    #: What confines commands; absent where no sandbox was asked for.
    sandbox: NotRequired[SandboxState]


class AssistantMessageEvent(EventBase):
    """One whole reply of the model, after its deltas."""

    type: Literal["assistant_message"]
    #: The message.
    messageId: MessageId
    #: Its blocks, tool calls among them.
    content: list[Content]
    #: Why the model stopped.
    stopReason: StopReason
    #: What this reply used.
    usage: Usage
    #: `provider/model` that wrote it.
    model: str
    #: US dollars of this reply; absent when the price is unknown or the provider did not count.
    costUsd: NotRequired[float]


class ToolCallEvent(EventBase):
    """The model asked for a tool; appended before anything is decided."""

    type: Literal["tool_call"]
    #: The call.
    toolCallId: ToolCallId
    #: Name of the tool.
    toolName: str
    #: The input, as the model wrote it.
    input: Any
    #: What the call would do, as far as the input could be read.
    target: Target


class ToolResultEvent(EventBase):
    """The end of a call: exactly one for each."""

    type: Literal["tool_result"]
    #: The call.
    toolCallId: ToolCallId
    #: Name of the tool.
    toolName: str
    #: What the model is told.
    content: list[Content]
    #: The tool failed or was refused.
    isError: bool
    #: From decision to end; 0 for calls that never ran.
    durationMs: int
    #: Something was left out of `content`.
    truncated: bool
    #: Files that the call changed.
    files: list[FileChange]


class ToolDeniedEvent(EventBase):
    """A call was refused."""

    type: Literal["tool_denied"]
    #: The call.
    toolCallId: ToolCallId
    #: Name of the tool.
    toolName: str
    #: Who refused.
    by: DeniedBy
    #: What the model is told beside.
    feedback: NotRequired[str]


class OutputRejectedEvent(EventBase):
    """An answer did not fit `outputSchema`; the model is told so and asked again."""

    type: Literal["output_rejected"]
    #: What the model is told of it.
    messageId: MessageId
    #: The same, in words.
    feedback: str
    #: The answer that was rejected, from 1.
    attempt: int
    #: How many there may be.
    maxAttempts: int
    #: The call that gave the answer, whose result holds the words too; absent where the answer was text.
    toolCallId: NotRequired[ToolCallId]


class FileChangedEvent(EventBase):
    """A file was changed by the agent."""

    type: Literal["file_changed"]
    #: The call that changed it.
    toolCallId: ToolCallId
    #: Absolute path.
    path: str
    #: The file did not exist before.
    created: bool
    #: Replaced in one step; false when it had to be written in place.
    atomic: bool
    #: The file was removed, or moved away. Absent: it was not.
    removed: NotRequired[bool]


class BackgroundTaskEndedEvent(EventBase):
    """A background task ended. Told before the next request to the model, which is told of it too."""

    type: Literal["background_task_ended"]
    #: The task, as the model names it.
    taskId: str
    #: The call that started it.
    toolCallId: ToolCallId
    #: What the model is told of it.
    text: str


class RequestResolvedEvent(EventBase):
    """A request was settled: exactly one for each."""

    type: Literal["request_resolved"]
    #: The request.
    requestId: RequestId
    #: Which kind it was.
    kind: RequestKind
    #: How it ended.
    outcome: Outcome


class CompactedEvent(EventBase):
    """The conversation was made shorter. Not sent yet."""

    type: Literal["compacted"]
    #: Tokens before.
    tokensBefore: int
    #: Tokens after.
    tokensAfter: int
    #: What stands for the part that was left out.
    summary: str


class ModeChangedEvent(EventBase):
    """The mode changed."""

    type: Literal["mode_changed"]
    #: The new mode.
    mode: Mode


class ModelChangedEvent(EventBase):
    """The model changed."""

    type: Literal["model_changed"]
    #: `provider/model`.
    model: str


class SubagentStartEvent(EventBase):
    """A sub-agent began. Not sent yet."""

    type: Literal["subagent_start"]
    #: What it is to do.
    description: str


class SubagentEndEvent(EventBase):
    """A sub-agent ended. Not sent yet."""

    type: Literal["subagent_end"]
    #: Why it ended.
    reason: DoneReason


class CheckpointCreatedEvent(EventBase):
    """Portable bytes of the session were made. Not sent yet."""

    type: Literal["checkpoint_created"]
    #: Names it.
    checkpointId: str


class DoneEvent(EventBase):
    """A turn ended: exactly one for each."""

    type: Literal["done"]
    #: The prompt that it answered.
    promptId: PromptId
    #: Why it ended.
    reason: DoneReason
    #: Tokens of this turn.
    usage: Usage
    #: How whole the last reply is.
    boundary: Boundary
    #: US dollars of this turn; absent when a price is unknown.
    costUsd: NotRequired[float]
    #: What failed.
    error: NotRequired[Error]
    #: The answer that fits `outputSchema`, of a turn that ended with one.
    structured: NotRequired[Any]


class SessionStateEvent(EventBase):
    """Where a session stands, for one who joins. Not sent yet."""

    type: Literal["session_state"]
    #: The mode.
    mode: Mode
    #: `provider/model`.
    model: str
    #: A turn is running.
    running: bool
    #: What confines commands; absent where no sandbox was asked for.
    sandbox: NotRequired[SandboxState]


class SessionClosedEvent(EventBase):
    """The session was closed. Not sent yet."""

    type: Literal["session_closed"]
    #: Why.
    reason: str


class PromptQueuedEvent(EventBase):
    """A prompt waits for its turn. Not sent yet."""

    type: Literal["prompt_queued"]
    #: The prompt.
    promptId: PromptId
    #: How many are before it.
    position: int


class PromptStartedEvent(EventBase):
    """A waiting prompt's turn begins. Not sent yet."""

    type: Literal["prompt_started"]
    #: The prompt.
    promptId: PromptId


class TextDeltaEvent(EventBase):
    """More text of the answer."""

    type: Literal["text_delta"]
    #: The message that grows.
    messageId: MessageId
    #: Append this.
    text: str


class ThinkingDeltaEvent(EventBase):
    """More of the model's thought."""

    type: Literal["thinking_delta"]
    #: The message that grows.
    messageId: MessageId
    #: Append this.
    text: str


class ToolInputDeltaEvent(EventBase):
    """More of a call's input, as raw JSON text."""

    type: Literal["tool_input_delta"]
    #: The call.
    toolCallId: ToolCallId
    #: Name of the tool.
    toolName: str
    #: Append this.
    text: str


class ToolProgressEvent(EventBase):
    """A running call has something to show."""

    type: Literal["tool_progress"]
    #: The call.
    toolCallId: ToolCallId
    #: `stdout`, `stderr`, or `progress` for a tool of the host.
    stream: str
    #: Append this.
    chunk: str


class RetryEvent(EventBase):
    """A request to the provider failed before its first output and is sent again after a wait."""

    type: Literal["retry"]
    #: The attempt that failed, from 1.
    attempt: int
    #: How many there may be.
    maxAttempts: int
    #: How long it waits.
    delayMs: int
    #: What failed: the error's code and message.
    reason: str
    #: The provider's status, where it sent one.
    status: NotRequired[int]


class FallbackEvent(EventBase):
    """A model failed before its first output, and the next of `fallbackModels` carries on for the rest of the turn."""

    type: Literal["fallback"]
    #: `provider/model` that failed.
    fromModel: str
    #: `provider/model` that carries on.
    toModel: str
    #: What failed: the error's code and message.
    reason: str
    #: The provider's status, where it sent one.
    status: NotRequired[int]


class UsageEvent(EventBase):
    """What was used so far."""

    type: Literal["usage"]
    #: This turn.
    turn: Usage
    #: The whole session.
    session: Usage
    #: Tokens in the context of the last request.
    contextTokens: NotRequired[int]
    #: The model's context window, where known.
    contextWindow: NotRequired[int]
    #: US dollars of the session; absent when a price is unknown.
    costUsd: NotRequired[float]


class GuardVerdictEvent(EventBase):
    """A check gave its verdict on a call, or none."""

    type: Literal["guard_verdict"]
    #: Who judged.
    guard: GuardKind
    #: The verdict.
    verdict: GuardVerdict
    #: What it found, or why it gave no verdict.
    findings: list[str]
    #: How long it took.
    durationMs: int
    #: The command line that did; absent: the host itself.
    command: NotRequired[str]
    #: The call that was judged.
    toolCallId: NotRequired[ToolCallId]


class NoticeEvent(EventBase):
    """Something that a person may want to know, such as what in settings counts for nothing (code `settings_ignored`)."""

    type: Literal["notice"]
    #: How much it matters.
    level: NoticeLevel
    #: Stable name.
    code: str
    #: One line.
    text: str


class TaskUpdateEvent(EventBase):
    """The agent's task list, after a call of `task_update`."""

    type: Literal["task_update"]
    #: All of it.
    tasks: list[Task]


class PlanUpdateEvent(EventBase):
    """The agent's plan. Not sent yet."""

    type: Literal["plan_update"]
    #: The plan, in Markdown.
    plan: str
    #: Where it stands.
    status: PlanStatus


class ReplayGapEvent(EventBase):
    """Events before this were lost to a reader that came back too late. Not sent yet."""

    type: Literal["replay_gap"]
    #: The last event that the reader had.
    requestedId: int
    #: The first that is still there.
    firstId: int
    #: How many are missing.
    dropped: int


class FileChange(TypedDict):
    """A file that a call changed."""

    #: Absolute path.
    path: str
    #: The file did not exist before.
    created: bool
    #: Replaced in one step; false when it had to be written in place.
    atomic: bool
    #: The file was removed, or moved away. Absent: it was not.
    removed: NotRequired[bool]


class Limits(TypedDict):
    """Bounds of an agent. Each has a default; 0 is not "without limit" unless it says so."""

    #: Milliseconds that one command may take unless its call says otherwise. Default 120,000.
    commandTimeoutMs: NotRequired[int]
    #: Milliseconds that a connection to the provider may take to be made, TLS and proxy included. Default 30,000.
    connectTimeoutMs: NotRequired[int]
    #: Milliseconds to wait for the provider's first byte. Default 120,000.
    firstByteTimeoutMs: NotRequired[int]
    #: Milliseconds between two pieces of the provider's stream. Default 300,000.
    gapTimeoutMs: NotRequired[int]
    #: Tokens of all kinds that one turn may use, prompts of each model call included; as above. Default: no bound.
    maxBudgetTokens: NotRequired[int]
    #: US dollars that one turn may cost: it ends with `max_budget`, in the middle of a reply if need be. Needs a model
    #: whose price is known. Default: no bound.
    maxBudgetUsd: NotRequired[float]
    #: Bytes of a checkpoint, written or read. Default 64 MiB.
    maxCheckpointBytes: NotRequired[int]
    #: Tokens of one reply. Default 16,384.
    maxOutputTokens: NotRequired[int]
    #: How often a request to the provider is sent again when it fails before its first output. Default 4; 0: never.
    maxRetries: NotRequired[int]
    #: Model calls in one turn. Default 100.
    maxSteps: NotRequired[int]
    #: Bytes of one tool result that the model is shown. Default 50 KiB.
    maxToolOutputBytes: NotRequired[int]
    #: Milliseconds that a request may wait for its turn while `network.maxConnectionsPerHost` others are under way.
    #: Default 600,000.
    queueTimeoutMs: NotRequired[int]
    #: Milliseconds that a full event queue may stand unread. Default 600,000.
    stallTimeoutMs: NotRequired[int]


class ListModelsOptions(TypedDict):
    """Whose models to list."""

    #: Credentials. Absent: `<PROVIDER>_API_KEY` of the environment.
    auth: NotRequired[Auth]
    #: As in the options of an agent.
    catalogue: NotRequired[str]
    #: The server to ask, in place of the provider's own.
    endpoint: NotRequired[Endpoint]
    #: Of these the timeouts of the provider are used.
    limits: NotRequired[Limits]
    #: The way to the provider, if no `fetch` of the host's carries the request.
    network: NotRequired[NetworkOptions]
    #: The provider's name, such as `anthropic`.
    provider: NotRequired[str]


class Message(TypedDict):
    """One message of the conversation so far."""

    #: Opaque id.
    id: MessageId
    #: Who said it.
    role: Role
    #: The blocks, in order.
    content: list[Content]
    #: Unix milliseconds.
    createdAt: int
    #: `provider/model` that wrote it; absent where no model did.
    model: NotRequired[str]


class NetworkOptions(TypedDict):
    """The way to the providers. Agents of one runtime whose ways are alike share connections. What is absent is as the
    host's environment has it.
    """

    #: Certificates of authorities in PEM that are trusted beside the well-known ones. Absent: the files that
    #: `SSL_CERT_FILE` and `NODE_EXTRA_CA_CERTS` name.
    ca: NotRequired[str]
    #: Requests to one host that may be under way at once, of all agents that share the way; further ones wait for their
    #: turn. Default 256.
    maxConnectionsPerHost: NotRequired[int]
    #: Who is reached without a proxy: names, with all that are below them; addresses and ranges such as `10.0.0.0/8`;
    #: `*` for all. Absent: `NO_PROXY`. This machine always is.
    noProxy: NotRequired[list[str]]
    #: The URL of a proxy for all requests, of scheme `http`, `https`, `socks5` or `socks5h`; it may hold a user name and
    #: a password, which are shown nowhere. Absent: `HTTPS_PROXY` or `HTTP_PROXY`, as the provider's URL begins, else
    #: `ALL_PROXY`.
    proxy: NotRequired[str]


class AllowOnceAnswer(TypedDict):
    """Run it this time."""

    kind: Literal["allow_once"]


class AllowAlwaysAnswer(TypedDict):
    """Run it, and calls like it from now on."""

    kind: Literal["allow_always"]
    #: Where to keep it. Only `session` is kept yet: another refuses the call.
    persist: NotRequired[Persist]
    #: The rule to keep, one of the request's `suggestedRules`; absent: exactly this call. Another refuses the
    #: call: nothing is allowed that nobody was shown.
    rule: NotRequired[str]


class DenyAnswer(TypedDict):
    """Do not run it."""

    kind: Literal["deny"]
    #: Told to the model.
    feedback: NotRequired[str]


class PermissionRequest(TypedDict):
    """May this call run?"""

    #: Name of the tool.
    toolName: str
    #: A title for a dialog, such as `Run command`.
    label: str
    #: The input, as the model wrote it.
    input: Any
    #: One line for a person.
    summary: str
    #: What it does to the world.
    effect: Effect
    #: What the call would do.
    target: Target
    #: Every file or command that the call touches, one line each.
    targets: list[str]
    #: How much harm it could do.
    risk: Risk
    #: Rules that would allow this call from now on; empty when there is none to offer.
    suggestedRules: list[str]
    #: How policy came to ask.
    trace: list[TraceStep]
    #: Findings of checks, where any ran.
    checks: NotRequired[Checks]
    #: A unified diff, for changes of files.
    diff: NotRequired[str]


class PlanAnswer(TypedDict):
    """Answer to a plan."""

    #: Go ahead, or not. An approved plan ends plan mode.
    approved: bool
    #: Told to the model.
    feedback: NotRequired[str]
    #: The mode to go on in once it is approved. Absent: `ask`.
    mode: NotRequired[Mode]


class PlanRequest(TypedDict):
    """A plan to approve."""

    #: The plan, in Markdown; at most 64 KiB.
    plan: str


class QuestionAnswerDismissed(TypedDict):
    """The person did not want to answer."""

    #: Always true.
    dismissed: bool


class QuestionAnswerAnswers(TypedDict):
    """The person answered."""

    #: The chosen labels, as they were offered. Several, or none at all, only where the question allows several.
    answers: list[str]
    #: Free text, beside a label or in place of one, only where the question allows it.
    other: NotRequired[str]


class QuestionChoice(TypedDict):
    """One answer to choose."""

    #: What to show and to answer with: one line of at most 256 bytes.
    label: str
    #: What choosing it means; at most 1 KiB.
    description: NotRequired[str]


class QuestionRequest(TypedDict):
    """A question to the person."""

    #: The question; at most 4 KiB.
    question: str
    #: Answers to choose from: 1 to 16, each label once.
    options: list[QuestionChoice]
    #: More than one may be chosen.
    multiSelect: bool
    #: Free text is an answer too.
    allowOther: bool


class Request(TypedDict):
    """An open request."""

    #: Which of permission, tool, question, plan, check there is.
    kind: RequestKind
    #: Answer with this id, or by the handle.
    requestId: RequestId
    #: Unix milliseconds after which it is refused; absent when it waits for ever.
    expiresAt: NotRequired[int]
    #: The call that it is about.
    toolCallId: NotRequired[ToolCallId]
    #: May this call run?
    permission: NotRequired[PermissionRequest]
    #: Run this tool of yours.
    tool: NotRequired[ToolRequest]
    #: A question to the person.
    question: NotRequired[QuestionRequest]
    #: A plan to approve.
    plan: NotRequired[PlanRequest]
    #: Does anything speak against this call?
    check: NotRequired[CheckRequest]


class RuleExamples(TypedDict):
    """Command lines, paths or hosts that show what a rule means. At most 32."""

    #: The rule is about each of these.
    matches: NotRequired[list[str]]
    #: The rule is about none of these.
    notMatches: NotRequired[list[str]]


class SandboxRights(TypedDict):
    """What commands may do in their sandbox. All of them may write in the roots and in a temporary folder of their own,
    and read every file but those that a deny rule closes by its name, such as `read(~/.ssh/**)`.
    """

    #: They may connect to Unix sockets: those of Docker, D-Bus and ssh-agent among them, each of which can lead out of
    #: the sandbox. Default false.
    allowUnixSockets: NotRequired[bool]
    #: What is to happen where this system cannot hold all of it. Default `refuse`.
    degraded: NotRequired[SandboxDegraded]
    #: What holds them. Default `auto`.
    kind: NotRequired[SandboxKind]
    #: They may use the network. Default false.
    network: NotRequired[bool]
    #: Folders that they may write to beside the roots, such as the cache of a package manager. Relative ones start
    #: from `cwd`. At most 64.
    writableRoots: NotRequired[list[str]]


class SandboxState(TypedDict):
    """What holds the commands of a session."""

    #: What holds them; `off` where nothing could and that was accepted.
    kind: SandboxKind
    #: They may use the network.
    network: bool
    #: What does not hold here. Empty unless `degraded: "accept"` was asked for.
    missing: list[SandboxPart]


class Target(TypedDict):
    """What a call would do, in a form to show and to judge."""

    #: One line for a person.
    summary: str
    #: What it does to the world.
    effect: Effect
    #: What it acts on.
    kind: TargetKind
    #: The command line, where it is one.
    command: NotRequired[str]
    #: The host name, where it is one of a network.
    host: NotRequired[str]
    #: The files it names, as absolute paths, where it names any.
    paths: NotRequired[list[str]]


class Task(TypedDict):
    """One entry of the agent's task list."""

    #: Opaque id.
    id: str
    #: What is to be done.
    subject: str
    #: Where it stands.
    status: TaskStatus


class ToolAnswerError(TypedDict):
    """The tool failed."""

    #: Told to the model.
    error: str


class ToolAnswerContent(TypedDict):
    """The tool ran."""

    #: Text, images and documents for the model.
    content: list[Content]
    #: It ran, and what it says is an error.
    isError: NotRequired[bool]


class ToolOptions(TypedDict):
    """A tool that the host runs: calls arrive as requests of kind `tool`."""

    #: 1 to 64 of letters, digits, `_` and `-`; unique. The name of a built-in tool replaces that tool.
    name: str
    #: Told to the model.
    description: str
    #: JSON Schema of the input; an object.
    inputSchema: Any
    #: Whether its calls ask. Default `never`.
    approval: NotRequired[ToolApproval]
    #: It only looks: its calls run side by side with others, and in mode `plan` too. Default false.
    readOnly: NotRequired[bool]
    #: After how many milliseconds a call fails. Default 0: it may take as long as it likes.
    timeoutMs: NotRequired[int]


class ToolRequest(TypedDict):
    """Run this tool of yours."""

    #: Name of the tool.
    toolName: str
    #: The input; it fits the tool's schema in form only as far as the model kept to it.
    input: Any


class TraceStep(TypedDict):
    """One step of how policy came to its decision."""

    #: What was looked at: `rule`, `grant`, `built_in`, `mode`, `path`, `command`.
    by: str
    #: What it said, and why.
    reason: str
    #: The layer that the rule stands in and where that was read, such as `managed layer (/etc/lodger/settings.json)`.
    layer: NotRequired[str]
    #: The rule, as it was written, where one decided.
    rule: NotRequired[str]


class TurnResult(TypedDict):
    """What a turn came to."""

    #: Why it ended.
    reason: DoneReason
    #: Tokens of this turn only.
    usage: Usage
    #: Text of the last assistant message; empty when there was none.
    text: str
    #: US dollars of this turn; absent when a price is unknown.
    costUsd: NotRequired[float]
    #: What failed, when `reason` is `error`.
    error: NotRequired[Error]
    #: The answer, which fits `outputSchema`. With that option it is there whenever `reason` is `end_turn`, and never
    #: else.
    structured: NotRequired[Any]


class Usage(TypedDict):
    """Tokens in disjoint buckets: their sum is all that was used. What the provider did not say stays absent."""

    #: Prompt tokens read from the provider's cache.
    cacheReadTokens: NotRequired[int]
    #: Prompt tokens written to the provider's cache.
    cacheWriteTokens: NotRequired[int]
    #: Prompt tokens that no cache served.
    inputTokens: NotRequired[int]
    #: Tokens of the answer, without reasoning where that is counted apart.
    outputTokens: NotRequired[int]
    #: Tokens of thought, where counted apart.
    reasoningTokens: NotRequired[int]


class UsageReport(TypedDict):
    """What was used so far."""

    #: This turn.
    turn: Usage
    #: The whole session.
    session: Usage
    #: Tokens in the context of the last request.
    contextTokens: NotRequired[int]
    #: The model's context window, where known.
    contextWindow: NotRequired[int]
    #: US dollars of the session; absent when a price is unknown.
    costUsd: NotRequired[float]


class WebFetchOptions(TypedDict):
    """What the tool `web_fetch` may reach and how much it reads. It asks `https` servers at public addresses, whatever
    their names say, and of others only those that are named here.
    """

    #: Bytes of one answer that are read; what is left is not. Default 2 MiB.
    maxBytes: NotRequired[int]
    #: Hosts that may be fetched from though their addresses are private, and over `http`: names or addresses such as
    #: `wiki.corp.example`, each for itself. Default: none. Rules and modes decide about them as about all others.
    privateHosts: NotRequired[list[str]]
    #: Fetches through the proxy of option `network` or of the environment. A proxy looks up names itself, so that nobody
    #: sees whether they lead to private addresses. Default false: what only a proxy reaches is refused.
    throughProxy: NotRequired[bool]
    #: Milliseconds that one call may take, redirects included. Default 30,000.
    timeoutMs: NotRequired[int]


class RequestOpenedEvent(EventBase, Request):
    """A request to the host was opened."""

    type: Literal["request_opened"]


#: Credentials. A host that makes tokens itself hands over a function in their place.
Auth: TypeAlias = AuthApiKey | AuthToken | AuthProvider
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
)
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
)
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
)
#: Answer to a permission request.
PermissionAnswer: TypeAlias = AllowOnceAnswer | AllowAlwaysAnswer | DenyAnswer
#: What a host may send as a prompt: a text, or blocks of text, resources, images and documents.
Prompt: TypeAlias = str | list[Content]
#: Answer to a question. One that does not fit what was asked is a refusal.
QuestionAnswer: TypeAlias = QuestionAnswerDismissed | QuestionAnswerAnswers
#: A rule: `tool` for every call of a tool, or `tool(pattern)` for some of them.
#:
#: `tool` is a name, `*` in it for any letters, or one of `read`, `write`, `execute`, `network` for every call with that
#: effect. The pattern is about a command (`run_shell(git log *)`), a path (`write(src/**)`) or a host
#: (`network(*.example.com)`), whichever the call has.
RuleOptions: TypeAlias = str | DetailedRule
#: What confines commands: its kind alone, or with what commands may do in it.
SandboxOptions: TypeAlias = SandboxKind | SandboxRights
#: One text, or several that are joined by a blank line.
TextOrList: TypeAlias = str | list[str]
#: Answer to a tool request: content, or an error.
ToolAnswer: TypeAlias = ToolAnswerError | ToolAnswerContent
