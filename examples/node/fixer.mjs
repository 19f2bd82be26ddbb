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
  async onPermission(request, { signal }) {
    if (yes || (await confirm(request, signal))) return { kind: 'allow_once' };
    return { kind: 'deny', feedback: 'The user said no.' };
  },
});

try {
  const result = await agent.prompt(PROMPT, { onEvent: show });
  const { inputTokens = '?', outputTokens = '?' } = result.usage;
  console.log(`\n${result.reason}: ${inputTokens} tokens in, ${outputTokens} out`);
} catch (error) {
  console.error(`\n${error.code}: ${error.message}`);
  process.exitCode = 1;
} finally {
  await agent.close();
}

function show(event) {
  if (event.type === 'text_delta') process.stdout.write(event.text);
  if (event.type === 'assistant_message') console.log();
  if (event.type === 'tool_call') console.log(`> ${event.toolName}: ${event.target.summary}`);
}

async function confirm(request, signal) {
  if (request.diff) console.log(request.diff);
  const terminal = createInterface(process.stdin, process.stdout);
  try {
    return /^y/i.test(await terminal.question(`${request.label}: ${request.target.summary}? [y/N] `, { signal }));
  } finally {
    terminal.close();
  }
}
