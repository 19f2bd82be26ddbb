// Generated from the Rust types in core/protocol by `make gen`. Do not edit.
//
// Optional members are absent when there is nothing to say; they are never null. A server or library newer than
// these types may send events, blocks and codes that are not listed here: ignore what you do not know.

/** An agent inside a session: the main one, or a sub-agent. */
export type AgentId = string;

/** Everything that a host may set when it creates an agent. All of it is optional but `model`. */
export interface AgentOptions {
  /** Calls that run without asking: rules such as `run_shell(npm test *)`. */
  allow?: RuleOptions[];
  /** Added after the base prompt or `instructions`. */
  appendInstructions?: TextOrList;
  /** Calls that ask, even where the mode would not; they win over `allow`. */
  ask?: RuleOptions[];
  /**
   * A file for the audit log: each call, decision, answer, refusal and effect, in a chain that shows when anybody
   * changes it; relative to `cwd`. It is made for its owner alone, or gone on with. A call whose record cannot be
   * written does not run. One agent at a time may write it. See `docs/audit.md`.
   */
  audit?: string;
  /** Credentials. Absent: `<PROVIDER>_API_KEY` of the environment. */
  auth?: Auth;
  /** A file that adds to what is known of providers and models, and wins: see `docs/models.md`. Relative to `cwd`. */
  catalogue?: string;
  /**
   * Who judges changes before they happen, whatever the mode, the rules and the host say. At most 16. See
   * `docs/guards.md`.
   */
  checks?: CheckOptions[];
  /** The folder that the agent works in. Absent: no file or shell tools and no base prompt. */
  cwd?: string;
  /** Aids to find out what goes wrong. */
  debug?: DebugOptions;
  /** Calls that are refused, whatever the mode is; they win over `ask` and `allow`. */
  deny?: RuleOptions[];
  /** How much the model should think before it answers. Default `auto`. */
  effort?: Effort;
  /** Points `model` and `fallbackModels` at a server of your choice. */
  endpoint?: Endpoint;
  /** What of the environment children see. */
  env?: EnvOptions;
  /**
   * Models that carry on, in this order, when the one before fails in a way that another could mend and nothing of its
   * reply was shown; each named as `model` is. At most 8. They carry on to the end of the turn; the next prompt begins
   * with `model` again.
   */
  fallbackModels?: string[];
  /** Takes the place of the base prompt. `[]` means none at all. */
  instructions?: TextOrList;
  /** Bounds. */
  limits?: Limits;
  /** How much the agent may do without asking. Default `ask`. */
  mode?: Mode;
  /**
   * `provider/model`, such as `anthropic/claude-sonnet-5-5`; `scripted/FILE.json` plays a script. Where `auth` names a
   * provider, a name without `/` belongs to that one, and none at all is its default.
   */
  model?: string;
  /** The way to the providers, for requests that no `fetch` of the host's carries. */
  network?: NetworkOptions;
  /**
   * A JSON Schema of type `object` that the answer of each turn must fit: the result's `structured` is then that answer.
   * At most 64 KiB, and whole in itself: no `$ref` may lead out of it. See `docs/structured-output.md`.
   */
  outputSchema?: unknown;
  /** After how many milliseconds an unanswered request is refused. Default 300,000; 0 waits for ever. */
  permissionTimeoutMs?: number;
  /** How requests reach the host. Default `callback`. */
  requests?: RequestDelivery;
  /** The folders that the agent may use, in place of `cwd` alone: name `cwd` too if it is to be one of them. */
  roots?: string[];
  /** What confines commands; tools of yours are not confined. Absent: nothing. See `docs/sandbox.md`. */
  sandbox?: SandboxOptions;
  /** Names the session: 1 to 128 letters, digits, `.`, `_`, `:` or `-`. Default: a fresh id. */
  sessionId?: SessionId;
  /**
   * Settings files that count beside the machine's managed one, which always does. Default: none. See
   * `docs/permissions.md`.
   */
  settings?: SettingsLayer[];
  /** Tools that the host runs. At most 64. */
  tools?: ToolOptions[];
  /** Gives the model the tool `web_fetch`, which reads pages of the web; `{}` for the defaults. Absent: it has none. */
  webFetch?: WebFetchOptions;
}

/** Credentials. A host that makes tokens itself hands over a function in their place. */
export type Auth =
  /** An API key, for the provider of option `model`. */
  | {
      /** The key. */
      apiKey: string;
    }
  /**
   * A token that the host obtained itself, sent as `Authorization: Bearer`. Nothing is read from disk, nothing is
   * written to it, and nothing renews it.
   */
  | {
      /** The token. */
      token: string;
      /** Whose token it is: it goes to no other provider. */
      provider: string;
    }
  /** What `lodger login PROVIDER` saved in the config folder, renewed on need. */
  | {
      /** Whose login it is: it goes to no other provider. */
      provider: string;
    };

/** How whole the last reply is. */
export type Boundary =
  /** The turn ended after a complete reply. */
  | 'complete'
  /** The turn was cut in the middle of a reply or of a tool call. */
  | 'interrupted';

/** Answer to a request for a check. */
export interface CheckAnswer {
  /** The call must not run, whatever else allows it. */
  blocking: boolean;
  /**
   * What was found, one line each: shown to whoever is asked for leave, and told to the model when it blocks. At most
   * 64 of at most 1 KiB; what is longer is cut.
   */
  findings?: string[];
}

/** A check: judges calls before they run. Whatever is not clearly a judgement refuses the call. */
export interface CheckOptions {
  /**
   * A command line, run by `bash` in `cwd`. It gets the call as JSON on its standard input and says
   * `{"blocking": true|false, "findings": ["..."]}` on its standard output. Absent: the host is asked, by a request of
   * kind `check`.
   */
  command?: string;
  /**
   * Milliseconds that it may take; one that takes longer refuses the call. Default 30,000 for a command, else
   * `permissionTimeoutMs`.
   */
  timeoutMs?: number;
  /**
   * The calls that it judges: names of tools, `*` in them for any letters, or the words `read`, `write`, `execute`,
   * `network` for all calls with that effect. Default: every call that does more than read.
   */
  tools?: string[];
}

/** Does anything speak against this call? It has not run yet, and nobody was asked for leave so far. */
export interface CheckRequest {
  /** Name of the tool. */
  toolName: string;
  /** The input, as the model wrote it. */
  input: unknown;
  /** What the call would do. */
  target: Target;
  /** Every file or command that the call touches, one line each. */
  targets: string[];
  /** How much harm it could do. */
  risk: Risk;
  /** A unified diff, for changes of files. */
  diff?: string;
}

