/**
 * `lodger/conversation`: one conversation held in memory, in fewer words than `lodger` has.
 *
 * It renames options, events, results and decisions, and has no rule of its own.
 */
export { createAgent } from './agent.js';
export { listModels } from './models.js';
export { LodgerError } from '../index.js';
export type * from './types.js';

/** Revision of this API, not the version of the package. */
export const sdkApiVersion = 1;
