import { expect, it, vi } from 'vitest';
import { Machine, newTokenGrant } from '../../src/core/managed-machine.ts';
import type { Bmc } from '../../src/drivers/bmc-contract.ts';

it('a BMC is not called once another process may have its node', async () => {
  let isLost = false;
  const machine = new Machine({
    ...{ id: 'n1', type: 'mock', shown: {}, bmc: {} as Bmc, report: () => undefined },
    limits: { timeoutMs: 5_000, gapMs: 0, lingerMs: 0 },
    permit: {
      check: () => {
        if (isLost) throw new Error('another process has the nodes');
      },
    },
  });
  const grant = newTokenGrant('hash');
  const order = vi.fn(() => Promise.resolve('done'));
  expect(await machine.call('power_on', grant, order)).toBe('done');
  isLost = true;
  await expect(machine.call('power_on', grant, order)).rejects.toThrow('another process has the nodes');
  expect(order).toHaveBeenCalledOnce();
});
