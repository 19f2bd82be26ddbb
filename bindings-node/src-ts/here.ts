/** Where this file is: in the package, or in the bundle that the host made of it, which may be CommonJS. */
// @ts-ignore: what is compiled to CommonJS has no `import.meta`; scripts/cjs.mjs writes what stands there.
export const here: string = import.meta.url ?? __filename;
