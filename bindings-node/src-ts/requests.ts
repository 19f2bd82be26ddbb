/**
 * Runs the host's handlers for a turn's requests and settles each once.
 *
 * A handler that throws, rejects or has no answer of use is a refusal. One that nobody waits for any more is told by
 * its signal, and what it still says is dropped.
 */
import { messageOf, native, toJson } from './errors.js';
import type { NativeAgent } from './native.js';
import type { Services } from './services.js';
import { runTool, type HostTool } from './tools.js';
import type {
  CheckAnswer,
  CheckRequest,
  PermissionAnswer,
  PermissionRequest,
  PlanAnswer,
  PlanRequest,
  QuestionAnswer,
  QuestionRequest,
  Request,
  RequestBase,
} from './types.gen.js';

/** What a handler gets beside its request. */
export interface HandlerContext {
  /** Aborts when the request was settled without the handler: the turn was cancelled, or time ran out. */
  signal: AbortSignal;
}

/** Answers one kind of request, now or later. */
export type Handler<Asked, Answer> = (
  request: RequestBase & Asked,
  context: HandlerContext,
) => Answer | Promise<Answer>;

/** The host's handlers. A kind without one is refused at once. */
export interface Handlers {
  /** May this call run? */
  onPermission?: Handler<PermissionRequest, PermissionAnswer> | undefined;
  /** A question to the person. With this the model has the tool `ask_user`. */
  onQuestion?: Handler<QuestionRequest, QuestionAnswer> | undefined;
  /** A plan to approve. With this the model has the tool `present_plan` in plan mode. */
  onPlan?: Handler<PlanRequest, PlanAnswer> | undefined;
  /**
   * Does anything speak against this call? Judges every call that does more than read, whatever the mode and the rules
   * allow, or those that an entry without a command of option `checks` names. Without it nothing is judged here.
   */
  onCheck?: Handler<CheckRequest, CheckAnswer> | undefined;
}

/** Everything of the host's that goes with an agent and its turns. */
export interface Desk extends Handlers {
  agent: NativeAgent;
  tools: ReadonlyMap<string, HostTool>;
  /** Kept, since a turn may outlive its agent in the host's hands. */
  services: Services;
}

/** The open requests of one turn. */
export class OpenRequests {
  readonly #desk: Desk;
  readonly #open = new Map<string, AbortController>();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** A request was handed over. */
  opened(request: Request): void {
    const controller = new AbortController();
    this.#open.set(request.requestId, controller);
    void this.#serve(request, controller.signal);
  }

  /** A request was settled without its handler. */
  withdrawn(requestId: string): void {
    const controller = this.#open.get(requestId);
    this.#open.delete(requestId);
    controller?.abort();
  }

  /** The turn is over: nobody waits for anything. */
  close(): void {
    for (const requestId of [...this.#open.keys()]) this.withdrawn(requestId);
  }

  async #serve(request: Request, signal: AbortSignal): Promise<void> {
    const { requestId } = request;
    let settle: () => void;
    try {
      const answer = toJson((await this.#answer(request, signal)) ?? null, 'the answer');
      settle = () => this.#desk.agent.answer(requestId, answer);
    } catch (thrown) {
      const reason = `the handler failed: ${messageOf(thrown)}`;
      settle = () => this.#desk.agent.failRequest(requestId, reason);
    }
    if (!this.#open.delete(requestId)) return;
    try {
      native(settle);
    } catch {
      // It was settled in the meantime, or the agent closed: the first outcome stands.
    }
  }

  async #answer(request: Request, signal: AbortSignal): Promise<unknown> {
    const desk = this.#desk;
    switch (request.kind) {
      case 'permission':
        return desk.onPermission?.(flat(request, request.permission), { signal });
      case 'question':
        return desk.onQuestion?.(flat(request, request.question), { signal });
      case 'plan':
        return desk.onPlan?.(flat(request, request.plan), { signal });
      case 'check':
        return desk.onCheck?.(flat(request, request.check), { signal });
      case 'tool': {
        const tool = desk.tools.get(request.tool.toolName);
        const progress = (text: string) => this.#progress(request.requestId, text);
        return tool && runTool(tool, request.tool.input, { signal, progress });
      }
    }
  }

  #progress(requestId: string, text: string): void {
    if (!this.#open.has(requestId)) return;
    try {
      native(() => this.#desk.agent.progress(requestId, String(text).toWellFormed()));
    } catch {
      // Settled in the meantime: nobody looks at it any more.
    }
  }
}

function flat<Asked>({ requestId, toolCallId, expiresAt }: RequestBase, asked: Asked): RequestBase & Asked {
  return {
    requestId,
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...asked,
  };
}
