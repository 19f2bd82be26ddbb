/**
 * The one place per environment (main thread, worker) where the engine's bell arrives and is handed on.
 *
 * It also decides how long the process stays: as long as something here can still move. An idle agent does not count.
 */
import { native } from './errors.js';
import { NativeMailbox, type NativeAgent } from './native.js';

/** A turn, a service or a list of models, as the hub sees it. Neither call may throw. */
export interface Resident {
  /** There are events to drain. */
  eventsReady(): void;
  /** The requests' lane holds something; or what else rings there. */
  requestsReady(): void;
}

class Hub {
  readonly mailbox = native(() => new NativeMailbox(() => this.#ring()));
  readonly #residents = new Map<number, Resident>();
  readonly #closings = new Map<number, () => void>();
  #keys = 0;
  #holds = 0;

  /** A key for `enter` and the native call that goes with it. */
  newKey(): number {
    return ++this.#keys;
  }

  /** From now on what is under `key` hears of its lanes. */
  enter(key: number, resident: Resident): void {
    this.#residents.set(key, resident);
  }

  /** What is under `key` has ended. */
  leave(key: number): void {
    if (this.#residents.delete(key)) native(() => this.mailbox.forget(key));
  }

  /** Keeps the process alive until `release` was called as often. */
  hold(): void {
    if (++this.#holds === 1) native(() => this.mailbox.hold(true));
  }

  /** The other half of `hold`. */
  release(): void {
    if (--this.#holds === 0) native(() => this.mailbox.hold(false));
  }

  /** Closes an agent; resolves when the native half is done, which takes `timeoutMs` at most. */
  close(agent: NativeAgent, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const key = this.newKey();
      try {
        native(() => agent.beginClose(timeoutMs, this.mailbox, key));
      } catch (error) {
        return reject(error);
      }
      this.hold();
      this.#closings.set(key, resolve);
    });
  }

  #ring(): void {
    for (const lane of this.mailbox.take()) {
      const resident = this.#residents.get(Math.floor(lane / 2));
      if (lane % 2 === 0) resident?.eventsReady();
      else resident?.requestsReady();
    }
    for (const key of this.mailbox.takeClosed()) {
      this.#closings.get(key)?.();
      this.#closings.delete(key);
      this.release();
    }
  }
}

let instance: Hub | undefined;

/** This environment's hub, made with its first agent. */
export function hub(): Hub {
  return (instance ??= new Hub());
}
