"""What a host hands over: options, prompts and answers, as typed dictionaries in snake_case.

Generated from the Rust types in core/protocol by `make gen`. Do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from . import _types

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class AgentOptions(TypedDict):
    """Everything that a host may set when it creates an agent. All of it is optional but `model`."""

    #: Calls that run without asking: rules such as `run_shell(npm test *)`.
    allow: NotRequired[list[RuleOptions]]
    #: Added after the base prompt or `instructions`.
    append_instructions: NotRequired[TextOrList]
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
    effort: NotRequired[_types.Effort]
    #: Points `model` and `fallbackModels` at a server of your choice.
    endpoint: NotRequired[Endpoint]
    #: What of the environment children see.
    env: NotRequired[EnvOptions]
    #: Models that carry on, in this order, when the one before fails in a way that another could mend and nothing of its
    #: reply was shown; each named as `model` is. At most 8. They carry on to the end of the turn; the next prompt begins
    #: with `model` again.
    fallback_models: NotRequired[list[str]]
    #: Takes the place of the base prompt. `[]` means none at all.
    instructions: NotRequired[TextOrList]
    #: Bounds.
    limits: NotRequired[Limits]
    #: How much the agent may do without asking. Default `ask`.
    mode: NotRequired[_types.Mode]
    #: `provider/model`, such as `anthropic/claude-sonnet-5-5`; `scripted/FILE.json` plays a script. Where `auth` names a
    #: provider, a name without `/` belongs to that one, and none at all is its default.
    model: NotRequired[str]
    #: The way to the providers, for requests that no `fetch` of the host's carries.
    network: NotRequired[NetworkOptions]
    #: A JSON Schema of type `object` that the answer of each turn must fit: the result's `structured` is then that answer.
    #: At most 64 KiB, and whole in itself: no `$ref` may lead out of it. See `docs/structured-output.md`.
    output_schema: NotRequired[Any]
    #: After how many milliseconds an unanswered request is refused. Default 300,000; 0 waits for ever.
    permission_timeout_ms: NotRequired[int]
    #: How requests reach the host. Default `callback`.
    requests: NotRequired[_types.RequestDelivery]
    #: The folders that the agent may use, in place of `cwd` alone: name `cwd` too if it is to be one of them.
    roots: NotRequired[list[str]]
    #: What confines commands; tools of yours are not confined. Absent: nothing. See `docs/sandbox.md`.
    sandbox: NotRequired[SandboxOptions]
    #: Names the session: 1 to 128 letters, digits, `.`, `_`, `:` or `-`. Default: a fresh id.
    session_id: NotRequired[str]
    #: Settings files that count beside the machine's managed one, which always does. Default: none. See
    #: `docs/permissions.md`.
    settings: NotRequired[list[_types.SettingsLayer]]
    #: Tools that the host runs. At most 64.
    tools: NotRequired[list[ToolOptions]]
    #: Gives the model the tool `web_fetch`, which reads pages of the web; `{}` for the defaults. Absent: it has none.
    web_fetch: NotRequired[WebFetchOptions]


class AuthApiKey(TypedDict):
    """An API key, for the provider of option `model`."""

    #: The key.
    api_key: str


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
    timeout_ms: NotRequired[int]
    #: The calls that it judges: names of tools, `*` in them for any letters, or the words `read`, `write`, `execute`,
    #: `network` for all calls with that effect. Default: every call that does more than read.
    tools: NotRequired[list[str]]


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
    tool_call_id: str
    #: Name of the tool.
    tool_name: str
    #: The input, as the model wrote it.
    input: Any


class ToolResultContent(TypedDict):
    """What a tool answered."""

    type: Literal["tool_result"]
    #: The call that this answers.
    tool_call_id: str
    #: Text, images and documents for the model.
    content: list[Content]
    #: The tool failed or was refused.
    is_error: NotRequired[bool]


class ImageContent(TypedDict):
    """A picture."""

    type: Literal["image"]
    #: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    mime_type: str
    #: Base64 of the picture; at most 5 MiB of text.
    data: str


class DocumentContent(TypedDict):
    """A file to read. A text is told to every model; a PDF to those that read PDF files, and the others are told that
    there is one.
    """

    type: Literal["document"]
    #: `application/pdf` or `text/plain`.
    mime_type: str
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


class Endpoint(TypedDict):
    """A server to talk to."""

    #: The protocol.
    kind: _types.EndpointKind
    #: Where it is, without the protocol's own path: `http://127.0.0.1:8080`.
    base_url: str
    #: Credentials may go over `http`, where anybody on the way can read them, to a server that is neither on this
    #: machine nor in a private network. Default false.
    allow_http: NotRequired[bool]
    #: Sent with each request.
    headers: NotRequired[dict[str, str]]


class EnvOptions(TypedDict):
    """What of the host's environment the agent's children see."""

    #: What is taken over. Default `safe`.
    inherit: NotRequired[_types.EnvInherit]
    #: Added, over what is taken over.
    set: NotRequired[dict[str, str]]
    #: Left out.
    unset: NotRequired[list[str]]


class Limits(TypedDict):
    """Bounds of an agent. Each has a default; 0 is not "without limit" unless it says so."""

    #: Milliseconds that one command may take unless its call says otherwise. Default 120,000.
    command_timeout_ms: NotRequired[int]
    #: Milliseconds that a connection to the provider may take to be made, TLS and proxy included. Default 30,000.
    connect_timeout_ms: NotRequired[int]
    #: Milliseconds to wait for the provider's first byte. Default 120,000.
    first_byte_timeout_ms: NotRequired[int]
    #: Milliseconds between two pieces of the provider's stream. Default 300,000.
    gap_timeout_ms: NotRequired[int]
    #: Tokens of all kinds that one turn may use, prompts of each model call included; as above. Default: no bound.
    max_budget_tokens: NotRequired[int]
    #: US dollars that one turn may cost: it ends with `max_budget`, in the middle of a reply if need be. Needs a model
    #: whose price is known. Default: no bound.
    max_budget_usd: NotRequired[float]
    #: Bytes of a checkpoint, written or read. Default 64 MiB.
    max_checkpoint_bytes: NotRequired[int]
    #: Tokens of one reply. Default 16,384.
    max_output_tokens: NotRequired[int]
    #: How often a request to the provider is sent again when it fails before its first output. Default 4; 0: never.
    max_retries: NotRequired[int]
    #: Model calls in one turn. Default 100.
    max_steps: NotRequired[int]
    #: Bytes of one tool result that the model is shown. Default 50 KiB.
    max_tool_output_bytes: NotRequired[int]
    #: Milliseconds that a request may wait for its turn while `network.maxConnectionsPerHost` others are under way.
    #: Default 600,000.
    queue_timeout_ms: NotRequired[int]
    #: Milliseconds that a full event queue may stand unread. Default 600,000.
    stall_timeout_ms: NotRequired[int]


class NetworkOptions(TypedDict):
    """The way to the providers. Agents of one runtime whose ways are alike share connections. What is absent is as the
    host's environment has it.
    """

    #: Certificates of authorities in PEM that are trusted beside the well-known ones. Absent: the files that
    #: `SSL_CERT_FILE` and `NODE_EXTRA_CA_CERTS` name.
    ca: NotRequired[str]
    #: Requests to one host that may be under way at once, of all agents that share the way; further ones wait for their
    #: turn. Default 256.
    max_connections_per_host: NotRequired[int]
    #: Who is reached without a proxy: names, with all that are below them; addresses and ranges such as `10.0.0.0/8`;
    #: `*` for all. Absent: `NO_PROXY`. This machine always is.
    no_proxy: NotRequired[list[str]]
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
    persist: NotRequired[_types.Persist]
    #: The rule to keep, one of the request's `suggestedRules`; absent: exactly this call. Another refuses the
    #: call: nothing is allowed that nobody was shown.
    rule: NotRequired[str]


class DenyAnswer(TypedDict):
    """Do not run it."""

    kind: Literal["deny"]
    #: Told to the model.
    feedback: NotRequired[str]


class PlanAnswer(TypedDict):
    """Answer to a plan."""

    #: Go ahead, or not. An approved plan ends plan mode.
    approved: bool
    #: Told to the model.
    feedback: NotRequired[str]
    #: The mode to go on in once it is approved. Absent: `ask`.
    mode: NotRequired[_types.Mode]


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


class RuleExamples(TypedDict):
    """Command lines, paths or hosts that show what a rule means. At most 32."""

    #: The rule is about each of these.
    matches: NotRequired[list[str]]
    #: The rule is about none of these.
    not_matches: NotRequired[list[str]]


class SandboxRights(TypedDict):
    """What commands may do in their sandbox. All of them may write in the roots and in a temporary folder of their own,
    and read every file but those that a deny rule closes by its name, such as `read(~/.ssh/**)`.
    """

    #: They may connect to Unix sockets: those of Docker, D-Bus and ssh-agent among them, each of which can lead out of
    #: the sandbox. Default false.
    allow_unix_sockets: NotRequired[bool]
    #: What is to happen where this system cannot hold all of it. Default `refuse`.
    degraded: NotRequired[_types.SandboxDegraded]
    #: What holds them. Default `auto`.
    kind: NotRequired[_types.SandboxKind]
    #: They may use the network. Default false.
    network: NotRequired[bool]
    #: Folders that they may write to beside the roots, such as the cache of a package manager. Relative ones start
    #: from `cwd`. At most 64.
    writable_roots: NotRequired[list[str]]


class ToolAnswerError(TypedDict):
    """The tool failed."""

    #: Told to the model.
    error: str


class ToolAnswerContent(TypedDict):
    """The tool ran."""

    #: Text, images and documents for the model.
    content: list[Content]
    #: It ran, and what it says is an error.
    is_error: NotRequired[bool]


class ToolOptions(TypedDict):
    """A tool that the host runs: calls arrive as requests of kind `tool`."""

    #: 1 to 64 of letters, digits, `_` and `-`; unique. The name of a built-in tool replaces that tool.
    name: str
    #: Told to the model.
    description: str
    #: JSON Schema of the input; an object.
    input_schema: Any
    #: Whether its calls ask. Default `never`.
    approval: NotRequired[_types.ToolApproval]
    #: It only looks: its calls run side by side with others, and in mode `plan` too. Default false.
    read_only: NotRequired[bool]
    #: After how many milliseconds a call fails. Default 0: it may take as long as it likes.
    timeout_ms: NotRequired[int]


class WebFetchOptions(TypedDict):
    """What the tool `web_fetch` may reach and how much it reads. It asks `https` servers at public addresses, whatever
    their names say, and of others only those that are named here.
    """

    #: Bytes of one answer that are read; what is left is not. Default 2 MiB.
    max_bytes: NotRequired[int]
    #: Hosts that may be fetched from though their addresses are private, and over `http`: names or addresses such as
    #: `wiki.corp.example`, each for itself. Default: none. Rules and modes decide about them as about all others.
    private_hosts: NotRequired[list[str]]
    #: Fetches through the proxy of option `network` or of the environment. A proxy looks up names itself, so that nobody
    #: sees whether they lead to private addresses. Default false: what only a proxy reaches is refused.
    through_proxy: NotRequired[bool]
    #: Milliseconds that one call may take, redirects included. Default 30,000.
    timeout_ms: NotRequired[int]


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
SandboxOptions: TypeAlias = _types.SandboxKind | SandboxRights
#: One text, or several that are joined by a blank line.
TextOrList: TypeAlias = str | list[str]
#: Answer to a tool request: content, or an error.
ToolAnswer: TypeAlias = ToolAnswerError | ToolAnswerContent
