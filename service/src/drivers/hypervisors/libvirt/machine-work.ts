import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@corral/base/backoff';
import { isLocal } from '@corral/base/libvirt/libvirt-uri';
import type { MachinePermit, MachineSpec } from '../hypervisor-contract.ts';
import { checkBridge, ip, type Ip, makeBridge } from './linux-bridges.ts';
import { isBusy, isNoChange, isNoDomain, isPortTaken } from './hypervisor-faults.ts';
import { LibvirtHost } from './libvirt-host.ts';
import { definitionFrom, findImage } from './headnode-images.ts';
import { domainName } from './machine-names.ts';
import type { LibvirtOptions } from './libvirt-options.ts';
import { retryFor } from './retry-for.ts';
import type { MachineStep } from './machine-steps.ts';
import { Storage } from './storage-pool.ts';

/** A process that died here may have left libvirt working on it. */
const retryForMs = 30_000;
/** Many may start at once. */
const startTimeoutMs = 120_000;
const removalGrowth = { firstMs: 20, longestMs: 2_000 };

/** One change to one machine, command by command. The permit is compared before each of them. */
export class MachineWork {
  readonly #options: LibvirtOptions;
  readonly #step: (step: MachineStep) => void;
  readonly #check: () => void;
  readonly #host: LibvirtHost;
  readonly #storage: Storage;

  constructor(options: LibvirtOptions, step: (step: MachineStep) => void, permit: MachinePermit | undefined) {
    this.#options = options;
    this.#step = step;
    this.#check = () => permit?.check();
    this.#host = new LibvirtHost(options.uri, options.timeoutMs, this.#check);
    this.#storage = new Storage(this.#host, options.pool);
  }

  start(machine: MachineSpec): Promise<void> {
    return this.#permitted(async () => {
      const { uuid } = machine;
      const state = await this.#host.stateOf(domainName(uuid));
      if (state === null) await this.#make(machine);
      await this.#on(uuid, 'autostart');
      this.#step('autostart set');
      if (state !== null && state !== 'shut off') return;
      await this.#makeBridges(machine);
      await this.#turnOn(uuid);
      this.#step('machine started');
    });
  }

  stop(uuid: string): Promise<void> {
    return this.#permitted(async () => {
      if ((await this.#host.stateOf(domainName(uuid))) === null) return;
      await this.#on(uuid, 'autostart', '--disable');
      this.#step('autostart unset');
      await this.#cutPower(uuid);
      this.#step('machine stopped');
    });
  }

  remove(uuid: string): Promise<void> {
    return this.#permitted(async () => {
      // What runs stays when its definition goes; and a start that nobody waits for any more may come in between.
      const rounds = new Backoff(removalGrowth);
      while ((await this.#host.stateOf(domainName(uuid))) !== null) {
        await this.#cutPower(uuid);
        this.#step('machine stopped');
        await this.#undefine(uuid);
        this.#step('machine undefined');
        await sleep(rounds.failed());
      }
      await this.#storage.deleteAll(uuid, () => this.#step('volume deleted'));
    });
  }

  /** A caller that lost its lease gets that error, whatever it was converted to. */
  async #permitted(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#check();
      throw error;
    }
  }

  #on(uuid: string, command: string, ...more: readonly string[]): Promise<string> {
    return this.#host.run([command, '--domain', domainName(uuid), ...more]);
  }

  /** A domain is defined when its disks are whole; so disks without one are the remains of somebody who died at it. */
  async #make(machine: MachineSpec): Promise<void> {
    const [host, storage] = [this.#host, this.#storage];
    const image = await findImage(host, storage, machine.image);
    await storage.deleteAll(machine.uuid, () => this.#step('remains removed'));
    const definition = await definitionFrom(image, {
      host,
      storage,
      options: this.#options,
      machine,
      made: () => this.#step('volume made'),
    });
    await host.hand(['define', '--file'], definition);
    this.#step('machine defined');
  }

  /** Cards want their bridges when the machine starts, not before. */
  async #makeBridges({ hnics }: MachineSpec): Promise<void> {
    const { network, uri } = this.#options;
    if (network.kind !== 'bridges') return;
    const permittedIp: Ip = async (args) => {
      this.#check();
      return ip(args);
    };
    for (const vlan of new Set(hnics.map((hnic) => hnic.vlan))) {
      if (vlan === null) continue;
      if (network.uplink !== null) {
        await makeBridge(permittedIp, network.uplink, vlan);
        this.#step('bridge made');
      } else if (isLocal(uri)) await checkBridge(permittedIp, vlan);
    }
  }

  /** libvirt finds a port for the screen that nobody has; somebody may take it before the machine does. */
  #turnOn(uuid: string): Promise<void> {
    return retryFor(retryForMs, isPortTaken, async () => {
      try {
        await this.#host.run(['start', '--domain', domainName(uuid)], startTimeoutMs);
      } catch (error) {
        if (!isNoChange(error)) throw error;
      }
    });
  }

  #cutPower(uuid: string): Promise<void> {
    return retryFor(retryForMs, isBusy, async () => {
      try {
        await this.#on(uuid, 'destroy');
      } catch (error) {
        if (!isNoChange(error) && !isNoDomain(error)) throw error;
      }
    });
  }

  async #undefine(uuid: string): Promise<void> {
    try {
      await retryFor(retryForMs, isBusy, () =>
        this.#on(uuid, 'undefine', '--managed-save', '--nvram', '--snapshots-metadata', '--checkpoints-metadata'),
      );
    } catch (error) {
      if (!isNoDomain(error)) throw error;
    }
  }
}
