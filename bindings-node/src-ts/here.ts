/** Where this file is: in the package, or in the bundle that the host made of it. Either may be CommonJS. */
// @ts-ignore: CommonJS has no `import.meta`; there the other name stands.
export const here: string = import.meta.url ?? __filename;