/** Findings of checks that ran before the request was opened. */
export interface Checks {
  /** A blocking finding refuses the call whatever the answer is. */
  blocking: boolean;
  /** What was found, one line each. */
  findings: string[];
}

/** One block of a message. */
export type Content =
  | TextContent
  | ThinkingContent
  | RedactedThinkingContent
  | ToolCallContent
  | ToolResultContent
  | ImageContent
  | DocumentContent
  | ResourceContent;

/** Plain text. */
export interface TextContent {
  type: 'text';
  /** UTF-8 text. */
  text: string;
}

/** What the model thought, where the provider shows it. */
export interface ThinkingContent {
  type: 'thinking';
  /** The thought, possibly a summary; may be empty when only the signature was sent. */
  text: string;
  /**
   * The provider's own data about the thought: a signature, or the thought encrypted. Sent back unchanged to
   * the model that wrote it, and to no other. Opaque.
   */
  signature?: string;
}

/** Thought that the provider encrypted; sent back unchanged. */
export interface RedactedThinkingContent {
  type: 'redacted_thinking';
  /** Opaque data of the provider. */
  data: string;
}

/** The model asks for a tool. */
export interface ToolCallContent {
  type: 'tool_call';
  /** Ties the call to its result. */
  toolCallId: ToolCallId;
  /** Name of the tool. */
  toolName: string;
  /** The input, as the model wrote it. */
  input: unknown;
}

/** What a tool answered. */
export interface ToolResultContent {
  type: 'tool_result';
  /** The call that this answers. */
  toolCallId: ToolCallId;
  /** Text, images and documents for the model. */
  content: Content[];
  /** The tool failed or was refused. */
  isError?: boolean;
}

/** A picture. */
export interface ImageContent {
  type: 'image';
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
  mimeType: string;
  /** Base64 of the picture; at most 5 MiB of text. */
  data: string;
}

/**
 * A file to read. A text is told to every model; a PDF to those that read PDF files, and the others are told that
 * there is one.
 */
export interface DocumentContent {
  type: 'document';
  /** `application/pdf` or `text/plain`. */
  mimeType: string;
  /** Base64 of the file; at most 10 MiB of text. A text is UTF-8. */
  data: string;
  /** What the file is called, such as `report.pdf`; at most 255 bytes. It gives no access to anything. */
  name?: string;
}

/** A named text that the host hands over. The URI gives no access to anything. */
export interface ResourceContent {
  type: 'resource';
  /** What the text is called. */
  uri: string;
  /** The text itself. */
  text?: string;
}

/** Aids to find out what goes wrong. Nothing here is on by default. */
export interface DebugOptions {
  /**
   * A file that takes what the agent says to its model and what comes back, one JSON a line; relative to `cwd`.
   * It is made for its owner alone, or added to; at most 64 MiB are written. Headers are left out, and credentials
   * where they stand in one piece; the conversation is not.
   */
  trace?: string;
}

/** Who refused a call. */
export type DeniedBy =
  /** The person, through the host's handler. */
  | 'user'
  /** The host itself: no handler, or one that failed. */
  | 'host'
  /** A rule. */
  | 'rule'
  /** Managed policy. */
  | 'policy'
  /** A blocking check. */
  | 'checks'
  /** The audit log, which could not be written. */
  | 'audit'
  /** Nobody answered in time. */
  | 'timeout'
  /** The mode. */
  | 'mode';

/** A rule with its reason and its examples. */
export interface DetailedRule {
  /** The rule. */
  rule: string;
  /** What it is about and what not: checked when the rule is read. */
  examples?: RuleExamples;
  /** Why it stands there. The model and whoever is asked see it. */
  reason?: string;
}

/** One thing that happened inside an agent. */
export type Diagnostic =
  | RuntimeStartDiagnostic
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
  | DiagnosticsDroppedDiagnostic;

/** What every diagnostic has. */
export interface DiagnosticBase {
  /** Unix milliseconds. */
  ts: number;
  /** Whose agent. */
  sessionId: SessionId;
}

/** The agent is being made. */
export interface RuntimeStartDiagnostic extends DiagnosticBase {
  type: 'runtime.start';
}

/** The agent takes prompts. */
export interface RuntimeReadyDiagnostic extends DiagnosticBase {
  type: 'runtime.ready';
}

/** The agent is closed: always the last one, once. */
export interface RuntimeExitDiagnostic extends DiagnosticBase {
  type: 'runtime.exit';
  /** 0. */
  code: number;
}

/** A request to the model begins. */
export interface TransportStartDiagnostic extends DiagnosticBase {
  type: 'transport.start';
  /** 1, and one more for each retry of the same model call. */
  attempt: number;
  /** The HTTP method. */
  method: string;
  /** Scheme, host and path; never a query, which may carry a key. */
  endpoint: string;
  /** `provider/model`. */
  model: string;
}

/**
 * It had to wait for its turn, since as many requests as may be were under way to its host. Told when the wait is
 * over.
 */
export interface TransportQueuedDiagnostic extends DiagnosticBase {
  type: 'transport.queued';
  /** As in `transport.start`. */
  attempt: number;
  /** Milliseconds that it waited; they are part of what `elapsedMs` says later. */
  queuedMs: number;
  /** `provider/model`. */
  model: string;
}

/** The head of its answer came. */
export interface TransportResponseDiagnostic extends DiagnosticBase {
  type: 'transport.response';
  /** As in `transport.start`. */
  attempt: number;
  /** The HTTP status. */
  status: number;
  /** Milliseconds since `transport.start`. */
  elapsedMs: number;
  /** `provider/model`. */
  model: string;
  /** The part of the model's name before the `/`. */
  provider: string;
  /** What the provider calls the request, if it said so. */
  requestId?: string;
}

/** No answer, or one that is an error, or an answer that broke. */
export interface TransportErrorDiagnostic extends DiagnosticBase {
  type: 'transport.error';
  /** As in `transport.start`. */
  attempt: number;
  /** Milliseconds since `transport.start`. */
  elapsedMs: number;
  /** Its code. The message is in the turn's own error. */
  error: ErrorCode;
}

/** The same model call is tried again after a wait. */
export interface TransportRetryDiagnostic extends DiagnosticBase {
  type: 'transport.retry';
  /** The attempt that failed. */
  attempt: number;
  /** Milliseconds since its `transport.start`. */
  elapsedMs: number;
  /** Why. */
  error: ErrorCode;
  /** The attempt to come. */
  nextAttempt: number;
  /** Milliseconds until it. */
  delayMs: number;
}

/** The reader of a turn is slower than its sources, which now wait. Once in a turn. */
export interface OutputBackpressureDiagnostic extends DiagnosticBase {
  type: 'output.backpressure';
  /** Bytes that lie unread, about. */
  bufferedBytes: number;
  /** Events that lie unread. */
  bufferedEvents: number;
}

