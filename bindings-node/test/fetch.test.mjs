// A host that carries the requests to its model with its own fetch.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createAgent } from 'lodger';
import { all, endless, gate, repeat, text, textOf, until } from './kit.mjs';
import { mockModel } from './mock.mjs';

const provider = { model: 'anthropic/mock', auth: { apiKey: 'sk-test' }, limits: { maxRetries: 0 } };
const nowhere = { kind: 'anthropic', baseUrl: 'http://127.0.0.1:9' };

async function agentWith(t, fetch, endpoint = nowhere, more = {}) {
  const agent = await createAgent({ ...provider, endpoint, fetch, ...more });
  t.after(() => agent.close());
  return agent;
}

/** The error of a turn. */
const failure = (agent) =>
  agent.prompt('go').then(
    () => assert.fail('the turn did not fail'),
    (error) => error,
  );

test('globalThis.fetch carries a conversation', async (t) => {
  const mock = await mockModel(t, [[text('hello', 3)], [text('again')]]);
  const agent = await agentWith(t, globalThis.fetch, mock.endpoint);
  assert.equal(textOf(await all(agent.prompt('go'))), 'hello');
  assert.equal((await agent.prompt('go on')).text, 'again');
  assert.equal((await mock.stats()).requests, 2);
});

test('a fetch of the host gets a text and what a RequestInit has', async (t) => {
  const mock = await mockModel(t, [[text('hello')]]);
  const calls = [];
  const wrapper = (input, init) => {
    calls.push([input, init]);
    return fetch(input, init);
  };
  await (await agentWith(t, wrapper, mock.endpoint)).prompt('a word');
  const [[input, { method, headers, body, redirect, signal }], ...others] = calls;
  assert.equal(others.length, 0);
  assert.equal(input, `${mock.baseUrl}/v1/messages`);
  assert.deepEqual([method, redirect], ['POST', 'manual']);
  assert.equal(new Headers(headers).get('x-api-key'), 'sk-test');
  assert.match(Buffer.from(body).toString(), /a word/);
  assert.ok(signal instanceof AbortSignal);
});

test('twenty thousand pieces arrive whole and in order', async (t) => {
  const words = Array.from({ length: 20_000 }, (_, index) => String(index).padStart(5, '0')).join('');
  const mock = await mockModel(t, [[text(words, 20_000)]]);
  const agent = await agentWith(t, globalThis.fetch, mock.endpoint);
  const events = await all(agent.prompt('go'));
  assert.equal(textOf(events), words);
  assert.equal(events.at(-1).reason, 'end_turn');
});

test('a reader that stops stops the body, and loses nothing when it goes on', async (t) => {
  const count = 60_000;
  const mock = await mockModel(t, [[repeat(count, 'x'.repeat(40))]]);
  let pulled = 0;
  const counting = async (input, init) => {
    const { body, headers } = await fetch(input, init);
    const count = { transform: (piece, out) => out.enqueue(piece), flush: () => (pulled = Infinity) };
    return new Response(body.pipeThrough(new TransformStream(count)), { headers });
  };
  const agent = await agentWith(t, counting, mock.endpoint);
  const iterator = agent.prompt('go')[Symbol.asyncIterator]();
  const events = [(await iterator.next()).value];
  const stands = async () => Math.max(...(await mock.stats()).connections.map((each) => each.bytesWritten));
  for (let before = -1, now; (now = await stands()) !== before || now < 10_000; before = now) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.notEqual(pulled, Infinity, 'the body was not read to its end');
  for await (const event of iterator) events.push(event);
  assert.equal(textOf(events).length, count * 40);
  assert.equal(pulled, Infinity);
});

test('cancelling aborts the signal of a fetch that has not answered', async (t) => {
  const { open, opened } = gate();
  const agent = await agentWith(t, (_input, { signal }) => new Promise(() => open(signal)));
  const turn = agent.stream('go');
  const signal = await opened;
  assert.equal(signal.aborted, false);
  turn.cancel();
  assert.equal((await turn.result).reason, 'cancelled');
  await until(() => signal.aborted, 'the signal aborted');
});

test('cancelling closes the connection of globalThis.fetch', async (t) => {
  const mock = await mockModel(t, [endless]);
  const agent = await agentWith(t, globalThis.fetch, mock.endpoint);
  for await (const event of agent.stream('go')) if (event.type === 'text_delta') break;
  await until(async () => (await mock.stats()).aborted === 1, 'the server saw its client leave');
});

test('cancelling cancels a body that knows nothing of the signal', async (t) => {
  const { open, opened } = gate();
  let cancelled = false;
  const body = new ReadableStream({ pull: open, cancel: () => void (cancelled = true) }, { highWaterMark: 0 });
  const agent = await agentWith(t, async () => new Response(body));
  const turn = agent.stream('go');
  await opened;
  turn.cancel();
  assert.equal((await turn.result).reason, 'cancelled');
  await until(() => cancelled, 'the body was cancelled');
});

