/** An agent, and how one is made. */
import type { DiagnosticHandler } from './diagnostics.js';
import { native, refusal, toJson } from './errors.js';
import { hub } from './hub.js';
import { NativeAgent, type NativeTurn } from './native.js';
import { checkedOptions } from './options.js';
import type { Desk, Handlers } from './requests.js';
import { Services, type Connection } from './services.js';
import { splitAuth } from './tokens.js';
import { declare, type HostTool } from './tools.js';
import { checkedPromptOptions, RunningTurn, Turn, TurnStream, type PromptOptions } from './turn.js';
import type {
  Message,
  Mode,
  CheckAnswer,
  PermissionAnswer,
  PlanAnswer,
  Prompt,
  QuestionAnswer,
  ToolAnswer,
  TurnResult,
  UsageReport,
  AgentOptions as WireOptions,
} from './types.gen.js';

/** Everything that a host may set. All of it is optional but `model`; unknown names are errors. */
export interface AgentOptions extends Omit<WireOptions, 'tools' | 'auth'>, Handlers, Connection {
  /** Tools that the host runs. At most 64. */
  tools?: readonly HostTool[] | undefined;
  /** What `checkpoint()` of another agent gave: this one goes on from there. Copied. */
  checkpoint?: ArrayBuffer | ArrayBufferView | undefined;
  /**
   * Called with what the machinery does: `runtime.start` and `runtime.ready` before `createAgent` resolves, in order,
   * whether or not anybody reads events, `runtime.exit` before `close()` resolves. What it throws, or a promise of it
   * rejects with, is ignored. No diagnostic has a credential or anything that was said, but names of tools and models.
   */
  onDiagnostic?: DiagnosticHandler | undefined;
}

/** How long `close()` waits for what is running. */
const CLOSE_MS = 1000;

/** Makes an agent: no network, no process. Rejects with `invalid_options` when an option is unknown or malformed. */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  return new Agent(options);
}

/** An agent with one session. Made by `createAgent`. */
export class Agent implements AsyncDisposable {
  readonly #native: NativeAgent;
  readonly #desk: Desk;
  #running: RunningTurn | undefined;
  #closing: Promise<void> | undefined;

  /** @internal */
  constructor(options: AgentOptions) {
    const { onPermission, onQuestion, onPlan, onCheck, tools = [], checkpoint, ...own } = checked(options);
    const { onDiagnostic, fetch, auth: given, ...wire } = own;
    const { auth, token } = splitAuth(given);
    const bytes = checkpoint === undefined ? undefined : bytesOf(checkpoint);
    const { options: toolOptions, byName } = declare(tools);
    const json = toJson({ ...wire, auth, tools: toolOptions }, 'an option', 'invalid_options');
    const env = JSON.stringify(process.env);
    const handled = {
      permission: onPermission !== undefined,
      tool: byName.size > 0,
      question: onQuestion !== undefined,
      plan: onPlan !== undefined,
      check: onCheck !== undefined,
    };
    // First the hub: it keeps the addon loaded, also when a worker that alone had it ends.
    hub();
    const services = new Services({ onDiagnostic, fetch, token });
    this.#native = native(() => NativeAgent.create(json, env, { ...handled, ...services.handlers }, bytes));
    this.#desk = { agent: this.#native, tools: byName, onPermission, onQuestion, onPlan, onCheck, services };
    services.begin();
  }