/** A call needs leave. */
export interface PermissionRequestDiagnostic extends DiagnosticBase {
  type: 'permission.request';
  /** Name of the tool. */
  toolName: string;
  /** What the call acts on. */
  kind: TargetKind;
}

/** A call that needed leave has its answer. */
export interface PermissionDecisionDiagnostic extends DiagnosticBase {
  type: 'permission.decision';
  /** Name of the tool. */
  toolName: string;
  /** What the call acts on. */
  kind: TargetKind;
  /** How it was decided. */
  outcome: Outcome;
}

/** The host did not take its diagnostics for so long that some were lost, between this one and the one before. */
export interface DiagnosticsDroppedDiagnostic extends DiagnosticBase {
  type: 'diagnostics.dropped';
  /** How many. */
  count: number;
}

/** Why a turn ended. */
export type DoneReason =
  /** The model finished. */
  | 'end_turn'
  /** The model reached its output limit. */
  | 'max_output_tokens'
  /** `limits.maxSteps` model calls were made. */
  | 'max_steps'
  /** The budget was used up. */
  | 'max_budget'
  /** The model, or its provider, declined. */
  | 'refused'
  /** The host cancelled, interrupted, or stopped reading. */
  | 'cancelled'
  /** Something failed; see `error`. */
  | 'error';

/** What a call does to the world. */
export type Effect =
  /** Looks only. */
  | 'read'
  /** Changes files. */
  | 'write'
  /** Runs a program or the host's own code. */
  | 'execute'
  /** Talks to the network. */
  | 'network';

/**
 * How much a model should think before it answers. Told to each model in the nearest word that it knows; a model
 * that cannot be told ignores it.
 */
export type Effort =
  /** As the model does by itself. */
  | 'auto'
  /** Not at all, where the model can be told so; else as little as it can. */
  | 'none'
  /** As little as it can. */
  | 'minimal'
  /** Little. */
  | 'low'
  /** Some. */
  | 'medium'
  /** Much. */
  | 'high'
  /** More than `high`, where the model knows it. */
  | 'xhigh'
  /** As much as it can. */
  | 'max';

/** A server to talk to. */
export interface Endpoint {
  /** The protocol. */
  kind: EndpointKind;
  /** Where it is, without the protocol's own path: `http://127.0.0.1:8080`. */
  baseUrl: string;
  /**
   * Credentials may go over `http`, where anybody on the way can read them, to a server that is neither on this
   * machine nor in a private network. Default false.
   */
  allowHttp?: boolean;
  /** Sent with each request. */
  headers?: Record<string, string>;
}

/** The protocol that a server speaks. */
export type EndpointKind =
  /** Anthropic Messages. */
  | 'anthropic'
  /** OpenAI Responses. */
  | 'openai-responses'
  /** OpenAI Chat Completions, and all that is compatible with it. */
  | 'openai-chat'
  /** Gemini `streamGenerateContent`. */
  | 'gemini';

/**
 * How much of the host's environment is taken over. Secrets under names other than those of `safe` are not
 * recognised: leave them out by `unset`, or choose `core`.
 */
export type EnvInherit =
  /**
   * All but `*_KEY`, `*_TOKEN`, `*_SECRET`, `*_PASSWORD`, `LD_*`, `DYLD_*`, and that by which a shell would take a
   * command otherwise: `BASH*`, `CDPATH`, `ENV`, `POSIXLY_CORRECT`, `PS4` and `SHELLOPTS`.
   */
  | 'safe'
  /** `PATH`, `HOME`, `USER`, `LOGNAME`, `SHELL`, `TMPDIR`, `TERM`, `LANG`, `LC_*` and `TZ` only. */
  | 'core'
  /** Nothing. */
  | 'none';

/** What of the host's environment the agent's children see. */
export interface EnvOptions {
  /** What is taken over. Default `safe`. */
  inherit?: EnvInherit;
  /** Added, over what is taken over. */
  set?: Record<string, string>;
  /** Left out. */
  unset?: string[];
}

/** An error as every face shows it. */
export interface Error {
  /** Stable name of what went wrong. */
  code: ErrorCode;
  /** What was expected, what was found, what to do. Never holds a secret. */
  message: string;
  /** Whether the same call may succeed later, unchanged. */
  retryable: boolean;
  /** Details for programs. */
  data?: unknown;
  /** How long the provider asked to wait. */
  retryAfterMs?: number;
}

/** What went wrong, as a stable name. */
export type ErrorCode =
  /** An option is unknown, missing or malformed. The message names the option, what was expected and, for a misspelt name, the likely one. */
  | 'invalid_options'
  /** An argument is malformed: a null pointer, text that is not UTF-8, JSON that does not parse, a prompt of the wrong shape or over a limit. */
  | 'invalid_input'
  /** The agent, turn or runtime was closed. Create a new one. */
  | 'closed'
  /** This build, platform or agent cannot do that. The message says what is missing. */
  | 'unsupported'
  /** The handle was made before a fork and is used in the child. Create a new agent in the child. */
  | 'forked'
  /** Something took longer than its limit. The message names the limit. */
  | 'timeout'
  /** A fault in Lodger. Please report it with the message. */
  | 'internal'
  /** A fault in Lodger that was contained: the turn ended, the agent can go on. Please report it with the message. */
  | 'internal_panic'
  /** Nobody read a full event queue for `limits.stallTimeoutMs`. Read the turn, or await it. */
  | 'consumer_stalled'
  /** A prompt is still running. Wait for its `done`, or interrupt it. */
  | 'session_busy'
  /** Another process has the session open. */
  | 'session_locked'
  /** There is no such session. */
  | 'session_not_found'
  /** There is no open request with that id. */
  | 'request_not_found'
  /** The request was answered, cancelled or timed out before; the first outcome stands. */
  | 'request_settled'
  /** A path lies outside the folders that the agent may use. */
  | 'outside_roots'
  /** A file was replaced between the decision and its use. Read it again. */
  | 'path_changed'
  /** The call was refused by a person, a rule or the absence of an answer. */
  | 'permission_denied'
  /** Managed policy fixes this setting. */
  | 'locked_by_policy'
  /** Policy does not allow this model. */
  | 'model_not_allowed'
  /** A policy bundle was not accepted: signature, age or form. */
  | 'policy_rejected'
  /** The provider refused the credentials, or there are none. The message says where they are looked for. */
  | 'provider_auth'
  /** The provider limits the rate of requests. Wait for `retryAfterMs` where it is given. */
  | 'provider_rate_limited'
  /** The provider has too much load. */
  | 'provider_overloaded'
  /** The provider could not be reached or answered with a fault of its own. */
  | 'provider_unavailable'
  /** The provider did not accept the request. Its own words are in the message. */
  | 'provider_rejected'
  /** The provider's stream ended before the reply was complete. */
  | 'provider_stream_cut'
  /** The provider sent something that is not its protocol. */
  | 'provider_malformed'
  /** The conversation no longer fits the model's context window. */
  | 'context_overflow'
  /** The checkpoint bytes are damaged. */
  | 'checkpoint_corrupt'
  /** The checkpoint was written by a newer version. */
  | 'checkpoint_unsupported'
  /** The checkpoint is whole but does not describe a conversation. */
  | 'checkpoint_invalid'
  /** The checkpoint is over `limits.maxCheckpointBytes`. */
  | 'checkpoint_too_large'
  /** The turn has a reader already. A turn is read by one; open no second iterator. */
  | 'reader_busy'
  /** A call that waits was made from inside a callback. Call it from another thread. */
  | 'would_deadlock'
  /** A sized struct is larger than this library knows and its extra bytes are not zero. Use a library at least as new as the header. */
  | 'abi_mismatch'
  /** The provider has no such model for this key, or nothing at that address. Its own words are in the message; a list of models says which there are. */
  | 'model_not_found'
  /** The account with the provider has nothing left to pay with. Waiting does not help. */
  | 'provider_quota'
  /** The model gave no answer that fits `outputSchema`, also when it was told what was wrong. `data.attempts` and `data.errors` say how often, and what was wrong last. */
  | 'output_invalid';

