// The event loop and its streams: neither starves the other, and a slow reader holds back the source.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentFor, call, only, repeat, sleep, text, textOf, tool, toldText } from './kit.mjs';

test('timers tick while a long stream is read', async (t) => {
  const agent = await agentFor(t, [[repeat(20_000)]]);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 0);
  let length = 0;
  for await (const event of agent.prompt('go')) if (event.type === 'text_delta') length += event.text.length;
  clearInterval(timer);
  assert.equal(length, 20_000);
  assert.ok(ticks > 5, `${ticks} ticks`);
});

test('timers tick while onEvent is called and while a turn reads itself', async (t) => {
  const agent = await agentFor(t, [[repeat(20_000)]], { after: 'last' });
  for (const options of [{ onEvent() {} }, {}]) {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 0);
    await agent.prompt('go', options);
    clearInterval(timer);
    assert.ok(ticks > 5, `${ticks} ticks`);
  }
});

test('a slow reader gets everything', async (t) => {
  const agent = await agentFor(t, [[repeat(2000)]]);
  let count = 0;
  const events = [];
  for await (const event of agent.prompt('go')) {
    events.push(event);
    if (++count % 100 === 0) await sleep(2);
  }
  assert.equal(textOf(events).length, 2000);
});

test('many turns at once keep apart', async (t) => {
  const words = Array.from({ length: 50 }, (_, index) => `w${index}`);
  const results = await Promise.all(
    words.map(async (word) => {
      const echo = tool('echo', async () => (await sleep(1), word));
      const agent = await agentFor(t, [[repeat(300, word), call('echo')], [text(word)]], { tools: [echo] });
      const events = [];
      const result = await agent.prompt('go', { onEvent: (event) => events.push(event) });
      return { word, events, result };
    }),
  );
  for (const { word, events, result } of results) {
    assert.equal(textOf(events), word.repeat(301));
    assert.equal(toldText(events), word);
    assert.equal(only(events, 'done').length, 1);
    assert.equal(result.text, word);
  }
});