  /** The session's id. */
  get sessionId(): string {
    return native(() => this.#native.sessionId);
  }

  /**
   * Starts a turn, at once: iterate it, await it, or both. Throws `invalid_input`, `closed`, or `session_busy` while
   * another turn runs.
   */
  prompt(input: Prompt, options: PromptOptions = {}): Turn {
    return new Turn(this.#start(input, options));
  }

  /** The same without `then`: safe to return from an async function. */
  stream(input: Prompt, options: PromptOptions = {}): TurnStream {
    return new TurnStream(this.#start(input, options));
  }

  /** Ends the running turn as `cancelled`; `false` when there is none. */
  interrupt(): boolean {
    return native(() => this.#native.interrupt());
  }

  /** Changes how much the agent may do without asking. */
  setMode(mode: Mode): void {
    native(() => this.#native.setMode(String(mode)));
  }

  /** Changes the model, as `provider/model`, from the next model call on. */
  setModel(model: string): void {
    native(() => this.#native.setModel(String(model)));
  }

  /** The conversation so far. */
  messages(): Message[] {
    return this.#call<{ messages: Message[] }>('session/messages').messages;
  }

  /** What was used so far. */
  usage(): UsageReport {
    return this.#call('session/usage');
  }

  /**
   * The session as bytes: history and usage, and nothing of how the agent was made. Protect them like conversations.
   * Rejects with `session_busy` while a turn runs, with `closed` after the end.
   */
  async checkpoint(): Promise<Uint8Array> {
    return native(() => this.#native.checkpoint());
  }

  /**
   * Answers an open request by its id. What is not understood refuses it. Throws `request_not_found`, or
   * `request_settled` when another outcome stands.
   */
  answer(requestId: string, answer: PermissionAnswer | ToolAnswer | QuestionAnswer | PlanAnswer | CheckAnswer): void {
    const json = toJson(answer ?? null, 'the answer');
    native(() => this.#native.answer(requestId, json));
  }

  /** Cancels what runs and lets go of everything. Takes a second at most; further calls wait for the same end. */
  close(): Promise<void> {
    return (this.#closing ??= hub()
      .close(this.#native, CLOSE_MS)
      .then(() => {
        this.#running?.closed();
        this.#desk.services.end();
      }));
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #start(input: Prompt, options: PromptOptions): RunningTurn {
    const json = toJson(input, 'the prompt');
    const key = hub().newKey();
    if (checkedPromptOptions(options).signal?.aborted) {
      this.#couldStart(input);
      return aborted(new RunningTurn(neverStarted(), key, this.#desk, options));
    }
    const turn = native(() => this.#native.prompt(json, hub().mailbox, key));
    return (this.#running = new RunningTurn(turn, key, this.#desk, options));
  }

  /** What the engine would say to a prompt that it never hears of. */
  #couldStart(input: Prompt): void {
    if (native(() => this.#native.closed)) throw refusal('closed', 'the agent is closed; create a new one');
    if (this.#running?.ended === false) throw refusal('session_busy', 'a prompt is still running; wait for its end');
    if (typeof input !== 'string' && !Array.isArray(input)) {
      throw refusal('invalid_input', 'the prompt must be a text or a list of blocks');
    }
  }

  #call<Result>(method: string): Result {
    return JSON.parse(native(() => this.#native.call(method, '{}'))) as Result;
  }
}

const FUNCTIONS = ['onPermission', 'onQuestion', 'onPlan', 'onCheck', 'onDiagnostic', 'fetch'] satisfies (keyof AgentOptions)[];

function checked(options: AgentOptions): AgentOptions {
  checkedOptions(options, FUNCTIONS);
  if (options.tools !== undefined && !Array.isArray(options.tools)) {
    throw refusal('invalid_options', 'option `tools` must be a list');
  }
  return options;
}

function bytesOf(checkpoint: ArrayBuffer | ArrayBufferView): Uint8Array {
  if (ArrayBuffer.isView(checkpoint)) {
    return new Uint8Array(checkpoint.buffer, checkpoint.byteOffset, checkpoint.byteLength);
  }
  if (checkpoint instanceof ArrayBuffer) return new Uint8Array(checkpoint);
  throw refusal('invalid_options', 'option `checkpoint` must be an ArrayBuffer or a view of one');
}

/** Stands for the turn of a prompt whose signal had aborted before: the engine never hears of it. */
function neverStarted(): NativeTurn {
  const result: TurnResult = { reason: 'cancelled', usage: {}, text: '' };
  let lane: string | null = JSON.stringify([{ type: 'ended', result }]);
  return {
    claimReader() {},
    drainJson: () => '[]',
    takeLaneJson() {
      const taken = lane;
      lane = null;
      return taken;
    },
    cancel() {},
  };
}

function aborted(turn: RunningTurn): RunningTurn {
  queueMicrotask(() => turn.requestsReady());
  return turn;
}
