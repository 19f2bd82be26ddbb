/** Which models a provider offers. */
import { native, toJson, type LodgerError } from './errors.js';
import { hub, type Resident } from './hub.js';
import { NativeModelList } from './native.js';
import { checkedOptions } from './options.js';
import { Services, type Connection } from './services.js';
import { splitAuth } from './tokens.js';
import type { ListModelsOptions as WireOptions } from './types.gen.js';

/** Whose models to list, and how they are asked for. */
export interface ListModelsOptions extends Omit<WireOptions, 'auth'>, Connection {}

const FUNCTIONS = ['fetch'] satisfies (keyof ListModelsOptions)[];

/**
 * The ids of the models that a provider offers, sorted, each once: one request, which nothing but this call sends.
 * Rejects with `invalid_options` or `provider_auth` before it is sent, and with what goes wrong on the way.
 */
export async function listModels(options: ListModelsOptions): Promise<string[]> {
  const { fetch, auth: given, ...wire } = checkedOptions(options, FUNCTIONS);
  const { auth, token } = splitAuth(given);
  return new Listing(toJson({ ...wire, auth }, 'an option', 'invalid_options'), new Services({ fetch, token })).ids;
}

/** One list on its way. It holds the process until it is there. */
class Listing implements Resident {
  readonly ids: Promise<string[]>;
  readonly #key = hub().newKey();
  readonly #services: Services;
  readonly #list: NativeModelList;
  #settle!: { resolve: (ids: string[]) => void; reject: (error: unknown) => void };

  constructor(options: string, services: Services) {
    this.#services = services;
    this.ids = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    const { mailbox } = hub();
    const env = JSON.stringify(process.env);
    this.#list = native(() => NativeModelList.begin(options, env, services.handlers, mailbox, this.#key));
    hub().hold();
    hub().enter(this.#key, this);
    services.begin();
  }

  eventsReady(): void {}

  requestsReady(): void {
    try {
      const ids = native(() => this.#list.take());
      if (ids === null) return;
      this.#settle.resolve(ids);
    } catch (thrown) {
      this.#settle.reject(thrown as LodgerError);
    }
    this.#services.end();
    hub().leave(this.#key);
    hub().release();
  }
}
