// A host that makes the tokens for its provider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { createAgent, listModels } from 'lodger';
import { text, until } from './kit.mjs';
import { mockModel } from './mock.mjs';

async function agentWith(t, token, mock, more = {}) {
  const { endpoint } = mock;
  const agent = await createAgent({ model: 'anthropic/mock', endpoint, auth: { token }, ...more });
  t.after(() => agent.close());
  return agent;
}

const guarded = (t) => mockModel(t, [[text('hello')], [text('again')]], { args: ['--api-key', 'made-here'] });

test('a token is made when one is needed, for the server that gets it, and kept', async (t) => {
  const mock = await guarded(t);
  const wanted = [];
  const token = async (request) => {
    wanted.push(request);
    return { token: 'made-here', expiresAt: Date.now() + 3_600_000 };
  };
  const agent = await agentWith(t, token, mock);
  assert.deepEqual(wanted, []);
  assert.equal((await agent.prompt('go')).text, 'hello');
  assert.equal((await agent.prompt('go on')).text, 'again');
  assert.deepEqual(wanted, [{ audience: mock.baseUrl }]);
});

test('a token that is refused is made anew, once', async (t) => {
  const mock = await guarded(t);
  const tokens = ['stale', 'made-here'];
  const agent = await agentWith(t, () => ({ token: tokens.shift() }), mock);
  assert.equal((await agent.prompt('go')).text, 'hello');
  assert.deepEqual(tokens, []);
});

test('a token is sent as bearer, also where the host carries the request', async () => {
  const sent = [];
  const fetch = async (_input, { headers }) => {
    sent.push(new Headers(headers).get('authorization'));
    return Response.json({ data: [{ id: 'a' }], has_more: false });
  };
  const auth = { token: () => ({ token: 'made-here' }) };
  assert.deepEqual(await listModels({ provider: 'anthropic', auth, fetch }), ['a']);
  assert.deepEqual(sent, ['Bearer made-here']);
});

for (const [what, token] of Object.entries({
  'throws': () => {
    throw new Error('the vault is locked');
  },
  'rejects': () => Promise.reject(new Error('the vault is locked')),
  'gives nothing': () => undefined,
  'gives a bare text': () => 'secret-text',
  'gives an empty token': () => ({ token: ' ' }),
  'gives a token that is no text': () => ({ token: 7 }),
  'gives an end that is no time': () => ({ token: 'secret-text', expiresAt: 'tomorrow' }),
})) {
  test(`a function that ${what} fails the turn as provider_auth, and shows no token`, async (t) => {
    const mock = await guarded(t);
    const agent = await agentWith(t, token, mock);
    const error = await agent.prompt('go').catch((error) => error);
    assert.equal(error.code, 'provider_auth');
    assert.match(error.message, /auth\.token/);
    assert.doesNotMatch(inspect(error) + JSON.stringify(error), /secret-text/);
    assert.equal((await mock.stats()).requests, 0);
  });
}

test('a cancelled turn does not wait for a token, and what comes late changes nothing', async (t) => {
  const mock = await guarded(t);
  const waiting = [];
  const agent = await agentWith(t, () => new Promise((resolve) => waiting.push(resolve)), mock);
  const turn = agent.stream('go');
  await until(() => waiting.length === 1, 'a token was wanted');
  turn.cancel();
  assert.equal((await turn.result).reason, 'cancelled');
  await agent.close();
  waiting[0]({ token: 'made-here' });
  assert.equal((await mock.stats()).requests, 0);
});

test('each agent has tokens of its own', async (t) => {
  const texts = ['one', 'two'].map(async (name) => {
    const mock = await mockModel(t, [[text(name)]], { args: ['--api-key', `made-by-${name}`] });
    return (await (await agentWith(t, () => ({ token: `made-by-${name}` }), mock)).prompt('go')).text;
  });
  assert.deepEqual(await Promise.all(texts), ['one', 'two']);
});

test('a function stands alone in auth', async () => {
  const auth = { provider: 'anthropic', token: () => ({ token: 'x' }) };
  const error = await createAgent({ model: 'anthropic/mock', auth }).catch((error) => error);
  assert.equal(error.code, 'invalid_options');
  assert.match(error.message, /auth\.provider/);
});