/** One event: an envelope and what happened. */
export type Event =
  | UserMessageEvent
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
  | ReplayGapEvent;

/** What every event has. */
export interface EventBase {
  /** Version of this schema. */
  v: number;
  /** Place in the session, dense from 1. */
  seq: number;
  /** Unix milliseconds. */
  ts: number;
  /** The session. */
  sessionId: SessionId;
  /** The sub-agent; absent for the main one. */
  agentId?: AgentId;
  /** The call that started the sub-agent. */
  parentToolCallId?: ToolCallId;
  /** The turn, for what belongs to one. */
  turnId?: TurnId;
}

/** A prompt entered the conversation. */
export interface UserMessageEvent extends EventBase {
  type: 'user_message';
  /** The message. */
  messageId: MessageId;
  /** Its blocks. */
  content: Content[];
}

/** A turn began. */
export interface TurnStartEvent extends EventBase {
  type: 'turn_start';
  /** The prompt that it answers. */
  promptId: PromptId;
  /** `provider/model`. */
  model: string;
  /** The mode at the start. */
  mode: Mode;
  /** What confines commands; absent where no sandbox was asked for. */
  sandbox?: SandboxState;
}

/** One whole reply of the model, after its deltas. */
export interface AssistantMessageEvent extends EventBase {
  type: 'assistant_message';
  /** The message. */
  messageId: MessageId;
  /** Its blocks, tool calls among them. */
  content: Content[];
  /** Why the model stopped. */
  stopReason: StopReason;
  /** What this reply used. */
  usage: Usage;
  /** `provider/model` that wrote it. */
  model: string;
  /** US dollars of this reply; absent when the price is unknown or the provider did not count. */
  costUsd?: number;
}

/** The model asked for a tool; appended before anything is decided. */
export interface ToolCallEvent extends EventBase {
  type: 'tool_call';
  /** The call. */
  toolCallId: ToolCallId;
  /** Name of the tool. */
  toolName: string;
  /** The input, as the model wrote it. */
  input: unknown;
  /** What the call would do, as far as the input could be read. */
  target: Target;
}

/** The end of a call: exactly one for each. */
export interface ToolResultEvent extends EventBase {
  type: 'tool_result';
  /** The call. */
  toolCallId: ToolCallId;
  /** Name of the tool. */
  toolName: string;
  /** What the model is told. */
  content: Content[];
  /** The tool failed or was refused. */
  isError: boolean;
  /** From decision to end; 0 for calls that never ran. */
  durationMs: number;
  /** Something was left out of `content`. */
  truncated: boolean;
  /** Files that the call changed. */
  files: FileChange[];
}

/** A call was refused. */
export interface ToolDeniedEvent extends EventBase {
  type: 'tool_denied';
  /** The call. */
  toolCallId: ToolCallId;
  /** Name of the tool. */
  toolName: string;
  /** Who refused. */
  by: DeniedBy;
  /** What the model is told beside. */
  feedback?: string;
}

/** An answer did not fit `outputSchema`; the model is told so and asked again. */
export interface OutputRejectedEvent extends EventBase {
  type: 'output_rejected';
  /** What the model is told of it. */
  messageId: MessageId;
  /** The same, in words. */
  feedback: string;
  /** The answer that was rejected, from 1. */
  attempt: number;
  /** How many there may be. */
  maxAttempts: number;
  /** The call that gave the answer, whose result holds the words too; absent where the answer was text. */
  toolCallId?: ToolCallId;
}

/** A file was changed by the agent. */
export interface FileChangedEvent extends EventBase {
  type: 'file_changed';
  /** The call that changed it. */
  toolCallId: ToolCallId;
  /** Absolute path. */
  path: string;
  /** The file did not exist before. */
  created: boolean;
  /** Replaced in one step; false when it had to be written in place. */
  atomic: boolean;
  /** The file was removed, or moved away. Absent: it was not. */
  removed?: boolean;
}

/** A background task ended. Told before the next request to the model, which is told of it too. */
export interface BackgroundTaskEndedEvent extends EventBase {
  type: 'background_task_ended';
  /** The task, as the model names it. */
  taskId: string;
  /** The call that started it. */
  toolCallId: ToolCallId;
  /** What the model is told of it. */
  text: string;
}

/** A request to the host was opened. */
export type RequestOpenedEvent = EventBase & { type: 'request_opened' } & Request;

/** A request was settled: exactly one for each. */
export interface RequestResolvedEvent extends EventBase {
  type: 'request_resolved';
  /** The request. */
  requestId: RequestId;
  /** Which kind it was. */
  kind: RequestKind;
  /** How it ended. */
  outcome: Outcome;
}

/** The conversation was made shorter. Not sent yet. */
export interface CompactedEvent extends EventBase {
  type: 'compacted';
  /** Tokens before. */
  tokensBefore: number;
  /** Tokens after. */
  tokensAfter: number;
  /** What stands for the part that was left out. */
  summary: string;
}

/** The mode changed. */
export interface ModeChangedEvent extends EventBase {
  type: 'mode_changed';
  /** The new mode. */
  mode: Mode;
}

/** The model changed. */
export interface ModelChangedEvent extends EventBase {
  type: 'model_changed';
  /** `provider/model`. */
  model: string;
}

