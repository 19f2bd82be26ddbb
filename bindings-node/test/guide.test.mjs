// The programs in docs/embed-node.md: each compiles strictly, and prints what the page says.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { folder } from './kit.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, '../docs/embed-node.md'), 'utf8');
const files = [...page.matchAll(/<!-- file: (\S+) -->\n```\w+\n(.*?)```(?:\n\n```text\n(.*?)```)?/gs)];
const programs = files.filter(([, name]) => name.endsWith('.ts'));

test('every program of the guide compiles, and prints what the guide says', async (t) => {
  assert.equal(programs.length, page.match(/^```ts$/gm).length, 'each has a name');
  const project = folder(t);
  for (const [, name, content] of files) writeFileSync(join(project, name), content);
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(root, join(project, 'node_modules/lodger'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  const compilerOptions = { rootDir: project, outDir: 'built', declaration: false };
  compilerOptions.typeRoots = [join(root, 'node_modules/@types')];
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(settings));
  await run(join(root, 'node_modules/.bin/tsc'), ['--project', project]);

  for (const [, name, , printed] of programs) {
    const file = join(project, 'built', name.replace(/ts$/, 'js'));
    const { stdout } = await run(process.execPath, [file], { cwd: project, timeout: 60_000 });
    assert.equal(stdout, printed, name);
  }
});
