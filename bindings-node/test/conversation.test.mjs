// `lodger/conversation`: the same library in other words.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createAgent, listModels, LodgerError, sdkApiVersion } from 'lodger/conversation';
import { all, call, endless, folder, gate, repeat, scripted, sleep, text, tool } from './kit.mjs';
import { mockModel } from './mock.mjs';

const auth = { provider: 'scripted', token: 'none' };
const anthropic = { provider: 'anthropic', token: 'sk-test' };
const picture = { type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' };
const MiB = 1024 * 1024;
const failing = { fault: { type: 'error', code: 'provider_rejected', message: 'no such thing' }, reply: [] };

async function agentFor(t, steps, options = {}) {
  const agent = await createAgent({ auth, model: scripted(folder(t), steps), ...options });
  t.after(() => agent.close());
  return agent;
}

test('ESM and CommonJS have the same names', async () => {
  const names = (module) =>
    Object.keys(module)
      .filter((name) => name !== '__esModule')
      .sort();
  const required = createRequire(import.meta.url)('lodger/conversation');
  assert.deepEqual(names(required), ['LodgerError', 'createAgent', 'listModels', 'sdkApiVersion']);
  assert.deepEqual(names(required), names(await import('lodger/conversation')));
  assert.equal(sdkApiVersion, 1);
});

test('a conversation can be prompted and closed, and nothing else', async (t) => {
  const agent = await agentFor(t, [[]]);
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(agent)).filter((name) => name !== 'constructor');
  assert.deepEqual([...names, ...Object.keys(agent)], ['prompt', 'checkpoint', 'close']);
});

/** An agent of a real provider, whose requests go to `fetch`. */
async function agentWith(t, fetch, options = {}) {
  const agent = await createAgent({ auth: anthropic, model: 'claude-sonnet-5-5', fetch, ...options });
  t.after(() => agent.close());
  return agent;
}

test("requests go through the host's fetch, with how hard the model is to think", async (t) => {
  const bodies = [];
  const fetch = async (_input, { body }) => {
    bodies.push(JSON.parse(Buffer.from(body)));
    return new Response('no', { status: 400 });
  };
  for (const more of [{}, { effort: 'high' }]) {
    const turn = (await agentWith(t, fetch, more)).prompt('go');
    await assert.rejects(turn.result, { code: 'provider_rejected' });
  }
  const [plain, hard] = bodies.map(({ thinking, output_config }) => JSON.stringify([thinking, output_config]));
  assert.notEqual(plain, hard);
  assert.match(hard, /"high"/);
  await assert.rejects(createAgent({ auth: anthropic, model: 'm', effort: 'very' }), TypeError);
  await assert.rejects(createAgent({ auth: anthropic, model: 'm', fetch: 'very' }), TypeError);
});

test('cancelling aborts the signal of a fetch', async (t) => {
  const { open, opened } = gate();
  const agent = await agentWith(t, (_input, { signal }) => new Promise(() => open(signal)));
  const turn = agent.prompt('go');
  const signal = await opened;
  turn.cancel();
  assert.equal((await turn.result).stopReason, 'cancelled');
  await new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', resolve)));
});

test('a request that failed is sent again once', async (t) => {
  let calls = 0;
  const agent = await agentWith(t, async () => (calls++, new Response('later', { status: 503 })));
  await assert.rejects(agent.prompt('go').result, LodgerError);
  assert.equal(calls, 2);
});

