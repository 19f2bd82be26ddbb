/** The words of a conversation. Data only. */
import type { Fetch } from '../fetches.js';

export type { Fetch };

/** Now or later. */
export type MaybePromise<T> = T | Promise<T>;

/** Memory of the host's own; what is passed is copied. */
export type Bytes = ArrayBuffer | ArrayBufferView;

/** What JSON can say. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** A provider's name, such as `anthropic`; `scripted` plays a script. */
export type Provider = string;

/** Who asks: a token that the host got for itself, sent as bearer, or the login that `lodger login` saved. */
export type Auth = { provider: Provider } | { provider: Provider; token: string };

/** One conversation. It has no other options than those it was made with. */
export interface Agent {
  /**
   * Starts a turn, at once. Throws a `TypeError` or `RangeError` for malformed input, and a `LodgerError` when the
   * agent is closed or another turn runs.
   */
  prompt(input: PromptInput, options?: PromptOptions): Turn;
  /** Opaque bytes of history and usage, to go on from. Rejects while a turn runs and after close. */
  checkpoint(): Promise<Uint8Array>;
  /** Cancels what runs and lets go of everything. May be called again. */
  close(): Promise<void>;
}

/** Everything that a conversation may be told. Any other name is an error. */
export interface AgentOptions {
  /** Whose model, and who asks. */
  auth: Auth;
  /** A model of `auth.provider`, with or without `provider/` before it. At most 1 KiB. */
  model?: string;
  /** How hard the model thinks, in the nearest word that it knows. Absent: `auto`, as the model likes. */
  effort?: 'auto' | 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  /** The complete system context; several are joined by a blank line. Absent: none. At most 64 KiB. */
  instructions?: string | string[];
  /** Tools that the host runs; at most 64. Absent: none. */
  tools?: HostTool[];
  /** The conversation to go on with. Absent: a new one. Damaged or foreign bytes reject. */
  checkpoint?: Bytes;
  /** Carries the requests to the provider; it must keep the signal. Absent: the library sends them itself. */
  fetch?: Fetch;
  /** Asked before built-in tools change files, run commands or leave the folder. Absent: they may not. */
  permissions?: (request: ApprovalRequest, signal: AbortSignal) => MaybePromise<ApprovalDecision>;
  /** The folder to work in. Absent: no file and shell tools. */
  workspace?: { cwd: string };
  /** Called with what the machinery does, in order. What it throws is ignored. */
  onEvent?: (event: DiagnosticEvent) => void;
}

/** Whose models to list. */
export interface ListModelsOptions {
  /** The provider, and who asks. */
  auth: Auth;
  /** As for an agent. */
  fetch?: Fetch;
}

/**
 * What the machinery does, beside the events of turns: `runtime.*`, `transport.*`, `permission.*`,
 * `output.backpressure`. Not an answer and not a result. No credential is in it, but names of tools and models are.
 */
export interface DiagnosticEvent {
  type: string;
  /** Milliseconds of `performance.now()`, when it was told. */
  timestamp: number;
  /** What the type adds. */
  [detail: string]: unknown;
}

/** A text stands for one text block. */
export type PromptInput = string | PromptBlock[];

/** One piece of a prompt. */
export type PromptBlock =
  | { type: 'text'; text: string }
  /** A named text. The URI gives no access to anything. */
  | { type: 'resource'; resource: { uri: string; text?: string } }
  /** Base64 of PNG, JPEG, GIF or WebP; at most 8 in a prompt, each at most 5 MiB. */
  | { type: 'image'; mimeType: string; data: string };

/** How to run a prompt. */
export interface PromptOptions {
  /** Cancels the turn when it aborts. Aborted already: the turn ends as `cancelled` and nothing is sent. */
  signal?: AbortSignal;
}

/** One prompt and what follows from it. It has one reader; leaving its loop early cancels it. */
export interface Turn extends AsyncIterable<TurnEvent> {
  /**
   * What the turn came to; rejects with a `LodgerError` when it failed. Waiting for this alone reads no events: with
   * more than the queue holds, the turn waits until somebody does.
   */
  result: Promise<TurnResult>;
  /** Asks the turn to end, and does not wait. Late and repeated calls have no effect. */
  cancel(): void;
}

/** What a reader sees, in order. A failed turn ends by throwing. */
export type TurnEvent =
  /** More of the answer. */
  | { type: 'text_delta'; delta: string }
  /** More of the model's thought, where the provider shows it. */
  | { type: 'reasoning_delta'; delta: string }
  /** The model called a tool. */
  | { type: 'tool_start'; id: string; name: string }
  /** The end of that call, refused or run. `content` is the text that the model was told. */
  | { type: 'tool_end'; id: string; name: string; content?: string; isError: boolean };

/** What a turn came to. */
export interface TurnResult {
  stopReason: StopReason;
  usage: Usage;
}

/** Why a turn ended. `max_model_turns`: a limit on model calls or cost was reached. */
export type StopReason = 'end_turn' | 'max_output_tokens' | 'max_model_turns' | 'refused' | 'cancelled';

/** Tokens of this turn. What the provider did not say stays absent. */
export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
}

/**
 * A tool that the host runs, without asking `permissions`. What `execute` returns is told to the model: a string as it
 * is, `undefined` as `null`, a `RichToolResult` as text and pictures, anything else as JSON; what it throws, as an
 * error.
 */
export interface HostTool {
  /** 1 to 64 letters, digits, `_` or `-`; unique. */
  name: string;
  /** Told to the model. */
  description: string;
  /** JSON Schema of an object. */
  inputSchema: Record<string, JsonValue>;
  /** `input` is what the model wrote: check it before acting on it. */
  execute(input: unknown, context: { signal: AbortSignal }): MaybePromise<JsonValue | undefined | RichToolResult>;
}

/** At most 8 images, each at most 5 MiB of base64, 8 MiB in all. */
export interface RichToolResult {
  type: 'lodger.tool-result';
  text: string;
  images: Array<{ type: 'image'; mimeType: string; data: string }>;
  isError?: boolean;
}

/** May this call run? */
export interface ApprovalRequest {
  /** Name of the built-in tool. */
  toolName: string;
  /** One line for a person. */
  label: string;
  kind: 'command' | 'file' | 'mcp' | 'other' | 'confirm';
  /** A unified diff, for changes of files. */
  detail?: string;
  /** What was done already to prepare the call. */
  preparation?: string;
  /** The files or the command, one line each. */
  targets: string[];
  /** What `always` lets through from now on; empty: exactly this call. */
  suggestedGrants: string[];
}

/** The answer to an `ApprovalRequest`. Anything else refuses. */
export interface ApprovalDecision {
  /** Run it, run it and calls like it from now on, or do not. */
  outcome: 'once' | 'always' | 'deny';
  /** Told to the model with a refusal. */
  note?: string;
}
