// Builds the native addon with cargo and puts it where native.cjs looks. Arguments go to cargo: `--release`.
import { spawnSync } from 'node:child_process';
import { copyFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const addon = fileURLToPath(new URL('../lodger_node.node', import.meta.url));

const cargo = spawnSync(
  'cargo',
  ['build', '-p', 'lodger-node', '--message-format', 'json-render-diagnostics', ...process.argv.slice(2)],
  { cwd: here, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 },
);
if (cargo.error) throw cargo.error;
if (cargo.status !== 0) process.exit(cargo.status ?? 1);

const built = cargo.stdout
  .split('\n')
  .filter((line) => line.startsWith('{'))
  .map((line) => JSON.parse(line))
  .find((message) => message.reason === 'compiler-artifact' && message.target.name === 'lodger_node');
if (!built) throw new Error('cargo built no lodger_node');

// By rename: a process that has the old file loaded keeps it whole.
copyFileSync(built.filenames[0], `${addon}.new`);
renameSync(`${addon}.new`, addon);
