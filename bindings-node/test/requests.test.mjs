// What the agent asks its host: answered, refused, late, withdrawn.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LodgerError } from 'lodger';
import { agentFor, all, call, folder, gate, only, repeat, sleep, text, toldText, types } from './kit.mjs';

const code = (expected) => (error) => error instanceof LodgerError && error.code === expected;
const write = call('write_file', { path: 'new.txt', content: 'written\n' }, 'call_write');

/** An agent in a folder of its own whose model writes one file and then says `ok`. */
async function writer(t, options, before = []) {
  const cwd = folder(t);
  const agent = await agentFor(t, [[...before, write], [text('ok')]], { cwd, ...options });
  return { agent, written: () => existsSync(join(cwd, 'new.txt')), file: join(cwd, 'new.txt') };
}

test('an allowed call runs', async (t) => {
  const { agent, file } = await writer(t, { onPermission: () => ({ kind: 'allow_once' }) });
  const events = await all(agent.prompt('go'));
  assert.equal(readFileSync(file, 'utf8'), 'written\n');
  assert.equal(only(events, 'request_resolved')[0].outcome, 'allowed_once');
  assert.equal(only(events, 'tool_result')[0].isError, false);
});

test('a handler gets all that it needs to judge, in one flat object', async (t) => {
  let asked;
  let context;
  const onPermission = (request, more) => {
    [asked, context] = [request, more];
    return { kind: 'deny' };
  };
  const { agent, file } = await writer(t, { onPermission });
  const [opened] = only(await all(agent.prompt('go')), 'request_opened');
  assert.equal(asked.toolName, 'write_file');
  assert.equal(asked.toolCallId, 'call_write');
  assert.equal(asked.requestId, opened.requestId);
  assert.equal(asked.expiresAt, opened.expiresAt);
  assert.deepEqual(asked.input, { path: 'new.txt', content: 'written\n' });
  assert.equal(asked.target.effect, 'write');
  assert.equal(asked.target.kind, 'file');
  assert.deepEqual(asked.target.paths, [file]);
  assert.match(asked.target.summary, /new\.txt/);
  assert.match(asked.diff, /\+written/);
  assert.ok(['low', 'medium', 'high'].includes(asked.risk));
  assert.ok(context.signal instanceof AbortSignal);
  assert.equal(context.signal.aborted, false);
});

test('a refusal reaches the model with its feedback', async (t) => {
  const { agent, written } = await writer(t, {
    onPermission: async () => ({ kind: 'deny', feedback: 'not on Monday' }),
  });
  const events = await all(agent.prompt('go'));
  assert.equal(written(), false);
  assert.match(toldText(events), /not on Monday/);
  assert.equal(only(events, 'tool_denied')[0].by, 'user');
  assert.deepEqual(
    types(events).filter((type) => /^(request|tool_denied|tool_result)/.test(type)),
    ['request_opened', 'request_resolved', 'tool_denied', 'tool_result'],
  );
});

test('without a handler such calls are refused', async (t) => {
  const { agent, written } = await writer(t, {});
  const events = await all(agent.prompt('go'));
  assert.equal(written(), false);
  assert.equal(only(events, 'tool_denied')[0].by, 'host');
});

const circular = {};
circular.self = circular;
for (const [what, onPermission] of Object.entries({
  throws: () => {
    throw new Error('boom');
  },
  rejects: () => Promise.reject(new Error('boom')),
  'throws nothing at all': () => {
    throw undefined;
  },
  'answers nothing': () => {},
  'answers nonsense': () => ({ kind: 'sure' }),
  'answers true': () => true,
  'answers with more than there is': () => ({ kind: 'allow_once', forever: true }),
  'answers what is no JSON': () => circular,
  'answers a number that is no JSON': () => 1n,
})) {
  test(`a permission handler that ${what} refuses`, async (t) => {
    const { agent, written } = await writer(t, { onPermission });
    const events = await all(agent.prompt('go'));
    assert.equal(written(), false);
    assert.equal(only(events, 'request_resolved')[0].outcome, 'failed');
    assert.equal(only(events, 'tool_denied')[0].by, 'host');
    assert.equal(events.at(-1).reason, 'end_turn');
  });
}

test('a request is answered while nobody reads events', async (t) => {
  const { agent, written } = await writer(t, { onPermission: () => ({ kind: 'allow_once' }) });
  await agent.prompt('go').result;
  assert.ok(written());
});

