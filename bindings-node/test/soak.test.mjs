// Very many prompts in one process: memory, descriptors, threads and handles stay as they are.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { folder } from './kit.mjs';

const PROMPTS = process.env.LODGER_DEEP ? 100_000 : 2_000;
const child = fileURLToPath(new URL('./soak-child.mjs', import.meta.url));

test(`${PROMPTS} prompts leave nothing behind`, { skip: process.platform !== 'linux' && 'reads /proc' }, async (t) => {
  // What V8 and the allocator keep at hand, for garbage and for threads that come and go, grows for a long time and is
  // no leak: here both keep as little as they can.
  const words = ['--expose-gc', '--max-semi-space-size=1', child, String(PROMPTS), folder(t)];
  const env = { ...process.env, MALLOC_ARENA_MAX: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, words, { env });
  const { prompts, half, late } = JSON.parse(stdout);
  t.diagnostic(stdout.trim());
  assert.ok(prompts >= PROMPTS);
  assert.ok(late.mebibytes < half.mebibytes + 24, 'memory');
  assert.ok(late.heap < half.heap + 4, 'heap');
  assert.ok(late.descriptors <= half.descriptors, 'descriptors');
  assert.ok(late.threads <= half.threads, 'threads');
  assert.ok(late.resources <= half.resources, 'resources of the event loop');
});
