// Which models a provider offers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listModels, LodgerError } from 'lodger';
import { text } from './kit.mjs';
import { mockModel } from './mock.mjs';

const auth = { apiKey: 'sk-test' };
const code = (code) => (error) => error instanceof LodgerError && error.code === code;

for (const kind of ['anthropic', 'openai-chat', 'openai-responses', 'gemini']) {
  test(`a provider that speaks ${kind} lists its models`, async (t) => {
    const { baseUrl } = await mockModel(t, [[text('never asked')]]);
    const ids = await listModels({ provider: 'acme', endpoint: { kind, baseUrl }, auth });
    assert.ok(ids.length > 0);
    assert.deepEqual(ids, [...new Set(ids)].sort());
  });
}

test("a list goes through the host's fetch, once", async () => {
  const calls = [];
  const fetch = async (input, init) => {
    calls.push([input, init.method, 'body' in init, init.signal]);
    return Response.json({ data: [{ id: 'b' }, { id: 'a' }, { id: 'b' }], has_more: false });
  };
  const endpoint = { kind: 'anthropic', baseUrl: 'https://models.example' };
  assert.deepEqual(await listModels({ provider: 'acme', endpoint, auth, fetch }), ['a', 'b']);
  assert.equal(calls.length, 1);
  assert.match(calls[0][0], /^https:\/\/models\.example\/v1\/models/);
  const [, method, hasBody, signal] = calls[0];
  assert.deepEqual([method, hasBody, signal.aborted], ['GET', false, false]);
});

test('what goes wrong rejects', async (t) => {
  const endpoint = { kind: 'anthropic', baseUrl: 'http://127.0.0.1:9' };
  await assert.rejects(listModels({ provider: 'acme', endpoint, auth }), code('provider_unavailable'));
  const mock = await mockModel(t, [[]], { args: ['--api-key', 'sk-right'] });
  await assert.rejects(listModels({ provider: 'acme', endpoint: mock.endpoint, auth }), code('provider_auth'));
  const fetch = () => Promise.reject(new Error('no network'));
  await assert.rejects(listModels({ provider: 'anthropic', auth, fetch }), /no network/);
});

test('wrong options reject before anything is sent', async () => {
  const fetch = () => assert.fail('nothing is to be sent');
  for (const options of [
    undefined,
    {},
    { provider: 'nobody', auth },
    { provider: 'anthropic', auth: 'sk' },
    { provider: 'anthropic', modle: 1 },
    { provider: 'anthropic', onPermission() {} },
    { provider: 'anthropic', auth, fetch: 1 },
  ]) {
    await assert.rejects(listModels(options && { fetch, ...options }), code('invalid_options'));
  }
});
