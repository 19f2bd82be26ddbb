// Models that carry on when another fails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAgent, LodgerError } from 'lodger';
import { folder, scripted, text } from './kit.mjs';

test('another model carries on, and says so', async (t) => {
  const fault = { type: 'error', code: 'provider_overloaded', message: 'too much to do' };
  const model = scripted(folder(t), [{ fault }]);
  const other = scripted(folder(t), [[text('carried on')]]);
  const agent = await createAgent({ model, fallbackModels: [other] });
  t.after(() => agent.close());
  const told = [];
  const result = await agent.prompt('hi', {
    onEvent: (event) => {
      if (event.type === 'fallback') told.push([event.fromModel, event.toModel, event.reason]);
      if (event.type === 'assistant_message') told.push(event.model);
    },
  });
  assert.equal(result.text, 'carried on');
  assert.deepEqual(told, [[model, other, 'provider_overloaded: too much to do'], other]);
});

test('an entry that could not carry on is refused by its place', async (t) => {
  const model = scripted(folder(t), [[text('unasked')]]);
  await assert.rejects(
    createAgent({ model, fallbackModels: [model, 'nobody/x'] }),
    (error) => error instanceof LodgerError && /fallbackModels\[1\]/.test(error.message),
  );
});
