import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasPart, type IpmiSimOptions, type LabIpmiSim, startIpmiSim } from '@corral/lab';
import { afterEach, describe, expect, it, vi } from 'vitest';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const start = async (options?: IpmiSimOptions): Promise<LabIpmiSim> => {
  const sim = await startIpmiSim(options);
  undo.push(() => sim.stop());
  return sim;
};

/** Asks it as anybody would. */
const ask = async ({ addr, port, user, pass }: LabIpmiSim, ...command: readonly string[]): Promise<string> => {
  const login = ['-I', 'lanplus', '-C', '3', '-H', addr, '-p', `${port}`, '-U', user, '-E', '-N', '1', '-R', '1'];
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', IPMITOOL_PASSWORD: pass };
  return (await promisify(execFile)('ipmitool', [...login, ...command], { env })).stdout;
};

describe.skipIf(!hasPart('ipmi_sim'))('an ipmi_sim', () => {
  it('has a machine whose power and boot device can be seen from both sides', async () => {
    const sim = await start();
    expect(await ask(sim, 'chassis', 'power', 'status')).toContain('is off');
    await sim.setPower('on');
    expect(await ask(sim, 'chassis', 'power', 'status')).toContain('is on');
    await ask(sim, 'chassis', 'bootdev', 'disk');
    expect(await sim.bootDevice()).toBe('disk');
    await ask(sim, 'chassis', 'power', 'cycle');
    await vi.waitFor(async () => expect(await sim.boots()).toBe(2), { timeout: 10_000 });
    expect(await sim.told()).toEqual(['power 1', 'boot default', 'power 0', 'power 1']);
  });

  it.each([
    [true, ['power 1', 'shutdown 1', 'power 0']],
    [false, ['power 1', 'shutdown 1']],
  ])('has an operating system that shuts down if it is asked: %j', async (obeysShutdown, told) => {
    const sim = await start({ obeysShutdown });
    await sim.setPower('on');
    await ask(sim, 'chassis', 'power', 'soft');
    await vi.waitFor(async () => expect(await sim.told()).toEqual(told));
    expect(await sim.shutdowns()).toBe(1);
  });

  it('can refuse what is done already', async () => {
    const sim = await start({ refusesRepeats: true });
    await ask(sim, 'chassis', 'power', 'on');
    await expect(ask(sim, 'chassis', 'power', 'on')).rejects.toThrow(/failed/);
    expect(await sim.power()).toBe('on');
  });

  it('can hang, recover, die and come back', async () => {
    const sim = await start();
    await sim.hang();
    await expect(ask(sim, 'chassis', 'power', 'status')).rejects.toThrow(/Unable to establish/);
    await sim.recover();
    expect(await ask(sim, 'chassis', 'power', 'status')).toContain('is off');
    await sim.kill();
    await expect(ask(sim, 'chassis', 'power', 'status')).rejects.toThrow(/Unable to establish/);
    await sim.restart();
    expect(await ask(sim, 'chassis', 'power', 'status')).toContain('is off');
  });

  it('can drive another machine', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'corral-ipmi-test-'));
    undo.push(() => rm(directory, { recursive: true, force: true }));
    const chassis = join(directory, 'machine');
    await writeFile(chassis, `#!/bin/sh\necho "$@" >> ${directory}/calls\n[ $2 = set ] || echo "$3:1"\n`);
    await chmod(chassis, 0o700);
    const sim = await start({ chassis });
    expect(await ask(sim, 'chassis', 'power', 'status')).toContain('is on');
    expect(await sim.power()).toBe('on');
    await ask(sim, 'chassis', 'power', 'off');
    expect(await readFile(`${directory}/calls`, 'utf8')).toBe('0x20 get power\n0x20 get power\n0x20 set power 0\n');
  });

  it('can be there by the dozens', async () => {
    const sims = await Promise.all(Array.from({ length: 24 }, () => start()));
    expect(new Set(sims.map(({ port }) => port)).size).toBe(24);
    await Promise.all(sims.map((sim) => ask(sim, 'chassis', 'power', 'on')));
    expect(await Promise.all(sims.map((sim) => sim.power()))).toEqual(sims.map(() => 'on'));
  });
});
