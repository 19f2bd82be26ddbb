// A process in the middle of many turns, that ends in the way its argument says. Started by exit.test.mjs.
import { mkdirSync } from 'node:fs';
import { createAgent } from 'lodger';
import { scripted, sleep, tool, until } from './kit.mjs';

const [mode, folder] = process.argv.slice(2);
const options = {
  cwd: folder,
  mode: 'full-auto',
  env: { set: { LODGER_TEST_MARK: process.env.LODGER_TEST_MARK } },
};
const make = async (name, reply, more) => {
  mkdirSync(`${folder}/${name}`, { recursive: true });
  return createAgent({ ...options, ...more, model: scripted(`${folder}/${name}`, [reply]) });
};
const stream = [{ type: 'repeat', text: 'x', count: 100_000_000 }];

// Nobody reads these: they stand on a full queue and hold nothing.
for (let index = 0; index < 3; index++) (await make('unread', stream)).prompt('go');
await make('idle', stream);

if (mode !== 'return') {
  const seen = new Set();
  for (let index = 0; index < 3; index++) {
    const turn = (await make('read', stream)).prompt('go', { onEvent: () => seen.add(`read${index}`) });
    turn.catch(() => {});
  }
  const call = (toolName, input) => [{ type: 'tool_call', toolName, input }];
  const busy = tool('busy', async (_input, { progress }) => {
    seen.add('tool');
    for (;;) {
      progress('.');
      await sleep(1);
    }
  });
  (await make('tool', call('busy', {}), { tools: [busy] })).prompt('go').catch(() => {});
  (await make('shell', call('run_shell', { command: 'sleep 1234 & echo up; sleep 1234' })))
    .prompt('go', { onEvent: (event) => event.type === 'tool_progress' && seen.add('shell') })
    .catch(() => {});
  await until(() => seen.size === 5, 'everything is under way');
}

process.stdout.write('ready\n');
if (mode === 'exit') process.exit(7);
if (mode === 'throw') throw new Error('on purpose');
// `return` goes home; the signals come from outside.
