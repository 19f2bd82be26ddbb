/** A turn of a conversation, over a stream of `lodger`. */
import type { TurnStream } from '../turn.js';
import type { DoneReason, Event, TurnResult as WireResult } from '../types.gen.js';
import type { StopReason, Turn, TurnEvent, TurnResult } from './types.js';

type Next = IteratorResult<TurnEvent, undefined>;

/** What `prompt()` returns. */
export class ConversationTurn implements Turn {
  readonly result: Promise<TurnResult>;
  readonly #stream: TurnStream;

  constructor(stream: TurnStream) {
    this.#stream = stream;
    this.result = stream.result.then(resultOf);
    // A result that nobody looks at is no unhandled rejection.
    this.result.catch(() => {});
  }

  cancel(): void {
    this.#stream.cancel();
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<TurnEvent, undefined> {
    return new TurnEvents(this.#stream[Symbol.asyncIterator](), this.result);
  }
}

/** The events of `lodger` that a conversation shows. Unlike those, they end by throwing when the turn failed. */
class TurnEvents implements AsyncIterableIterator<TurnEvent, undefined> {
  readonly #events: AsyncIterableIterator<Event, undefined>;
  readonly #result: Promise<TurnResult>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(events: AsyncIterableIterator<Event, undefined>, result: Promise<TurnResult>) {
    this.#events = events;
    this.#result = result;
  }

  /** Calls that overlap are answered in order. */
  next(): Promise<Next> {
    const next = this.#last.then(() => this.#wait());
    this.#last = next.catch(() => {});
    return next;
  }

  async return(): Promise<Next> {
    await this.#events.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #wait(): Promise<Next> {
    for (let next; !(next = await this.#events.next()).done; ) {
      const event = eventOf(next.value);
      if (event) return { done: false, value: event };
    }
    await this.#result;
    return { done: true, value: undefined };
  }
}

/** What a sub-agent does is no part of the answer. */
function eventOf(event: Event): TurnEvent | undefined {
  if (event.agentId !== undefined) return undefined;
  switch (event.type) {
    case 'text_delta':
      return { type: 'text_delta', delta: event.text };
    case 'thinking_delta':
      return { type: 'reasoning_delta', delta: event.text };
    case 'tool_call':
      return { type: 'tool_start', id: event.toolCallId, name: event.toolName };
    case 'tool_result': {
      const { toolCallId: id, toolName: name, content, isError } = event;
      const texts = content.filter((block) => block.type === 'text').map((block) => block.text);
      return { type: 'tool_end', id, name, ...(texts.length > 0 && { content: texts.join('') }), isError };
    }
    default:
      return undefined;
  }
}

/** `error` is not among them: such a result rejects. */
const STOPS: Record<Exclude<DoneReason, 'error'>, StopReason> = {
  end_turn: 'end_turn',
  max_output_tokens: 'max_output_tokens',
  max_steps: 'max_model_turns',
  max_budget: 'max_model_turns',
  refused: 'refused',
  cancelled: 'cancelled',
};

function resultOf({ reason, usage }: WireResult): TurnResult {
  return { stopReason: STOPS[reason as keyof typeof STOPS], usage };
}
