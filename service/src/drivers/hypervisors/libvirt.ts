import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@corral/base/backoff';
import { isLocal } from '@corral/base/libvirt/uri';
import { childrenOf } from '@corral/base/libvirt/xml';
import type { Hypervisor, MachineSpec } from './contract.ts';
import { checkBridge, ip, makeBridge } from './libvirt/bridges.ts';
import { isBusy, isNoChange, isNoDomain, isPortTaken } from './libvirt/faults.ts';
import { LibvirtHost } from './libvirt/host.ts';
import { definitionFrom, findImage, imagesOn, requireFit, unfitImages } from './libvirt/images.ts';
import { machineName, ownerOf } from './libvirt/names.ts';
import type { LibvirtOptions } from './libvirt/options.ts';
import { patiently } from './libvirt/patiently.ts';
import type { MachineStep } from './libvirt/steps.ts';
import { Storage } from './libvirt/storage.ts';

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Whoever died at it may have left libvirt at work on it. */
const patienceMs = 30_000;
/** Many may start at once. */
const startTimeoutMs = 120_000;
const removalGrowth = { firstMs: 20, longestMs: 2_000 };

/** Runs headnodes as domains of libvirt. `step` is told of every step, so that a test can kill the process there. */
export const libvirtHypervisor = (
  options: LibvirtOptions,
  step: (step: MachineStep) => void = () => undefined,
): Hypervisor => {
  const host = new LibvirtHost(options.uri, options.timeoutMs);
  const storage = new Storage(host, options.pool);
  const on = (uuid: string, command: string, ...more: readonly string[]): Promise<string> =>
    host.run([command, '--domain', nameOf(uuid), ...more]);

  /** A domain is defined when its disks are whole; so disks without one are the remains of somebody who died at it. */
  const make = async (machine: MachineSpec): Promise<void> => {
    const image = await findImage(host, storage, machine.image);
    await storage.deleteAll(machine.uuid, () => step('remains removed'));
    const definition = await definitionFrom(image, {
      host,
      storage,
      options,
      machine,
      made: () => step('volume made'),
    });
    await host.hand(['define', '--file'], definition);
    step('machine defined');
  };

  /** Cards want their bridges when the machine starts, not before. */
  const makeBridges = async ({ hnics }: MachineSpec): Promise<void> => {
    const { network, uri } = options;
    if (network.kind !== 'bridges') return;
    for (const vlan of new Set(hnics.map((hnic) => hnic.vlan))) {
      if (vlan === null) continue;
      if (network.uplink !== null) {
        await makeBridge(ip, network.uplink, vlan);
        step('bridge made');
      } else if (isLocal(uri)) await checkBridge(ip, vlan);
    }
  };

  /** libvirt finds a port for the screen that nobody has; somebody may take it before the machine does. */
  const turnOn = (uuid: string): Promise<void> =>
    patiently(patienceMs, isPortTaken, async () => {
      try {
        await host.run(['start', '--domain', nameOf(uuid)], startTimeoutMs);
      } catch (error) {
        if (!isNoChange(error)) throw error;
      }
    });

  const cutPower = (uuid: string): Promise<void> =>
    patiently(patienceMs, isBusy, async () => {
      try {
        await on(uuid, 'destroy');
      } catch (error) {
        if (!isNoChange(error) && !isNoDomain(error)) throw error;
      }
    });

  return {
    images: () => imagesOn(host, storage, options.images),
    unfitImages: () => unfitImages(host, options.images),
    requireFit: (image) => requireFit(host, image),

    start: async (machine) => {
      const { uuid } = machine;
      const state = await host.stateOf(nameOf(uuid));
      if (state === null) await make(machine);
      await on(uuid, 'autostart');
      step('autostart set');
      if (state !== null && state !== 'shut off') return;
      await makeBridges(machine);
      await turnOn(uuid);
      step('machine started');
    },

    stop: async (uuid) => {
      if ((await host.stateOf(nameOf(uuid))) === null) return;
      await on(uuid, 'autostart', '--disable');
      step('autostart unset');
      await cutPower(uuid);
      step('machine stopped');
    },

    remove: async (uuid) => {
      // What runs stays when its definition goes; and a start that nobody waits for any more may come in between.
      const rounds = new Backoff(removalGrowth);
      while ((await host.stateOf(nameOf(uuid))) !== null) {
        await cutPower(uuid);
        step('machine stopped');
        await undefine(uuid, on);
        step('machine undefined');
        await sleep(rounds.failed());
      }
      await storage.deleteAll(uuid, () => step('volume deleted'));
    },

    vnc: async (uuid) => {
      try {
        const { root } = await host.read('dumpxml', '--domain', nameOf(uuid));
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

const undefine = async (
  uuid: string,
  on: (uuid: string, command: string, ...more: readonly string[]) => Promise<string>,
): Promise<void> => {
  try {
    await patiently(patienceMs, isBusy, () =>
      on(uuid, 'undefine', '--managed-save', '--nvram', '--snapshots-metadata', '--checkpoints-metadata'),
    );
  } catch (error) {
    if (!isNoDomain(error)) throw error;
  }
};

/** It becomes an argument, and names of files. */
const nameOf = (uuid: string): string => {
  if (!uuidPattern.test(uuid)) throw new Error('the id of the machine is no UUID');
  return machineName(uuid);
};
