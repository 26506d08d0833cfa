import { readFileSync } from 'node:fs';

const { version: written } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** The version of the OBM daemon. */
export const version = written;
