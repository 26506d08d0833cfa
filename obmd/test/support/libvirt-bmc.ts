import { defineParrot, startLibvirt } from '@corral/lab';
import type { TestBmc } from './test-bmc.ts';

/** A virtual machine in a libvirt of its own. */
export const startLibvirtBmc = async (): Promise<TestBmc> => {
  const libvirt = await startLibvirt();
  const machine = await defineParrot(libvirt, 'node-1').catch(async (error: unknown) => {
    await libvirt.stop();
    throw error;
  });
  return {
    info: { uri: libvirt.uri, domain: machine.domain },
    badSecret: null,
    power: () => machine.power(),
    setPower: (power) => machine.setPower(power),
    boots: () => machine.boots(),
    bootDevice: async () => {
      const xml = await libvirt.virsh('dumpxml', '--inactive', machine.domain);
      if (!xml.includes('corral:boot')) return 'none';
      return /<boot dev='network'\/>[^]*<boot dev='hd'\/>/.test(xml) ? 'pxe' : 'disk';
    },
    bootedFrom: async () => {
      const xml = await libvirt.virsh('dumpxml', machine.domain);
      return { network: 'pxe', hd: 'disk' }[/<boot dev='(\w+)'\/>/.exec(xml)?.[1] ?? ''];
    },
    say: (text) => machine.say(text),
    typed: () => machine.typed(),
    hang: () => libvirt.hang(),
    recover: () => libvirt.recover(),
    stop: () => libvirt.stop(),
  };
};
