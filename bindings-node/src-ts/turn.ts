/**
 * One prompt and all that follows from it, as the host sees it.
 *
 * A turn has one reader: an iterator, `onEvent`, or the turn itself once it is awaited.
 */
import { hub, type Resident } from './hub.js';
import { LodgerError, native, refusal } from './errors.js';
import type { NativeTurn } from './native.js';
import { BatchReader, EventIterator } from './reader.js';
import { OpenRequests, type Desk } from './requests.js';
import type { Event, Request, TurnResult } from './types.gen.js';

/** How to run a prompt. */
export interface PromptOptions {
  /** Cancels the turn when it aborts. Aborted already: the turn ends as `cancelled` and nothing is sent. */
  signal?: AbortSignal | undefined;
  /**
   * Called with each event, in order; a promise is waited for before the next. What it throws cancels the turn and
   * rejects its result.
   */
  onEvent?: ((event: Event) => unknown) | undefined;
}

const NAMES: ReadonlySet<string> = new Set(['signal', 'onEvent'] satisfies (keyof PromptOptions)[]);

/** Checked before anything starts: a turn whose signal cannot be heard must not run. */
export function checkedPromptOptions(options: PromptOptions): PromptOptions {
  if (typeof options !== 'object' || options === null) {
    throw refusal('invalid_input', 'prompt options must be an object');
  }
  const unknown = Object.keys(options).find((name) => !NAMES.has(name));
  if (unknown !== undefined) {
    throw refusal('invalid_input', `unknown prompt option \`${unknown}\`; there are ${[...NAMES].join(' and ')}`);
  }
  const { signal, onEvent } = options;
  if (signal !== undefined && (typeof signal?.aborted !== 'boolean' || typeof signal.addEventListener !== 'function')) {
    throw refusal('invalid_input', 'prompt option `signal` must be an AbortSignal');
  }
  if (onEvent !== undefined && typeof onEvent !== 'function') {
    throw refusal('invalid_input', `prompt option \`onEvent\` must be a function, not ${typeof onEvent}`);
  }
  return options;
}

type LaneItem =
  | { type: 'opened'; request: Request }
  | { type: 'withdrawn'; requestId: string }
  | { type: 'stalled' }
  | { type: 'moving' }
  | { type: 'ended'; result: TurnResult };

/** The running half of a turn: what the engine's lanes lead to. */
export class RunningTurn implements Resident {
  /** Resolves for every reason but `error`. Claims no reader. */
  readonly result: Promise<TurnResult>;
  /** Resolves when the turn has ended, however it did. */
  readonly settled: Promise<void>;
  readonly #turn: NativeTurn;
  readonly #key: number;
  readonly #requests: OpenRequests;
  readonly #reader: BatchReader;
  readonly #signal: AbortSignal | undefined;
  readonly #settle: (outcome: TurnResult | LodgerError) => void;
  readonly #cancel = () => this.cancel();
  #claimed = false;
  #reading: Promise<void> | undefined;
  #ended = false;
  #holding = false;

