/**
 * What the engine asks of the host outside of turns: to hear diagnostics, to carry requests, to make tokens.
 *
 * Each has a queue in the native half, which rings in the hub. Nothing here keeps an agent that the host let go of.
 */
import { native } from './errors.js';
import { hub, type Resident } from './hub.js';
import type { NativeMailbox } from './native.js';

interface Queue {
  takeJson(): string | null;
}

/** Takes what comes in one queue to the host. Lives as long as the agent or its turn is held. */
export abstract class Service<Item, From extends Queue> {
  readonly queue: From;
  readonly #key = hub().newKey();

  constructor(NativeQueue: new (mailbox: NativeMailbox, key: number) => From) {
    this.queue = native(() => new NativeQueue(hub().mailbox, this.#key));
  }

  /** Takes what came so far, and from now on whatever comes. */
  begin(): void {
    hub().enter(this.#key, new WeakResident(this));
    collected.register(this, this.#key);
    this.deliver();
  }

  /** Takes what waits. */
  deliver(): void {
    for (let batch; (batch = native(() => this.queue.takeJson())) !== null;) {
      for (const item of JSON.parse(batch) as Item[]) this.take(item);
    }
  }

  /** Nothing is taken any more. */
  end(): void {
    hub().leave(this.#key);
  }

  /** Must not throw. */
  protected abstract take(item: Item): void;
}

/** Stands in the hub for a service without holding it: an agent that the host let go of is let go of here too. */
class WeakResident implements Resident {
  readonly #service: WeakRef<{ deliver(): void }>;

  constructor(service: { deliver(): void }) {
    this.#service = new WeakRef(service);
  }

  eventsReady(): void {}

  requestsReady(): void {
    this.#service.deref()?.deliver();
  }
}

const collected = new FinalizationRegistry<number>((key) => hub().leave(key));
