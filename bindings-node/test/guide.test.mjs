// The TypeScript programs in docs/: each compiles strictly, and prints what its page says.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { folder } from './kit.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const docs = join(root, '../docs');
const pages = readdirSync(docs)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(join(docs, name), 'utf8') }))
  .filter(({ text }) => /^```ts$/m.test(text));

test('there are guides with TypeScript', () => {
  assert.ok(pages.some(({ name }) => name === 'embed-node.md'));
});

for (const { name: pageName, text } of pages) {
  test(`every TypeScript program of ${pageName} compiles, and prints what the page says`, async (t) => {
    const files = [...text.matchAll(/<!-- file: (\S+) -->\n```\w+\n(.*?)```(?:\n\n```text\n(.*?)```)?/gs)];
    const programs = files.filter(([, name]) => name.endsWith('.ts'));
    assert.equal(programs.length, text.match(/^```ts$/gm).length, 'each has a name');
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
      const built = name.replace(/ts$/, 'js');
      if (printed === undefined) {
        assert.ok(programs.some(([, , content]) => content.includes(`'./${built}'`)), `${name} says what it prints`);
        continue;
      }
      const file = join(project, 'built', built);
      const { stdout } = await run(process.execPath, [file], { cwd: project, timeout: 60_000 });
      assert.equal(stdout, printed, name);
    }
  });
}
