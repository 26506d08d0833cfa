import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runAdmin } from '../support/services/run-admin.ts';

/** corral-admin as an operator calls it. */
describe('corral-admin', () => {
  it('lists its commands, and tells of each', async () => {
    const list = await runAdmin({}, 'help');
    expect(list.code).toBe(0);
    expect(list.output).toMatch(/^ {2}rotate-key {7}\w/m);
    expect(await runAdmin({}, '--help')).toEqual(list);
    const one = await runAdmin({}, 'help', 'rotate-key');
    expect(one.output).toMatch(
      /^usage: corral-admin rotate-key \[--prepare \| --keep-old \| --single-machine\] \[--dry-run\]\n/,
    );
    expect(one.output).toContain('--keep-old        leaves the old key');
    expect(await runAdmin({}, 'rotate-key', '--help')).toEqual(one);
    expect(await runAdmin({}, '--version')).toEqual({
      code: 0,
      output: expect.stringMatching(/^corral-admin \d+\.\d+\.\d+\n$/) as string,
    });
    // Without any command it is a mistake, and says the same.
    expect(await runAdmin({})).toEqual({ code: 2, output: list.output });
  });

  const mistakes = [
    [['rotatekey'], 'unknown command "rotatekey"; did you mean rotate-key?'],
    [['rotate-kye'], 'unknown command "rotate-kye"; did you mean rotate-key?'],
    [['hlep'], 'unknown command "hlep"; did you mean help?'],
    [['frobnicate'], 'unknown command "frobnicate"; see corral-admin help'],
    [['help', 'rotate'], 'unknown command "rotate"; see corral-admin help'],
    [['rotate-key', '--keepold'], "rotate-key: Unknown option '--keepold'; see corral-admin help rotate-key"],
    [['rotate-key', '--prepare', '--keep-old'], 'rotate-key: --prepare cannot be combined with other options'],
    [['rotate-key', 'now'], 'rotate-key: unexpected argument "now"; see corral-admin help rotate-key'],
  ] as const;
  it.each(mistakes)('%j is reported as an error', async (args, sentence) => {
    expect(await runAdmin({}, ...args)).toEqual({ code: 2, output: `corral-admin: ${sentence}\n` });
  });

  it('takes the configuration of the service, with its mistakes', async () => {
    const { code, output } = await runAdmin({ CORRAL_PORT: 'high', CORRAL_VLANS: '5000' }, 'rotate-key');
    expect(code).toBe(2);
    expect(output).toMatch(/^corral-admin: CORRAL_PORT: .*\ncorral-admin: CORRAL_VLANS: .*\n$/);
  });

  it('makes nothing where there is nothing', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'corral-admin-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    expect(await runAdmin({ CORRAL_DATA_DIR: directory }, 'rotate-key')).toEqual({
      code: 2,
      output: `corral-admin: there is no database yet (${join(directory, 'corral.db')}); start the service once first\n`,
    });
    expect(await readdir(directory)).toEqual([]);
  });
});
