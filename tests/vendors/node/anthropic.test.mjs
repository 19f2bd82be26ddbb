// The official client of Anthropic understands what the mock sends.
import Anthropic from '@anthropic-ai/sdk';
import assert from 'node:assert/strict';
import test from 'node:test';
import { ANSWER, conversation, faulty, INPUTS, KEY, QUESTION, RESULTS, SCHEMA, SIGNATURE, TEXT, THOUGHT } from './mock.mjs';

const ASKED = { model: 'm', max_tokens: 99, tools: [{ name: 'get_weather', input_schema: SCHEMA }] };
const MESSAGES = [{ role: 'user', content: QUESTION }];

const client = (baseURL, apiKey = KEY) => new Anthropic({ baseURL, apiKey, maxRetries: 0 });

function ask(baseUrl, messages = MESSAGES) {
  return client(baseUrl).messages.stream({ ...ASKED, messages }).finalMessage();
}

test('a stream and a whole reply hold text, thought, calls and usage', async (t) => {
  const baseUrl = await conversation(t);
  for (const message of [await ask(baseUrl), await client(baseUrl).messages.create({ ...ASKED, messages: MESSAGES })]) {
    const [thought, text, ...calls] = message.content;
    assert.deepEqual([thought.thinking, thought.signature, text.text], [THOUGHT, SIGNATURE, TEXT]);
    assert.deepEqual(calls.map((call) => call.input), INPUTS);
    assert.equal(message.stop_reason, 'tool_use');
    const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = message.usage;
    assert.deepEqual([input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens], [100, 25, 30, 7]);
  }
});

test('results are answered', async (t) => {
  const baseUrl = await conversation(t);
  const { content } = await ask(baseUrl);
  const calls = content.filter((block) => block.type === 'tool_use');
  const results = calls.map(({ id }, place) => ({ type: 'tool_result', tool_use_id: id, content: RESULTS[place] }));
  const answer = await ask(baseUrl, [...MESSAGES, { role: 'assistant', content }, { role: 'user', content: results }]);
  assert.equal(answer.content[0].text, ANSWER);
});

test('errors have their classes, within a stream too', async (t) => {
  const baseUrl = await conversation(t);
  await assert.rejects(client(baseUrl, 'wrong').messages.create({ ...ASKED, messages: MESSAGES }), Anthropic.AuthenticationError);
  const busy = await faulty(t, { type: 'error', afterEvents: 4, code: 'provider_overloaded', message: 'too busy' });
  await assert.rejects(ask(busy), (error) => error instanceof Anthropic.APIError && /too busy/.test(error.message));
  const cut = await faulty(t, { type: 'cut', afterBytes: 400 });
  await assert.rejects(ask(cut));
});

test('models are listed', async (t) => {
  const names = [];
  for await (const model of client(await conversation(t, '--models', 'a,b,c')).models.list({ limit: 2 })) names.push(model.id);
  assert.deepEqual(names, ['a', 'b', 'c']);
});
