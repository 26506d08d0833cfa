import { randomInt } from 'node:crypto';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isListening } from '../listen-loopback.ts';
import { untilReady } from '../switches/child-processes.ts';
import { ip, run } from '../switches/namespaces.ts';
import type { LabOvs } from '../switches/lab-ovs.ts';
import { built, temporaryDirectory, type Undo } from '../switches/undo.ts';
import { isolatedNamespace } from './isolated-namespace.ts';

export interface LabLibvirtOptions {
  /** The Open vSwitch on its host: domains can be plugged into it. None if left out. */
  readonly beside?: Pick<LabOvs, 'namespace' | 'socket'>;
}

/** A real libvirt with QEMU, that knows no domains but those that are defined here. */
export interface LabLibvirt {
  /** What virsh reaches it by. */
  readonly uri: string;
  /** Where we reach what its domains listen on, if they listen there. */
  readonly address: string;
  /** Private to it; disks and the like may be put here. Domains run as root and can read it. */
  readonly directory: string;
  /** Runs virsh by hand. */
  virsh(...args: readonly string[]): Promise<string>;
  /** Defines a domain, or defines it again. */
  define(xml: string): Promise<void>;
  /** Makes a storage pool of files, and gives its directory. */
  pool(name: string): Promise<string>;
  /** What QEMU and libvirt wrote down about a domain; empty if it was never started. */
  log(domain: string): Promise<string>;
  /** Answers nobody until it recovers. Domains keep running. */
  hang(): Promise<void>;
  recover(): Promise<void>;
  /** Ends it, and all domains at once. */
  stop(): Promise<void>;
}

/** Starts a libvirtd in places of its own: it meets neither the system's nor another one. */
export const startLibvirt = (options: LabLibvirtOptions = {}): Promise<LabLibvirt> =>
  built('the libvirt', (undo, stop) => build(options, undo, stop));

const build = async ({ beside }: LabLibvirtOptions, undo: Undo, stop: () => Promise<void>): Promise<LabLibvirt> => {
  const directory = await temporaryDirectory('libvirt', undo);
  const at = (name: string): string => join(directory, name);
  // It locks serial lines in /run/lock.
  for (const name of ['run', 'run/lock', 'etc', 'lib', 'log', 'ram']) await mkdir(at(name));
  await writeFile(
    at('libvirtd.conf'),
    settings({ unix_sock_dir: directory, auth_unix_rw: 'none', auth_unix_ro: 'none' }),
  );
  await writeFile(
    at('etc/qemu.conf'),
    // Written to files by libvirtd itself, logs need no virtlogd beside.
    `${settings({ user: 'root', group: 'root', security_driver: 'none', stdio_handler: 'file', memory_backing_dir: at('ram') })}namespaces = []\ncgroup_controllers = []\n`,
  );
  // Its memory of what QEMU can do, in /var/cache, is the system's: asking QEMU again takes five seconds.
  const places = {
    '/run': at('run'),
    '/etc/libvirt': at('etc'),
    '/var/lib/libvirt': at('lib'),
    '/var/log/libvirt': at('log'),
  };
  const room = await isolatedNamespace(places, beside?.namespace);
  undo.push(() => room.stop());
  const address = beside ? await plugInto(beside, at('run/openvswitch'), undo) : '127.0.0.1';

  const socket = at('libvirt-sock');
  const uri = `qemu+unix:///system?socket=${socket}`;
  const virsh = (...args: readonly string[]): Promise<string> => run('virsh', ['-c', uri, '--quiet', ...args]);
  const daemon = room.spawn('libvirtd', ['-f', at('libvirtd.conf'), '-p', at('libvirtd.pid')]);
  await untilReady(daemon, 'libvirtd', () => isListening({ path: socket }));
  await virsh('list', '--all');
  const tell = async (signal: string): Promise<void> => {
    await room.run('kill', [`-${signal}`, (await readFile(at('libvirtd.pid'), 'utf8')).trim()]);
  };
  let definitions = 0;
  return {
    uri,
    address,
    directory,
    virsh,
    define: async (xml) => {
      const file = at(`define-${(definitions += 1)}.xml`);
      await writeFile(file, xml);
      await virsh('define', file);
    },
    pool: async (name) => {
      const target = at(`pool-${name}`);
      await mkdir(target);
      await virsh('pool-define-as', name, 'dir', '--target', target);
      await virsh('pool-start', name);
      return target;
    },
    log: (domain) => readFile(at(`log/qemu/${domain}.log`), 'utf8').catch(() => ''),
    hang: () => tell('STOP'),
    recover: async () => {
      await tell('CONT');
      // The process that entered the room stopped with it.
      daemon.kill('SIGCONT');
    },
    stop,
  };
};

/** Lets libvirt find the switch where it looks for one, and gives its namespace an address that we reach. */
const plugInto = async (
  { namespace, socket }: Pick<LabOvs, 'namespace' | 'socket'>,
  directory: string,
  undo: Undo,
): Promise<string> => {
  await mkdir(directory);
  await symlink(socket, join(directory, 'db.sock'));
  // A network of two out of those that are set apart for tests of networks.
  const number = randomInt(2 ** 13);
  const addressOf = (end: number): string => `198.18.${number >> 6}.${((number & 63) << 2) + end}`;
  const ours = `corral-lv${number}`;
  await ip([
    `link add ${ours} type veth peer name corral-lv netns ${namespace}`,
    `addr add ${addressOf(1)}/30 dev ${ours}`,
    `link set ${ours} up`,
  ]);
  undo.push(() => ip([`link delete ${ours}`]));
  await ip([`addr add ${addressOf(2)}/30 dev corral-lv`, 'link set corral-lv up'], namespace);
  return addressOf(2);
};

const settings = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} = "${value}"\n`)
    .join('');
