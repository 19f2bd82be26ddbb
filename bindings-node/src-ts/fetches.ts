/**
 * Carries requests to models with the host's own fetch, where it gave one.
 *
 * A body is taken piece by piece, and no faster than the engine reads it. Nothing is read into an answer here: what
 * goes wrong on the way is told to the engine, which knows what to do.
 */
import { messageOf, native } from './errors.js';
import { NativeFetches } from './native.js';
import { Service } from './service.js';

/** Carries one request and gives its response, whose body is streamed. `globalThis.fetch` is one. */
export type Fetch = (input: string, init: FetchInit) => Promise<Response>;

/** What to send, in the form of a `RequestInit`. It holds the credentials. */
export interface FetchInit {
  method: string;
  headers: [name: string, value: string][];
  /** Absent for `GET`. */
  body?: Uint8Array<ArrayBuffer>;
  /** A redirect is an answer: the credentials are for no other server. */
  redirect: 'manual';
  /** Aborts when nobody wants the response any more. */
  signal: AbortSignal;
}

interface Opened {
  type: 'opened';
  id: number;
  method: string;
  url: string;
  headers: [string, string][];
}

type Item = Opened | { type: 'room'; id: number } | { type: 'given_up'; id: number };

/** One request on its way. */
interface Errand {
  readonly controller: AbortController;
  /** Goes on where the body had to wait. */
  goOn: () => void;
}

/** The requests of one agent, or of one list of models. */
export class Carrier extends Service<Item, NativeFetches> {
  readonly #fetch: Fetch;
  readonly #errands = new Map<number, Errand>();

  constructor(fetch: Fetch) {
    super(NativeFetches);
    this.#fetch = fetch;
  }

  override end(): void {
    super.end();
    for (const id of [...this.#errands.keys()]) this.#giveUp(id);
  }

  protected take(item: Item): void {
    switch (item.type) {
      case 'opened':
        return void this.#carry(item);
      case 'room':
        return this.#errands.get(item.id)?.goOn();
      case 'given_up':
        return this.#giveUp(item.id);
    }
  }

  async #carry(asked: Opened): Promise<void> {
    const { id } = asked;
    const errand: Errand = { controller: new AbortController(), goOn: ignore };
    this.#errands.set(id, errand);
    try {
      const isWhole = await this.#stream(id, await this.#send(asked, errand.controller.signal), errand);
      if (isWhole) this.#end(id);
    } catch (thrown) {
      if (thrown instanceof Misfit) native(() => this.queue.misfit(id, thrown.message));
      else native(() => this.queue.fail(id, reasonOf(thrown)));
    }
    // Whatever is left of it has no reader: a body that broke off in here, or one that nobody wanted.
    this.#giveUp(id);
  }

  #send({ id, url, method, headers }: Opened, signal: AbortSignal): Promise<Response> {
    const body = native(() => this.queue.body(id));
    const fetch = this.#fetch;
    return fetch(url, { method, headers, ...(body.length > 0 && { body }), redirect: 'manual', signal });
  }

  /** Takes the response over, until it ends (`true`) or nobody wants it. */
  async #stream(id: number, response: unknown, errand: Errand): Promise<boolean> {
    const { signal } = errand.controller;
    const { status, headers, body } = partsOf(response);
    if (!native(() => this.queue.respond(id, status, headers))) {
      await body?.cancel();
      return false;
    }
    if (body === null) return true;
    const reader = body.getReader();
    // A response that the host made itself may know nothing of the signal.
    signal.addEventListener('abort', () => void reader.cancel().catch(ignore));
    for (let read; !(read = await reader.read()).done; ) {
      const piece = bytesOf(read.value);
      const next = native(() => this.queue.push(id, piece));
      if (next === 'wait') await new Promise<void>((resolve) => (errand.goOn = resolve));
      if (next === 'given_up') return false;
    }
    return !signal.aborted;
  }

  #end(id: number): void {
    this.#errands.delete(id);
    native(() => this.queue.end(id));
  }

  #giveUp(id: number): void {
    const errand = this.#errands.get(id);
    this.#errands.delete(id);
    errand?.controller.abort();
    errand?.goOn();
  }
}

/** Something of the host's that is not what it should be: another attempt would bring the same. */
class Misfit extends Error {}

interface Parts {
  status: number;
  headers: [string, string][];
  body: ReadableStream<unknown> | null;
}

/** What is needed of a response, which may be one of another realm or of another library's making. */
function partsOf(response: unknown): Parts {
  const { status, headers, body } = Object(response) as { status?: unknown; headers?: unknown; body?: unknown };
  if (!Number.isInteger(status) || (status as number) < 0 || (status as number) > 0xffff) {
    throw new Misfit(`expected a Response, found ${kindOf(response)} whose status is ${kindOf(status)}`);
  }
  const pairs = Symbol.iterator in Object(headers) ? [...(headers as Iterable<unknown>)] : undefined;
  if (!pairs?.every(isPair)) throw new Misfit(`expected a Response with Headers, found ${kindOf(headers)} in their place`);
  if (body !== null && typeof (Object(body) as { getReader?: unknown }).getReader !== 'function') {
    throw new Misfit(`expected a Response whose body is a ReadableStream or null, found ${kindOf(body)} in its place`);
  }
  return { status: status as number, headers: pairs, body: body as ReadableStream<unknown> | null };
}

function isPair(pair: unknown): pair is [string, string] {
  return Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string');
}

function bytesOf(piece: unknown): Uint8Array {
  if (kindOf(piece) === 'Uint8Array') return piece as Uint8Array;
  throw new Misfit(`expected a body of Uint8Array pieces, found ${kindOf(piece)}`);
}

/** What a value is called, in whichever realm it was made. */
function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/** `fetch` itself says no more than that it failed; why is in the cause. */
function reasonOf(thrown: unknown): string {
  const { cause } = Object(thrown) as { cause?: unknown };
  return cause === undefined ? messageOf(thrown) : `${messageOf(thrown)}: ${messageOf(cause)}`;
}

function ignore(): void {}
