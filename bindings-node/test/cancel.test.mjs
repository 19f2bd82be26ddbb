// Ending a turn early, from every side.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { agentFor, all, call, endless, folder, gate, only, repeat, text, tool, types, until } from './kit.mjs';

test('leaving the loop cancels the turn and waits for its end', async (t) => {
  const agent = await agentFor(t, [endless, [text('next')]]);
  const turn = agent.prompt('go');
  for await (const event of turn) if (event.type === 'text_delta') break;
  assert.equal((await turn.result).reason, 'cancelled');
  assert.equal((await agent.prompt('go on')).text, 'next');
});

test('an exception in the loop cancels too', async (t) => {
  const agent = await agentFor(t, [endless]);
  const turn = agent.stream('go');
  await assert.rejects(async () => {
    for await (const event of turn) if (event.type === 'text_delta') throw new Error('mine');
  }, /mine/);
  assert.equal((await turn.result).reason, 'cancelled');
});

test('leaving the loop with a full queue loses nothing but the turn', async (t) => {
  const agent = await agentFor(t, [[repeat(100_000)], [text('next')]]);
  for await (const event of agent.stream('go')) if (event.type === 'text_delta') break;
  assert.equal((await agent.prompt('go on')).text, 'next');
});

test('cancel asks once and may be asked again', async (t) => {
  const agent = await agentFor(t, [endless]);
  const turn = agent.prompt('go');
  turn.cancel();
  turn.cancel();
  const events = await all(turn);
  assert.equal(events.at(-1).type, 'done');
  assert.equal(events.at(-1).reason, 'cancelled');
  turn.cancel();
  assert.equal((await turn).reason, 'cancelled');
});

test('an abort resolves the turn as cancelled', async (t) => {
  const agent = await agentFor(t, [endless]);
  const controller = new AbortController();
  const onEvent = (event) => event.type === 'text_delta' && controller.abort();
  assert.equal((await agent.prompt('go', { signal: controller.signal, onEvent })).reason, 'cancelled');
});

test('a signal that has aborted before: no request, no events, a cancelled turn', async (t) => {
  const agent = await agentFor(t, [[text('first')]]);
  const signal = AbortSignal.abort();
  assert.equal((await agent.prompt('never', { signal })).reason, 'cancelled');
  assert.deepEqual(await all(agent.stream('never', { signal })), []);
  assert.equal((await agent.stream('never', { signal }).result).text, '');
  assert.deepEqual(agent.messages(), []);
  assert.equal((await agent.prompt('now')).text, 'first');
});

test('a signal that has aborted before excuses nothing that a prompt may not be', async (t) => {
  const agent = await agentFor(t, [endless]);
  const signal = AbortSignal.abort();
  assert.throws(() => agent.prompt(7, { signal }), { code: 'invalid_input' });
  const turn = agent.prompt('go');
  assert.throws(() => agent.prompt('never', { signal }), { code: 'session_busy' });
  turn.cancel();
  await turn;
  assert.equal((await agent.prompt('never', { signal })).reason, 'cancelled');
  assert.equal((await agent.prompt('never', { signal })).reason, 'cancelled');
});

test('a signal that aborts after the end changes nothing', async (t) => {
  const agent = await agentFor(t, [[text('one')], [text('two')]]);
  const controller = new AbortController();
  await agent.prompt('go', { signal: controller.signal });
  const second = agent.prompt('go on');
  controller.abort();
  assert.equal((await second).text, 'two');
});

test('disposing of a turn cancels it and waits', async (t) => {
  const agent = await agentFor(t, [endless]);
  const turn = agent.prompt('go');
  await turn[Symbol.asyncDispose]();
  agent.prompt('go on');
  assert.equal((await turn.result).reason, 'cancelled');
});

test('return before the first event cancels', async (t) => {
  const agent = await agentFor(t, [endless]);
  const turn = agent.prompt('go');
  const iterator = turn[Symbol.asyncIterator]();
  assert.deepEqual(await iterator.return(), { done: true, value: undefined });
  assert.deepEqual(await iterator.next(), { done: true, value: undefined });
  assert.equal((await turn.result).reason, 'cancelled');
});

test('return releases a next that waits', async (t) => {
  const agent = await agentFor(t, [endless]);
  const iterator = agent.prompt('go')[Symbol.asyncIterator]();
  for (let event; event?.type !== 'text_delta';) event = (await iterator.next()).value;
  const waiting = iterator.next();
  await iterator.return();
  assert.equal((await waiting).done, true);
});

test('a cancelled host tool hears of it, and what it still says is dropped', async (t) => {
  const started = gate();
  const finish = gate();
  let signalled;
  const slow = tool('slow', async (_input, { signal, progress }) => {
    signalled = new Promise((resolve) => signal.addEventListener('abort', resolve));
    started.open();
    await finish.opened;
    progress('too late');
    return 'too late';
  });
  const agent = await agentFor(t, [[call('slow')], [text('next')]], { tools: [slow] });
  const turn = agent.prompt('go');
  const events = all(turn);
  await started.opened;
  turn.cancel();
  await signalled;
  assert.equal((await turn).reason, 'cancelled');
  finish.open();
  assert.deepEqual(types(await events).slice(-2), ['tool_result', 'done']);
  assert.equal(only(await events, 'tool_result')[0].isError, true);
  assert.equal((await agent.prompt('go on')).text, 'next');
});

test('a cancelled command is gone before the turn has ended', async (t) => {
  const cwd = folder(t);
  const agent = await agentFor(t, [[call('run_shell', { command: 'touch started; sleep 600' })]], {
    cwd,
    mode: 'full-auto',
  });
  const turn = agent.prompt('go');
  const events = all(turn);
  await until(() => existsSync(join(cwd, 'started')), 'the command runs');
  turn.cancel();
  assert.equal((await turn).reason, 'cancelled');
  assert.equal((await events).at(-1).type, 'done');
});
