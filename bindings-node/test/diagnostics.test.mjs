// What those who watch an agent hear of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAgent } from 'lodger';
import { agentFor, all, call, endless, folder, repeat, scripted, sleep, text, types, until } from './kit.mjs';
import { mockModel } from './mock.mjs';

/** A watcher that keeps what it hears. */
function watcher(more = () => undefined) {
  const heard = [];
  return { heard, onDiagnostic: (diagnostic) => (heard.push(diagnostic), more(diagnostic)) };
}

const write = call('write_file', { path: 'a.txt', content: 'the-content' });
const allow = () => ({ kind: 'allow_once' });

test('start and ready are told before createAgent resolves, exit before close does', async (t) => {
  const { heard, onDiagnostic } = watcher();
  const agent = await agentFor(t, [[text('hi')]], { onDiagnostic });
  assert.deepEqual(types(heard), ['runtime.start', 'runtime.ready']);
  await agent.prompt('go');
  await agent.close();
  assert.deepEqual(types(heard), ['runtime.start', 'runtime.ready', 'runtime.exit']);
  assert.equal(heard[2].code, 0);
  assert.ok(heard.every(({ sessionId }) => sessionId === agent.sessionId));
  assert.deepEqual(
    heard.map(({ ts }) => ts),
    heard.map(({ ts }) => ts).sort((one, other) => one - other),
  );
  await agent.close();
  await sleep(20);
  assert.equal(heard.length, 3);
});

test('a permission is told with its decision', async (t) => {
  const { heard, onDiagnostic } = watcher();
  const options = { cwd: folder(t), onPermission: allow, onDiagnostic };
  const agent = await agentFor(t, [[write], [text('ok')]], options);
  await agent.prompt('go');
  await agent.close();
  const told = heard.slice(2, -1).map(({ ts: _ts, sessionId: _sessionId, ...more }) => more);
  assert.deepEqual(told, [
    { type: 'permission.request', toolName: 'write_file', kind: 'file' },
    { type: 'permission.decision', toolName: 'write_file', kind: 'file', outcome: 'allowed_once' },
  ]);
});

test('diagnostics come while nobody reads events', async (t) => {
  const { heard, onDiagnostic } = watcher();
  const agent = await agentFor(t, [[repeat(2000)]], { onDiagnostic });
  const turn = agent.stream('go');
  await until(() => types(heard).includes('output.backpressure'), 'the queue is full');
  const events = await all(turn);
  assert.equal(events.at(-1).reason, 'end_turn');
  await agent.close();
  const slow = heard.filter(({ type }) => type === 'output.backpressure');
  assert.equal(slow.length, 1);
  assert.ok(slow[0].bufferedEvents >= 256 && slow[0].bufferedBytes > 0);
});

test('what a watcher throws, or rejects with, disturbs nobody', async (t) => {
  const unhandled = [];
  const note = (reason) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  t.after(() => process.off('unhandledRejection', note));
  const ways = [
    () => {
      throw new Error('thrown');
    },
    async () => Promise.reject(new Error('rejected')),
    () => ({ then: (_resolve, reject) => reject(new Error('rejected by hand')) }),
    () => ({
      get then() {
        throw new Error('no such thing');
      },
    }),
    () => new Promise(() => {}),
  ];
  for (const way of ways) {
    const { heard, onDiagnostic } = watcher(way);
    const agent = await agentFor(t, [[text('hi')]], { onDiagnostic });
    assert.equal((await agent.prompt('go')).text, 'hi');
    await agent.close();
    assert.deepEqual(types(heard), ['runtime.start', 'runtime.ready', 'runtime.exit']);
  }
  await sleep(20);
  assert.deepEqual(unhandled, []);
});

test('a watcher may end the turn that it hears of, and close the agent', async (t) => {
  let agent;
  let closing;
  const { heard, onDiagnostic } = watcher(({ type }) => {
    if (type !== 'permission.request') return;
    agent.interrupt();
    closing = agent.close();
  });
  agent = await agentFor(t, [[write], endless], { cwd: folder(t), requests: 'events', onDiagnostic });
  assert.equal((await agent.prompt('go')).reason, 'cancelled');
  await closing;
  assert.equal(types(heard).at(-1), 'runtime.exit');
  assert.equal(heard.filter(({ type }) => type === 'runtime.exit').length, 1);
});

test('each agent tells its own watcher', async (t) => {
  const path = folder(t);
  const model = scripted(path, [[text('hi')]]);
  const watchers = Array.from({ length: 20 }, () => watcher());
  const agents = await Promise.all(watchers.map(({ onDiagnostic }) => createAgent({ model, onDiagnostic })));
  await Promise.all(agents.map((agent) => agent.prompt('go')));
  await Promise.all(agents.map((agent) => agent.close()));
  for (const [index, { heard }] of watchers.entries()) {
    assert.deepEqual(types(heard), ['runtime.start', 'runtime.ready', 'runtime.exit']);
    assert.equal(heard[0].sessionId, agents[index].sessionId);
  }
});

test('no diagnostic has a credential or anything that was said', async (t) => {
  const mock = await mockModel(t, [[write], [text('an-answer')]]);
  const { heard, onDiagnostic } = watcher();
  const agent = await createAgent({
    model: 'anthropic/mock',
    endpoint: mock.endpoint,
    auth: { apiKey: 'key-of-the-test' },
    cwd: folder(t),
    onPermission: allow,
    onDiagnostic,
  });
  assert.equal((await agent.prompt('a-question')).text, 'an-answer');
  await agent.close();
  const transport = ['transport.start', 'transport.response'];
  const permission = ['permission.request', 'permission.decision'];
  assert.deepEqual(types(heard).slice(2, -1), [...transport, ...permission, ...transport]);
  const { model, method, endpoint, attempt } = heard[2];
  assert.deepEqual([model, method, attempt], ['anthropic/mock', 'POST', 1]);
  assert.ok(endpoint.startsWith(mock.baseUrl));
  const told = JSON.stringify(heard);
  for (const secret of ['key-of-the-test', 'an-answer', 'a-question', 'the-content', 'a.txt']) {
    assert.ok(!told.includes(secret), secret);
  }
});

test('a model that cannot be reached is told, with what is tried again', async (t) => {
  const mock = await mockModel(t, [[text('hi')]]);
  mock.stop();
  const { heard, onDiagnostic } = watcher();
  const agent = await createAgent({
    model: 'anthropic/mock',
    endpoint: mock.endpoint,
    auth: { apiKey: 'key-of-the-test' },
    limits: { maxRetries: 1 },
    onDiagnostic,
  });
  await assert.rejects(async () => agent.prompt('go'), { code: 'provider_unavailable' });
  await agent.close();
  const again = ['transport.start', 'transport.error', 'transport.retry', 'transport.start', 'transport.error'];
  assert.deepEqual(types(heard).slice(2, -1), again);
  assert.deepEqual([heard[4].attempt, heard[4].nextAttempt, heard[4].error], [1, 2, 'provider_unavailable']);
  assert.equal(heard[5].attempt, 2);
});

test('an agent that could not be made tells nothing', async () => {
  const { heard, onDiagnostic } = watcher();
  await assert.rejects(createAgent({ model: 'none/x', onDiagnostic }), { code: 'invalid_options' });
  await sleep(20);
  assert.deepEqual(heard, []);
});

test('what is no function is refused', async (t) => {
  const model = scripted(folder(t), [[]]);
  await assert.rejects(createAgent({ model, onDiagnostic: 'loudly' }), {
    code: 'invalid_options',
    message: 'option `onDiagnostic` must be a function, not string',
  });
});
