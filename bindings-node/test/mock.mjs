// The mock model server of the test kit: a model over real HTTP, with numbers about what it wrote.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { folder, scripted } from './kit.mjs';

/** A server that plays `steps`; it ends with the test. */
export async function mockModel(t, steps, { after, args = [] } = {}) {
  const script = scripted(folder(t), steps, after).slice('scripted/'.length);
  const server = spawn(program(), ['--script', script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => server.stdin.end());
  const [line] = await Promise.race([
    once(createInterface(server.stdout), 'line'),
    once(server, 'exit').then(([code]) => Promise.reject(new Error(`the mock model ended with ${code}`))),
  ]);
  const { baseUrl } = JSON.parse(line);
  return {
    baseUrl,
    endpoint: { kind: 'anthropic', baseUrl },
    stats: async () => (await fetch(`${baseUrl}/__mock/stats`)).json(),
    stop: () => server.kill('SIGKILL'),
  };
}

function once(emitter, event) {
  return new Promise((resolve) => emitter.once(event, (...values) => resolve(values)));
}

/** Where the program is: built with the rest of the workspace. */
function program() {
  const target = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL('../../target', import.meta.url));
  const places = ['debug', 'release'].map((profile) => join(target, profile, 'lodger-mock-model'));
  const found = places.find(existsSync);
  if (!found) throw new Error(`there is no ${places.join(' and no ')}; \`make build\` makes it`);
  return found;
}
