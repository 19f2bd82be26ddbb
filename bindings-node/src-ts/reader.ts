/**
 * Takes events out of a turn's queue, in batches, and no more than its user asks for: the queue fills behind a slow
 * one, and the source of it all waits.
 */
import { native } from './errors.js';
import type { NativeTurn } from './native.js';
import type { Event } from './types.gen.js';

const BATCH = 256;

/** Batches of a turn's events. For one caller at a time. */
export class BatchReader {
  readonly #turn: NativeTurn;
  #ring: (() => void) | undefined;
  #rested = true;
  #stopped = false;

  constructor(turn: NativeTurn) {
    this.#turn = turn;
  }

  /** There are events to drain. */
  eventsReady(): void {
    this.#ring?.();
  }

  /** No more events will come, whatever the queue says. */
  stop(): void {
    this.#stopped = true;
    this.#ring?.();
  }

  /** The next events as JSON text; `undefined` after the last. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const batch = this.#stopped ? '[]' : native(() => this.#turn.drainJson(BATCH));
      if (batch === '[]') return undefined;
      if (batch !== null) {
        await this.#rest();
        return batch;
      }
      await new Promise<void>((resolve) => (this.#ring = resolve));
      this.#ring = undefined;
      this.#rested = true;
    }
  }

  /** Between two batches the event loop has its turn: else a fast stream starves timers and requests. */
  async #rest(): Promise<void> {
    if (!this.#rested) await new Promise<void>((resolve) => setImmediate(resolve));
    this.#rested = false;
  }
}

/** What an iterator needs of its turn. */
export interface Iterated {
  cancel(): void;
  /** Resolves when the turn has ended, however it did. */
  readonly settled: Promise<void>;
}

/** The iterator behind `for await`. Leaving the loop early cancels the turn and waits for its end. */
export class EventIterator implements AsyncIterableIterator<Event, undefined> {
  readonly #turn: Iterated;
  readonly #reader: BatchReader;
  #batch: Event[] = [];
  #at = 0;
  #over = false;
  /** Calls of `next` that wait, and the last of them. */
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(turn: Iterated, reader: BatchReader) {
    this.#turn = turn;
    this.#reader = reader;
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    const event = this.#waiting === 0 ? this.#take() : undefined;
    if (event) return Promise.resolve({ done: false, value: event });
    this.#waiting++;
    const next = this.#last.then(() => this.#wait());
    this.#last = next.catch(() => {});
    return next;
  }

  async return(): Promise<IteratorResult<Event, undefined>> {
    this.#over = true;
    this.#batch = [];
    this.#turn.cancel();
    await this.#turn.settled;
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #wait(): Promise<IteratorResult<Event, undefined>> {
    try {
      while (!this.#over) {
        const event = this.#take();
        if (event) return { done: false, value: event };
        const batch = await this.#reader.next();
        if (batch === undefined) this.#over = true;
        else [this.#batch, this.#at] = [JSON.parse(batch) as Event[], 0];
      }
      return { done: true, value: undefined };
    } finally {
      this.#waiting--;
    }
  }

  #take(): Event | undefined {
    return this.#over ? undefined : this.#batch[this.#at++];
  }
}
