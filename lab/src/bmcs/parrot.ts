import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LabLibvirt } from '../libvirt/lab-libvirt.ts';
import { mailbox, parrotProgram } from './parrot-program.ts';

/** A virtual machine whose serial line can be watched and fed from the inside. */
export interface LabParrot {
  readonly domain: string;
  power(): Promise<'on' | 'off'>;
  setPower(power: 'on' | 'off'): Promise<void>;
  /** How often it was turned on. */
  boots(): Promise<number>;
  /** It says this on its serial line. */
  say(text: string): Promise<void>;
  /** What was typed to it since it was turned on. */
  typed(): Promise<string>;
}

/** Defines a parrot. It is off, and has neither disks nor network interfaces unless `devices` says so. */
export const defineParrot = async (libvirt: LabLibvirt, domain: string, devices = ''): Promise<LabParrot> => {
  const kernel = join(libvirt.directory, 'parrot.bin');
  await writeFile(kernel, parrotProgram());
  await libvirt.define(parrotXml(domain, kernel, devices));
  const idOf = async (): Promise<string> => (await libvirt.virsh('domid', domain)).trim();
  const inMemory = async <T>(act: (memory: FileHandle) => Promise<T>): Promise<T> => {
    const memory = await open(
      join(libvirt.directory, `ram/libvirt/qemu/${await idOf()}-${domain}/mach-virt.ram`),
      'r+',
    );
    try {
      return await act(memory);
    } finally {
      await memory.close();
    }
  };
  return {
    domain,
    power: async () => ((await idOf()) === '-' ? 'off' : 'on'),
    setPower: async (power) => {
      const isDone = async (): Promise<boolean> => (power === 'off') === ((await idOf()) === '-');
      if (await isDone()) return;
      await libvirt.virsh(power === 'on' ? 'start' : 'destroy', domain).catch(async (error: unknown) => {
        // It may be turning itself off.
        if (!(await isDone())) throw error;
      });
    },
    boots: async () => (await libvirt.log(domain)).split('starting up libvirt').length - 1,
    say: (text) =>
      inMemory(async (memory) => {
        const bytes = Buffer.from(text, 'latin1');
        const before = await numberAt(memory, mailbox.said);
        for (const [index, byte] of bytes.entries()) {
          await memory.write(Buffer.of(byte), 0, 1, mailbox.toSay + ((before + index) % mailbox.ring));
        }
        const count = Buffer.alloc(4);
        count.writeUInt32LE(before + bytes.length);
        await memory.write(count, 0, 4, mailbox.said);
      }),
    typed: () =>
      inMemory(async (memory) => {
        const length = Math.min(await numberAt(memory, mailbox.heard), mailbox.ring);
        const bytes = Buffer.alloc(length);
        await memory.read(bytes, 0, length, mailbox.written);
        return bytes.toString('latin1');
      }),
  };
};

const numberAt = async (memory: FileHandle, address: number): Promise<number> => {
  const bytes = Buffer.alloc(4);
  await memory.read(bytes, 0, 4, address);
  return bytes.readUInt32LE();
};

/** Emulated everywhere: the program is for one kind of processor. */
const parrotXml = (domain: string, kernel: string, devices: string): string => `
<domain type='qemu'>
  <name>${domain}</name>
  <memory unit='MiB'>64</memory>
  <memoryBacking><source type='file'/><access mode='shared'/></memoryBacking>
  <vcpu>1</vcpu>
  <os><type arch='aarch64' machine='virt'>hvm</type><kernel>${kernel}</kernel></os>
  <features><gic version='2'/></features>
  <cpu mode='custom'><model>cortex-a57</model></cpu>
  <on_reboot>restart</on_reboot>
  <devices>
    <controller type='usb' model='none'/>
    <memballoon model='none'/>
    <serial type='pty'/>
    ${devices}
  </devices>
</domain>`;
