/** Which models a provider offers. */
import * as lodger from '../index.js';
import { asTypeError } from './checks.js';
import { listOptionsOf } from './options.js';
import type { ListModelsOptions } from './types.js';

/**
 * The ids of the models of `auth.provider`, sorted, each once: one request, and no agent. Rejects with a `TypeError`
 * for malformed options, and with a `LodgerError` when the provider does not answer or refuses.
 */
export async function listModels(options: ListModelsOptions): Promise<string[]> {
  try {
    return await lodger.listModels(listOptionsOf(options));
  } catch (thrown) {
    throw asTypeError(thrown);
  }
}
