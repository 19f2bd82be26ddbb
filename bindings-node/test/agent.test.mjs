// What an agent does between its making and its end.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { createAgent, LodgerError, version } from 'lodger';
import { agentFor, call, endless, folder, scripted, text } from './kit.mjs';

const code = (expected) => (error) => error instanceof LodgerError && error.code === expected;

test('ESM and CommonJS have the same names', async () => {
  const names = (module) =>
    Object.keys(module)
      .filter((name) => name !== '__esModule')
      .sort();
  assert.deepEqual(names(createRequire(import.meta.url)('lodger')), names(await import('lodger')));
  const require = createRequire(import.meta.url);
  assert.equal(version, require('../package.json').version);
});

test('CommonJS plays a conversation beside ESM', async (t) => {
  const model = scripted(folder(t), [[text('from CommonJS')]]);
  const agent = await createRequire(import.meta.url)('lodger').createAgent({ model });
  t.after(() => agent.close());
  assert.equal((await agent.prompt('go')).text, 'from CommonJS');
});

test('an unknown option is an error that names the likely one', async () => {
  await assert.rejects(createAgent({ model: 'scripted/x.json', apendInstructions: 'x' }), (error) => {
    assert.ok(code('invalid_options')(error));
    assert.match(error.message, /apendInstructions/);
    assert.match(error.message, /appendInstructions/);
    return true;
  });
});

test('an answer that must fit a schema is the structured part of the result', async (t) => {
  const outputSchema = {
    type: 'object',
    properties: { full_name: { type: 'string' }, born: { type: 'integer' } },
    required: ['full_name', 'born'],
  };
  const answer = (born) => [call('structured_output', { full_name: 'Ada', born })];
  const agent = await agentFor(t, [answer('1815'), answer(1815), [text('no')], [text('no')], [text('no')]], { outputSchema });
  const seen = [];
  const result = await agent.prompt('who?', { onEvent: (event) => seen.push(event) });
  assert.deepEqual(result.structured, { full_name: 'Ada', born: 1815 });
  const rejected = seen.filter((event) => event.type === 'output_rejected');
  assert.deepEqual(rejected.map(({ attempt, maxAttempts }) => [attempt, maxAttempts]), [[1, 3]]);
  assert.match(rejected[0].feedback, /at \/born/);
  await assert.rejects(agent.prompt('and?'), (error) => {
    assert.ok(code('output_invalid')(error));
    assert.equal(error.data.attempts, 3);
    assert.equal(error.result.structured, undefined);
    return true;
  });
});

test('a schema that is none is refused with its place', async () => {
  const options = { model: 'scripted/x.json', outputSchema: { type: 'object', required: 1 } };
  await assert.rejects(createAgent(options), (error) => {
    assert.ok(code('invalid_options')(error));
    assert.match(error.message, /option outputSchema at \/required: /);
    return true;
  });
});

test('a handler under a wrong name is an error, not silence', async () => {
  await assert.rejects(createAgent({ model: 'scripted/x.json', onPermision: () => {} }), (error) => {
    assert.ok(code('invalid_options')(error));
    assert.match(error.message, /onPermision.*onPermission/s);
    return true;
  });
});

test('options of the wrong form are errors', async () => {
  const options = [
    undefined,
    null,
    'model',
    {},
    { model: 7 },
    { model: 'scripted/x.json', onPermission: 'yes' },
    { model: 'scripted/x.json', tools: {} },
    { model: 'scripted/x.json', tools: [null] },
    { model: 'scripted/x.json', tools: [{ name: 'a', description: '', inputSchema: {} }] },
    { model: 'scripted/x.json', cwd: '/no/such/folder' },
  ];
  for (const option of options) {
    await assert.rejects(createAgent(option), code('invalid_options'), JSON.stringify(option));
  }
});

