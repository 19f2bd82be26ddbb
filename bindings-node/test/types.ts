// Compiled, never run: what a strict program may write, and what it may not.
import {
  createAgent,
  defineTool,
  listModels,
  LodgerError,
  type Agent,
  type AgentOptions,
  type Diagnostic,
  type DiagnosticHandler,
  type ErrorCode,
  type Event,
  type Fetch,
  type FetchInit,
  type HostAuth,
  type HostTool,
  type IssuedToken,
  type ListModelsOptions,
  type Message,
  type PermissionAnswer,
  type TokenRequest,
  type TokenSource,
  type Turn,
  type TurnResult,
  type TurnStream,
  type UsageReport,
} from 'lodger';

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city',
  inputSchema: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer' },
      unit: { enum: ['celsius', 'kelvin'] },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['city'],
  },
  readOnly: true,
  async execute(input, { signal, progress }) {
    const city: string = input.city;
    const days: number | undefined = input.days;
    const unit: 'celsius' | 'kelvin' | undefined = input.unit;
    const tags: string[] | undefined = input.tags;
    // @ts-expect-error: the schema has no such property
    input.country;
    progress(`asking for ${city}`);
    return signal.aborted ? null : { days, unit, tags };
  },
});

const loose: HostTool = {
  name: 'loose',
  description: 'Takes what it gets',
  inputSchema: { type: 'object' },
  execute: (input) => ({ type: 'lodger.tool-result', text: String(input.anything), isError: true }),
};

const options: AgentOptions = {
  model: 'anthropic/claude-sonnet-5-5',
  cwd: '/tmp',
  mode: 'ask',
  tools: [weather, loose],
  endpoint: { kind: 'anthropic', baseUrl: 'http://127.0.0.1:1' },
  auth: { apiKey: 'sk' },
  limits: { maxSteps: 3 },
  onPermission: async (request, { signal }): Promise<PermissionAnswer> => {
    const summary: string = request.target.summary;
    if (signal.aborted || request.risk === 'high') return { kind: 'deny', feedback: summary };
    return request.target.effect === 'write' ? { kind: 'allow_once' } : { kind: 'allow_always' };
  },
  onQuestion: (request) => ({ answers: [request.options[0]?.label ?? request.question] }),
  onPlan: (request) => ({ approved: request.plan.length > 0 }),
  onDiagnostic: watch,
};

function watch(diagnostic: Diagnostic): void {
  if (diagnostic.type === 'transport.retry') console.log(diagnostic.attempt, diagnostic.delayMs, diagnostic.error);
  // @ts-expect-error: other types have no attempt
  else console.log(diagnostic.ts, diagnostic.attempt);
}
const slowly: DiagnosticHandler = async (diagnostic) => diagnostic.sessionId;
options.onDiagnostic = slowly;

options.fetch = globalThis.fetch;
const wrapped: Fetch = (input: string, { signal, ...init }: FetchInit) => fetch(input, { ...init, signal });
options.fetch = wrapped;
const whose: ListModelsOptions = { provider: 'anthropic', auth: { apiKey: 'sk' }, fetch: wrapped };
export const models = async (): Promise<string[]> => listModels(whose);

const vault: TokenSource = async ({ audience }: TokenRequest): Promise<IssuedToken> => ({ token: audience });
const made: HostAuth = { token: vault };
options.auth = made;
options.auth = { token: () => ({ token: 'made', expiresAt: Date.now() + 60_000 }) };

// @ts-expect-error: a token is more than a text
options.auth = { token: () => 'made' };
// @ts-expect-error: a response is promised
options.fetch = () => new Response();
// @ts-expect-error: no such mode
options.mode = 'reckless';
// @ts-expect-error: not an answer
options.onPermission = () => ({ kind: 'maybe' });

export async function everything(): Promise<TurnResult> {
  await using agent: Agent = await createAgent(options);
  const turn: Turn = agent.prompt('go', { signal: AbortSignal.timeout(1000) });
  for await (const event of turn) show(event);
  const byHand: TurnStream = agent.stream([{ type: 'text', text: 'go' }]);
  byHand.cancel();
  await byHand.result;
  const messages: Message[] = agent.messages();
  const usage: UsageReport = agent.usage();
  agent.setMode('plan');
  agent.setModel('anthropic/other');
  agent.answer('req', { kind: 'deny' });
  const running: boolean = agent.interrupt();
  console.log(messages.length, usage.session.inputTokens, running, agent.sessionId);
  try {
    return await agent.prompt('go', { onEvent: show });
  } catch (error) {
    if (!(error instanceof LodgerError)) throw error;
    const code: ErrorCode = error.code;
    console.log(code, error.retryable, error.retryAfterMs, error.data);
    if (error.result) return error.result;
    throw error;
  }
}

function show(event: Event): void {
  switch (event.type) {
    case 'text_delta':
      return void process.stdout.write(event.text);
    case 'tool_call':
      return console.log(event.toolName, event.target.summary);
    case 'request_opened':
      if (event.kind === 'permission') console.log(event.permission.risk);
      return;
    case 'done':
      return console.log(event.reason, event.usage.outputTokens, event.costUsd?.toFixed(2));
  }
}
