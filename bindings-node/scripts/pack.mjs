// Makes the tarballs that are published: `lodger`, which is JavaScript alone, and a package for the addon of each
// platform, of which npm installs the one that fits.
//
//   node scripts/pack.mjs OUT [PLATFORM=ADDON ...]
//
// PLATFORM is `linux-x64-gnu` and the like. Default: this machine's, with the addon that `make build` put here.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIBRARIES = { gnu: 'glibc', musl: 'musl' };
const root = fileURLToPath(new URL('..', import.meta.url));
const [out, ...given] = process.argv.slice(2);
if (!out) throw new Error('usage: node scripts/pack.mjs OUT [PLATFORM=ADDON ...]');
mkdirSync(out, { recursive: true });

const here = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { private: _, scripts, devDependencies, ...shared } = here;
const { name, version, license, engines } = shared;
const addons = new Map(
  given.length > 0 ? given.map((pair) => pair.split('=', 2)) : [[thisPlatform(), join(root, 'lodger_node.node')]],
);

for (const [platform, addon] of addons) {
  const [os, cpu, library] = platform.split('-');
  const main = 'lodger_node.node';
  pack({ [main]: addon, LICENSE: join(root, '../LICENSE') }, {
    name: `${name}-${platform}`,
    version,
    description: `The native half of ${name} for ${platform}`,
    license,
    engines,
    os: [os],
    cpu: [cpu],
    ...(LIBRARIES[library] && { libc: [LIBRARIES[library]] }),
    main,
  });
}
pack({ dist: join(root, 'dist'), 'dist-cjs': join(root, 'dist-cjs'), LICENSE: join(root, '../LICENSE') }, {
  ...shared,
  optionalDependencies: Object.fromEntries([...addons.keys()].map((platform) => [`${name}-${platform}`, version])),
});

/** Packs files, each under a name, as the package that `manifest` describes. */
function pack(files, manifest) {
  const stage = mkdtempSync(join(tmpdir(), 'lodger-pack-'));
  try {
    for (const [name, from] of Object.entries(files)) {
      cpSync(from, join(stage, name), { recursive: true, filter: (path) => !basename(path).startsWith('.') });
    }
    const listed = { ...manifest, files: Object.keys(files) };
    writeFileSync(join(stage, 'package.json'), `${JSON.stringify(listed, null, 2)}\n`);
    const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', resolve(out)];
    process.stdout.write(execFileSync('npm', words, { cwd: stage }));
  } finally {
    rmSync(stage, { recursive: true });
  }
}

function thisPlatform() {
  const { platform, arch, report } = process;
  const libraries = { linux: report.getReport().header.glibcVersionRuntime ? '-gnu' : '-musl', win32: '-msvc' };
  return `${platform}-${arch}${libraries[platform] ?? ''}`;
}
