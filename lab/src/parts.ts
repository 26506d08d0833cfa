import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';

/** Real software that some of the lab is made of. */
export type Part = 'Open vSwitch' | 'vde_switch' | 'ipmi_sim' | 'QEMU' | 'libvirt';

const programs: Readonly<Record<Part, readonly string[]>> = {
  'Open vSwitch': ['ovsdb-server', 'ovsdb-tool', 'ovs-vswitchd', 'ovs-vsctl', 'ip', 'ethtool', 'ping', 'python3'],
  vde_switch: ['vde_switch', 'vde_plug2tap', 'unixcmd', 'unixterm', 'sshd'],
  ipmi_sim: ['ipmi_sim', 'ipmitool'],
  QEMU: ['qemu-system-aarch64', 'qemu-img'],
  libvirt: ['libvirtd', 'virtlogd', 'virsh', 'qemu-img'],
};
const places = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Can this part run here? Network namespaces need root. */
export const hasPart = (part: Part): boolean =>
  userInfo().uid === 0 && programs[part].every((program) => places.some((place) => existsSync(`${place}/${program}`)));

/** The parts that cannot run here. */
export const missingParts = (): readonly Part[] => (Object.keys(programs) as Part[]).filter((part) => !hasPart(part));
