// The package as it is published: packed, installed into an empty project without a network, bundled, moved about.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { folder, scripted, text } from './kit.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'lodger packed '));
const modules = join(project, 'node_modules');
const model = scripted(project, [[text('hello')]]);
let addon;

before(async () => {
  await run(process.execPath, [join(root, 'scripts/pack.mjs'), join(project, 'tarballs')]);
  await writeFile(join(project, 'package.json'), '{ "name": "app", "private": true, "type": "module" }');
  const tarballs = readdirSync(join(project, 'tarballs')).map((name) => `./tarballs/${name}`);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], { cwd: project });
  await writeFile(join(project, 'app.js'), APP);
  await writeFile(join(project, 'app.cjs'), CJS_APP);
  addon = join(modules, readdirSync(modules).find((name) => name.startsWith('lodger-')), 'lodger_node.node');
});
after(() => rmSync(project, { recursive: true, force: true }));

const APP = `
  import { createAgent } from 'lodger';
  import { createAgent as converse } from 'lodger/conversation';
  const agent = await createAgent({ model: process.argv[2] });
  console.log((await agent.prompt('go')).text);
  await agent.close();
  const other = await converse({ auth: { provider: 'scripted', token: 'none' }, model: process.argv[2] });
  for await (const event of other.prompt('go')) console.log(event.delta);
  await other.close();
`;
const CJS_APP = `
  const { createAgent } = require('lodger');
  const { createAgent: converse } = require('lodger/conversation');
  createAgent({ model: process.argv[2] }).then(async (agent) => {
    console.log((await agent.prompt('go')).text);
    await agent.close();
    const other = await converse({ auth: { provider: 'scripted', token: 'none' }, model: process.argv[2] });
    for await (const event of other.prompt('go')) console.log(event.delta);
    await other.close();
  });
`;
const TS_APP = `
  import { createAgent, type Event, type TurnResult } from 'lodger';
  import { createAgent as converse, type TurnEvent } from 'lodger/conversation';
  async function main(model: string): Promise<void> {
    const agent = await createAgent({ model, onPermission: (asked) => ({ kind: 'deny', feedback: asked.label }) });
    const result: TurnResult = await agent.prompt('go', { onEvent: (event: Event) => void event.seq });
    console.log(result.text);
    await agent.close();
    const other = await converse({ auth: { provider: 'scripted', token: 'none' }, model });
    for await (const event of other.prompt('go')) console.log(shown(event));
    await other.close();
  }
  const shown = (event: TurnEvent): string => (event.type === 'text_delta' ? event.delta : '');
  void main(process.argv[2] ?? '');
`;

/** What a program prints that uses the package. */
async function says(file, { env = {}, cwd = project } = {}) {
  const words = [file, model];
  return (await run(process.execPath, words, { cwd, env: { ...process.env, ...env }, timeout: 60_000 })).stdout;
}
const greets = async (file, more) => assert.equal(await says(file, more), 'hello\nhello\n');

function filesOf(path) {
  return readdirSync(path, { recursive: true }).filter((name) => statSync(join(path, name)).isFile());
}
const bytesOf = (path) => filesOf(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);

test('npm installs JavaScript and one addon, and nothing else', (t) => {
  const installed = readdirSync(modules).filter((name) => !name.startsWith('.'));
  assert.equal(installed.length, 2, String(installed));
  assert.ok(filesOf(join(modules, 'lodger')).every((name) => /^(dist|dist-cjs|LICENSE|package\.json)/.test(name)));
  const MiB = 1024 * 1024;
  const [script, native] = [bytesOf(join(modules, 'lodger')), bytesOf(join(addon, '..'))];
  t.diagnostic(`installed: ${(script / MiB).toFixed(2)} MiB of JavaScript, ${(native / MiB).toFixed(1)} MiB of addon`);
  assert.ok(script < MiB / 2, `${script} bytes of JavaScript`);
});

test('ESM and CommonJS use the installed package', async () => {
  await greets('app.js');
  await greets('app.cjs');
});

test('strict TypeScript compiles against it, in every kind of module, and runs', async () => {
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: 'es2022',
    lib: ['es2022', 'esnext.disposable'],
    typeRoots: [join(root, 'node_modules/@types')],
    types: ['node'],
    outDir: 'built',
    rootDir: 'src',
  };
  mkdirSync(join(project, 'src'));
  for (const file of ['esm.mts', 'cjs.cts']) await writeFile(join(project, 'src', file), TS_APP);
  const tsc = join(root, 'node_modules/.bin/tsc');
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['preserve', 'bundler'],
  ]) {
    const compilerOptions = { ...options, module, moduleResolution };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
    await run(tsc, ['--project', project]);
    await greets('built/esm.mjs');
    if (module === 'nodenext') await greets('built/cjs.cjs');
  }
});

