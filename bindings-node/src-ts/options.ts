/** Faults in options that only this half can see. */
import { refusal } from './errors.js';

/** JSON would drop functions without a word: one under a wrong name must be an error, like any unknown option. */
export function checkedOptions<Options extends object>(options: Options, functions: readonly string[]): Options {
  if (typeof options !== 'object' || options === null) throw refusal('invalid_options', 'options must be an object');
  for (const [name, value] of Object.entries(options)) {
    const isFunction = typeof value === 'function';
    if (isFunction && !functions.includes(name)) {
      throw refusal('invalid_options', `option \`${name}\` is a function; only ${functions.join(', ')} may be`);
    }
    if (functions.includes(name) && !isFunction && value !== undefined) {
      throw refusal('invalid_options', `option \`${name}\` must be a function, not ${typeof value}`);
    }
  }
  return options;
}
