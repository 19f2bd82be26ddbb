// The official client of OpenAI understands what the mock sends, as Chat Completions and as Responses.
import assert from 'node:assert/strict';
import test from 'node:test';
import OpenAI from 'openai';
import { ANSWER, conversation, faulty, INPUTS, KEY, QUESTION, RESULTS, SCHEMA, SIGNATURE, TEXT, THOUGHT } from './mock.mjs';

const TOOL = { name: 'get_weather', description: 'The weather.', parameters: SCHEMA };
const CHAT = { model: 'm', tools: [{ type: 'function', function: TOOL }] };
const RESPONSES = {
  model: 'm',
  store: false,
  include: ['reasoning.encrypted_content'],
  tools: [{ type: 'function', strict: false, ...TOOL }],
};
const MESSAGES = [{ role: 'user', content: QUESTION }];
const BUSY = { type: 'error', afterEvents: 2, code: 'provider_overloaded', message: 'too busy' };

const client = (baseUrl, apiKey = KEY) => new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });

function chat(baseUrl, messages = MESSAGES) {
  const asked = { ...CHAT, stream: true, stream_options: { include_usage: true }, messages };
  return client(baseUrl).chat.completions.stream(asked).finalChatCompletion();
}

function respond(baseUrl, input = MESSAGES) {
  return client(baseUrl).responses.stream({ ...RESPONSES, input }).finalResponse();
}

test('Chat Completions: a stream and a whole reply hold text, thought, calls and usage', async (t) => {
  const baseUrl = await conversation(t);
  const whole = client(baseUrl).chat.completions.create({ ...CHAT, messages: MESSAGES });
  for (const { choices, usage } of [await chat(baseUrl), await whole]) {
    const [{ message, finish_reason }] = choices;
    assert.equal(message.content, TEXT);
    assert.deepEqual(message.tool_calls.map((call) => JSON.parse(call.function.arguments)), INPUTS);
    assert.equal(finish_reason, 'tool_calls');
    assert.deepEqual([usage.prompt_tokens, usage.completion_tokens, usage.total_tokens], [137, 25, 162]);
    assert.equal(usage.prompt_tokens_details.cached_tokens, 30);
  }
  assert.equal((await whole).choices[0].message.reasoning_content, THOUGHT);
});

test('Chat Completions: results are answered', async (t) => {
  const baseUrl = await conversation(t);
  const { content, tool_calls } = (await chat(baseUrl)).choices[0].message;
  const calls = tool_calls.map(({ id, type, function: { name, arguments: input } }) => ({
    id,
    type,
    function: { name, arguments: input },
  }));
  const results = calls.map(({ id }, place) => ({ role: 'tool', tool_call_id: id, content: RESULTS[place] }));
  const answer = await chat(baseUrl, [...MESSAGES, { role: 'assistant', content, tool_calls: calls }, ...results]);
  assert.equal(answer.choices[0].message.content, ANSWER);
});

test('Responses: a stream and a whole reply hold text, thought, calls and usage', async (t) => {
  const baseUrl = await conversation(t);
  const whole = client(baseUrl).responses.create({ ...RESPONSES, input: MESSAGES });
  for (const response of [await respond(baseUrl), await whole]) {
    const [reasoning, , ...calls] = response.output;
    assert.deepEqual([reasoning.summary[0].text, reasoning.encrypted_content], [THOUGHT, SIGNATURE]);
    assert.equal(response.output_text, TEXT);
    assert.deepEqual(calls.map((call) => JSON.parse(call.arguments)), INPUTS);
    assert.deepEqual([response.usage.input_tokens, response.usage.output_tokens], [137, 25]);
  }
});

test('Responses: results are answered', async (t) => {
  const baseUrl = await conversation(t);
  const said = (await respond(baseUrl)).output.map(({ parsed_arguments, ...item }) => item);
  const calls = said.filter((item) => item.type === 'function_call');
  const results = calls.map(({ call_id }, place) => ({ type: 'function_call_output', call_id, output: RESULTS[place] }));
  assert.equal((await respond(baseUrl, [...MESSAGES, ...said, ...results])).output_text, ANSWER);
});

test('errors have their classes, within a stream too', async (t) => {
  const wrong = client(await conversation(t), 'wrong');
  await assert.rejects(wrong.chat.completions.create({ ...CHAT, messages: MESSAGES }), OpenAI.AuthenticationError);
  const busy = await faulty(t, BUSY);
  await assert.rejects(chat(busy), (error) => error instanceof OpenAI.APIError && /too busy/.test(error.message));
  const events = [];
  for await (const event of await client(busy).responses.create({ ...RESPONSES, input: MESSAGES, stream: true })) {
    events.push(event);
  }
  assert.deepEqual(events.at(-1).response.error, { code: 'server_is_overloaded', message: 'too busy' });
  const cut = await faulty(t, { type: 'cut', afterBytes: 300 });
  await assert.rejects(chat(cut));
  await assert.rejects(respond(cut));
});

test('models are listed', async (t) => {
  const names = [];
  for await (const model of client(await conversation(t, '--models', 'a,b,c')).models.list()) names.push(model.id);
  assert.deepEqual(names, ['a', 'b', 'c']);
});
