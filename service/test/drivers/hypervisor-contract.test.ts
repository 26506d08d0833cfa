import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasPart } from '@corral/lab';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Hypervisor, MachineSpec } from '../../src/drivers/hypervisors/hypervisor-contract.ts';
import { libvirtHypervisor } from '../../src/drivers/hypervisors/libvirt-hypervisor.ts';
import { mockHypervisor } from '../../src/drivers/hypervisors/mock-hypervisor.ts';
import { someMachine, startLibvirtFixture } from '../support/headnodes/libvirt-fixture.ts';

/** A hypervisor with the image `base`, and what ends it. */
interface Trial {
  readonly hypervisor: Hypervisor;
  readonly stop: () => Promise<void>;
}

const trials: Readonly<Record<string, { canRun: boolean; start: () => Promise<Trial> }>> = {
  mock: {
    canRun: true,
    start: async () => {
      const directory = await mkdtemp(join(tmpdir(), 'corral-hypervisor-'));
      return {
        hypervisor: mockHypervisor(['base'], join(directory, 'machines.json')),
        stop: () => rm(directory, { recursive: true, force: true }),
      };
    },
  },
  libvirt: {
    canRun: hasPart('libvirt'),
    start: async () => {
      const { libvirt, options } = await startLibvirtFixture();
      return { hypervisor: libvirtHypervisor(options), stop: () => libvirt.stop() };
    },
  },
};

describe.each(Object.entries(trials))('a hypervisor of the kind %s', (_name, { canRun, start }) => {
  describe.skipIf(!canRun)('keeps the contract:', () => {
    let trial: Trial;
    let hypervisor: Hypervisor;
    const made: string[] = [];
    const newMachine = (given: Partial<MachineSpec> = {}): MachineSpec => {
      const machine = someMachine(given);
      made.push(machine.uuid);
      return machine;
    };

    beforeAll(async () => {
      trial = await start();
      hypervisor = trial.hypervisor;
    });
    afterEach(async () => {
      for (const uuid of made.splice(0)) await hypervisor.remove(uuid);
    });
    afterAll(() => trial.stop());

    it('it says which images there are', async () => {
      expect(await hypervisor.images()).toEqual(['base']);
    });

    it('a machine that is started is there and has a screen; stopped, it is there and has none', async () => {
      const { uuid, ...rest } = newMachine();
      await hypervisor.start({ uuid, ...rest });
      expect(await hypervisor.machines()).toEqual([uuid]);
      expect(await hypervisor.vnc(uuid)).toEqual({
        host: expect.any(String) as string,
        port: expect.any(Number) as number,
      });
      await hypervisor.stop(uuid);
      expect(await hypervisor.machines()).toEqual([uuid]);
      expect(await hypervisor.vnc(uuid)).toBeNull();
    });

    it('a start of what runs changes nothing, a stop of what is off neither', async () => {
      const machine = newMachine();
      await hypervisor.start(machine);
      const before = await hypervisor.vnc(machine.uuid);
      await hypervisor.start(machine);
      expect(await hypervisor.vnc(machine.uuid)).toEqual(before);
      await hypervisor.stop(machine.uuid);
      await hypervisor.stop(machine.uuid);
      expect(await hypervisor.vnc(machine.uuid)).toBeNull();
    });

    it('a machine is removed whether it runs or not, and once more', async () => {
      const running = newMachine();
      const stopped = newMachine();
      await hypervisor.start(running);
      await hypervisor.start(stopped);
      await hypervisor.stop(stopped.uuid);
      for (const { uuid } of [running, stopped, running]) await hypervisor.remove(uuid);
      expect(await hypervisor.machines()).toEqual([]);
    });

    it('a machine that never was is not there, and is no error', async () => {
      const { uuid } = someMachine();
      await hypervisor.stop(uuid);
      await hypervisor.remove(uuid);
      expect(await hypervisor.vnc(uuid)).toBeNull();
      expect(await hypervisor.machines()).toEqual([]);
    });

    it('machines that start at once have a screen each', async () => {
      const machines = [newMachine(), newMachine(), newMachine()];
      await Promise.all(machines.map((machine) => hypervisor.start(machine)));
      const screens = await Promise.all(machines.map(({ uuid }) => hypervisor.vnc(uuid)));
      expect(new Set(screens.map((screen) => screen?.port)).size).toBe(3);
      expect(screens).not.toContain(null);
      expect([...(await hypervisor.machines())].sort()).toEqual(machines.map(({ uuid }) => uuid).sort());
    });
  });
});
