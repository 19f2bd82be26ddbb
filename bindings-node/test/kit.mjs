// What the tests share: scripted models, agents that are closed after their test, and waiting.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent } from 'lodger';

/** A folder that goes with its test. */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), 'lodger-node-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A model that plays `steps`: a list of replies, each a list of parts or a whole step. */
export function scripted(path, steps, after) {
  const script = {
    steps: steps.map((step) => (Array.isArray(step) ? { reply: step } : step)),
    ...(after && { after }),
  };
  const file = join(path, 'script.json');
  writeFileSync(file, JSON.stringify(script));
  return `scripted/${file}`;
}

/** An agent that plays `steps` and is closed when the test ends. */
export async function agentFor(t, steps, { after, ...options } = {}) {
  const agent = await createAgent({ model: scripted(folder(t), steps, after), ...options });
  t.after(() => agent.close());
  return agent;
}

export const text = (value, chunks) => ({ type: 'text', text: value, ...(chunks && { chunks }) });
export const repeat = (count, value = 'x') => ({ type: 'repeat', text: value, count });
export const delay = (ms) => ({ type: 'delay', ms });
export const call = (toolName, input = {}, toolCallId) => ({
  type: 'tool_call',
  toolName,
  input,
  ...(toolCallId && { toolCallId }),
});

/** A reply that never ends by itself. */
export const endless = [text('on and on'), delay(600_000)];

/** A host tool that does what `execute` does. */
export const tool = (name, execute, more = {}) => ({
  name,
  description: `${name}, for tests`,
  inputSchema: { type: 'object' },
  execute,
  ...more,
});

export async function all(iterable) {
  const events = [];
  for await (const event of iterable) events.push(event);
  return events;
}

export const types = (events) => events.map((event) => event.type);
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const only = (events, type) => events.filter((event) => event.type === type);
export const textOf = (events) =>
  only(events, 'text_delta')
    .map((event) => event.text)
    .join('');

/** The text of the one result that the model was told. */
export function toldText(events) {
  const [result] = only(events, 'tool_result');
  return result.content.map((block) => block.text ?? `<${block.mimeType}>`).join('');
}

/** Waits until `condition` holds; the bound is generous, for machines with much to do. */
export async function until(condition, what) {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await sleep(5);
  }
}

/** A promise with its two ends. */
export function gate() {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  return { open, opened };
}
