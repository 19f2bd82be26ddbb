/**
 * The native half (src/*.rs), typed.
 *
 * Each call is synchronous and speaks JSON texts. Each may throw an `Error` whose message is the JSON of a wire
 * `Error`: go through `native()` of errors.ts.
 */
import { load } from './load.js';

export interface NativeMailbox {
  take(): number[];
  takeClosed(): number[];
  hold(hold: boolean): void;
  forget(key: number): void;
}

export interface NativeServices {
  diagnostics?: NativeDiagnostics | undefined;
  fetch?: NativeFetches | undefined;
  token?: NativeTokens | undefined;
}

export interface NativeHandlers extends NativeServices {
  permission: boolean;
  tool: boolean;
  question: boolean;
  plan: boolean;
}

export interface NativeDiagnostics {
  takeJson(): string | null;
}

export interface NativeFetches {
  takeJson(): string | null;
  body(id: number): Uint8Array<ArrayBuffer>;
  respond(id: number, status: number, headers: [string, string][]): boolean;
  push(id: number, piece: Uint8Array): 'more' | 'wait' | 'given_up';
  end(id: number): void;
  fail(id: number, reason: string): void;
  misfit(id: number, what: string): void;
}

export interface NativeTokens {
  takeJson(): string | null;
  issue(id: number, token: string, expiresAt?: number): void;
  fail(id: number, reason: string): void;
}

export interface NativeModelList {
  take(): string[] | null;
}

export interface NativeAgent {
  readonly sessionId: string;
  readonly closed: boolean;
  prompt(input: string, mailbox: NativeMailbox, key: number): NativeTurn;
  checkpoint(): Uint8Array;
  answer(requestId: string, answer: string): void;
  failRequest(requestId: string, reason: string): void;
  progress(requestId: string, text: string): void;
  interrupt(): boolean;
  setMode(mode: string): void;
  setModel(model: string): void;
  call(method: string, params: string): string;
  beginClose(timeoutMs: number, mailbox: NativeMailbox, key: number): void;
}

export interface NativeTurn {
  claimReader(): void;
  drainJson(max: number): string | null;
  takeLaneJson(): string | null;
  cancel(): void;
}

export interface Addon {
  NativeMailbox: new (onRing: () => void) => NativeMailbox;
  NativeDiagnostics: new (mailbox: NativeMailbox, key: number) => NativeDiagnostics;
  NativeFetches: new (mailbox: NativeMailbox, key: number) => NativeFetches;
  NativeTokens: new (mailbox: NativeMailbox, key: number) => NativeTokens;
  NativeAgent: {
    create(options: string, env: string, handlers: NativeHandlers, checkpoint?: Uint8Array): NativeAgent;
  };
  NativeModelList: {
    begin(options: string, env: string, handlers: NativeServices, mailbox: NativeMailbox, key: number): NativeModelList;
  };
  version(): string;
}

export const { NativeAgent, NativeDiagnostics, NativeFetches, NativeMailbox, NativeModelList, NativeTokens } =
  load<Addon>();