/** A sub-agent began. Not sent yet. */
export interface SubagentStartEvent extends EventBase {
  type: 'subagent_start';
  /** What it is to do. */
  description: string;
}

/** A sub-agent ended. Not sent yet. */
export interface SubagentEndEvent extends EventBase {
  type: 'subagent_end';
  /** Why it ended. */
  reason: DoneReason;
}

/** Portable bytes of the session were made. Not sent yet. */
export interface CheckpointCreatedEvent extends EventBase {
  type: 'checkpoint_created';
  /** Names it. */
  checkpointId: string;
}

/** A turn ended: exactly one for each. */
export interface DoneEvent extends EventBase {
  type: 'done';
  /** The prompt that it answered. */
  promptId: PromptId;
  /** Why it ended. */
  reason: DoneReason;
  /** Tokens of this turn. */
  usage: Usage;
  /** How whole the last reply is. */
  boundary: Boundary;
  /** US dollars of this turn; absent when a price is unknown. */
  costUsd?: number;
  /** What failed. */
  error?: Error;
  /** The answer that fits `outputSchema`, of a turn that ended with one. */
  structured?: unknown;
}

/** Where a session stands, for one who joins. Not sent yet. */
export interface SessionStateEvent extends EventBase {
  type: 'session_state';
  /** The mode. */
  mode: Mode;
  /** `provider/model`. */
  model: string;
  /** A turn is running. */
  running: boolean;
  /** What confines commands; absent where no sandbox was asked for. */
  sandbox?: SandboxState;
}

/** The session was closed. Not sent yet. */
export interface SessionClosedEvent extends EventBase {
  type: 'session_closed';
  /** Why. */
  reason: string;
}

/** A prompt waits for its turn. Not sent yet. */
export interface PromptQueuedEvent extends EventBase {
  type: 'prompt_queued';
  /** The prompt. */
  promptId: PromptId;
  /** How many are before it. */
  position: number;
}

/** A waiting prompt's turn begins. Not sent yet. */
export interface PromptStartedEvent extends EventBase {
  type: 'prompt_started';
  /** The prompt. */
  promptId: PromptId;
}

/** More text of the answer. */
export interface TextDeltaEvent extends EventBase {
  type: 'text_delta';
  /** The message that grows. */
  messageId: MessageId;
  /** Append this. */
  text: string;
}

/** More of the model's thought. */
export interface ThinkingDeltaEvent extends EventBase {
  type: 'thinking_delta';
  /** The message that grows. */
  messageId: MessageId;
  /** Append this. */
  text: string;
}

/** More of a call's input, as raw JSON text. */
export interface ToolInputDeltaEvent extends EventBase {
  type: 'tool_input_delta';
  /** The call. */
  toolCallId: ToolCallId;
  /** Name of the tool. */
  toolName: string;
  /** Append this. */
  text: string;
}

/** A running call has something to show. */
export interface ToolProgressEvent extends EventBase {
  type: 'tool_progress';
  /** The call. */
  toolCallId: ToolCallId;
  /** `stdout`, `stderr`, or `progress` for a tool of the host. */
  stream: string;
  /** Append this. */
  chunk: string;
}

/** A request to the provider failed before its first output and is sent again after a wait. */
export interface RetryEvent extends EventBase {
  type: 'retry';
  /** The attempt that failed, from 1. */
  attempt: number;
  /** How many there may be. */
  maxAttempts: number;
  /** How long it waits. */
  delayMs: number;
  /** What failed: the error's code and message. */
  reason: string;
  /** The provider's status, where it sent one. */
  status?: number;
}

/** A model failed before its first output, and the next of `fallbackModels` carries on for the rest of the turn. */
export interface FallbackEvent extends EventBase {
  type: 'fallback';
  /** `provider/model` that failed. */
  fromModel: string;
  /** `provider/model` that carries on. */
  toModel: string;
  /** What failed: the error's code and message. */
  reason: string;
  /** The provider's status, where it sent one. */
  status?: number;
}

/** What was used so far. */
export interface UsageEvent extends EventBase {
  type: 'usage';
  /** This turn. */
  turn: Usage;
  /** The whole session. */
  session: Usage;
  /** Tokens in the context of the last request. */
  contextTokens?: number;
  /** The model's context window, where known. */
  contextWindow?: number;
  /** US dollars of the session; absent when a price is unknown. */
  costUsd?: number;
}

/** A check gave its verdict on a call, or none. */
export interface GuardVerdictEvent extends EventBase {
  type: 'guard_verdict';
  /** Who judged. */
  guard: GuardKind;
  /** The verdict. */
  verdict: GuardVerdict;
  /** What it found, or why it gave no verdict. */
  findings: string[];
  /** How long it took. */
  durationMs: number;
  /** The command line that did; absent: the host itself. */
  command?: string;
  /** The call that was judged. */
  toolCallId?: ToolCallId;
}

/** Something that a person may want to know, such as what in settings counts for nothing (code `settings_ignored`). */
export interface NoticeEvent extends EventBase {
  type: 'notice';
  /** How much it matters. */
  level: NoticeLevel;
  /** Stable name. */
  code: string;
  /** One line. */
  text: string;
}

/** The agent's task list, after a call of `task_update`. */
export interface TaskUpdateEvent extends EventBase {
  type: 'task_update';
  /** All of it. */
  tasks: Task[];
}

/** The agent's plan. Not sent yet. */
export interface PlanUpdateEvent extends EventBase {
  type: 'plan_update';
  /** The plan, in Markdown. */
  plan: string;
  /** Where it stands. */
  status: PlanStatus;
}

/** Events before this were lost to a reader that came back too late. Not sent yet. */
export interface ReplayGapEvent extends EventBase {
  type: 'replay_gap';
  /** The last event that the reader had. */
  requestedId: number;
  /** The first that is still there. */
  firstId: number;
  /** How many are missing. */
  dropped: number;
}

/** A file that a call changed. */
export interface FileChange {
  /** Absolute path. */
  path: string;
  /** The file did not exist before. */
  created: boolean;
  /** Replaced in one step; false when it had to be written in place. */
  atomic: boolean;
  /** The file was removed, or moved away. Absent: it was not. */
  removed?: boolean;
}

/** Which of them it was. */
export type GuardKind =
  /** A check. */
  | 'check';

/** What stood in the way of a call, or did not. */
export type GuardVerdict =
  /** It let the call go on. */
  | 'passed'
  /** It did not. */
  | 'blocked'
  /** It gave no verdict: it took too long, failed, or said something else. The call is refused. */
  | 'failed';

