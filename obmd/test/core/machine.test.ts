import { expect, it, vi } from 'vitest';
import { Machine, newTenure } from '../../src/core/machine.ts';
import type { Bmc } from '../../src/drivers/contract.ts';

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
  const tenure = newTenure('hash');
  const order = vi.fn(() => Promise.resolve('done'));
  expect(await machine.call('power_on', tenure, order)).toBe('done');
  isLost = true;
  await expect(machine.call('power_on', tenure, order)).rejects.toThrow('another process has the nodes');
  expect(order).toHaveBeenCalledOnce();
});
