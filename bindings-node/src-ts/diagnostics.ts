/**
 * Takes an agent's diagnostics to the host, whether or not anybody reads events.
 *
 * Nothing depends on who watches: what a watcher throws is dropped, and one that waits holds up nobody.
 */
import { NativeDiagnostics } from './native.js';
import { Service } from './service.js';
import type { Diagnostic } from './types.gen.js';

/** Gets each diagnostic, in order. */
export type DiagnosticHandler = (diagnostic: Diagnostic) => unknown;

/** The diagnostics of one agent. */
export class Watch extends Service<Diagnostic, NativeDiagnostics> {
  readonly #onDiagnostic: DiagnosticHandler;

  constructor(onDiagnostic: DiagnosticHandler) {
    super(NativeDiagnostics);
    this.#onDiagnostic = onDiagnostic;
  }

  /** The last are taken still. */
  override end(): void {
    this.deliver();
    super.end();
  }

  protected take(diagnostic: Diagnostic): void {
    try {
      const waits = this.#onDiagnostic(diagnostic) as Partial<PromiseLike<unknown>> | null | undefined;
      if (typeof waits?.then === 'function') waits.then(ignore, ignore);
    } catch {
      // The watcher's own affair.
    }
  }
}

function ignore(): void {}