/** Bounds of an agent. Each has a default; 0 is not "without limit" unless it says so. */
export interface Limits {
  /** Milliseconds that one command may take unless its call says otherwise. Default 120,000. */
  commandTimeoutMs?: number;
  /** Milliseconds that a connection to the provider may take to be made, TLS and proxy included. Default 30,000. */
  connectTimeoutMs?: number;
  /** Milliseconds to wait for the provider's first byte. Default 120,000. */
  firstByteTimeoutMs?: number;
  /** Milliseconds between two pieces of the provider's stream. Default 300,000. */
  gapTimeoutMs?: number;
  /** Tokens of all kinds that one turn may use, prompts of each model call included; as above. Default: no bound. */
  maxBudgetTokens?: number;
  /**
   * US dollars that one turn may cost: it ends with `max_budget`, in the middle of a reply if need be. Needs a model
   * whose price is known. Default: no bound.
   */
  maxBudgetUsd?: number;
  /** Bytes of a checkpoint, written or read. Default 64 MiB. */
  maxCheckpointBytes?: number;
  /** Tokens of one reply. Default 16,384. */
  maxOutputTokens?: number;
  /** How often a request to the provider is sent again when it fails before its first output. Default 4; 0: never. */
  maxRetries?: number;
  /** Model calls in one turn. Default 100. */
  maxSteps?: number;
  /** Bytes of one tool result that the model is shown. Default 50 KiB. */
  maxToolOutputBytes?: number;
  /**
   * Milliseconds that a request may wait for its turn while `network.maxConnectionsPerHost` others are under way.
   * Default 600,000.
   */
  queueTimeoutMs?: number;
  /** Milliseconds that a full event queue may stand unread. Default 600,000. */
  stallTimeoutMs?: number;
}

/** Whose models to list. */
export interface ListModelsOptions {
  /** Credentials. Absent: `<PROVIDER>_API_KEY` of the environment. */
  auth?: Auth;
  /** As in the options of an agent. */
  catalogue?: string;
  /** The server to ask, in place of the provider's own. */
  endpoint?: Endpoint;
  /** Of these the timeouts of the provider are used. */
  limits?: Limits;
  /** The way to the provider, if no `fetch` of the host's carries the request. */
  network?: NetworkOptions;
  /** The provider's name, such as `anthropic`. */
  provider?: string;
}

/** One message of the conversation so far. */
export interface Message {
  /** Opaque id. */
  id: MessageId;
  /** Who said it. */
  role: Role;
  /** The blocks, in order. */
  content: Content[];
  /** Unix milliseconds. */
  createdAt: number;
  /** `provider/model` that wrote it; absent where no model did. */
  model?: string;
}

/** One message of the conversation. */
export type MessageId = string;

/** How much an agent may do without asking. */
export type Mode =
  /** Reads inside the roots run; everything else asks. The default. */
  | 'ask'
  /** File edits inside the roots run too; commands, network and other paths ask. */
  | 'auto-edit'
  /** Nothing asks. */
  | 'full-auto'
  /** Reads only: every call that would change something is refused. */
  | 'plan';

/**
 * The way to the providers. Agents of one runtime whose ways are alike share connections. What is absent is as the
 * host's environment has it.
 */
export interface NetworkOptions {
  /**
   * Certificates of authorities in PEM that are trusted beside the well-known ones. Absent: the files that
   * `SSL_CERT_FILE` and `NODE_EXTRA_CA_CERTS` name.
   */
  ca?: string;
  /**
   * Requests to one host that may be under way at once, of all agents that share the way; further ones wait for their
   * turn. Default 256.
   */
  maxConnectionsPerHost?: number;
  /**
   * Who is reached without a proxy: names, with all that are below them; addresses and ranges such as `10.0.0.0/8`;
   * `*` for all. Absent: `NO_PROXY`. This machine always is.
   */
  noProxy?: string[];
  /**
   * The URL of a proxy for all requests, of scheme `http`, `https`, `socks5` or `socks5h`; it may hold a user name and
   * a password, which are shown nowhere. Absent: `HTTPS_PROXY` or `HTTP_PROXY`, as the provider's URL begins, else
   * `ALL_PROXY`.
   */
  proxy?: string;
}

/** How much a notice matters. */
export type NoticeLevel =
  /** Good to know. */
  | 'info'
  /** Something is not as asked for. */
  | 'warning'
  /** Something failed, and the turn goes on. */
  | 'error';

/** How a request ended. */
export type Outcome =
  /** Permission, this time. */
  | 'allowed_once'
  /** Permission, from now on. */
  | 'allowed_always'
  /** No permission. */
  | 'denied'
  /** The tool ran, the question was answered, or the check gave its verdict. */
  | 'answered'
  /** The person did not want to answer. */
  | 'dismissed'
  /** The plan may go ahead. */
  | 'approved'
  /** The plan may not go ahead. */
  | 'rejected'
  /** Nobody answered in time. */
  | 'expired'
  /** The turn ended first. */
  | 'cancelled'
  /** The handler failed, answered nonsense, or was dropped. */
  | 'failed';

/** Answer to a permission request. */
export type PermissionAnswer =
  | AllowOnceAnswer
  | AllowAlwaysAnswer
  | DenyAnswer;

/** Run it this time. */
export interface AllowOnceAnswer {
  kind: 'allow_once';
}

/** Run it, and calls like it from now on. */
export interface AllowAlwaysAnswer {
  kind: 'allow_always';
  /** Where to keep it. Only `session` is kept yet: another refuses the call. */
  persist?: Persist;
  /**
   * The rule to keep, one of the request's `suggestedRules`; absent: exactly this call. Another refuses the
   * call: nothing is allowed that nobody was shown.
   */
  rule?: string;
}

/** Do not run it. */
export interface DenyAnswer {
  kind: 'deny';
  /** Told to the model. */
  feedback?: string;
}

/** May this call run? */
export interface PermissionRequest {
  /** Name of the tool. */
  toolName: string;
  /** A title for a dialog, such as `Run command`. */
  label: string;
  /** The input, as the model wrote it. */
  input: unknown;
  /** One line for a person. */
  summary: string;
  /** What it does to the world. */
  effect: Effect;
  /** What the call would do. */
  target: Target;
  /** Every file or command that the call touches, one line each. */
  targets: string[];
  /** How much harm it could do. */
  risk: Risk;
  /** Rules that would allow this call from now on; empty when there is none to offer. */
  suggestedRules: string[];
  /** How policy came to ask. */
  trace: TraceStep[];
  /** Findings of checks, where any ran. */
  checks?: Checks;
  /** A unified diff, for changes of files. */
  diff?: string;
}

/** Where an "always" is kept. */
export type Persist =
  /** For the life of the session. */
  | 'session'
  /** In the project's settings. */
  | 'project'
  /** In the user's settings. */
  | 'user';