test('without the package of the platform the error names it, and the variable that helps', async (t) => {
  const aside = join(project, 'aside');
  await rename(join(addon, '..'), aside);
  t.after(() => rename(aside, join(addon, '..')));
  await assert.rejects(says('app.js'), (error) => {
    assert.match(error.stderr, new RegExp(`package lodger-${process.platform}-${process.arch}`));
    assert.match(error.stderr, /LODGER_NODE_ADDON/);
    return true;
  });
  await greets('app.js', { env: { LODGER_NODE_ADDON: join(aside, 'lodger_node.node') } });
  await greets('app.cjs', { env: { LODGER_NODE_ADDON: 'aside/lodger_node.node' } });
});

test('an addon of another version is refused by both versions', async () => {
  const other = join(project, 'other.cjs');
  await writeFile(other, `module.exports = { version: () => '99.1.0' };`);
  await assert.rejects(says('app.js', { env: { LODGER_NODE_ADDON: other } }), (error) => {
    assert.match(error.stderr, /99\.1\.0.*0\.1\.0/);
    return true;
  });
});

test('two copies of the package in one process keep to their own addon', async (t) => {
  const second = join(project, 'second');
  t.after(() => rm(second, { recursive: true }));
  cpSync(modules, join(second, 'node_modules'), { recursive: true });
  await writeFile(join(second, 'app.js'), APP);
  await writeFile(join(second, 'package.json'), '{ "type": "module" }');
  await writeFile(join(project, 'both.js'), `await import('./app.js'); await import('./second/app.js');`);
  assert.equal(await says('both.js'), 'hello\n'.repeat(4));
});

for (const format of ['esm', 'cjs']) {
  test(`a bundle (${format}) without any setting runs beside node_modules, or beside the addon`, async (t) => {
    const name = `bundle.${format === 'esm' ? 'mjs' : 'cjs'}`;
    const outfile = join(project, 'out', name);
    const entryPoints = [join(project, format === 'esm' ? 'app.js' : 'app.cjs')];
    const { warnings } = await build({ entryPoints, outfile, format, bundle: true, minify: true, platform: 'node' });
    assert.deepEqual(warnings, []);
    await greets(outfile);

    const alone = folder(t);
    cpSync(outfile, join(alone, name));
    await assert.rejects(says(join(alone, name), { cwd: alone }), /lodger_node\.node/);
    cpSync(addon, join(alone, 'lodger_node.node'));
    await greets(join(alone, name), { cwd: alone });
  });
}

test('ESM bundled to CommonJS finds the addon too', async () => {
  const entry = join(project, 'entry.mjs');
  await writeFile(entry, `import { version } from 'lodger'; console.log(version);`);
  const outfile = join(project, 'out', 'entry.cjs');
  await build({ entryPoints: [entry], outfile, format: 'cjs', bundle: true, platform: 'node', logLevel: 'error' });
  assert.match(await says(outfile), /^\d+\.\d+\.\d+\n$/);
});

test('an archive with the addon unpacked beside it works, and nothing is written there', async (t) => {
  const resources = join(project, 'Read Only', 'resources');
  const archive = join(resources, 'app.asar');
  const unpacked = join(resources, 'app.asar.unpacked');
  const native = join(addon, '..').slice(project.length);
  cpSync(modules, join(archive, 'node_modules'), { recursive: true });
  cpSync(join(project, 'package.json'), join(archive, 'package.json'));
  for (const app of ['app.js', 'app.cjs']) cpSync(join(project, app), join(archive, app));
  mkdirSync(join(unpacked, 'node_modules'), { recursive: true });
  await rename(join(archive, native), join(unpacked, native));
  assert.equal(existsSync(join(archive, native)), false);

  const places = readdirSync(resources, { recursive: true }).map((name) => join(resources, name));
  const folders = places.filter((place) => statSync(place).isDirectory());
  for (const place of places) chmodSync(place, folders.includes(place) ? 0o555 : 0o444);
  t.after(() => folders.forEach((place) => chmodSync(place, 0o755)));
  await greets(join(archive, 'app.js'), { cwd: tmpdir() });
  await greets(join(archive, 'app.cjs'), { cwd: tmpdir() });
  assert.equal(readdirSync(resources, { recursive: true }).length, places.length);
});
