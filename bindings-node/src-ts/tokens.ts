/**
 * Has tokens for providers made by the host, where it makes them itself.
 *
 * When one is wanted, and how long one counts, the engine decides. A token stands in no message.
 */
import { messageOf, native, refusal } from './errors.js';
import { NativeTokens } from './native.js';
import { Service } from './service.js';
import type { Auth } from './types.gen.js';

/** What a token is wanted for. */
export interface TokenRequest {
  /** The base URL of the server that will get the token. */
  audience: string;
}

/** A token that the host made. */
export interface IssuedToken {
  /** Sent as `Authorization: Bearer`. */
  token: string;
  /**
   * Unix milliseconds after which it does not count any more. It is asked for anew some time before. Absent: when the
   * provider refuses it.
   */
  expiresAt?: number | undefined;
}

/**
 * Makes a token, once at a time for each server; one that was refused must not be given again. What it throws, an empty
 * token and no answer within a minute fail the request with `provider_auth`.
 */
export type TokenSource = (wanted: TokenRequest) => IssuedToken | Promise<IssuedToken>;

/** Credentials that the host makes. */
export interface HostAuth {
  token: TokenSource;
}

/** Option `auth`, as the native half knows it and as the host's part. */
export function splitAuth(auth: Auth | HostAuth | undefined): { auth?: Auth | undefined; token?: TokenSource } {
  if (!isHostAuth(auth)) return { auth };
  const { token, ...more } = auth;
  const [other] = Object.keys(more);
  if (other === undefined) return { token };
  throw refusal('invalid_options', `option \`auth.${other}\` has no place beside a function as \`auth.token\``);
}

function isHostAuth(auth: Auth | HostAuth | undefined): auth is HostAuth {
  return typeof (auth as Partial<HostAuth> | null | undefined)?.token === 'function';
}

/** The tokens of one agent, or of one list of models. */
export class Mint extends Service<TokenRequest & { id: number }, NativeTokens> {
  readonly #source: TokenSource;

  constructor(source: TokenSource) {
    super(NativeTokens);
    this.#source = source;
  }

  protected take({ id, audience }: TokenRequest & { id: number }): void {
    void this.#make(id, { audience });
  }

  async #make(id: number, wanted: TokenRequest): Promise<void> {
    try {
      const source = this.#source;
      const { token, expiresAt } = checked(await source(wanted));
      native(() => this.queue.issue(id, token, expiresAt));
    } catch (thrown) {
      native(() => this.queue.fail(id, messageOf(thrown)));
    }
  }
}

function checked(issued: IssuedToken): IssuedToken {
  const { token, expiresAt } = Object(issued) as Partial<IssuedToken>;
  if (typeof token !== 'string') throw new TypeError('expected { token, expiresAt? } with a text as `token`');
  if (expiresAt === undefined || (Number.isFinite(expiresAt) && expiresAt >= 0)) return { token, expiresAt };
  throw new TypeError('expected { token, expiresAt? } with Unix milliseconds as `expiresAt`');
}
