import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { programFile } from './support/built-program.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

describe.each([
  ['corral', 'Commands'],
  ['corral-admin', 'corral-admin'],
  ['corral-service', 'usage: corral-service [--role'],
  ['corral-obmd', 'usage: corral-obmd'],
] as const)('%s', (name, words) => {
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, [programFile(name), ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });

  it('says which version it is, and how it is used, and starts nothing', () => {
    expect(run('--version')).toBe(`${name} ${version}\n`);
    expect(run('--help')).toContain(words);
  });
});
