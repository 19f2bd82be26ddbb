/** Faults in what the host passes: `TypeError` for a wrong form, `RangeError` for too much. */
import { LodgerError } from '../index.js';

/** Refuses names that `what` does not have. */
export function only<Known extends object>(what: string, given: Known, names: readonly (keyof Known)[]): Known {
  if (typeof given !== 'object' || given === null) throw new TypeError(`${what} must be an object`);
  for (const name of Object.keys(given)) {
    if (names.includes(name as keyof Known)) continue;
    throw new TypeError(`${what}: there is no \`${name}\`; there is ${names.join(', ')}`);
  }
  return given;
}

/** Refuses more than `most` of what is counted. */
export function atMost(most: number, found: number, what: string): void {
  if (found > most) throw new RangeError(`${what}: ${found} are too many; at most ${most} are allowed`);
}

/** A text, or a `TypeError`. */
export function text(value: unknown, what: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new TypeError(`${what} must be a text that is not empty`);
}

/** Calls `lodger`: what it finds wrong with its input is a `TypeError` here. */
export function typed<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw asTypeError(thrown);
  }
}

/** The same fault as a `TypeError`, when it is about input. */
export function asTypeError(thrown: unknown): unknown {
  const wrongInput = thrown instanceof LodgerError && /^invalid_(options|input)$/.test(thrown.code);
  return wrongInput ? new TypeError(thrown.message, { cause: thrown }) : thrown;
}
