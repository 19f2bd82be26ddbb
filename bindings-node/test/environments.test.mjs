// Workers, many agents, and what is left when they are gone.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createAgent } from 'lodger';
import { agentFor, all, call, endless, folder, repeat, scripted, text, textOf, toldText, tool, until } from './kit.mjs';

const linux = { skip: process.platform !== 'linux' && 'reads /proc' };
const threads = () => Number(/^Threads:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
const descriptors = () => readdirSync('/proc/self/fd').length;

function start(options, more = {}) {
  return new Worker(new URL('./worker.mjs', import.meta.url), {
    workerData: { options, read: true, ...more },
    ...more,
  });
}

const event = (worker, type) =>
  new Promise((resolve, reject) => {
    worker.on('message', (message) => message.type === type && resolve(message));
    worker.on('error', reject);
  });
const exit = (worker) => new Promise((resolve) => worker.on('exit', resolve));

test('a worker has agents of its own and ends by itself', async (t) => {
  const worker = start({ model: scripted(folder(t), [[text('from a worker')]]) }, { close: true });
  const ended = exit(worker);
  assert.equal((await event(worker, 'done')).reason, 'end_turn');
  assert.equal(await ended, 0);
});

test('a worker with an idle agent ends by itself', async (t) => {
  const worker = start({ model: scripted(folder(t), [[text('hi')]]) });
  assert.equal(await exit(worker), 0);
});

test('a worker hears of its own agents, and a watched idle agent does not hold it', async (t) => {
  const model = scripted(folder(t), [[text('hi')]]);
  const [closing, idle] = [true, false].map((close) => start({ model }, { close, watch: true, read: false }));
  const heard = { closing: [], idle: [] };
  closing.on('message', ({ type }) => heard.closing.push(type));
  idle.on('message', ({ type }) => heard.idle.push(type));
  assert.deepEqual(await Promise.all([exit(closing), exit(idle)]), [0, 0]);
  assert.deepEqual(heard.closing, ['runtime.start', 'runtime.ready', 'started', 'runtime.exit']);
  assert.deepEqual(heard.idle.slice(0, 3), ['runtime.start', 'runtime.ready', 'started']);
});

test('watched agents are terminated with their workers in mid-turn', linux, async (t) => {
  const before = threads();
  const model = scripted(folder(t), [[call('write_file', { path: 'a.txt', content: 'x' })]], 'loop');
  const options = { model, cwd: folder(t), limits: { maxSteps: 1_000_000 } };
  const workers = Array.from({ length: 10 }, () => start(options, { watch: true }));
  await Promise.all(workers.map((worker) => event(worker, 'tool_result')));
  await Promise.all(workers.map((worker) => worker.terminate()));
  await until(() => threads() <= before, `${threads()} threads are ${before} again`);
});

test("a worker's agents see the worker's environment", async (t) => {
  const options = {
    cwd: folder(t),
    mode: 'full-auto',
    model: scripted(folder(t), [[call('run_shell', { command: 'echo "<$MARK>"' })], [text('ok')]]),
  };
  process.env.MARK = 'main';
  t.after(() => delete process.env.MARK);
  const worker = start(options, { env: { ...process.env, MARK: 'worker' } });
  const events = [];
  worker.on('message', (message) => events.push(message));
  await exit(worker);
  assert.match(toldText(events), /<worker>/);
});

test('the environment is taken when an agent is made', async (t) => {
  process.env.MARK = 'before';
  t.after(() => delete process.env.MARK);
  const agent = await agentFor(t, [[call('run_shell', { command: 'echo "<$MARK>"' })], [text('ok')]], {
    cwd: folder(t),
    mode: 'full-auto',
  });
  process.env.MARK = 'after';
  assert.match(toldText(await all(agent.prompt('go'))), /<before>/);
});

test('twenty workers are terminated in mid-turn, and their turns with them', linux, async (t) => {
  const before = threads();
  const path = folder(t);
  const models = [scripted(folder(t), [endless]), scripted(path, [[repeat(1_000_000)]])];
  const workers = Array.from({ length: 20 }, (_, index) =>
    start({ model: models[index % 2] }, { read: index % 4 < 2 }),
  );
  await Promise.all(workers.map((worker, index) => event(worker, index % 4 < 2 ? 'text_delta' : 'started')));
  await Promise.all(workers.map((worker) => worker.terminate()));
  await until(() => threads() <= before, `${threads()} threads are ${before} again`);
});

test('an agent in the main thread goes on while workers come and go', async (t) => {
  const agent = await agentFor(t, [[repeat(30_000)]]);
  const events = all(agent.prompt('go'));
  const model = scripted(folder(t), [endless]);
  for (let round = 0; round < 3; round++) {
    const worker = start({ model });
    await event(worker, 'text_delta');
    await worker.terminate();
  }
  assert.equal(textOf(await events).length, 30_000);
});

test('a thousand agents do a tool round each, and leave nothing behind', linux, async (t) => {
  const model = scripted(folder(t), [[call('add', { a: 1, b: 2 })], [text('done')]]);
  // One agent before, so that what a process keeps for good is there already.
  await (await createAgent({ model })).close();
  const [threadsBefore, descriptorsBefore] = [threads(), descriptors()];

  let calls = 0;
  const add = tool('add', async ({ a, b }) => (calls++, a + b));
  const agents = await Promise.all(Array.from({ length: 1000 }, () => createAgent({ model, tools: [add] })));
  const results = await Promise.all(agents.map((agent) => agent.prompt('go')));
  assert.equal(calls, 1000);
  assert.ok(results.every((result) => result.reason === 'end_turn' && result.text === 'done'));
  assert.ok(threads() < threadsBefore + 50, `${threads()} threads`);

  await Promise.all(agents.map((agent) => agent.close()));
  await until(() => threads() <= threadsBefore, 'threads are as before');
  await until(() => descriptors() <= descriptorsBefore, 'descriptors are as before');
});