/** Answer to a plan. */
export interface PlanAnswer {
  /** Go ahead, or not. An approved plan ends plan mode. */
  approved: boolean;
  /** Told to the model. */
  feedback?: string;
  /** The mode to go on in once it is approved. Absent: `ask`. */
  mode?: Mode;
}

/** A plan to approve. */
export interface PlanRequest {
  /** The plan, in Markdown; at most 64 KiB. */
  plan: string;
}

/** Where a plan stands. */
export type PlanStatus =
  /** Being written. */
  | 'draft'
  /** The person agreed. */
  | 'approved'
  /** The person did not agree. */
  | 'rejected';

/** What a host may send as a prompt: a text, or blocks of text, resources, images and documents. */
export type Prompt = string | Content[];

/** A prompt, from the moment it was accepted; it may wait before its turn starts. */
export type PromptId = string;

/** Answer to a question. One that does not fit what was asked is a refusal. */
export type QuestionAnswer =
  /** The person did not want to answer. */
  | {
      /** Always true. */
      dismissed: boolean;
    }
  /** The person answered. */
  | {
      /** The chosen labels, as they were offered. Several, or none at all, only where the question allows several. */
      answers: string[];
      /** Free text, beside a label or in place of one, only where the question allows it. */
      other?: string;
    };

/** One answer to choose. */
export interface QuestionChoice {
  /** What to show and to answer with: one line of at most 256 bytes. */
  label: string;
  /** What choosing it means; at most 1 KiB. */
  description?: string;
}

/** A question to the person. */
export interface QuestionRequest {
  /** The question; at most 4 KiB. */
  question: string;
  /** Answers to choose from: 1 to 16, each label once. */
  options: QuestionChoice[];
  /** More than one may be chosen. */
  multiSelect: boolean;
  /** Free text is an answer too. */
  allowOther: boolean;
}

/** What every request has. */
export interface RequestBase {
  /** Answer with this id, or by the handle. */
  requestId: RequestId;
  /** Unix milliseconds after which it is refused; absent when it waits for ever. */
  expiresAt?: number;
  /** The call that it is about. */
  toolCallId?: ToolCallId;
}

/** An open request. */
export type Request = RequestBase &
  (
    /** May this call run? */
    | { kind: 'permission'; permission: PermissionRequest }
    /** Run this tool of yours. */
    | { kind: 'tool'; tool: ToolRequest }
    /** A question to the person. */
    | { kind: 'question'; question: QuestionRequest }
    /** A plan to approve. */
    | { kind: 'plan'; plan: PlanRequest }
    /** Does anything speak against this call? */
    | { kind: 'check'; check: CheckRequest }
  );

/** How requests reach the host. */
export type RequestDelivery =
  /** By the host's handlers. A kind without a handler is refused at once. */
  | 'callback'
  /** As `request_opened` events, answered by id. */
  | 'events'
  /**
   * Not at all, since nobody is there: permissions, questions and plans are refused at once, whatever handlers there
   * are. Tools and checks of the host run.
   */
  | 'none';

/** One open question to the host. */
export type RequestId = string;

/** The kinds of request. */
export type RequestKind =
  /** May this call run? */
  | 'permission'
  /** Run this tool of yours. */
  | 'tool'
  /** A question to the person. */
  | 'question'
  /** A plan to approve. */
  | 'plan'
  /** Does anything speak against this call? */
  | 'check';

/** How much harm a call could do, from one table in the policy. */
export type Risk =
  /** Looks only, inside the roots. */
  | 'low'
  /** Changes that can be undone. */
  | 'medium'
  /** Commands, the network, and paths outside the roots. */
  | 'high';

/** Who said it. */
export type Role =
  /** The person, the host, or a tool answering for them. */
  | 'user'
  /** The model. */
  | 'assistant';

/** Command lines, paths or hosts that show what a rule means. At most 32. */
export interface RuleExamples {
  /** The rule is about each of these. */
  matches?: string[];
  /** The rule is about none of these. */
  notMatches?: string[];
}

/**
 * A rule: `tool` for every call of a tool, or `tool(pattern)` for some of them.
 *
 * `tool` is a name, `*` in it for any letters, or one of `read`, `write`, `execute`, `network` for every call with that
 * effect. The pattern is about a command (`run_shell(git log *)`), a path (`write(src/**)`) or a host
 * (`network(*.example.com)`), whichever the call has.
 */
export type RuleOptions = string | DetailedRule;

/** What is to happen where a system cannot hold all of a sandbox. */
export type SandboxDegraded =
  /** No agent is made: `unsupported`. */
  | 'refuse'
  /** Commands run with as much of it as there is, be it nothing; `sandbox.missing` of the session says what is not. */
  | 'accept';

/** What holds commands. */
export type SandboxKind =
  /** Nothing does. */
  | 'off'
  /** What the system has by itself, without another program: `landlock` on Linux. */
  | 'auto'
  /** Landlock and a filter of system calls. Linux; whole from kernel 6.12 on. */
  | 'landlock'
  /** The program `bwrap`, which must be installed, and the filter of system calls. Linux. */
  | 'bubblewrap';

/** What confines commands: its kind alone, or with what commands may do in it. */
export type SandboxOptions = SandboxKind | SandboxRights;

/** What a sandbox holds commands back from. */
export type SandboxPart =
  /** Writing outside the writable folders, and reading what a deny rule closes. */
  | 'files'
  /** Cutting files outside the writable folders. */
  | 'truncation'
  /** Orders to devices, such as terminals. */
  | 'devices'
  /** Signals to processes outside, and abstract Unix sockets. */
  | 'signals'
  /** The filter of system calls: the network, Unix sockets, tracing other processes, io_uring. */
  | 'system_calls';

/**
 * What commands may do in their sandbox. All of them may write in the roots and in a temporary folder of their own,
 * and read every file but those that a deny rule closes by its name, such as `read(~/.ssh/**)`.
 */
export interface SandboxRights {
  /**
   * They may connect to Unix sockets: those of Docker, D-Bus and ssh-agent among them, each of which can lead out of
   * the sandbox. Default false.
   */
  allowUnixSockets?: boolean;
  /** What is to happen where this system cannot hold all of it. Default `refuse`. */
  degraded?: SandboxDegraded;
  /** What holds them. Default `auto`. */
  kind?: SandboxKind;
  /** They may use the network. Default false. */
  network?: boolean;
  /**
   * Folders that they may write to beside the roots, such as the cache of a package manager. Relative ones start
   * from `cwd`. At most 64.
   */
  writableRoots?: string[];
}

