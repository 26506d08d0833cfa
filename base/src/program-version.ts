import { readFileSync } from 'node:fs';

// Of the whole: two folders up from a source, from a bundle in a clone, and from one that is installed.
const { version: written } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** The version of Corral, which every program has. */
export const version = written;
