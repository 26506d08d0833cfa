import type { Hypervisor } from './hypervisor-contract.ts';

const refuse = (): Promise<never> => Promise.reject(new Error('none is configured (setting "hypervisor")'));

/**
 * Of a service that runs no headnodes: there is no image to make one from, and no machine. The service does not start
 * with it while a headnode may have one, so what was never started can be deleted.
 */
export const noHypervisor: Hypervisor = {
  images: () => Promise.resolve([]),
  start: refuse,
  stop: refuse,
  remove: () => Promise.resolve(),
  vnc: () => Promise.resolve(null),
  machines: () => Promise.resolve([]),
};
