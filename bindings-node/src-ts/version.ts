/** Version of this package, and of the addon that it takes. */
export const version = '0.1.0';