test('an option that is no JSON is an error', async () => {
  const circular = {};
  circular.self = circular;
  await assert.rejects(createAgent({ model: 'scripted/x.json', limits: circular }), code('invalid_options'));
  await assert.rejects(createAgent({ model: 'scripted/x.json', limits: { maxSteps: 1n } }), code('invalid_options'));
});

test('malformed input throws at once', async (t) => {
  const agent = await agentFor(t, [[text('hi')]]);
  const circular = [];
  circular.push(circular);
  for (const input of [undefined, null, 7, {}, () => {}, circular, [{ type: 'nonsense' }], [{ type: 'text' }]]) {
    assert.throws(() => agent.prompt(input), code('invalid_input'));
  }
  assert.equal((await agent.prompt('still fine')).text, 'hi');
});

test('a prompt may be blocks', async (t) => {
  const agent = await agentFor(t, [{ expect: { lastUserText: 'two words' }, reply: [text('yes')] }]);
  const result = await agent.prompt([{ type: 'text', text: 'two words' }]);
  assert.equal(result.text, 'yes');
});

test('a prompt may be resources, pictures and documents, within bounds', async (t) => {
  const agent = await agentFor(t, [[text('seen')]]);
  const image = (more) => ({ type: 'image', mimeType: 'image/png', data: 'aGVsbG8=', ...more });
  const pdf = (more) => ({ type: 'document', mimeType: 'application/pdf', data: 'JVBERi0xLjQK', ...more });
  const big = 5 * 1024 * 1024;
  for (const [blocks, message] of [
    [Array(9).fill(pdf()), /9 documents.*at most 8/],
    [[pdf({ data: 'aGVsbG8=' })], /block 0.*%PDF-/],
    [[pdf({ mimeType: 'text/html' })], /block 0.*text\/html/],
    [[pdf({ name: 7 })], /block 0/],
    [Array(9).fill(image()), /9 images.*at most 8/],
    [[image({ data: 'A'.repeat(big + 4) })], /at most 5242880/],
    [[image({ data: 'no!' })], /block 0.*base64/],
    [[image({ mimeType: 'image/bmp' })], /block 0.*image\/bmp/],
    [[{ type: 'text', text: 'a' }, { type: 'thinking', text: 'b' }], /block 1/],
    [[{ type: 'audio', data: '' }], /audio/],
    [[{ type: 'resource', text: 'no name' }], /uri/],
    ['x'.repeat(25 * 1024 * 1024 + 1), /at most 26214400/],
  ]) {
    assert.throws(() => agent.prompt(blocks), { code: 'invalid_input', message });
  }
  const blocks = [{ type: 'resource', uri: 'file:///none' }, image({ data: 'A'.repeat(big) })];
  for (const mimeType of ['image/jpeg', 'image/gif', 'image/webp']) blocks.push(image({ mimeType }));
  blocks.push(pdf({ name: 'a.pdf' }), pdf({ mimeType: 'text/plain', data: 'aGVsbG8=' }));
  assert.equal((await agent.prompt(blocks)).text, 'seen');
  assert.deepEqual(agent.messages()[0].content.slice(1), blocks.slice(1));
});

test('half a character in a prompt becomes a replacement character', async (t) => {
  const agent = await agentFor(t, [{ expect: { lastUserText: 'cut \ufffd' }, reply: [text('yes')] }]);
  assert.equal((await agent.prompt('cut \u{1f600}'.slice(0, 5))).text, 'yes');
});

test('a second prompt throws while the first runs, and not after', async (t) => {
  const agent = await agentFor(t, [endless]);
  const first = agent.prompt('one');
  assert.throws(() => agent.prompt('two'), code('session_busy'));
  first.cancel();
  await first;
  agent.prompt('two');
});

test('a result says what was used, and leaves out what is not known', async (t) => {
  const agent = await agentFor(t, [{ reply: [text('hi')], usage: { inputTokens: 12, outputTokens: 3 } }]);
  const result = await agent.prompt('hello');
  assert.equal(result.reason, 'end_turn');
  assert.deepEqual(result.usage, { inputTokens: 12, outputTokens: 3 });
  assert.equal(result.costUsd, undefined);
  assert.equal(agent.usage().session.inputTokens, 12);
});

