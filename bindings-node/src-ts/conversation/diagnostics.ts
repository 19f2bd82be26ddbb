/** From a diagnostic of `lodger` to a `DiagnosticEvent`. */
import type { DiagnosticHandler } from '../diagnostics.js';
import type { AgentOptions } from './types.js';

/** A watcher of `lodger` that tells `onEvent`. */
export function onDiagnostic(onEvent: NonNullable<AgentOptions['onEvent']>): DiagnosticHandler {
  if (typeof onEvent !== 'function') throw new TypeError('option `onEvent` must be a function');
  return ({ type, ts: _ts, sessionId: _sessionId, ...more }) =>
    onEvent({ type, timestamp: performance.now(), ...more });
}
