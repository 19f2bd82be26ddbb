/**
 * Finds the native addon: where the host says, beside this package, or in the package of this platform. Never on a
 * search path of the system, and never one of another version.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { here } from './here.js';
import { version } from './version.js';

/** The variable that names an addon of the host's choice. */
const OVERRIDE = 'LODGER_NODE_ADDON';

/** What a build leaves beside the package, and what a host may put beside a bundle. */
const BESIDE = ['../lodger_node.node', './lodger_node.node'];

/** The C libraries that there are on a platform; npm installs what fits. */
const LIBRARIES: Partial<Record<NodeJS.Platform, string[]>> = { linux: ['-gnu', '-musl'], win32: ['-msvc'] };

/** What is asked of an addon here; the rest is its users' affair. */
interface Versioned {
  version(): string;
}

/** Loads the addon, or throws what was tried and what to do. */
export function load<Addon extends Versioned>(): Addon {
  const platform = `${process.platform}-${process.arch}`;
  const packages = (LIBRARIES[process.platform] ?? ['']).map((library) => `lodger-${platform}${library}`);
  const chosen = process.env[OVERRIDE];
  const tried: string[] = [];
  for (const [place, from] of chosen ? [[resolve(chosen), here] as const] : places([...BESIDE, ...packages])) {
    try {
      return sameVersion(createRequire(from)(place) as Addon);
    } catch (error) {
      tried.push(`\n  ${place}: ${String((error as Error).message).split('\n', 1)}`);
    }
  }
  throw new Error(
    `lodger: no native addon for ${platform} can be loaded. It comes in the package ${packages.join(' or ')}, which ` +
      `npm installs with \`lodger\` unless optional dependencies are left out or the lock file was written for ` +
      `another platform; ${OVERRIDE} may name the file itself. Tried:${tried.join('')}`,
  );
}

/** Native files cannot be loaded out of an Electron archive: there they stand unpacked, beside it. */
function places(names: string[]): (readonly [place: string, from: string])[] {
  const unpacked = here.replace(/(?<=[\\/]app)\.asar(?=[\\/])/, '.asar.unpacked');
  return [...new Set([unpacked, here])].flatMap((from) => names.map((name) => [name, from] as const));
}

function sameVersion<Addon extends Versioned>(addon: Addon): Addon {
  if (addon.version() === version) return addon;
  throw new Error(`it is of version ${addon.version()}, and this package of ${version}; install both of one version`);
}
