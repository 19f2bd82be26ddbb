// Against a model over real HTTP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAgent, LodgerError } from 'lodger';
import { all, call, endless, folder, only, repeat, sleep, text, textOf, until } from './kit.mjs';
import { mockModel } from './mock.mjs';

async function agentAt(t, mock, options = {}) {
  const agent = await createAgent({
    model: 'anthropic/mock',
    endpoint: mock.endpoint,
    auth: { apiKey: 'sk-test' },
    ...options,
  });
  t.after(() => agent.close());
  return agent;
}

test('a conversation over HTTP', async (t) => {
  const mock = await mockModel(t, [[text('hello', 3)], [text('again')]]);
  const agent = await agentAt(t, mock);
  assert.equal(textOf(await all(agent.prompt('go'))), 'hello');
  assert.equal((await agent.prompt('go on')).text, 'again');
  assert.equal((await mock.stats()).requests, 2);
});

test('a reader that stops stops the source, and loses nothing when it goes on', async (t) => {
  const count = 60_000;
  const mock = await mockModel(t, [[repeat(count, 'x'.repeat(40))]]);
  const agent = await agentAt(t, mock);
  const written = async () =>
    Math.max(...(await mock.stats()).connections.map((connection) => connection.bytesWritten));

  const iterator = agent.prompt('go')[Symbol.asyncIterator]();
  const events = [(await iterator.next()).value];
  let before = -1;
  await until(async () => {
    const now = await written();
    const still = now > 10_000 && now === before;
    before = now;
    await sleep(100);
    return still;
  }, 'the server stands still');
  assert.equal((await mock.stats()).finished, 0);
  assert.ok(before < 12_000_000, `${before} bytes were taken without a reader`);

  for await (const event of iterator) events.push(event);
  assert.equal(textOf(events).length, count * 40);
  assert.equal(events.at(-1).reason, 'end_turn');
});

test('a prompt whose signal had aborted sends no request', async (t) => {
  const mock = await mockModel(t, [[text('hi')]]);
  const agent = await agentAt(t, mock);
  assert.equal((await agent.prompt('go', { signal: AbortSignal.abort() })).reason, 'cancelled');
  assert.equal((await mock.stats()).requests, 0);
});

test('cancelling closes the connection', async (t) => {
  const mock = await mockModel(t, [endless]);
  const agent = await agentAt(t, mock);
  for await (const event of agent.stream('go')) if (event.type === 'text_delta') break;
  await until(async () => (await mock.stats()).aborted === 1, 'the server saw its client leave');
});

test('a refused key is an error that is not tried again', async (t) => {
  const mock = await mockModel(t, [[text('hi')]], { args: ['--api-key', 'sk-right'] });
  const agent = await agentAt(t, mock, { auth: { apiKey: 'sk-wrong' } });
  await assert.rejects(
    async () => agent.prompt('go'),
    (error) => {
      assert.ok(error instanceof LodgerError);
      assert.equal(error.code, 'provider_auth');
      assert.equal(error.retryable, false);
      assert.doesNotMatch(JSON.stringify(error) + error.message, /sk-wrong/);
      return true;
    },
  );
});

test('agents in one process differ in key, folder and environment', async (t) => {
  const agents = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => {
      const cwd = folder(t);
      const mock = await mockModel(t, [[call('run_shell', { command: 'echo "$MARK"; pwd' })], [text('ok')]], {
        args: ['--api-key', `sk-${name}`],
      });
      const env = { set: { MARK: `mark-${name}` } };
      const agent = await agentAt(t, mock, { cwd, env, auth: { apiKey: `sk-${name}` }, mode: 'full-auto' });
      return { name, cwd, agent };
    }),
  );
  const told = await Promise.all(
    agents.map(async ({ agent }) => {
      const [result] = only(await all(agent.prompt('go')), 'tool_result');
      return result.content.map((block) => block.text).join('');
    }),
  );
  for (const [index, { name, cwd }] of agents.entries()) {
    assert.match(told[index], new RegExp(`mark-${name}\n.*${cwd}`, 's'));
    for (const other of agents)
      if (other.name !== name) assert.doesNotMatch(told[index], new RegExp(`mark-${other.name}`));
  }
  assert.equal(process.env.MARK, undefined);
});
