/** The one error class, and the one place where an error of the native half becomes it. */
import type { Error as WireError, ErrorCode, TurnResult } from './types.gen.js';

/** What every call of this package throws or rejects with. `code` is stable; see docs/errors.md. */
export class LodgerError extends Error {
  override readonly name = 'LodgerError';
  /** Stable name of what went wrong. */
  readonly code: ErrorCode;
  /** Whether the same call may succeed later, unchanged. */
  readonly retryable: boolean;
  /** How long the provider asked to wait. */
  declare readonly retryAfterMs?: number;
  /** Details for programs. */
  declare readonly data?: unknown;
  /** What the turn came to before it failed, when a turn failed. */
  declare readonly result?: TurnResult;

  constructor(error: WireError, result?: TurnResult) {
    super(error.message);
    this.code = error.code;
    this.retryable = error.retryable;
    if (error.retryAfterMs !== undefined) this.retryAfterMs = error.retryAfterMs;
    if (error.data !== undefined) this.data = error.data;
    if (result !== undefined) this.result = result;
  }
}

/** An error that this half finds before the native one is asked. */
export function refusal(
  code: 'invalid_options' | 'invalid_input' | 'closed' | 'session_busy' | 'reader_busy',
  message: string,
): LodgerError {
  return new LodgerError({ code, message, retryable: false });
}

/** Calls the native half: what it throws is a `LodgerError`. */
export function native<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw fromNative(thrown);
  }
}

/** JSON for the native half, or an error that says what could not be written. */
export function toJson(
  value: unknown,
  what: string,
  code: 'invalid_input' | 'invalid_options' = 'invalid_input',
): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, wellFormed);
  } catch (thrown) {
    throw refusal(code, `${what} cannot be written as JSON: ${messageOf(thrown)}`);
  }
  if (text === undefined) throw refusal(code, `${what} cannot be written as JSON: it is ${typeof value}`);
  return text;
}

/** The message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  try {
    const message: unknown = (thrown as { message?: unknown } | null | undefined)?.message;
    return (typeof message === 'string' && message !== '' ? message : String(thrown)).toWellFormed();
  } catch {
    return 'something that has no text was thrown';
  }
}

/** Half of a surrogate pair is no text outside JavaScript: it becomes U+FFFD, as wherever text leaves it. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function fromNative(thrown: unknown): unknown {
  const text = messageOf(thrown);
  if (!text.startsWith('{')) return thrown;
  const error = new LodgerError(JSON.parse(text) as WireError);
  // The trace begins where the host called, not in here.
  Error.captureStackTrace(error, native);
  return error;
}
