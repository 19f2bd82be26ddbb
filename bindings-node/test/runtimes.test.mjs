// The same suites in Bun and in Deno: two of them always, all that are not about Node itself under LODGER_DEEP.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SUITES = process.env.LODGER_DEEP
  ? [
      'agent', 'cancel', 'checkpoint', 'conversation', 'environments', 'fetch', 'http', 'loop', 'models', 'requests',
      'tokens', 'tools', 'turn',
    ]
  : ['conversation', 'turn'];
const here = fileURLToPath(new URL('.', import.meta.url));
const runtimes = {
  bun: { words: ['test', '--timeout', '120000'], passed: /^ *(\d+) pass$/m },
  deno: { words: ['test', '--allow-all', '--no-lock', '--no-check'], passed: /\| (\d+) passed/ },
};
// What Node's runner tells its own children is not meant for others.
const { NODE_TEST_CONTEXT: _, ...env } = { ...process.env, NO_COLOR: '1' };

for (const [name, { words, passed }] of Object.entries(runtimes)) {
  const program = `${here}runtimes/node_modules/.bin/${name}`;
  const skip = !existsSync(program) && `${name} is not installed; \`make runtimes\` installs it where npm can reach it`;
  test(`the suites pass in ${name}`, { skip }, async (t) => {
    const files = SUITES.map((suite) => `./${suite}.test.mjs`);
    const { code, output } = await new Promise((resolve) => {
      execFile(program, [...words, ...files], { cwd: here, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
        resolve({ code: error ? (error.code ?? error.signal) : 0, output: stdout + stderr }),
      );
    });
    assert.equal(code, 0, output);
    const [, count] = passed.exec(output) ?? assert.fail(output);
    assert.ok(Number(count) > 40, output);
    t.diagnostic(`${count} passed in ${name}`);
  });
}
