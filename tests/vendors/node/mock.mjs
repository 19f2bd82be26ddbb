// The mock model server, as the vendors' clients meet it, and what all of their tests hold it to.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CONVERSATION = fileURLToPath(new URL('../conversation.json', import.meta.url));

export const KEY = 'sk-mock';
export const QUESTION = 'What is the weather?';
export const THOUGHT = 'Two cities, two calls.';
export const SIGNATURE = 'c2lnbmF0dXJl';
export const TEXT = 'I look it up – twice.';
export const INPUTS = [{ city: 'Paris' }, { city: 'Zürich' }];
export const RESULTS = ['sunny', 'rain'];
export const ANSWER = 'Paris is sunny, Zürich has rain.';
export const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** Serves the conversation that all clients have; resolves to the base URL. */
export function conversation(t, ...args) {
  return serve(t, CONVERSATION, args);
}

/** Serves one text, in two pieces, with a fault of the wire. */
export function faulty(t, fault) {
  const folder = mkdtempSync(join(tmpdir(), 'lodger-vendors-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [script, faults] = ['script.json', 'faults.json'].map((name) => join(folder, name));
  writeFileSync(script, JSON.stringify({ steps: [{ reply: [{ type: 'text', text: ['one', 'two'] }] }] }));
  writeFileSync(faults, JSON.stringify([{ fault }]));
  return serve(t, script, ['--faults', faults]);
}

/** Serves a script. A request that the provider would refuse fails the test. */
async function serve(t, script, args) {
  const server = spawn(program(), ['--script', script, '--api-key', KEY, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const line = await new Promise((resolve, reject) => {
    createInterface(server.stdout).once('line', resolve);
    server.once('exit', (code) => reject(new Error(`the mock model ended with ${code}`)));
  });
  const { baseUrl } = JSON.parse(line);
  t.after(async () => {
    const { flaws } = await (await fetch(`${baseUrl}/__mock/stats`)).json();
    server.stdin.end();
    assert.deepEqual(flaws, []);
  });
  return baseUrl;
}

/** Where the program is: built with the rest of the workspace. */
function program() {
  const target = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL('../../../target', import.meta.url));
  const places = ['debug', 'release'].map((profile) => join(target, profile, 'lodger-mock-model'));
  const found = places.find(existsSync);
  if (!found) throw new Error(`there is no ${places.join(' and no ')}; \`make build\` makes it`);
  return found;
}