test('a response that comes after the cancel is let go of', async (t) => {
  const [asked, answer, cancelled] = [gate(), gate(), gate()];
  const fetch = async () => {
    asked.open();
    await answer.opened;
    return new Response(new ReadableStream({ cancel: cancelled.open }));
  };
  const turn = (await agentWith(t, fetch)).stream('go');
  await asked.opened;
  turn.cancel();
  assert.equal((await turn.result).reason, 'cancelled');
  answer.open();
  await cancelled.opened;
});

for (const [what, fetch, message] of [
  ['rejects', () => Promise.reject(new TypeError('no way', { cause: new Error('no network') })), /no way: no network/],
  [
    'throws',
    () => {
      throw new Error('not today');
    },
    /not today/,
  ],
  ['cannot reach the server', globalThis.fetch, /fetch failed/],
]) {
  test(`a fetch that ${what} is provider_unavailable`, async (t) => {
    const error = await failure(await agentWith(t, fetch));
    assert.equal(error.code, 'provider_unavailable');
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /sk-test/);
  });
}

test('a body that breaks off cuts the answer', async (t) => {
  const pull = (body) => body.error(new Error('the line is dead'));
  const fetch = async () => new Response(new ReadableStream({ pull }));
  assert.equal((await failure(await agentWith(t, fetch))).code, 'provider_stream_cut');
});

const headers = new Headers();
for (const [what, answer, message] of [
  ['nothing', undefined, /expected a Response, found Undefined/],
  ['no headers', { status: 200 }, /expected a Response with Headers, found Undefined/],
  ['no status', Response.error(), /status 0; expected 100 to 599/],
  ['a status that is none', { status: '200', headers, body: null }, /expected a Response, found Object whose status is String/],
  ['a body that is a text', { status: 200, headers, body: 'a text' }, /whose body is a ReadableStream or null, found String/],
  [
    'a body that is not made of bytes',
    new Response(new ReadableStream({ pull: (body) => body.enqueue('a text') })),
    /expected a body of Uint8Array pieces, found String/,
  ],
]) {
  test(`a fetch that gives ${what} is a fault of the host's, and not called again`, async (t) => {
    let calls = 0;
    const fetch = async () => (calls++, answer);
    const error = await failure(await agentWith(t, fetch, nowhere, { limits: { maxRetries: 3 } }));
    assert.deepEqual([error.code, error.retryable, calls], ['invalid_input', false, 1]);
    assert.match(error.message, message);
  });
}

test('a failed fetch is tried again', async (t) => {
  const mock = await mockModel(t, [[text('hello')]]);
  let calls = 0;
  const fetch = (...asked) => (++calls === 1 ? Promise.reject(new Error('busy')) : globalThis.fetch(...asked));
  const agent = await agentWith(t, fetch, mock.endpoint, { limits: { maxRetries: 1 } });
  assert.equal((await agent.prompt('go')).text, 'hello');
  assert.equal(calls, 2);
});

test('closing aborts what is under way, and calls nothing any more', async (t) => {
  const signals = [];
  const agent = await agentWith(t, (_input, { signal }) => new Promise(() => signals.push(signal)));
  const turn = agent.stream('go');
  await until(() => signals.length === 1, 'the fetch was called');
  await agent.close();
  assert.equal(signals[0].aborted, true);
  assert.equal((await turn.result).reason, 'cancelled');
  assert.throws(() => agent.prompt('go'), { code: 'closed' });
  assert.equal(signals.length, 1);
});

test('each agent has its own fetch', async (t) => {
  const named = (name) => agentWith(t, () => Promise.reject(new Error(name)));
  const agents = await Promise.all(['one', 'two', 'three'].map(named));
  const errors = await Promise.all(agents.map(failure));
  assert.deepEqual(
    errors.map(({ message }) => /one|two|three/.exec(message)?.[0]),
    ['one', 'two', 'three'],
  );
});

test('a worker that ends in the middle of a fetch leaves nothing behind', async (t) => {
  const mock = await mockModel(t, [endless]);
  const options = { ...provider, endpoint: mock.endpoint };
  const worker = new Worker(new URL('worker.mjs', import.meta.url), {
    workerData: { options, read: true, fetches: true },
  });
  await new Promise((resolve, reject) => {
    worker.on('error', reject);
    worker.on('message', ({ type }) => type === 'text_delta' && resolve());
  });
  await worker.terminate();
  await until(async () => (await mock.stats()).aborted === 1, 'the server saw its client leave');
  const other = await mockModel(t, [[text('hello')]]);
  assert.equal((await (await agentWith(t, globalThis.fetch, other.endpoint)).prompt('go')).text, 'hello');
});

test('what is no function is refused', async () => {
  const error = await createAgent({ ...provider, fetch: 'fetch' }).catch((error) => error);
  assert.equal(error.code, 'invalid_options');
  assert.match(error.message, /`fetch` must be a function/);
});
