'use strict';
// Loads the native addon, for ESM and CommonJS alike.

try {
  module.exports = require('./lodger_node.node');
} catch (cause) {
  const what = `${process.platform}-${process.arch}`;
  throw new Error(`lodger: the native addon for ${what} cannot be loaded; build it with \`npm run build:native\``, {
    cause,
  });
}
