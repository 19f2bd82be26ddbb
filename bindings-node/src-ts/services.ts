/** The host's part in what the engine does outside of turns, all together. */
import { Watch, type DiagnosticHandler } from './diagnostics.js';
import { Carrier, type Fetch } from './fetches.js';
import type { NativeServices } from './native.js';
import { Mint, type HostAuth, type TokenSource } from './tokens.js';
import type { Auth } from './types.gen.js';

/** How the host takes part in talking to a provider. */
export interface Connection {
  /** Credentials, or a function that makes them. Absent: `<PROVIDER>_API_KEY` of the environment. */
  auth?: Auth | HostAuth | undefined;
  /**
   * Carries the requests to the provider: `globalThis.fetch`, or what wraps it for a proxy, certificates or a log of
   * the host's own. What it throws is `provider_unavailable`. Absent: the library sends them itself.
   */
  fetch?: Fetch | undefined;
}

/** What of the host's is called. */
export interface Callees {
  onDiagnostic?: DiagnosticHandler | undefined;
  fetch?: Fetch | undefined;
  token?: TokenSource | undefined;
}

/** The services of an agent, or of a list of models. They live as long as it or its turn is held. */
export class Services {
  readonly #watch: Watch | undefined;
  readonly #carrier: Carrier | undefined;
  readonly #mint: Mint | undefined;

  constructor({ onDiagnostic, fetch, token }: Callees) {
    this.#watch = onDiagnostic && new Watch(onDiagnostic);
    this.#carrier = fetch && new Carrier(fetch);
    this.#mint = token && new Mint(token);
  }

  /** What the native half is told of them. */
  get handlers(): NativeServices {
    return { diagnostics: this.#watch?.queue, fetch: this.#carrier?.queue, token: this.#mint?.queue };
  }

  /** From now on they serve. */
  begin(): void {
    this.#watch?.begin();
    this.#carrier?.begin();
    this.#mint?.begin();
  }

  /** Nothing of the host's is called any more. */
  end(): void {
    this.#carrier?.end();
    this.#mint?.end();
    this.#watch?.end();
  }
}
