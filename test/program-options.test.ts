import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { programFile } from './support/built-program.ts';

const versionOf = (room: string): string =>
  (JSON.parse(readFileSync(new URL(`../${room}/package.json`, import.meta.url), 'utf8')) as { version: string })
    .version;

describe.each([
  ['corral', 'client', 'Commands'],
  ['corral-admin', 'service', 'corral-admin'],
  ['corral-service', 'service', 'usage: corral-service [--role'],
  ['corral-obmd', 'obmd', 'usage: corral-obmd'],
] as const)('%s', (name, room, words) => {
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, [programFile(name), ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });

  it('says which version it is, and how it is used, and starts nothing', () => {
    expect(run('--version')).toBe(`${name} ${versionOf(room)}\n`);
    expect(run('--help')).toContain(words);
  });
});
