// What the native addon (src/*.rs) exports. Each call is synchronous and speaks JSON texts; each may throw an `Error`
// whose message is the JSON of a wire `Error`: go through `native()` of src-ts/errors.ts.

declare namespace addon {
  class NativeMailbox {
    constructor(onRing: () => void);
    take(): number[];
    takeClosed(): number[];
    hold(hold: boolean): void;
    forget(key: number): void;
  }

  interface NativeHandlers {
    permission: boolean;
    tool: boolean;
    question: boolean;
    plan: boolean;
  }

  class NativeAgent {
    static create(options: string, environment: string, handlers: NativeHandlers): NativeAgent;
    readonly sessionId: string;
    readonly closed: boolean;
    prompt(input: string, mailbox: NativeMailbox, key: number): NativeTurn;
    answer(requestId: string, answer: string): void;
    failRequest(requestId: string, reason: string): void;
    progress(requestId: string, text: string): void;
    interrupt(): boolean;
    setMode(mode: string): void;
    setModel(model: string): void;
    call(method: string, params: string): string;
    beginClose(timeoutMs: number, mailbox: NativeMailbox, key: number): void;
  }

  interface NativeTurn {
    claimReader(): void;
    drainJson(max: number): string | null;
    takeLaneJson(): string | null;
    cancel(): void;
  }

  function version(): string;
}

export = addon;