test('a request is not behind unread deltas', async (t) => {
  const asked = gate();
  const onPermission = () => {
    asked.open();
    return { kind: 'allow_once' };
  };
  const { agent, written } = await writer(t, { onPermission }, [repeat(200)]);
  const turn = agent.prompt('go');
  await asked.opened;
  const events = await all(turn);
  assert.equal(
    only(events, 'text_delta')
      .map((event) => event.text)
      .join('').length,
    202,
  );
  assert.ok(written());
});

test('a request reaches its handler while ten thousand deltas lie unread in other turns', async (t) => {
  const standing = await Promise.all(
    Array.from({ length: 42 }, async () => {
      const { agent } = await writer(t, { onPermission: () => ({ kind: 'allow_once' }) }, [repeat(1000)]);
      return agent.stream('talk');
    }),
  );
  const { agent, written } = await writer(t, { onPermission: () => ({ kind: 'allow_once' }) });
  await agent.prompt('go');
  assert.ok(written());
  for (const turn of standing) {
    const text = only(await all(turn), 'text_delta').map((event) => event.text);
    assert.equal(text.join('').length, 1002, 'none was lost');
  }
});

test('an answer may take its time', async (t) => {
  const onPermission = async () => {
    await sleep(150);
    return { kind: 'allow_once' };
  };
  const { agent, written } = await writer(t, { onPermission });
  await agent.prompt('go');
  assert.ok(written());
});

test('time runs out: the handler is told, and its answer comes too late', async (t) => {
  const signalled = gate();
  const answered = gate();
  const onPermission = (_request, { signal }) => {
    signal.addEventListener('abort', signalled.open);
    return answered.opened.then(() => ({ kind: 'allow_once' }));
  };
  const { agent, written } = await writer(t, { onPermission, permissionTimeoutMs: 30 });
  const events = await all(agent.prompt('go'));
  await signalled.opened;
  assert.equal(only(events, 'request_resolved')[0].outcome, 'expired');
  assert.equal(only(events, 'tool_denied')[0].by, 'timeout');
  answered.open();
  await sleep(20);
  assert.equal(written(), false);
});

test('a cancelled turn withdraws its request', async (t) => {
  const asked = gate();
  const signalled = gate();
  const onPermission = (_request, { signal }) => {
    signal.addEventListener('abort', signalled.open);
    asked.open();
    return new Promise(() => {});
  };
  const { agent, written } = await writer(t, { onPermission });
  const turn = agent.prompt('go');
  const events = all(turn);
  await asked.opened;
  turn.cancel();
  await signalled.opened;
  assert.equal(only(await events, 'request_resolved')[0].outcome, 'cancelled');
  assert.equal(written(), false);
});

test('requests as events are answered by their id', async (t) => {
  const { agent, written } = await writer(t, { requests: 'events' });
  for await (const event of agent.prompt('go')) {
    if (event.type !== 'request_opened') continue;
    assert.equal(event.kind, 'permission');
    assert.equal(event.permission.toolName, 'write_file');
    assert.throws(() => agent.answer('req_other', { kind: 'allow_once' }), code('request_not_found'));
    agent.answer(event.requestId, { kind: 'allow_once' });
    assert.throws(
      () => agent.answer(event.requestId, { kind: 'deny' }),
      (error) => ['request_settled', 'request_not_found'].includes(error.code),
    );
  }
  assert.ok(written());
});

test('nonsense as an answer by id refuses', async (t) => {
  const { agent, written } = await writer(t, { requests: 'events' });
  for await (const event of agent.prompt('go')) {
    if (event.type === 'request_opened') agent.answer(event.requestId, undefined);
  }
  assert.equal(written(), false);
});

test('a handler that answers the same request by id is not asked twice', async (t) => {
  let agent;
  const onPermission = (request) => {
    agent.answer(request.requestId, { kind: 'deny', feedback: 'first' });
    return { kind: 'allow_once' };
  };
  const made = await writer(t, { onPermission });
  agent = made.agent;
  const events = await all(agent.prompt('go'));
  assert.equal(made.written(), false);
  assert.match(toldText(events), /first/);
});

test('where nobody is, everything that would wait for a person is refused at once', async (t) => {
  const onPermission = () => assert.fail('asked');
  const { agent, written } = await writer(t, { requests: 'none', permissionTimeoutMs: 0, onPermission });
  const events = await all(agent.prompt('go'));
  assert.deepEqual(only(events, 'request_opened'), []);
  assert.equal(only(events, 'tool_denied')[0].by, 'host');
  assert.equal(written(), false);
});
