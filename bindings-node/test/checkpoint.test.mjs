// A session as bytes, and another agent that goes on from them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAgent, LodgerError } from 'lodger';
import * as conversation from 'lodger/conversation';
import { agentFor, all, endless, folder, scripted, text, textOf } from './kit.mjs';

const code = (expected) => (error) => error instanceof LodgerError && error.code === expected;
const steps = [
  { reply: [text('one')], usage: { inputTokens: 10, outputTokens: 1 } },
  { expect: { lastUserText: 'second' }, reply: [text('two')], usage: { inputTokens: 20, outputTokens: 2 } },
];

test('an agent goes on where another stood', async (t) => {
  const model = scripted(folder(t), steps);
  const first = await createAgent({ model });
  await first.prompt('first');
  const bytes = await first.checkpoint();
  assert.ok(bytes instanceof Uint8Array);
  await first.close();

  const second = await createAgent({ model, checkpoint: bytes });
  t.after(() => second.close());
  assert.equal((await second.prompt('second')).text, 'two');
  assert.deepEqual(
    second.messages().map((message) => message.content[0].text),
    ['first', 'one', 'second', 'two'],
  );
  assert.equal(second.usage().session.inputTokens, 30);
  assert.equal(second.usage().turn.inputTokens, 20);
});

test('the bytes may be any view, and are copied', async (t) => {
  const model = scripted(folder(t), steps);
  const first = await createAgent({ model });
  await first.prompt('first');
  const bytes = await first.checkpoint();
  await first.close();

  const room = new Uint8Array(bytes.length + 7);
  room.set(bytes, 7);
  const view = new DataView(room.buffer, 7);
  for (const checkpoint of [Buffer.from(bytes), Uint8Array.from(bytes).buffer, view]) {
    const agent = await createAgent({ model, checkpoint });
    t.after(() => agent.close());
    assert.equal(agent.messages().length, 2);
  }
  const making = createAgent({ model, checkpoint: room.subarray(7) });
  room.fill(0);
  const agent = await making;
  t.after(() => agent.close());
  assert.equal((await agent.prompt('second')).text, 'two');
});

test('what is no checkpoint is refused, each for its own reason', async (t) => {
  const model = scripted(folder(t), steps);
  const first = await createAgent({ model });
  t.after(() => first.close());
  await first.prompt('first');
  const bytes = await first.checkpoint();
  const changed = (at) => Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 0xff : byte));
  for (const checkpoint of [new Uint8Array(), bytes.subarray(0, 20), changed(0), changed(bytes.length - 1)]) {
    await assert.rejects(createAgent({ model, checkpoint }), code('checkpoint_corrupt'));
  }
  await assert.rejects(
    createAgent({ model, checkpoint: bytes, limits: { maxCheckpointBytes: bytes.length - 1 } }),
    code('checkpoint_too_large'),
  );
  for (const checkpoint of [null, 'bytes', [...bytes], {}]) {
    await assert.rejects(createAgent({ model, checkpoint }), code('invalid_options'), String(checkpoint));
  }
});

test('there is no checkpoint in mid-turn, nor after the end', async (t) => {
  const agent = await agentFor(t, [endless]);
  const turn = agent.prompt('go');
  await assert.rejects(agent.checkpoint(), code('session_busy'));
  turn.cancel();
  await turn;
  assert.ok((await agent.checkpoint()).length > 0);
  await agent.close();
  await assert.rejects(agent.checkpoint(), code('closed'));
});

test('a conversation goes on from its checkpoint, with other options', async (t) => {
  const model = scripted(folder(t), steps);
  const auth = { provider: 'scripted', token: 'none' };
  const agent = await conversation.createAgent({ auth, model, instructions: 'Be brief.' });
  await all(agent.prompt('first'));
  const checkpoint = await agent.checkpoint();
  await agent.close();
  await assert.rejects(agent.checkpoint(), code('closed'));
  assert.doesNotMatch(Buffer.from(checkpoint).toString('latin1'), /Be brief|none"/);

  const restored = await conversation.createAgent({ auth, model, checkpoint });
  t.after(() => restored.close());
  const turn = restored.prompt('second');
  assert.equal(textOf((await all(turn)).map((event) => ({ ...event, text: event.delta }))), 'two');
  assert.deepEqual((await turn.result).usage, { inputTokens: 20, outputTokens: 2 });
  const short = { auth, model, checkpoint: new Uint8Array(3) };
  await assert.rejects(conversation.createAgent(short), code('checkpoint_corrupt'));
  await assert.rejects(conversation.createAgent({ auth, model, checkpoint: 'bytes' }), TypeError);
});

test('a message stored as interrupted is there after a restart', async (t) => {
  const model = scripted(folder(t), [endless, [text('next')]]);
  const first = await createAgent({ model });
  for await (const event of first.stream('go')) if (event.type === 'text_delta') break;
  const checkpoint = await first.checkpoint();
  const messages = first.messages();
  await first.close();
  const second = await createAgent({ model, checkpoint });
  t.after(() => second.close());
  assert.deepEqual(second.messages(), messages);
  assert.equal((await second.prompt('go on')).text, 'next');
});