test('the conversation can be read back', async (t) => {
  const agent = await agentFor(t, [[text('hi')]]);
  assert.deepEqual(agent.messages(), []);
  await agent.prompt('hello');
  const messages = agent.messages();
  assert.deepEqual(
    messages.map((message) => [message.role, message.content]),
    [
      ['user', [{ type: 'text', text: 'hello' }]],
      ['assistant', [{ type: 'text', text: 'hi' }]],
    ],
  );
  assert.equal(typeof messages[0].id, 'string');
  assert.ok(Math.abs(messages[0].createdAt - Date.now()) < 60_000);
});

test('a session has the id that it was given, or a fresh one', async (t) => {
  assert.equal((await agentFor(t, [[]], { sessionId: 'ses_mine' })).sessionId, 'ses_mine');
  assert.match((await agentFor(t, [[]])).sessionId, /^ses_/);
});

test('mode and model can be changed, to what exists', async (t) => {
  const agent = await agentFor(t, [[text('hi')]]);
  agent.setMode('plan');
  assert.throws(() => agent.setMode('reckless'), LodgerError);
  assert.throws(() => agent.setModel('no-provider'), LodgerError);
});

test('interrupt tells whether there was anything to end', async (t) => {
  const agent = await agentFor(t, [endless]);
  assert.equal(agent.interrupt(), false);
  const turn = agent.prompt('go');
  assert.equal(agent.interrupt(), true);
  assert.equal((await turn).reason, 'cancelled');
  assert.equal(agent.interrupt(), false);
});

test('close may be called any number of times, and ends what runs', async (t) => {
  const agent = await agentFor(t, [endless]);
  const turn = agent.prompt('go');
  await Promise.all([agent.close(), agent.close()]);
  await agent.close();
  assert.equal((await turn.result).reason, 'cancelled');
});

test('a closed agent says so', async (t) => {
  const agent = await agentFor(t, [[text('hi')]]);
  await agent.close();
  assert.throws(() => agent.prompt('hello'), code('closed'));
  assert.throws(() => agent.stream('hello'), code('closed'));
  assert.throws(() => agent.prompt('hello', { signal: AbortSignal.abort() }), code('closed'));
  assert.throws(() => agent.setMode('plan'), code('closed'));
  assert.equal(agent.interrupt(), false);
});

test('an agent closes at the end of its scope', async (t) => {
  const agent = await agentFor(t, [[text('hi')]]);
  await agent[Symbol.asyncDispose]();
  assert.throws(() => agent.prompt('hello'), code('closed'));
});

test('an error carries its code, and says whether to try again', async (t) => {
  const agent = await agentFor(t, [[text('hi')]]);
  try {
    agent.answer('req_none', { kind: 'allow_once' });
    assert.fail('no such request');
  } catch (error) {
    assert.ok(error instanceof LodgerError && error instanceof Error);
    assert.equal(error.name, 'LodgerError');
    assert.equal(error.code, 'request_not_found');
    assert.equal(error.retryable, false);
    assert.match(error.stack, /agent\.test\.mjs/);
  }
});

test('prompt options of the wrong form throw before anything starts', async (t) => {
  const agent = await agentFor(t, [[text('hi')]]);
  for (const [options, message] of [
    [null, /object/],
    [{ onEvents() {} }, /onEvents.*onEvent/],
    [{ signal: {} }, /AbortSignal/],
    [{ onEvent: 'print' }, /onEvent/],
  ]) {
    assert.throws(() => agent.prompt('go', options), { code: 'invalid_input', message });
    assert.throws(() => agent.stream('go', options), { code: 'invalid_input', message });
  }
  assert.equal((await agent.prompt('go')).text, 'hi');
});
