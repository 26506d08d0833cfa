import { childrenOf } from '@corral/base/xml';
import type { Hypervisor } from './hypervisor-contract.ts';
import { isNoDomain } from './libvirt/hypervisor-faults.ts';
import { LibvirtHost } from './libvirt/libvirt-host.ts';
import { imagesOn, requireFit, unfitImages } from './libvirt/headnode-images.ts';
import { MachineWork } from './libvirt/machine-work.ts';
import { domainName, ownerOf } from './libvirt/machine-names.ts';
import type { LibvirtOptions } from './libvirt/libvirt-options.ts';
import type { MachineStep } from './libvirt/machine-steps.ts';
import { Storage } from './libvirt/storage-pool.ts';

/** Runs headnodes as domains of libvirt. `step` is called at every step, so that a test can kill the process there. */
export const libvirtHypervisor = (
  options: LibvirtOptions,
  step: (step: MachineStep) => void = () => undefined,
): Hypervisor => {
  const host = new LibvirtHost(options.uri, options.timeoutMs);
  const storage = new Storage(host, options.pool);
  return {
    images: () => imagesOn(host, storage, options.images),
    unfitImages: () => unfitImages(host, options.images),
    requireFit: (image) => requireFit(host, image),
    start: (machine, permit) => new MachineWork(options, step, permit).start(machine),
    stop: (uuid, permit) => new MachineWork(options, step, permit).stop(uuid),
    remove: (uuid, permit) => new MachineWork(options, step, permit).remove(uuid),

    vnc: async (uuid) => {
      try {
        const { root } = await host.read('dumpxml', '--domain', domainName(uuid));
        const screens = childrenOf(childrenOf(root, 'devices')[0], 'graphics');
        const port = Number(screens.find(({ attributes }) => attributes['type'] === 'vnc')?.attributes['port']);
        return port > 0 ? { host: options.vncHost, port } : null;
      } catch (error) {
        if (isNoDomain(error)) return null;
        throw error;
      }
    },

    machines: async () => {
      const names = [...(await host.lines('list', '--all', '--name')), ...(await storage.refreshed())];
      return [...new Set(names.map(ownerOf).filter((uuid) => uuid !== null))].sort();
    },
  };
};
