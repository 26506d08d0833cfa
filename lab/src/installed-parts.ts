import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type Platform, platforms } from './machines/platform.ts';

/** Real software that some of the lab is made of. */
export type Part =
  | 'Open vSwitch'
  | 'vde_switch'
  | 'ipmi_sim'
  | 'QEMU'
  | 'QEMU for x86'
  | 'libvirt'
  | 'Keystone'
  | 'Chromium'
  | 'zsh'
  | 'fish'
  | 'faketime'
  | 'strace';

const machineOf = ({ program, firmware }: Platform): readonly string[] => [
  ...[program, ...firmware],
  ...['setpriv', 'ip', 'python3'],
];

/** Programs, and files by their whole paths. */
const needs: Readonly<Record<Part, readonly string[]>> = {
  'Open vSwitch': ['ovsdb-server', 'ovsdb-tool', 'ovs-vswitchd', 'ovs-vsctl', 'ip', 'ethtool', 'ping', 'python3'],
  vde_switch: ['vde_switch', 'vde_plug2tap', 'unixcmd', 'unixterm', 'sshd'],
  ipmi_sim: ['ipmi_sim', 'ipmitool'],
  QEMU: machineOf(platforms.own),
  'QEMU for x86': machineOf(platforms.x86),
  libvirt: [
    ...['libvirtd', 'virsh', 'qemu-img', 'qemu-system-aarch64', platforms.own.program, ...platforms.own.firmware],
    ...['unshare', 'nsenter', 'bash', 'ip'],
  ],
  Keystone: ['keystone-manage', '/usr/bin/keystone-wsgi-public', 'uwsgi_python3', 'sqlite3', 'setpriv'],
  Chromium: ['/usr/bin/chromium'],
  zsh: ['zsh'],
  fish: ['fish'],
  faketime: ['faketime'],
  strace: ['strace'],
};
const places = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Can this part run here? Network namespaces need root. */
export const hasPart = (part: Part): boolean =>
  userInfo().uid === 0 &&
  needs[part].every((need) =>
    need.startsWith('/') ? existsSync(need) : places.some((address) => existsSync(`${address}/${need}`)),
  );

/** The parts that cannot run here. */
export const missingParts = (): readonly Part[] => (Object.keys(needs) as Part[]).filter((part) => !hasPart(part));
