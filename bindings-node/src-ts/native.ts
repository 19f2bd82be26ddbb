/**
 * The native half (src/*.rs), typed. Only hub, agent and turn talk to it.
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

export interface NativeHandlers {
  permission: boolean;
  tool: boolean;
  question: boolean;
  plan: boolean;
}

export interface NativeDiagnostics {
  takeJson(): string | null;
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
  NativeAgent: {
    create(
      options: string,
      environment: string,
      handlers: NativeHandlers,
      checkpoint?: Uint8Array,
      diagnostics?: NativeDiagnostics,
    ): NativeAgent;
  };
  version(): string;
}

export const { NativeAgent, NativeDiagnostics, NativeMailbox } = load<Addon>();
