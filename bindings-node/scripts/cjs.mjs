// What dist-cjs needs beside what tsc writes: the word that it is CommonJS, though the package as a whole is not, and
// a file that knows its place without `import.meta`.
import { writeFileSync } from 'node:fs';

const write = (name, text) => writeFileSync(new URL(`../dist-cjs/${name}`, import.meta.url), `${text}\n`);
write('package.json', '{ "type": "commonjs" }');
write('here.js', "'use strict';\nexports.here = __filename;");
