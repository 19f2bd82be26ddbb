// A host that uses every construct of a conversation. Run by surface.test.mjs.
import {
  createAgent,
  listModels,
  LodgerError,
  sdkApiVersion,
  type Agent,
  type AgentOptions,
  type ApprovalDecision,
  type ApprovalRequest,
  type Auth,
  type Bytes,
  type DiagnosticEvent,
  type Fetch,
  type HostTool,
  type JsonValue,
  type ListModelsOptions,
  type MaybePromise,
  type PromptBlock,
  type PromptInput,
  type PromptOptions,
  type Provider,
  type RichToolResult,
  type StopReason,
  type Turn,
  type TurnEvent,
  type TurnResult,
  type Usage,
} from 'lodger/conversation';

const [cwd = '', script = ''] = process.argv.slice(2);
const lines: string[] = [];
const provider: Provider = 'scripted';
const auth: Auth = { provider, token: 'none' };

const rows: HostTool = {
  name: 'count_rows',
  description: 'Counts the rows of a table',
  inputSchema: { type: 'object', properties: { table: { type: 'string' } }, required: ['table'] },
  async execute(input, { signal }): Promise<JsonValue> {
    if (typeof input !== 'object' || input === null || !('table' in input)) throw new TypeError('which table?');
    return signal.aborted ? null : { table: String(input.table), rows: 3 };
  },
};
const chart: HostTool = {
  name: 'chart',
  description: 'Draws a chart',
  inputSchema: { type: 'object' },
  execute(): RichToolResult {
    return {
      type: 'lodger.tool-result',
      text: 'a chart',
      images: [{ type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' }],
      isError: false,
    };
  },
};
const nothing: HostTool = { name: 'nothing', description: 'Does nothing', inputSchema: {}, execute: () => undefined };

function decide(request: ApprovalRequest, signal: AbortSignal): MaybePromise<ApprovalDecision> {
  const { toolName, label, kind, detail, preparation, targets, suggestedGrants } = request;
  lines.push(`${kind} by ${toolName}: ${label}; ${targets.length} target, ${suggestedGrants.length} grants`);
  if (signal.aborted || preparation !== undefined) return { outcome: 'deny' };
  if (kind === 'file') return detail?.includes('+noted') ? { outcome: 'once' } : { outcome: 'always' };
  return Promise.resolve<ApprovalDecision>({ outcome: 'deny', note: 'no commands, please' });
}

const options: AgentOptions = {
  auth,
  model: `scripted/${script}`,
  effort: 'auto',
  fetch: globalThis.fetch,
  instructions: ['Be brief.', 'Be kind.'],
  tools: [rows, chart, nothing],
  permissions: decide,
  workspace: { cwd },
  onEvent(event: DiagnosticEvent) {
    const isTimed = event.timestamp <= performance.now() && event.code !== 1;
    if (event.type.startsWith('runtime.')) lines.push(`watched ${event.type} ${isTimed}`);
  },
};

async function drain(turn: Turn): Promise<TurnResult> {
  for await (const _ of turn) {
    // Read, so that the turn goes on.
  }
  return turn.result;
}

const agent: Agent = await createAgent(options);
try {
  const turn: Turn = agent.prompt('Explain this table.');
  for await (const event of turn) lines.push(shown(event));
  const result: TurnResult = await turn.result;
  const usage: Usage = result.usage;
  lines.push(`${result.stopReason}: ${usage.inputTokens} in, ${usage.outputTokens} out`);

  const controller = new AbortController();
  const promptOptions: PromptOptions = { signal: controller.signal };
  const blocks: PromptBlock[] = [
    { type: 'text', text: 'Sum this up.' },
    { type: 'resource', resource: { uri: 'file:///notes/plan.txt', text: 'First this, then that.' } },
    { type: 'resource', resource: { uri: 'file:///notes/empty.txt' } },
    { type: 'image', mimeType: 'image/gif', data: 'R0lGODlhAQABAAAAACw=' },
  ];
  const input: PromptInput = blocks;
  const second = agent.prompt(input, promptOptions);
  controller.abort();
  const stopped: StopReason = (await drain(second)).stopReason;

  const third = agent.prompt('And this.');
  third.cancel();
  lines.push(`${stopped}, ${(await drain(third)).stopReason}`);
  try {
    agent.prompt([]);
  } catch (error) {
    lines.push(error instanceof TypeError ? 'an empty prompt is a TypeError' : 'not so');
  }

  const checkpoint: Bytes = await agent.checkpoint();
  const restored = await createAgent({ ...options, checkpoint, onEvent: () => {} });
  await restored.close();
} finally {
  await agent.close();
}
try {
  agent.prompt('Still there?');
} catch (error) {
  lines.push(error instanceof LodgerError ? error.code : 'not so');
}
await createAgent({ auth: { provider: 'codex' } }).catch((error: unknown) => lines.push(String(error)));
// @ts-expect-error: there is no such option
await createAgent({ ...options, env: {} }).catch((error: unknown) => lines.push(String(error)));
const canned: Fetch = async () => Response.json({ data: [{ id: 'two' }, { id: 'one' }, { id: 'two' }] });
const listed: ListModelsOptions = { auth: { provider: 'anthropic', token: 'none' }, fetch: canned };
lines.push(`models ${(await listModels(listed)).join(', ')}`);
lines.push(`revision ${sdkApiVersion}`);
console.log(lines.join('\n'));

function shown(event: TurnEvent): string {
  switch (event.type) {
    case 'text_delta':
      return `text ${event.delta}`;
    case 'reasoning_delta':
      return `thought ${event.delta}`;
    case 'tool_start':
      return `${event.name} starts`;
    case 'tool_end':
      return `${event.name} ends${event.isError ? ' badly' : ''}: ${event.content?.split('\n')[0] ?? ''}`;
    default:
      return event satisfies never;
  }
}
