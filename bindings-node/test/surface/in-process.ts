// A host that writes down every way to drive an agent in its own process. Run by surface.test.mjs.
import { createAgent, type Agent, type Diagnostic, type Event, type Message, type TurnResult } from 'lodger';

const [cwd = '', script = '', other = ''] = process.argv.slice(2);
const lines: string[] = [];
const watched: string[] = [];

const agent: Agent = await createAgent({
  cwd,
  model: `scripted/${script}`,
  mode: 'ask',
  // Asked whenever a call needs approval; without it such calls are refused.
  onPermission: async (request) => {
    lines.push(`${request.toolName}: ${request.target.summary}`);
    return request.target.effect === 'write'
      ? { kind: 'allow_once' }
      : { kind: 'deny', feedback: 'only edits, please' };
  },
  onDiagnostic: (diagnostic: Diagnostic) => {
    if (!diagnostic.type.startsWith('permission.')) watched.push(diagnostic.type);
    else if (diagnostic.type === 'permission.decision') watched.push(`${diagnostic.toolName}: ${diagnostic.outcome}`);
  },
});

try {
  let said = '';
  const result: TurnResult = await agent.prompt('Write a note, then list the folder', {
    onEvent: (event: Event) => {
      if (event.type === 'text_delta') said += event.text;
    },
  });
  lines.push(said, `${result.reason}, ${result.usage.outputTokens} output tokens, $${result.costUsd ?? '?'}`);

  said = '';
  for await (const event of agent.stream('Say it again')) {
    if (event.type === 'text_delta') said += event.text;
  }
  lines.push(said);

  // Leaving a loop early interrupts the prompt.
  for await (const event of agent.stream('Talk on and on')) {
    if (event.type === 'text_delta') break;
  }
  const endless = agent.prompt('And on');
  lines.push(`interrupted: ${agent.interrupt()}`);
  lines.push((await endless).reason);

  agent.setMode('plan');
  agent.setModel(`scripted/${other}`);
  lines.push((await agent.prompt('Who are you?')).text);

  const messages: Message[] = agent.messages();
  lines.push(`first ${messages[0]?.role}, then ${messages[1]?.role}`);
} finally {
  await agent.close();
}
lines.push(watched.join(', '));
console.log(lines.join('\n'));
