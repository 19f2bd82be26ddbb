// Programs in strict TypeScript that use every construct, compiled by `tsc -p test` and run as a host would.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { call, endless, folder, scripted, text } from './kit.mjs';

/** The lines that a program prints. */
async function run(name, ...words) {
  const file = fileURLToPath(new URL(`./.built/surface/${name}.js`, import.meta.url));
  const options = { timeout: 60_000, env: { ...process.env, LODGER_CONFIG_DIR: dirname(file) } };
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...words], options);
  return stdout.trimEnd().split('\n');
}
const script = (t, steps) => scripted(folder(t), steps).slice('scripted/'.length);
const note = call('write_file', { path: 'note.txt', content: 'noted\n' });

test('an agent in process, in every way', async (t) => {
  const cwd = folder(t);
  const steps = [
    [text('I will. '), note, call('run_shell', { command: 'ls' })],
    { reply: [text('There.')], usage: { outputTokens: 3 } },
    [text('Again.')],
    endless,
    endless,
  ];
  const other = script(t, Array(6).fill([text('Another.')]));
  assert.deepEqual(await run('in-process', cwd, script(t, steps), other), [
    'write_file: Write note.txt',
    'run_shell: ls',
    'I will. There.',
    'end_turn, 3 output tokens, $?',
    'Again.',
    'interrupted: true',
    'cancelled',
    'Another.',
    'first user, then assistant',
    'runtime.start, runtime.ready, write_file: allowed_once, run_shell: denied, runtime.exit',
  ]);
  assert.ok(existsSync(join(cwd, 'note.txt')));
});

test('a conversation, with every construct', async (t) => {
  const calls = [call('count_rows', { table: 'users' }), call('chart'), call('nothing'), note];
  const steps = [
    { expect: { system: 'Be brief.\n\nBe kind.' }, reply: [{ type: 'thinking', text: 'Rows?' }, text('Let me see.')] },
    { reply: [text('Done.')], usage: { inputTokens: 9, outputTokens: 2 } },
    endless,
    endless,
  ];
  steps[0].reply.push(...calls, call('run_shell', { command: 'rm -rf data' }));
  const lines = await run('conversation', folder(t), script(t, steps));
  const asked = lines.filter((line) => / by /.test(line));
  const watched = lines.filter((line) => line.startsWith('watched '));
  assert.deepEqual(watched, ['runtime.start', 'runtime.ready', 'runtime.exit'].map((type) => `watched ${type} true`));
  assert.deepEqual(asked, [
    'file by write_file: Change file: Write note.txt; 1 target, 2 grants',
    'command by run_shell: Run command: rm -rf data; 1 target, 1 grants',
  ]);
  assert.deepEqual(
    lines.filter((line) => ![...asked, ...watched].includes(line) && !/write_file ends/.test(line)),
    [
      'thought Rows?',
      'text Let me see.',
      ...['count_rows', 'chart', 'nothing', 'write_file', 'run_shell'].map((name) => `${name} starts`),
      'count_rows ends: {"table":"users","rows":3}',
      'chart ends: a chart',
      'nothing ends: null',
      'run_shell ends badly: permission denied: no commands, please',
      'text Done.',
      'end_turn: 9 in, 2 out',
      'cancelled, cancelled',
      'an empty prompt is a TypeError',
      'closed',
      'LodgerError: there is no saved login of `codex`; save a token or key that you have with `lodger login codex ' +
        '--with-token` or `--with-key`, or give the token as option auth, { provider, token }',
      'TypeError: options: there is no `env`; there is auth, model, effort, instructions, tools, checkpoint, fetch, ' +
        'permissions, workspace, onEvent',
      'models one, two',
      'revision 1',
    ],
  );
});

test('every event has a case', async (t) => {
  const lines = await run('exhaustive', script(t, [[text('hi')]]));
  assert.equal(lines[0], 'user_message: 1 blocks');
  assert.ok(lines.includes('text_delta: hi'));
  assert.equal(lines.at(-1), 'done: end_turn');
});
