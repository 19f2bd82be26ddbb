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
  const words = ['--expose-gc', child, String(PROMPTS), folder(t)];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const { prompts, early, late } = JSON.parse(stdout);
  t.diagnostic(stdout.trim());
  assert.ok(prompts >= PROMPTS);
  assert.ok(late.mebibytes < early.mebibytes + 32, 'memory');
  assert.ok(late.heap < early.heap + 4, 'heap');
  assert.ok(late.descriptors <= early.descriptors, 'descriptors');
  assert.ok(late.threads <= early.threads, 'threads');
  assert.ok(late.resources <= early.resources, 'resources of the event loop');
});