test('a token is sent as bearer; without one the saved login is', async (t) => {
  const sent = [];
  const fetch = async (_input, { headers }) => {
    sent.push(new Headers(headers).get('authorization'));
    return Response.json({ data: [], has_more: false });
  };
  const config = folder(t);
  process.env.LODGER_CONFIG_DIR = config;
  t.after(() => delete process.env.LODGER_CONFIG_DIR);
  const saved = { provider: 'anthropic' };
  const missing = { name: 'LodgerError', code: 'provider_auth', message: /`lodger login anthropic / };
  await assert.rejects(listModels({ auth: saved, fetch }), missing);
  await assert.rejects(createAgent({ auth: saved, model: 'm', fetch }), missing);

  mkdirSync(join(config, 'logins'));
  const login = { kind: 'token', token: 'saved-token', obtainedAt: Date.now() };
  const file = join(config, 'logins/anthropic.json');
  writeFileSync(file, JSON.stringify({ version: 1, provider: 'anthropic', login }), { mode: 0o600 });
  await listModels({ auth: saved, fetch });
  await listModels({ auth: anthropic, fetch });
  assert.deepEqual(sent, ['Bearer saved-token', 'Bearer sk-test']);
});

test('listModels gives the ids of a provider, sorted, each once', async () => {
  const asked = [];
  const fetch = async (input) => {
    asked.push(input);
    return Response.json({ data: [{ id: 'b' }, { id: 'a' }, { id: 'b' }], has_more: false });
  };
  assert.deepEqual(await listModels({ auth: anthropic, fetch }), ['a', 'b']);
  assert.equal(asked.length, 1);
});

test('listModels rejects wrong options, and what the provider refuses', async () => {
  const fetch = async () => new Response('no', { status: 403 });
  for (const options of [
    undefined,
    { auth: { provider: 'nobody', token: 'x' }, fetch },
    { auth: anthropic, fetch, model: 'm' },
    { auth: anthropic, fetch: 1 },
  ]) {
    await assert.rejects(listModels(options), TypeError);
  }
  await assert.rejects(listModels({ auth: anthropic, fetch }), { code: 'provider_auth' });
});

test('onEvent hears what the machinery does, in the time of performance.now()', async (t) => {
  const heard = [];
  const before = performance.now();
  const onEvent = (event) => {
    heard.push(event);
    throw new Error("not the agent's affair");
  };
  const steps = [[call('write_file', { path: 'a.txt', content: 'x' })], [text('ok')]];
  const permissions = () => ({ outcome: 'once' });
  const agent = await agentFor(t, steps, { workspace: { cwd: folder(t) }, permissions, onEvent });
  assert.deepEqual(
    heard.map(({ type }) => type),
    ['runtime.start', 'runtime.ready'],
  );
  await all(agent.prompt('go'));
  await agent.close();
  const times = heard.map(({ timestamp }) => timestamp);
  assert.deepEqual(
    heard.map(({ timestamp: _timestamp, ...more }) => more),
    [
      { type: 'runtime.start' },
      { type: 'runtime.ready' },
      { type: 'permission.request', toolName: 'write_file', kind: 'file' },
      { type: 'permission.decision', toolName: 'write_file', kind: 'file', outcome: 'allowed_once' },
      { type: 'runtime.exit', code: 0 },
    ],
  );
  assert.ok(times.every((time, index) => time >= (times[index - 1] ?? before) && time <= performance.now()));
});

test('a turn shows text, thought and tools, and then a result', async (t) => {
  const steps = [
    { reply: [{ type: 'thinking', text: 'hm' }, text('So', 2), call('look', { at: 1 })], usage: { inputTokens: 5 } },
    { reply: [text('done')], usage: { inputTokens: 7, outputTokens: 1 } },
  ];
  const agent = await agentFor(t, steps, { tools: [tool('look', ({ at }) => ({ seen: at }))] });
  const turn = agent.prompt('go');
  assert.deepEqual(await all(turn), [
    { type: 'reasoning_delta', delta: 'hm' },
    { type: 'text_delta', delta: 'S' },
    { type: 'text_delta', delta: 'o' },
    { type: 'tool_start', id: 'call_0_0', name: 'look' },
    { type: 'tool_end', id: 'call_0_0', name: 'look', content: '{"seen":1}', isError: false },
    { type: 'text_delta', delta: 'done' },
  ]);
  const result = await turn.result;
  assert.equal(result.stopReason, 'end_turn');
  assert.equal(result.usage.outputTokens, 1);
  assert.equal('cacheReadTokens' in result.usage, false);
});

test('pictures alone leave a tool without text', async (t) => {
  const rich = () => ({ type: 'lodger.tool-result', text: '', images: [picture], isError: true });
  const agent = await agentFor(t, [[call('draw')], [text('ok')]], { tools: [tool('draw', rich)] });
  const [, end] = await all(agent.prompt('go'));
  assert.deepEqual(end, { type: 'tool_end', id: 'call_0_0', name: 'draw', isError: true });
});

for (const [stopReason, step] of [
  ['max_output_tokens', { reply: [text('cut')], stopReason: 'max_output_tokens' }],
  ['refused', { reply: [text('no')], stopReason: 'refused' }],
]) {
  test(`a turn may stop as ${stopReason}`, async (t) => {
    const agent = await agentFor(t, [step]);
    const turn = agent.prompt('go');
    await all(turn);
    assert.equal((await turn.result).stopReason, stopReason);
  });
}

test('a turn stops after as many model turns as there may be', async (t) => {
  const model = scripted(folder(t), [[call('again')]], 'loop');
  const agent = await createAgent({ auth, model, tools: [tool('again', () => 'go on')] });
  t.after(() => agent.close());
  const turn = agent.prompt('go');
  await all(turn);
  assert.equal((await turn.result).stopReason, 'max_model_turns');
});

test('a failure rejects both the iteration and the result', async (t) => {
  const agent = await agentFor(t, [failing, [text('fine')]]);
  const turn = agent.prompt('go');
  const failed = (error) => error instanceof LodgerError && error.code === 'provider_rejected';
  await assert.rejects(all(turn), failed);
  await assert.rejects(turn.result, failed);
});

test('a failure that nobody looks at is no unhandled rejection', async (t) => {
  const agent = await agentFor(t, [failing]);
  const unhandled = [];
  const note = (reason) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  t.after(() => process.off('unhandledRejection', note));
  agent.prompt('dropped');
  await sleep(100);
  assert.deepEqual(unhandled, []);
});

test('the result alone reads nothing', async (t) => {
  const agent = await agentFor(t, [[repeat(1000)]]);
  const turn = agent.prompt('go');
  let settled = false;
  void turn.result.then(() => (settled = true));
  await sleep(50);
  assert.equal(settled, false);
  assert.equal((await all(turn)).length, 1000);
  assert.equal((await turn.result).stopReason, 'end_turn');
});

test('a turn has one reader and is no promise', async (t) => {
  const agent = await agentFor(t, [[text('hi')]]);
  const turn = agent.prompt('go');
  assert.equal(turn.then, undefined);
  const events = all(turn);
  assert.throws(() => turn[Symbol.asyncIterator](), LodgerError);
  assert.equal((await events).length, 1);
});

test('leaving the loop cancels, and the next prompt may follow', async (t) => {
  const agent = await agentFor(t, [endless, [text('next')]]);
  const turn = agent.prompt('go');
  for await (const event of turn) if (event.type === 'text_delta') break;
  assert.equal((await turn.result).stopReason, 'cancelled');
  assert.deepEqual(await all(agent.prompt('go on')), [{ type: 'text_delta', delta: 'next' }]);
});

test('a waiting reader is released by leaving', async (t) => {
  const agent = await agentFor(t, [endless]);
  const iterator = agent.prompt('go')[Symbol.asyncIterator]();
  await iterator.next();
  const waiting = iterator.next();
  await iterator.return();
  assert.deepEqual(await waiting, { done: true, value: undefined });
});

test('overlapping calls of next are answered in order', async (t) => {
  const agent = await agentFor(t, [[text('abcdef', 6)]]);
  const iterator = agent.prompt('go')[Symbol.asyncIterator]();
  const results = await Promise.all(Array.from({ length: 8 }, () => iterator.next()));
  assert.equal(results.map((result) => result.value?.delta ?? '').join(''), 'abcdef');
  assert.ok(results[7].done);
});

test('cancel asks, and may be asked again', async (t) => {
  const agent = await agentFor(t, [endless]);
  const turn = agent.prompt('go');
  turn.cancel();
  turn.cancel();
  await all(turn);
  assert.equal((await turn.result).stopReason, 'cancelled');
  turn.cancel();
});

test('a signal cancels; one that has aborted before sends nothing', async (t) => {
  const agent = await agentFor(t, [endless, [text('next')]]);
  const never = agent.prompt('never', { signal: AbortSignal.abort() });
  assert.deepEqual(await all(never), []);
  assert.deepEqual(await never.result, { stopReason: 'cancelled', usage: {} });

  const controller = new AbortController();
  const turn = agent.prompt('go', { signal: controller.signal });
  for await (const event of turn) if (event.type === 'text_delta') controller.abort();
  assert.equal((await turn.result).stopReason, 'cancelled');
});

test('close ends what runs, may be called again, and is final', async (t) => {
  const agent = await agentFor(t, [endless]);
  const turn = agent.prompt('go');
  await Promise.all([agent.close(), agent.close()]);
  assert.equal((await turn.result).stopReason, 'cancelled');
  assert.throws(() => agent.prompt('go'), { name: 'LodgerError', code: 'closed', message: /agent is closed/ });
});

test('a second prompt throws while the first runs', async (t) => {
  const agent = await agentFor(t, [endless]);
  agent.prompt('one');
  assert.throws(() => agent.prompt('two'), { name: 'LodgerError', code: 'session_busy' });
});

test('malformed input throws at once, and nothing has started', async (t) => {
  const agent = await agentFor(t, [[text('hi')]]);
  for (const [input, message, options] of [
    [undefined, /text or a list/],
    [7, /text or a list/],
    ['', /empty/],
    [[], /empty/],
    [[null], /block 0/],
    [[{ type: 'audio', data: '' }], /audio/],
    [[{ type: 'text' }], /text/],
    [[{ type: 'resource' }], /uri/],
    [[{ type: 'resource', uri: 'file:///a' }], /uri/],
    [[{ ...picture, mimeType: 'image/tiff' }], /image\/tiff/],
    [[{ ...picture, data: 'no!' }], /base64/],
    ['hi', /signal/, { signal: {} }],
    ['hi', /onEvent/, { onEvent() {} }],
    ['hi', /must be an object/, null],
  ]) {
    assert.throws(() => agent.prompt(input, options), { name: 'TypeError', message }, JSON.stringify(input));
  }
  for (const input of [Array(9).fill(picture), [{ ...picture, data: 'A'.repeat(5 * MiB + 4) }]]) {
    assert.throws(() => agent.prompt(input), RangeError);
  }
  assert.equal((await all(agent.prompt([picture]))).length, 1);
});

/** What is sent to a model over HTTP for one prompt. */
async function sent(t, options, input) {
  const mock = await mockModel(t, [[text('seen')]], { args: ['--api-key', 'sk-mine'] });
  process.env.ANTHROPIC_BASE_URL = mock.baseUrl;
  const agent = await createAgent({ auth: { provider: 'anthropic', token: 'sk-mine' }, model: 'mock', ...options });
  delete process.env.ANTHROPIC_BASE_URL;
  t.after(() => agent.close());
  assert.equal((await all(agent.prompt(input))).length, 1);
  const [body] = (await mock.stats()).bodies;
  return typeof body === 'string' ? JSON.parse(body) : body;
}

test('nothing is told to the model but what the host says', async (t) => {
  const bare = await sent(t, {}, 'hi');
  assert.deepEqual([bare.model, bare.system, bare.tools], ['mock', undefined, undefined]);
  const { system, tools } = await sent(t, { workspace: { cwd: folder(t) } }, 'hi');
  assert.equal(system, undefined, 'no hidden prompt');
  assert.ok(tools.some((tool) => tool.name === 'run_shell'));
});

test('a prompt may be texts, resources and pictures', async (t) => {
  const uri = 'file:///no/such/"file"';
  const blocks = [{ type: 'text', text: 'look' }, { type: 'resource', resource: { uri, text: 'inside' } }, picture];
  const body = await sent(t, {}, blocks);
  const [said, named, seen] = body.messages[0].content;
  assert.equal(said.text, 'look');
  assert.match(named.text, /inside/);
  assert.match(named.text, /no\/such/);
  assert.equal(seen.source.data, picture.data);
});

test('instructions are the whole system context', async (t) => {
  const said = (system) => [{ expect: { system }, reply: [text('ok')] }];
  const agent = await agentFor(t, said('one\n\ntwo'), { instructions: ['one', '', 'two'] });
  assert.equal((await all(agent.prompt('go'))).length, 1);
});

test('options of the wrong form are TypeErrors, and too much is a RangeError', async (t) => {
  const model = scripted(folder(t), [[text('hi')]]);
  const mine = tool('mine', () => 1);
  for (const [options, message] of [
    [undefined, /object/],
    [{ model }, /auth/],
    [{ auth: { provider: 'scripted', token: '' }, model }, /token/],
    [{ auth: { provider: '', token: 'x' }, model }, /provider/],
    [{ auth: { ...auth, apiKey: 'x' }, model }, /apiKey/],
    [{ auth: { provider: 'nobody', token: 'x' }, model: 'm' }, /nobody/],
    [{ auth, model: 'other/model' }, /other\/model.*scripted/],
    [{ auth, model: 7 }, /model/],
    [{ auth }, /model/],
    [{ auth, model, env: {} }, /`env`/],
    [{ auth, model, mode: 'full-auto' }, /`mode`/],
    [{ auth, model, instructions: 7 }, /instructions/],
    [{ auth, model, instructions: ['a', 7] }, /instructions/],
    [{ auth, model, tools: {} }, /tools/],
    [{ auth, model, tools: [mine, mine] }, /mine/],
    [{ auth, model, tools: [{ ...mine, name: 'not ok' }] }, /tools\[0\]/],
    [{ auth, model, permissions: 'yes' }, /permissions/],
    [{ auth, model, workspace: {} }, /workspace\.cwd/],
    [{ auth, model, workspace: '/tmp' }, /workspace/],
    [{ auth, model, workspace: { cwd: '/no/such/folder' } }, /no\/such/],
    [{ auth, model, workspace: { cwd: '/tmp', shell() {} } }, /shell/],
  ]) {
    await assert.rejects(createAgent(options), { name: 'TypeError', message }, JSON.stringify(options));
  }
  for (const options of [
    { auth, model: 'm'.repeat(1025) },
    { auth, model, instructions: 'é'.repeat(32 * 1024 + 1) },
    { auth, model, tools: Array.from({ length: 65 }, (_, index) => tool(`t${index}`, () => 1)) },
  ]) {
    await assert.rejects(createAgent(options), RangeError);
  }
});

/** An agent in a folder of its own whose model writes one file, the same again, and then says `ok`. */
async function writer(t, permissions, calls = 1) {
  const cwd = folder(t);
  const write = call('write_file', { path: 'new.txt', content: 'written\n' });
  const steps = [...Array(calls).fill([write]), [text('ok')]];
  const agent = await agentFor(t, steps, { workspace: { cwd }, ...(permissions && { permissions }) });
  return { agent, file: join(cwd, 'new.txt'), written: () => existsSync(join(cwd, 'new.txt')) };
}
const ends = (events) => events.filter((event) => event.type === 'tool_end');

test('a decision is asked for with all that a person needs', async (t) => {
  let asked;
  const made = await writer(t, (request, signal) => {
    asked = [request, signal.aborted];
    return { outcome: 'once' };
  });
  await all(made.agent.prompt('go'));
  assert.ok(made.written());
  const [{ detail, ...request }, aborted] = asked;
  assert.equal(aborted, false);
  assert.match(detail, /\+written/);
  assert.deepEqual(request, {
    toolName: 'write_file',
    label: 'Change file: Write new.txt',
    kind: 'file',
    targets: [made.file],
    suggestedGrants: [`write(${made.file})`, `write(${dirname(made.file)}/**)`],
  });
});

test('a refusal reaches the model with its note', async (t) => {
  const made = await writer(t, async () => ({ outcome: 'deny', note: 'not on Monday' }));
  const [end] = ends(await all(made.agent.prompt('go')));
  assert.equal(made.written(), false);
  assert.equal(end.isError, true);
  assert.match(end.content, /not on Monday/);
});

test('once is asked again, always is not', async (t) => {
  for (const [outcome, times] of [
    ['once', 2],
    ['always', 1],
  ]) {
    let asked = 0;
    const made = await writer(t, () => (asked++, { outcome }), 2);
    assert.ok(ends(await all(made.agent.prompt('go'))).every((end) => !end.isError));
    assert.equal(asked, times, outcome);
  }
});

for (const [what, permissions] of Object.entries({
  'is not there': undefined,
  'throws': () => {
    throw new Error('boom');
  },
  'answers nothing': () => {},
  'answers nonsense': () => ({ outcome: 'sure' }),
  "answers in lodger's words": () => ({ kind: 'allow_once' }),
})) {
  test(`permissions that ${what} refuse`, async (t) => {
    const made = await writer(t, permissions);
    const [end] = ends(await all(made.agent.prompt('go')));
    assert.equal(made.written(), false);
    assert.equal(end.isError, true);
  });
}

test('a cancelled turn aborts a pending decision', async (t) => {
  const asked = gate();
  const aborted = gate();
  const made = await writer(t, (_request, signal) => {
    signal.addEventListener('abort', aborted.open);
    asked.open();
    return new Promise(() => {});
  });
  const turn = made.agent.prompt('go');
  const events = all(turn);
  await asked.opened;
  turn.cancel();
  await aborted.opened;
  await events;
  assert.equal((await turn.result).stopReason, 'cancelled');
  assert.equal(made.written(), false);
});

test('tools of the host do not ask', async (t) => {
  const permissions = () => assert.fail('not asked');
  const agent = await agentFor(t, [[call('mine')], [text('ok')]], {
    permissions,
    tools: [tool('mine', (_input, { signal }) => signal.aborted)],
  });
  assert.equal(ends(await all(agent.prompt('go')))[0].content, 'false');
});
