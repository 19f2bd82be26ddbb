// A turn and its one reader: iterating, awaiting, `onEvent`, the bare result.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LodgerError } from 'lodger';
import { agentFor, all, delay, endless, only, repeat, sleep, text, textOf, types } from './kit.mjs';

const code = (expected) => (error) => error instanceof LodgerError && error.code === expected;
const failing = (parts = []) => ({
  reply: parts,
  fault: { type: 'error', code: 'provider_rejected', message: 'no such thing', afterParts: parts.length },
});

test('a turn is iterated up to its done', async (t) => {
  const agent = await agentFor(t, [[text('hello world', 4)]]);
  const turn = agent.prompt('go');
  const events = await all(turn);
  assert.equal(textOf(events), 'hello world');
  assert.equal(events.at(-1).type, 'done');
  assert.equal(only(events, 'done').length, 1);
  assert.deepEqual(
    events.map((event) => event.seq),
    events.map((_, index) => events[0].seq + index),
  );
  assert.equal((await turn.result).text, 'hello world');
  assert.equal((await turn).reason, 'end_turn');
});

test('every delta arrives once and in order', async (t) => {
  const deltas = Array.from({ length: 3000 }, (_, index) => `${index} `);
  const agent = await agentFor(t, [[text(deltas)]]);
  assert.equal(textOf(await all(agent.prompt('go'))), deltas.join(''));
});

test('a turn that fails yields its done and does not throw for it', async (t) => {
  const agent = await agentFor(t, [failing([text('so far')])]);
  const turn = agent.prompt('go');
  const events = await all(turn);
  assert.equal(events.at(-1).reason, 'error');
  await assert.rejects(turn.result, code('provider_rejected'));
});

test('awaiting a turn that fails rejects with what it came to', async (t) => {
  const agent = await agentFor(t, [failing([text('so far')]), [text('again')]]);
  await assert.rejects(
    async () => agent.prompt('go'),
    (error) => {
      assert.ok(code('provider_rejected')(error));
      assert.match(error.message, /no such thing/);
      assert.equal(error.result.reason, 'error');
      assert.equal(error.retryable, false);
      return true;
    },
  );
  assert.equal(
    await agent
      .prompt('go on')
      .catch(() => 'caught')
      .then((result) => result.reason),
    'end_turn',
  );
});

test('a turn can be caught and finished like a promise', async (t) => {
  const agent = await agentFor(t, [failing(), failing()]);
  let finished = false;
  assert.equal(await agent.prompt('go').catch((error) => error.code), 'provider_rejected');
  await assert.rejects(
    agent.prompt('go').finally(() => (finished = true)),
    code('provider_rejected'),
  );
  assert.ok(finished);
});

test('a failure that nobody looks at is no unhandled rejection', async (t) => {
  const agent = await agentFor(t, [failing()], { after: 'last' });
  const unhandled = [];
  const note = (reason) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  t.after(() => process.off('unhandledRejection', note));
  await all(agent.prompt('iterated'));
  agent.prompt('dropped');
  await sleep(100);
  assert.deepEqual(unhandled, []);
});

test('onEvent sees every event before the turn resolves', async (t) => {
  const agent = await agentFor(t, [[repeat(1000)]]);
  const events = [];
  const result = await agent.prompt('go', { onEvent: (event) => events.push(event) });
  assert.equal(textOf(events), 'x'.repeat(1000));
  assert.equal(events.at(-1).type, 'done');
  assert.equal(result.reason, 'end_turn');
});

test('a promise from onEvent is waited for before the next event', async (t) => {
  const agent = await agentFor(t, [[text('abcdefgh', 8)]]);
  let inside = 0;
  let most = 0;
  const seen = [];
  await agent.prompt('go', {
    async onEvent(event) {
      most = Math.max(most, ++inside);
      await sleep(1);
      seen.push(event);
      inside--;
    },
  });
  assert.equal(most, 1);
  assert.equal(textOf(seen), 'abcdefgh');
});

test('what onEvent throws cancels the turn and rejects it', async (t) => {
  const agent = await agentFor(t, [endless, [text('fine')]]);
  const mine = new Error('mine');
  const onEvent = (event) => {
    if (event.type === 'text_delta') throw mine;
  };
  await assert.rejects(async () => agent.prompt('go', { onEvent }), mine);
  assert.equal((await agent.prompt('go on')).text, 'fine');
});

test('a rejection of onEvent is like a throw', async (t) => {
  const agent = await agentFor(t, [endless, [text('fine')]]);
  const mine = new Error('mine');
  const onEvent = async (event) => {
    await sleep(1);
    if (event.type === 'text_delta') throw mine;
  };
  const turn = agent.prompt('go', { onEvent });
  await assert.rejects(turn.result, mine);
  assert.equal((await agent.prompt('go on')).text, 'fine');
});

test('an awaited turn reads itself, however long it is', async (t) => {
  const agent = await agentFor(t, [[repeat(5000)]]);
  assert.equal((await agent.prompt('go')).text.length, 5000);
});

test('the bare result claims no reader', async (t) => {
  const agent = await agentFor(t, [[repeat(20)], [repeat(5000)]]);
  assert.equal((await agent.prompt('short').result).text.length, 20);

  const turn = agent.prompt('long');
  let settled = false;
  turn.result.then(() => (settled = true));
  await sleep(50);
  assert.equal(settled, false, 'more than the queue holds waits for a reader');
  assert.equal(textOf(await all(turn)).length, 5000);
  assert.equal((await turn.result).text.length, 5000);
});

test('a second reader throws, whichever the first is', async (t) => {
  const agent = await agentFor(t, [[text('hi')]], { after: 'last' });
  const busy = code('reader_busy');

  const iterated = agent.prompt('one');
  const events = all(iterated);
  assert.throws(() => iterated[Symbol.asyncIterator](), busy);
  await events;
  assert.throws(() => iterated[Symbol.asyncIterator](), busy);

  const watched = agent.prompt('two', { onEvent() {} });
  assert.throws(() => watched[Symbol.asyncIterator](), busy);
  await watched;

  const awaited = agent.prompt('three');
  const result = awaited.then((value) => value);
  assert.throws(() => awaited[Symbol.asyncIterator](), busy);
  await result;
});

test('events are there after the turn has ended', async (t) => {
  const agent = await agentFor(t, [[text('late')]]);
  const turn = agent.prompt('go');
  await turn.result;
  assert.equal(textOf(await all(turn)), 'late');
});

test('a stream has no then and so survives an async function', async (t) => {
  const agent = await agentFor(t, [[text('hi')]]);
  const start = async () => agent.stream('go');
  const stream = await start();
  assert.equal(stream.then, undefined);
  assert.equal(textOf(await all(stream)), 'hi');
  assert.equal((await stream.result).reason, 'end_turn');
});

test('a turn that an async function returns is awaited there: only its result comes back', async (t) => {
  const agent = await agentFor(t, [[text('hi')]]);
  const start = async () => agent.prompt('go');
  assert.equal((await start()).text, 'hi');
});

test('overlapping calls of next are answered in order', async (t) => {
  const agent = await agentFor(t, [[text('abc', 3), delay(20), text('def', 3)]]);
  const iterator = agent.prompt('go')[Symbol.asyncIterator]();
  const results = await Promise.all(Array.from({ length: 40 }, () => iterator.next()));
  const events = results.filter((result) => !result.done).map((result) => result.value);
  assert.equal(textOf(events), 'abcdef');
  assert.equal(types(events).at(-1), 'done');
  assert.ok(results.slice(events.length).every((result) => result.done));
  assert.deepEqual(await iterator.next(), { done: true, value: undefined });
});
