// Checks of the host's: who judges a change before it happens has the last word.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { agentFor, all, call, folder, only, text, toldText } from './kit.mjs';

const write = call('write_file', { path: 'new.txt', content: 'written\n' }, 'call_write');

/** What comes of a change in full-auto, for a host with these options. */
async function checked(t, options) {
  const cwd = folder(t);
  const agent = await agentFor(t, [[write], [text('ok')]], { cwd, mode: 'full-auto', ...options });
  const events = await all(agent.prompt('write it'));
  return { events, written: existsSync(join(cwd, 'new.txt')) };
}

test('a finding that blocks refuses the call in full-auto, and the model hears why', async (t) => {
  let asked;
  const onCheck = async (request, { signal }) => {
    asked = { ...request, aborted: signal.aborted };
    return { blocking: true, findings: ['it is Friday'] };
  };
  const { events, written } = await checked(t, { onCheck });
  assert.equal(written, false);
  assert.deepEqual([asked.toolCallId, asked.toolName, asked.aborted], ['call_write', 'write_file', false]);
  assert.match(asked.diff, /\+written/);
  assert.deepEqual(only(events, 'tool_denied').map((event) => event.by), ['checks']);
  assert.match(toldText(events), /it is Friday/);
  assert.deepEqual(only(events, 'guard_verdict').map(({ verdict, findings }) => [verdict, findings]), [
    ['blocked', ['it is Friday']],
  ]);
});

test('a check that finds nothing lets the call run', async (t) => {
  const { written } = await checked(t, { onCheck: () => ({ blocking: false, findings: [] }) });
  assert.equal(written, true);
});

for (const [what, onCheck] of Object.entries({
  throws: () => {
    throw new Error('boom');
  },
  'answers nothing': () => {},
  'answers nonsense': () => ({ blocking: 'no' }),
})) {
  test(`a check that ${what} refuses the call`, async (t) => {
    const { events, written } = await checked(t, { onCheck });
    assert.equal(written, false);
    assert.deepEqual(only(events, 'guard_verdict').map((event) => event.verdict), ['failed']);
  });
}
