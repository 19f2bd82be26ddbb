// Questions to the person, and plans to approve.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { agentFor, all, call, folder, only, text, toldText } from './kit.mjs';

const question = { question: 'Which colour?', options: [{ label: 'Red', description: 'warm' }, { label: 'Blue' }] };
const asks = call('ask_user', question, 'call_ask');
const presents = call('present_plan', { plan: '1. Write it.' }, 'call_plan');
const write = call('write_file', { path: 'new.txt', content: 'written\n' });

const outcomes = (events) => only(events, 'request_resolved').map((event) => event.outcome);

/** What comes of a question to a host with these options. */
async function asked(t, options) {
  const agent = await agentFor(t, [[asks], [text('ok')]], options);
  return all(agent.prompt('paint it'));
}

/** What comes of a plan, and of the change after it, for a host with these options. */
async function planned(t, options) {
  const cwd = folder(t);
  const agent = await agentFor(t, [[presents], [write], [text('ok')]], { cwd, mode: 'plan', ...options });
  const events = await all(agent.prompt('plan it'));
  const [{ content, isError }] = only(events, 'tool_result');
  return { events, told: content[0].text, isError, written: existsSync(join(cwd, 'new.txt')) };
}

test('a question reaches its handler, and the answer the model', async (t) => {
  let request;
  const onQuestion = async (asked) => {
    request = asked;
    return { answers: ['Blue'] };
  };
  const events = await asked(t, { onQuestion });
  assert.equal(request.toolCallId, 'call_ask');
  assert.equal(request.question, question.question);
  assert.deepEqual(request.options, question.options);
  assert.deepEqual([request.multiSelect, request.allowOther], [false, false]);
  assert.deepEqual(outcomes(events), ['answered']);
  assert.equal(toldText(events), 'the user chose: "Blue"');
});

test('a question may be dismissed', async (t) => {
  const events = await asked(t, { onQuestion: () => ({ dismissed: true }) });
  assert.deepEqual(outcomes(events), ['dismissed']);
  assert.match(toldText(events), /^dismissed/);
});

for (const [what, onQuestion] of Object.entries({
  throws: () => {
    throw new Error('boom');
  },
  rejects: () => Promise.reject(new Error('boom')),
  'answers nothing': () => {},
  'answers what was not offered': () => ({ answers: ['Green'] }),
  'answers more than it may': () => ({ answers: ['Red', 'Blue'] }),
  'answers in words of its own where it may not': () => ({ answers: [], other: 'Green' }),
  'answers nonsense': () => 'Red',
})) {
  test(`a question whose handler ${what} is dismissed`, async (t) => {
    const events = await asked(t, { onQuestion });
    assert.deepEqual(outcomes(events), ['failed']);
    assert.match(toldText(events), /^dismissed/);
    assert.equal(only(events, 'tool_result')[0].isError, true);
    assert.equal(events.at(-1).reason, 'end_turn');
  });
}

test('without a handler a question is dismissed at once', async (t) => {
  const events = await asked(t, {});
  assert.deepEqual(outcomes(events), []);
  assert.match(toldText(events), /^dismissed/);
});

test('a plan reaches its handler, and an approval takes the session to the mode that it names', async (t) => {
  let plan;
  const onPlan = (request) => {
    plan = request.plan;
    return { approved: true, mode: 'auto-edit' };
  };
  const { events, told, written } = await planned(t, { onPlan });
  assert.equal(plan, '1. Write it.');
  assert.deepEqual(outcomes(events), ['approved']);
  assert.deepEqual(
    only(events, 'mode_changed').map((event) => event.mode),
    ['auto-edit'],
  );
  assert.match(told, /^approved/);
  assert.equal(written, true);
});

test('a rejected plan tells the model why, and nothing is changed', async (t) => {
  const { events, told, written } = await planned(t, { onPlan: () => ({ approved: false, feedback: 'too long' }) });
  assert.deepEqual(outcomes(events), ['rejected']);
  assert.match(told, /^rejected[^]*too long/);
  assert.equal(written, false);
});

for (const [what, onPlan] of Object.entries({
  throws: () => {
    throw new Error('boom');
  },
  'answers true': () => true,
  'names no mode that there is': () => ({ approved: true, mode: 'yolo' }),
  'answers with more than there is': () => ({ approved: true, forever: true }),
})) {
  test(`a plan whose handler ${what} is rejected`, async (t) => {
    const { events, told, isError, written } = await planned(t, { onPlan });
    assert.deepEqual(outcomes(events), ['failed']);
    assert.match(told, /^rejected/);
    assert.deepEqual([isError, written], [true, false]);
    assert.deepEqual(only(events, 'mode_changed'), []);
  });
}

test('questions and plans can be answered by their id', async (t) => {
  const steps = [[asks], [presents], [text('ok')]];
  const agent = await agentFor(t, steps, { mode: 'plan', requests: 'events' });
  const answers = { question: { answers: ['Red'] }, plan: { approved: true } };
  const events = [];
  for await (const event of agent.prompt('go')) {
    events.push(event);
    if (event.type === 'request_opened') agent.answer(event.requestId, answers[event.kind]);
  }
  assert.deepEqual(outcomes(events), ['answered', 'approved']);
  assert.equal(only(events, 'mode_changed')[0].mode, 'ask');
});