/** What holds the commands of a session. */
export interface SandboxState {
  /** What holds them; `off` where nothing could and that was accepted. */
  kind: SandboxKind;
  /** They may use the network. */
  network: boolean;
  /** What does not hold here. Empty unless `degraded: "accept"` was asked for. */
  missing: SandboxPart[];
}

/** One conversation, kept or not. */
export type SessionId = string;

/** Whose settings file. */
export type SettingsLayer =
  /** The user's: `settings.json` in the config folder. */
  | 'user'
  /** The project's: `.lodger/settings.json` in `cwd`. It can forbid and ask, never allow. */
  | 'project';

/** Why the model stopped writing one reply. */
export type StopReason =
  /** It had said all it wanted. */
  | 'end_turn'
  /** It waits for the results of its tool calls. */
  | 'tool_use'
  /** It reached the limit of output tokens. */
  | 'max_output_tokens'
  /** It, or its provider, declined to answer. */
  | 'refused'
  /** The turn was cancelled; the reply holds what had arrived. */
  | 'cancelled'
  /** The budget was used up; the reply holds what had arrived. */
  | 'max_budget'
  /** The stream broke; the reply holds what had arrived. */
  | 'error';

/** What a call would do, in a form to show and to judge. */
export interface Target {
  /** One line for a person. */
  summary: string;
  /** What it does to the world. */
  effect: Effect;
  /** What it acts on. */
  kind: TargetKind;
  /** The command line, where it is one. */
  command?: string;
  /** The host name, where it is one of a network. */
  host?: string;
  /** The files it names, as absolute paths, where it names any. */
  paths?: string[];
}

/** What a call acts on. */
export type TargetKind =
  /** A shell command. */
  | 'command'
  /** Files. */
  | 'file'
  /** A network address. */
  | 'network'
  /** A tool of an MCP server. */
  | 'mcp'
  /** Something else, such as a tool of the host. */
  | 'other';

/** One entry of the agent's task list. */
export interface Task {
  /** Opaque id. */
  id: string;
  /** What is to be done. */
  subject: string;
  /** Where it stands. */
  status: TaskStatus;
}

/** Where a task stands. */
export type TaskStatus =
  /** Not begun. */
  | 'pending'
  /** Being worked on. */
  | 'in_progress'
  /** Finished. */
  | 'completed';

/** One text, or several that are joined by a blank line. */
export type TextOrList = string | string[];

/** Answer to a tool request: content, or an error. */
export type ToolAnswer =
  /** The tool failed. */
  | {
      /** Told to the model. */
      error: string;
    }
  /** The tool ran. */
  | {
      /** Text, images and documents for the model. */
      content: Content[];
      /** It ran, and what it says is an error. */
      isError?: boolean;
    };

/** Whether calls of a tool of the host ask. Rules come before it: one in `allow` or `ask` wins. */
export type ToolApproval =
  /** They run: the host offers the tool and thereby allows its calls. */
  | 'never'
  /** They ask in every mode, `full-auto` too, unless the host has allowed such a call from now on. */
  | 'ask';

/** One call of a tool by the model. Given by the provider where it gives one. */
export type ToolCallId = string;

/** A tool that the host runs: calls arrive as requests of kind `tool`. */
export interface ToolOptions {
  /** 1 to 64 of letters, digits, `_` and `-`; unique. The name of a built-in tool replaces that tool. */
  name: string;
  /** Told to the model. */
  description: string;
  /** JSON Schema of the input; an object. */
  inputSchema: unknown;
  /** Whether its calls ask. Default `never`. */
  approval?: ToolApproval;
  /** It only looks: its calls run side by side with others, and in mode `plan` too. Default false. */
  readOnly?: boolean;
  /** After how many milliseconds a call fails. Default 0: it may take as long as it likes. */
  timeoutMs?: number;
}

/** Run this tool of yours. */
export interface ToolRequest {
  /** Name of the tool. */
  toolName: string;
  /** The input; it fits the tool's schema in form only as far as the model kept to it. */
  input: unknown;
}

/** One step of how policy came to its decision. */
export interface TraceStep {
  /** What was looked at: `rule`, `grant`, `built_in`, `mode`, `path`, `command`. */
  by: string;
  /** What it said, and why. */
  reason: string;
  /** The layer that the rule stands in and where that was read, such as `managed layer (/etc/lodger/settings.json)`. */
  layer?: string;
  /** The rule, as it was written, where one decided. */
  rule?: string;
}

/** One prompt and all that follows from it, up to its `done`. */
export type TurnId = string;

/** What a turn came to. */
export interface TurnResult {
  /** Why it ended. */
  reason: DoneReason;
  /** Tokens of this turn only. */
  usage: Usage;
  /** Text of the last assistant message; empty when there was none. */
  text: string;
  /** US dollars of this turn; absent when a price is unknown. */
  costUsd?: number;
  /** What failed, when `reason` is `error`. */
  error?: Error;
  /**
   * The answer, which fits `outputSchema`. With that option it is there whenever `reason` is `end_turn`, and never
   * else.
   */
  structured?: unknown;
}

/** Tokens in disjoint buckets: their sum is all that was used. What the provider did not say stays absent. */
export interface Usage {
  /** Prompt tokens read from the provider's cache. */
  cacheReadTokens?: number;
  /** Prompt tokens written to the provider's cache. */
  cacheWriteTokens?: number;
  /** Prompt tokens that no cache served. */
  inputTokens?: number;
  /** Tokens of the answer, without reasoning where that is counted apart. */
  outputTokens?: number;
  /** Tokens of thought, where counted apart. */
  reasoningTokens?: number;
}

/** What was used so far. */
export interface UsageReport {
  /** This turn. */
  turn: Usage;
  /** The whole session. */
  session: Usage;
  /** Tokens in the context of the last request. */
  contextTokens?: number;
  /** The model's context window, where known. */
  contextWindow?: number;
  /** US dollars of the session; absent when a price is unknown. */
  costUsd?: number;
}

/**
 * What the tool `web_fetch` may reach and how much it reads. It asks `https` servers at public addresses, whatever
 * their names say, and of others only those that are named here.
 */
export interface WebFetchOptions {
  /** Bytes of one answer that are read; what is left is not. Default 2 MiB. */
  maxBytes?: number;
  /**
   * Hosts that may be fetched from though their addresses are private, and over `http`: names or addresses such as
   * `wiki.corp.example`, each for itself. Default: none. Rules and modes decide about them as about all others.
   */
  privateHosts?: string[];
  /**
   * Fetches through the proxy of option `network` or of the environment. A proxy looks up names itself, so that nobody
   * sees whether they lead to private addresses. Default false: what only a proxy reaches is refused.
   */
  throughProxy?: boolean;
  /** Milliseconds that one call may take, redirects included. Default 30,000. */
  timeoutMs?: number;
}
