// Makes one file of each entry of the package, for `import` and for `require`: to find and link twenty small modules takes
// Node longer than to load the addon. The declarations stay as tsc wrote them.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const entries = ['index', 'conversation/index'];

const bundle = (folder, format) =>
  build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries.map((name) => [name, `dist/${name}.js`])),
    outdir: folder,
    format,
    bundle: true,
    // The conversation stands on the entry beside it, whose classes and addon are then there once.
    external: ['../index.js'],
    platform: 'node',
    target: 'es2022',
    charset: 'utf8',
    allowOverwrite: true,
    logLevel: 'warning',
    // here.ts knows what to do without it.
    logOverride: { 'empty-import-meta': 'silent' },
  });

await bundle('dist-cjs', 'cjs');
await bundle('dist', 'esm');
// The package as a whole is not CommonJS.
writeFileSync(`${root}/dist-cjs/package.json`, '{ "type": "commonjs" }\n');
for (const folder of ['dist', 'dist-cjs']) {
  for (const name of readdirSync(`${root}/${folder}`, { recursive: true })) {
    if (name.endsWith('.js') && !entries.includes(name.slice(0, -3))) rmSync(`${root}/${folder}/${name}`);
  }
}
