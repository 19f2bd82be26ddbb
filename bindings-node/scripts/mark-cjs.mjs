// Tells Node that what stands in dist-cjs is CommonJS, though the package as a whole is not.
import { writeFileSync } from 'node:fs';

writeFileSync(new URL('../dist-cjs/package.json', import.meta.url), '{ "type": "commonjs" }\n');
