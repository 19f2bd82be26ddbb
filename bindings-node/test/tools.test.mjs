// Tools that the host runs: what they are given, and what the model is told of what they return.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAgent, defineTool, LodgerError } from 'lodger';
import { agentFor, all, call, folder, gate, only, sleep, text, toldText, tool, types } from './kit.mjs';

const MiB = 1024 * 1024;
const picture = { type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' };
const pdf = { type: 'document', mimeType: 'application/pdf', data: 'JVBERi0xLjQK', name: 'a.pdf' };
const rich = (more) => ({ type: 'lodger.tool-result', text: 'see', ...more });

/** The events of a turn in which the model calls a tool that does what `execute` does. */
async function ran(t, execute, input) {
  const agent = await agentFor(t, [[call('mine', input)], [text('ok')]], { tools: [tool('mine', execute)] });
  const events = await all(agent.prompt('go'));
  assert.equal(events.at(-1).reason, 'end_turn');
  return events;
}
const isError = (events) => only(events, 'tool_result')[0].isError;

test('a tool gets its input, and the model its result', async (t) => {
  let got;
  const agent = await agentFor(
    t,
    [
      { expect: { tools: ['lookup'] }, reply: [call('lookup', { city: 'Bonn' })] },
      { expect: { toolResults: [{ contains: 'rain in Bonn', isError: false }] }, reply: [text('ok')] },
    ],
    { tools: [tool('lookup', async (input) => `rain in ${(got = input).city}`)] },
  );
  assert.equal((await agent.prompt('go')).text, 'ok');
  assert.deepEqual(got, { city: 'Bonn' });
});

for (const [what, value, told] of [
  ['a string, as it is', 'plain "text"', 'plain "text"'],
  ['nothing, as null', undefined, 'null'],
  ['null, as null', null, 'null'],
  ['an object, as JSON', { a: [1, 'b'] }, '{"a":[1,"b"]}'],
  ['a number, as JSON', 42, '42'],
  ['an object that looks like a picture, as JSON', { type: 'image', data: 'x' }, '{"type":"image","data":"x"}'],
  ['half a character, as a replacement character', 'x\ud83d', 'x\ufffd'],
]) {
  test(`a tool returns ${what}`, async (t) => {
    const events = await ran(t, () => value);
    assert.equal(toldText(events), told);
    assert.equal(isError(events), false);
  });
}

const circular = {};
circular.self = circular;
for (const [what, value] of [
  ['a circle', circular],
  ['a bigint', 1n],
  ['a function', () => {}],
  ['a symbol', Symbol('s')],
  ['more than 8 MiB', 'x'.repeat(8 * MiB + 1)],
  ['a picture of an unknown kind', rich({ images: [{ ...picture, mimeType: 'image/tiff' }] })],
  ['a picture that is not base64', rich({ images: [{ ...picture, data: 'no!' }] })],
  ['a picture over 5 MiB', rich({ images: [{ ...picture, data: 'A'.repeat(5 * MiB + 4) }] })],
  ['nine pictures', rich({ images: Array(9).fill(picture) })],
  ['pictures over 8 MiB together', rich({ images: Array(3).fill({ ...picture, data: 'A'.repeat(3 * MiB) }) })],
  ['a document that is none', rich({ documents: [picture] })],
  ['a document without data', rich({ documents: [{ ...pdf, data: undefined }] })],
  ['a document whose name is a number', rich({ documents: [{ ...pdf, name: 1 }] })],
  ['a document of an unknown kind', rich({ documents: [{ ...pdf, mimeType: 'application/msword' }] })],
  ['a PDF that is none', rich({ documents: [{ ...pdf, data: 'aGVsbG8=' }] })],
  ['a document in place of a list', rich({ documents: pdf })],
  ['a rich result without text', rich({ text: undefined })],
]) {
  test(`a tool that returns ${what} has failed`, async (t) => {
    assert.equal(isError(await ran(t, () => value)), true);
  });
}

test('a tool may return 8 MiB', async (t) => {
  assert.equal(isError(await ran(t, () => 'x'.repeat(8 * MiB))), false);
});

test('a rich result is text and pictures', async (t) => {
  const events = await ran(t, () => rich({ images: [picture] }));
  assert.deepEqual(only(events, 'tool_result')[0].content, [{ type: 'text', text: 'see' }, picture]);
  assert.equal(isError(events), false);
});

test('a rich result may hold documents, after its pictures', async (t) => {
  const documents = [pdf, { type: 'document', mimeType: 'text/plain', data: 'aGVsbG8=' }];
  const events = await ran(t, () => rich({ images: [picture], documents }));
  assert.deepEqual(only(events, 'tool_result')[0].content, [{ type: 'text', text: 'see' }, picture, ...documents]);
  assert.equal(isError(events), false);
});

test('a rich result may say that it is an error', async (t) => {
  const events = await ran(t, () => rich({ isError: true }));
  assert.equal(toldText(events), 'see');
  assert.equal(isError(events), true);
});

for (const [what, thrown, told] of [
  ['an error', new Error('no such city'), /no such city/],
  ['a text', 'just text', /just text/],
  ['nothing', undefined, /undefined/],
  ['what has no text', Object.create(null), /thrown/],
]) {
  test(`a tool that throws ${what} has failed, and the model is told`, async (t) => {
    const events = await ran(t, () => {
      throw thrown;
    });
    assert.equal(isError(events), true);
    assert.match(toldText(events), told);
  });
}

test('what throws when it is looked at has failed', async (t) => {
  const trap = (name) => Object.defineProperty({}, name, { enumerable: true, get: () => assert.fail('trapped') });
  for (const execute of [
    () => trap('type'),
    () => trap('anything'),
    () => trap('then'),
    () => {
      throw trap('cause');
    },
    () => {
      throw trap('message');
    },
  ]) {
    assert.equal(isError(await ran(t, execute)), true, String(execute));
  }
});

test('a rejection is told like a throw', async (t) => {
  const events = await ran(t, () => Promise.reject(new Error('later')));
  assert.match(toldText(events), /later/);
  assert.equal(isError(events), true);
});

test('pictures that an error carries reach the model', async (t) => {
  const events = await ran(t, () => {
    throw new Error('failed', { cause: rich({ images: [picture] }) });
  });
  assert.deepEqual(only(events, 'tool_result')[0].content, [{ type: 'text', text: 'see' }, picture]);
  assert.equal(isError(events), true);
});

test('an error may be a rich result itself', async (t) => {
  const events = await ran(t, () => {
    throw Object.assign(new Error('failed'), rich({ images: [picture] }));
  });
  assert.deepEqual(only(events, 'tool_result')[0].content, [{ type: 'text', text: 'see' }, picture]);
  assert.equal(isError(events), true);
});

test('a malformed result that an error carries is told as what is wrong with it', async (t) => {
  const events = await ran(t, () => {
    throw new Error('failed', { cause: rich({ images: Array(9).fill(picture) }) });
  });
  assert.match(toldText(events), /9 images/);
  assert.equal(isError(events), true);
});

test('progress is shown while the tool runs', async (t) => {
  const events = await ran(t, async (_input, { progress }) => {
    progress('one');
    await sleep(5);
    progress('two');
    return 'done';
  });
  const shown = only(events, 'tool_progress');
  assert.equal(shown.map((event) => event.chunk).join(''), 'onetwo');
  assert.ok(shown.every((event) => event.stream === 'progress'));
  assert.ok(types(events).lastIndexOf('tool_progress') < types(events).indexOf('tool_result'));
});

test('progress after the end is dropped', async (t) => {
  let late;
  await ran(t, (_input, { progress }) => void (late = progress));
  late('too late');
});

test('a tool that takes too long is told so and has failed', async (t) => {
  const signalled = gate();
  const slow = (_input, { signal }) => {
    signal.addEventListener('abort', signalled.open);
    return new Promise(() => {});
  };
  const tools = [tool('mine', slow, { timeoutMs: 30 })];
  const agent = await agentFor(t, [[call('mine')], [text('ok')]], { tools });
  const events = await all(agent.prompt('go'));
  await signalled.opened;
  assert.equal(isError(events), true);
  assert.equal(only(events, 'request_resolved')[0].outcome, 'expired');
});

test('a tool named like a built-in one replaces it', async (t) => {
  const tools = [tool('run_shell', ({ command }) => `not running ${command}`)];
  const steps = [[call('run_shell', { command: 'ls' })], [text('ok')]];
  const agent = await agentFor(t, steps, { tools, cwd: folder(t) });
  assert.equal(toldText(await all(agent.prompt('go'))), 'not running ls');
});

test('a tool that wants to be asked for is, in every mode', async (t) => {
  const asked = [];
  const agent = await agentFor(t, [[call('mine', { n: 1 })], [text('ok')]], {
    mode: 'full-auto',
    tools: [tool('mine', () => assert.fail('ran'), { approval: 'ask' })],
    onPermission: ({ toolName, input }) => {
      asked.push([toolName, input]);
      return { kind: 'deny', feedback: 'not now' };
    },
  });
  assert.match(toldText(await all(agent.prompt('go'))), /not now/);
  assert.deepEqual(asked, [['mine', { n: 1 }]]);
});

test('a tool keeps its this', async (t) => {
  class Counter {
    name = 'count';
    description = 'counts';
    inputSchema = { type: 'object' };
    #calls = 0;
    execute() {
      return ++this.#calls;
    }
  }
  const agent = await agentFor(t, [[call('count')], [text('ok')]], { tools: [new Counter()] });
  assert.equal(toldText(await all(agent.prompt('go'))), '1');
});

test('tools that only look run side by side', async (t) => {
  let open;
  const both = new Promise((resolve) => (open = resolve));
  let running = 0;
  const meet = tool(
    'meet',
    async () => {
      if (++running === 2) open();
      await both;
      return 'met';
    },
    { readOnly: true },
  );
  const agent = await agentFor(t, [[call('meet', {}, 'a'), call('meet', {}, 'b')], [text('ok')]], { tools: [meet] });
  const events = await all(agent.prompt('go'));
  assert.equal(only(events, 'tool_result').length, 2);
});

test('a schema is taken as it was when the agent was made', async (t) => {
  const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
  const agent = await agentFor(t, [[call('mine')], [text('ok')]], {
    tools: [{ ...tool('mine', () => 1), inputSchema }],
  });
  inputSchema.type = 'nonsense';
  assert.equal((await agent.prompt('go')).text, 'ok');
});

test('a schema that is no object of JSON is refused', async () => {
  for (const inputSchema of ['object', circular, { type: 'object', maxProperties: 1n }]) {
    const tools = [{ ...tool('mine', () => 1), inputSchema }];
    await assert.rejects(createAgent({ model: 'scripted/x.json', tools }), (error) => {
      assert.ok(error instanceof LodgerError);
      assert.equal(error.code, 'invalid_options');
      return true;
    });
  }
});

test('names are unique and well formed', async () => {
  const make = (...names) => createAgent({ model: 'scripted/x.json', tools: names.map((name) => tool(name, () => 1)) });
  for (const [names, named] of [
    [['a', 'a'], /"?a"?/],
    [[''], /tools\[0\]/],
    [['x'.repeat(65)], /tools\[0\]/],
    [['ok', 'not ok'], /tools\[1\]/],
  ]) {
    await assert.rejects(make(...names), (error) => {
      assert.ok(error instanceof LodgerError);
      assert.equal(error.code, 'invalid_options');
      assert.match(error.message, named);
      return true;
    });
  }
});

test('defineTool returns the tool that it was given', () => {
  const mine = tool('mine', () => 1);
  assert.equal(defineTool(mine), mine);
});
