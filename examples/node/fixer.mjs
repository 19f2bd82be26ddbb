// Mends the failing test in a folder, and asks before it changes or runs anything.
//
//   node fixer.mjs FOLDER [--yes]
//
// LODGER_MODEL       provider/model; default anthropic/claude-sonnet-5-5
// LODGER_BASE_URL    a server that speaks Anthropic Messages; default: the provider's own
// ANTHROPIC_API_KEY  the key, under the name of the model's provider
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { createAgent } from 'lodger';

const [folder, yes] = process.argv.slice(2);
if (!folder || (yes && yes !== '--yes')) {
  console.error('usage: node fixer.mjs FOLDER [--yes]');
  process.exit(2);
}

const { LODGER_MODEL, LODGER_BASE_URL } = process.env;
const PROMPT = 'The test in this folder fails. Find out why, mend the code, and run the test again.';

const agent = await createAgent({
  cwd: resolve(folder),
  model: LODGER_MODEL ?? 'anthropic/claude-sonnet-5-5',
  ...(LODGER_BASE_URL && { endpoint: { kind: 'anthropic', baseUrl: LODGER_BASE_URL } }),
  // As events, questions come in order: after what led to them. `onPermission` asks at once.
  requests: 'events',
});

try {
  const turn = agent.prompt(PROMPT);
  for await (const event of turn) {
    if (event.type === 'text_delta') process.stdout.write(event.text);
    if (event.type === 'assistant_message') process.stdout.write('\n');
    if (event.type === 'tool_call') process.stdout.write(`> ${event.toolName}: ${event.target.summary}\n`);
    if (event.type === 'request_opened') agent.answer(event.requestId, await decide(event.permission));
  }
  const result = await turn.result;
  const { inputTokens = '?', outputTokens = '?' } = result.usage;
  console.log(`\n${result.reason}: ${inputTokens} tokens in, ${outputTokens} out`);
} catch (error) {
  console.error(`\n${error.code}: ${error.message}`);
  process.exitCode = 1;
} finally {
  await agent.close();
}

async function decide(request) {
  if (request.diff) console.log(request.diff.trimEnd());
  const question = `${request.label}: ${request.summary}? [y/N] `;
  const answer = yes ? 'yes' : await ask(question);
  if (yes) console.log(question + answer);
  return /^y/i.test(answer) ? { kind: 'allow_once' } : { kind: 'deny', feedback: 'The user said no.' };
}

async function ask(question) {
  const terminal = createInterface(process.stdin, process.stdout);
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
