// Processes that end in mid-turn, in every way: none crashes, none hangs, none leaves a child behind.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { folder, until } from './kit.mjs';

const EACH = process.env.LODGER_DEEP ? 40 : 8;
const AT_ONCE = 4;
const child = fileURLToPath(new URL('./exit-child.mjs', import.meta.url));

const ends = {
  return: { code: 0, signal: null },
  exit: { code: 7, signal: null },
  throw: { code: 1, signal: null },
  SIGTERM: { code: null, signal: 'SIGTERM' },
  SIGINT: { code: null, signal: 'SIGINT' },
};

/** Processes that carry the mark in their environment. */
function marked(mark) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
      } catch {
        return false;
      }
    });
}

function run(mode, path, mark) {
  return new Promise((resolve) => {
    const env = { ...process.env, LODGER_TEST_MARK: mark };
    const started = spawn(process.execPath, [child, mode, path], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    started.stderr.on('data', (data) => (errors += data));
    let children = 0;
    started.stdout.once('data', () => {
      if (!mode.startsWith('SIG')) return;
      children = marked(mark).length - 1;
      started.kill(mode);
    });
    const hung = setTimeout(() => started.kill('SIGKILL'), 60_000);
    // `exit`, not `close`: a stray child would hold the pipes.
    started.on('exit', (code, signal) => {
      clearTimeout(hung);
      resolve({ code, signal, children, errors });
    });
  });
}

for (const [mode, expected] of Object.entries(ends)) {
  test(`ending by ${mode} in mid-turn`, { skip: process.platform !== 'linux' && 'reads /proc' }, async (t) => {
    let left = EACH;
    const lane = async () => {
      while (left-- > 0) {
        const mark = `lodger-exit-${mode}-${process.pid}-${left}`;
        const { errors, children, ...end } = await run(mode, folder(t), mark);
        assert.deepEqual(end, expected, errors);
        if (mode.startsWith('SIG')) assert.ok(children >= 2, 'its command was running');
        await until(() => marked(mark).length === 0, `no process of ${mark} is left`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  });
}
