import { expect, it, vi } from 'vitest';
import { type CallReport, Machine, type MachineParts, newTokenGrant } from '../../src/core/managed-machine.ts';
import { type Bmc, BmcError } from '../../src/drivers/bmc-contract.ts';

const machineWith = (parts: Partial<MachineParts>): Machine =>
  new Machine({
    ...{ id: 'n1', type: 'mock', shown: {}, bmc: {} as Bmc, secrets: [], report: () => undefined },
    limits: { timeoutMs: 5_000, gapMs: 0, lingerMs: 0 },
    permit: { check: () => undefined },
    ...parts,
  });

it('a BMC is not called once another process may have its node', async () => {
  let isLost = false;
  const check = () => {
    if (isLost) throw new Error('another process has the nodes');
  };
  const machine = machineWith({ permit: { check } });
  const grant = newTokenGrant('hash');
  const order = vi.fn(() => Promise.resolve('done'));
  expect(await machine.call('power_on', grant, order)).toBe('done');
  isLost = true;
  await expect(machine.call('power_on', grant, order)).rejects.toThrow('another process has the nodes');
  expect(order).toHaveBeenCalledOnce();
});

it('a BMC that repeats its password is reported without it', async () => {
  const reports: CallReport[] = [];
  const cause = new Error('wrong password: correct horse');
  const powerOn = () => Promise.reject(new BmcError('credentials', 'no access with correct horse', { cause }));
  const bmc = { powerOn } as unknown as Bmc;
  const machine = machineWith({ bmc, secrets: ['correct horse'], report: (call) => reports.push(call) });
  const call = machine.call('power_on', newTokenGrant('hash'), (to, signal) => to.powerOn(signal));
  await expect(call).rejects.toThrow('node n1: no access with [secret]');
  expect(cause.message).toBe('wrong password: [secret]');
  expect(machine.fault).toBe('node n1: no access with [secret]');
  expect(reports.map(({ error }) => error?.message)).toEqual(['node n1: no access with [secret]']);
});
