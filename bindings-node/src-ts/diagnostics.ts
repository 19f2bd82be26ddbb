/**
 * Takes an agent's diagnostics to the host, whether or not anybody reads events.
 *
 * Nothing depends on who watches: what a watcher throws is dropped, and one that waits holds up nobody.
 */
import { native } from './errors.js';
import { hub, type Resident } from './hub.js';
import { NativeDiagnostics } from './native.js';
import type { Diagnostic } from './types.gen.js';

/** Gets each diagnostic, in order. */
export type DiagnosticHandler = (diagnostic: Diagnostic) => unknown;

/** The diagnostics of one agent. Lives as long as the agent or its turn is held. */
export class Watch {
  readonly source: NativeDiagnostics;
  readonly #key = hub().newKey();
  readonly #onDiagnostic: DiagnosticHandler;

  constructor(onDiagnostic: DiagnosticHandler) {
    this.#onDiagnostic = onDiagnostic;
    this.source = native(() => new NativeDiagnostics(hub().mailbox, this.#key));
  }

  /** Delivers what was reported so far, and from now on whatever comes. */
  begin(): void {
    hub().enter(this.#key, new WeakResident(this.#key, this));
    this.deliver();
  }

  /** Delivers what waits. */
  deliver(): void {
    for (let batch; (batch = native(() => this.source.takeJson())) !== null;) {
      for (const diagnostic of JSON.parse(batch) as Diagnostic[]) {
        if (diagnostic.type === 'runtime.exit') hub().leave(this.#key);
        this.#tell(diagnostic);
      }
    }
  }

  #tell(diagnostic: Diagnostic): void {
    try {
      const waits = this.#onDiagnostic(diagnostic) as Partial<PromiseLike<unknown>> | null | undefined;
      if (typeof waits?.then === 'function') waits.then(ignore, ignore);
    } catch {
      // The watcher's own affair.
    }
  }
}

/** Stands in the hub for a watch without holding it: an agent that the host let go of is let go of here too. */
class WeakResident implements Resident {
  readonly #key: number;
  readonly #watch: WeakRef<Watch>;

  constructor(key: number, watch: Watch) {
    this.#key = key;
    this.#watch = new WeakRef(watch);
  }

  eventsReady(): void {}

  requestsReady(): void {
    const watch = this.#watch.deref();
    if (watch) watch.deliver();
    else hub().leave(this.#key);
  }
}

function ignore(): void {}