  constructor(turn: NativeTurn, key: number, desk: Desk, { signal, onEvent }: PromptOptions) {
    this.#turn = turn;
    this.#key = key;
    this.#requests = new OpenRequests(desk);
    this.#reader = new BatchReader(turn);
    this.#signal = signal;
    const { promise, resolve } = deferred<TurnResult | LodgerError>();
    this.#settle = resolve;
    this.result = promise.then(async (outcome) => {
      await this.#reading;
      if (outcome instanceof LodgerError) throw outcome;
      return outcome;
    });
    // A result that nobody looks at is no unhandled rejection.
    this.settled = this.result.then(ignore, ignore);

    this.#hold(true);
    hub().enter(key, this);
    signal?.addEventListener('abort', this.#cancel, { once: true });
    if (onEvent) this.read(onEvent);
  }

  get ended(): boolean {
    return this.#ended;
  }

  cancel(): void {
    if (!this.#ended) native(() => this.#turn.cancel());
  }

  /** The turn's one iterator. */
  iterate(): EventIterator {
    this.#claim();
    return new EventIterator(this, this.#reader);
  }

  /** Reads to the end, unless somebody reads already. */
  read(onEvent?: (event: Event) => unknown): void {
    if (this.#claimed || this.#ended) return;
    this.#claim();
    this.#reading = this.#readAll(onEvent);
    this.#reading.catch(ignore);
  }

  /** The agent was closed: what the lane still holds is the last word. */
  closed(): void {
    this.requestsReady();
    if (this.#ended) return;
    this.#reader.stop();
    this.#end(refusal('closed', 'the agent was closed before the turn had ended'));
  }

  eventsReady(): void {
    this.#reader.eventsReady();
  }

  requestsReady(): void {
    for (;;) {
      const lane = native(() => this.#turn.takeLaneJson());
      if (lane === null) return;
      for (const item of JSON.parse(lane) as LaneItem[]) this.#take(item);
    }
  }

  #take(item: LaneItem): void {
    switch (item.type) {
      case 'opened':
        return this.#requests.opened(item.request);
      case 'withdrawn':
        return this.#requests.withdrawn(item.requestId);
      case 'stalled':
        // Nothing moves until somebody reads, and nobody is there to: the process may end.
        if (!this.#claimed) this.#hold(false);
        return;
      case 'moving':
        return this.#hold(true);
      case 'ended':
        return this.#end(outcomeOf(item.result));
    }
  }

  #end(outcome: TurnResult | LodgerError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#requests.close();
    this.#signal?.removeEventListener('abort', this.#cancel);
    hub().leave(this.#key);
    this.#hold(false);
    this.#reader.eventsReady();
    this.#settle(outcome);
  }

  #claim(): void {
    if (this.#claimed) {
      throw refusal('reader_busy', 'the turn has a reader already: an iterator, `onEvent`, or an `await` of the turn');
    }
    native(() => this.#turn.claimReader());
    this.#claimed = true;
    if (!this.#ended) this.#hold(true);
  }

  async #readAll(onEvent?: (event: Event) => unknown): Promise<void> {
    try {
      for (let batch; (batch = await this.#reader.next()) !== undefined;) {
        if (!onEvent) continue;
        for (const event of JSON.parse(batch) as Event[]) {
          const waits = onEvent(event);
          if (isThenable(waits)) await waits;
        }
      }
    } catch (thrown) {
      this.cancel();
      throw thrown;
    }
  }

  #hold(hold: boolean): void {
    if (hold === this.#holding) return;
    this.#holding = hold;
    if (hold) hub().hold();
    else hub().release();
  }
}

/** A turn for loops: what `agent.stream()` returns. It has no `then`, so an async function may return it. */
export class TurnStream implements AsyncIterable<Event, undefined>, AsyncDisposable {
  /**
   * What the turn came to; rejects with a `LodgerError` when it failed. Reading it alone reads no events: with more
   * than the queue holds, the turn waits until somebody does.
   */
  readonly result: Promise<TurnResult>;
  protected readonly running: RunningTurn;

  constructor(running: RunningTurn) {
    this.running = running;
    this.result = running.result;
  }

  /** Asks the turn to end, and does not wait. Late and repeated calls have no effect. */
  cancel(): void {
    this.running.cancel();
  }

  /** Events in order, `done` last. Leaving early cancels the turn. A turn has one reader. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Event, undefined> {
    return this.running.iterate();
  }

  /** Cancels the turn and waits for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel();
    await this.running.settled;
  }
}

/** A turn that can be awaited too: what `agent.prompt()` returns. */
export class Turn extends TurnStream implements PromiseLike<TurnResult> {
  /** Makes the turn its own reader, unless it has one, and waits for the result. */
  then<Result = TurnResult, Caught = never>(
    onResult?: ((result: TurnResult) => Result | PromiseLike<Result>) | null,
    onError?: ((error: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Result | Caught> {
    this.running.read();
    return this.result.then(onResult, onError);
  }

  /** As `then`. */
  catch<Caught = never>(
    onError?: ((error: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<TurnResult | Caught> {
    return this.then(undefined, onError);
  }

  /** As `then`. */
  finally(onEnd?: (() => void) | null): Promise<TurnResult> {
    return this.then().finally(onEnd);
  }
}

function outcomeOf(result: TurnResult): TurnResult | LodgerError {
  if (result.reason !== 'error') return result;
  const unnamed = { code: 'internal', message: 'the turn failed and did not say why', retryable: false } as const;
  return new LodgerError(result.error ?? unnamed, result);
}

function deferred<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((settle) => (resolve = settle));
  return { promise, resolve };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}

function ignore(): void {}
