import { readFileSync } from 'node:fs';

// Of the whole: three folders up from this source, from its bundle in a clone, and from the one that is installed.
const { version: written } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** The version of corral. */
export const version = written;
