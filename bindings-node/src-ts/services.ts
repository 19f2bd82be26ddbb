/** The host's part in what the engine does outside of turns, all together. */
import { Watch, type DiagnosticHandler } from './diagnostics.js';
import { Carrier, type Fetch } from './fetches.js';
import type { NativeServices } from './native.js';

/** How the host takes part in talking to a provider. */
export interface Connection {
  /**
   * Carries the requests to the provider: `globalThis.fetch`, or what wraps it for a proxy, certificates or a log of
   * the host's own. What it throws is `provider_unavailable`. Absent: the library sends them itself.
   */
  fetch?: Fetch | undefined;
}

/** The services of an agent, or of a list of models. They live as long as it or its turn is held. */
export class Services {
  readonly #watch: Watch | undefined;
  readonly #carrier: Carrier | undefined;

  constructor({ onDiagnostic, fetch }: Connection & { onDiagnostic?: DiagnosticHandler | undefined }) {
    this.#watch = onDiagnostic && new Watch(onDiagnostic);
    this.#carrier = fetch && new Carrier(fetch);
  }

  /** What the native half is told of them. */
  get handlers(): NativeServices {
    return { diagnostics: this.#watch?.queue, fetch: this.#carrier?.queue };
  }

  /** From now on they serve. */
  begin(): void {
    this.#watch?.begin();
    this.#carrier?.begin();
  }

  /** Nothing of the host's is called any more. */
  end(): void {
    this.#carrier?.end();
    this.#watch?.end();
  }
}
