// The official client of Google understands what the mock sends.
import { ApiError, GoogleGenAI } from '@google/genai';
import assert from 'node:assert/strict';
import test from 'node:test';
import { ANSWER, conversation, faulty, INPUTS, KEY, QUESTION, RESULTS, SCHEMA, SIGNATURE, TEXT, THOUGHT } from './mock.mjs';

const config = { tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: SCHEMA }] }] };
const QUESTIONS = [{ role: 'user', parts: [{ text: QUESTION }] }];

const client = (baseUrl, apiKey = KEY) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });

async function ask(baseUrl, contents = QUESTIONS) {
  const chunks = [];
  const stream = await client(baseUrl).models.generateContentStream({ model: 'm', contents, config });
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const partsOf = (chunks) => chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
const textOf = (parts) => parts.map((part) => part.text ?? '').join('');

test('a stream and a whole reply hold text, thought, calls and usage', async (t) => {
  const baseUrl = await conversation(t);
  const whole = await client(baseUrl).models.generateContent({ model: 'm', contents: QUESTIONS, config });
  for (const chunks of [await ask(baseUrl), [whole]]) {
    const parts = partsOf(chunks);
    assert.equal(textOf(parts.filter((part) => part.thought)), THOUGHT);
    assert.equal(textOf(parts.filter((part) => !part.thought)), TEXT);
    assert.deepEqual(parts.flatMap((part) => part.thoughtSignature ?? []), [SIGNATURE]);
    assert.deepEqual(parts.flatMap((part) => part.functionCall?.args ?? []), INPUTS);
    const last = chunks.at(-1);
    assert.equal(last.candidates[0].finishReason, 'STOP');
    const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount, totalTokenCount } = last.usageMetadata;
    assert.deepEqual([promptTokenCount, candidatesTokenCount, thoughtsTokenCount, totalTokenCount], [137, 20, 5, 162]);
  }
});

test('results are answered', async (t) => {
  const baseUrl = await conversation(t);
  const said = partsOf(await ask(baseUrl));
  const results = said
    .flatMap((part) => part.functionCall ?? [])
    .map(({ id, name }, place) => ({ functionResponse: { id, name, response: { output: RESULTS[place] } } }));
  const answer = await ask(baseUrl, [...QUESTIONS, { role: 'model', parts: said }, { role: 'user', parts: results }]);
  assert.equal(textOf(partsOf(answer)), ANSWER);
});

test('errors have their class, within a stream too', async (t) => {
  const wrong = client(await conversation(t), 'wrong');
  const unauthenticated = (error) => error instanceof ApiError && error.status === 401;
  await assert.rejects(wrong.models.generateContent({ model: 'm', contents: QUESTIONS }), unauthenticated);
  // The client finds an error within a stream only where it arrives alone.
  const busy = await faulty(t, { type: 'error', afterEvents: 0, code: 'provider_overloaded', message: 'too busy' });
  await assert.rejects(ask(busy), (error) => error instanceof ApiError && /too busy/.test(error.message));
  const cut = await faulty(t, { type: 'cut', afterBytes: 100 });
  await assert.rejects(ask(cut));
});

test('models are listed page by page', async (t) => {
  const baseUrl = await conversation(t, '--models', 'a,b,c');
  const names = [];
  for await (const model of await client(baseUrl).models.list({ config: { pageSize: 2 } })) names.push(model.name);
  assert.deepEqual(names, ['models/a', 'models/b', 'models/c']);
});
