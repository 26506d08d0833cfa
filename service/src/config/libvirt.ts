import { isIP } from 'node:net';
import type { SettingReader } from '@corral/base/config/reader';
import { isLocal, uriPattern, uriRule } from '@corral/base/libvirt/uri';
import type { LibvirtConfig } from './config.ts';
import type { SettingKey } from './settings.ts';

/** What becomes an argument of a program: it never starts with a dash. */
const poolPattern = /^[A-Za-z0-9_][\w.:+@-]{0,127}$/;
/** virsh takes digits alone for the number of a machine that runs. */
const imagePattern = /^(?!\d+$)[A-Za-z0-9_][\w.:+@-]{0,127}$/;
const imageRule = 'up to 128 letters, digits and . _ : + @ -, not digits alone, no dash first';
/** Linux takes no longer names. */
const interfacePattern = /^[A-Za-z0-9_][\w.-]{0,14}$/;
const everywhere: readonly string[] = ['0.0.0.0', '::'];

/** Reads the settings of the libvirt that runs headnodes. Names of images are checked only if it is the one that does. */
export const libvirtConfig = (read: SettingReader<SettingKey>, mistakes: string[]): LibvirtConfig => {
  const uri = read.text('libvirt.uri') ?? '';
  if (!new RegExp(uriPattern).test(uri)) read.wrong('libvirt.uri', uriRule);
  const pool = read.text('libvirt.pool') ?? '';
  if (!poolPattern.test(pool)) read.wrong('libvirt.pool', 'the name of a storage pool');
  if (read.text('hypervisor') === 'libvirt' && !read.list('images').every((image) => imagePattern.test(image))) {
    read.wrong('images', `names of domains or volumes: ${imageRule}`);
  }
  const network = networkOf(read.text('libvirt.network') ?? '', () =>
    read.wrong('libvirt.network', '`ovs:BRIDGE`, `bridges` or `bridges:UPLINK`, with names of interfaces'),
  );
  if (network.kind === 'bridges' && network.uplink !== null && !isLocal(uri)) {
    mistakes.push(
      'libvirt.network: bridges are made on this host only, so that libvirt.uri must be of a libvirt on it; give "bridges", and make them on the other',
    );
  }
  const vncHost = read.text('libvirt.vnc_host') ?? '';
  if (isIP(vncHost) === 0 || everywhere.includes(vncHost)) {
    read.wrong('libvirt.vnc_host', 'one address of the hypervisor, such as 127.0.0.1');
  }
  const memoryMib = read.whole('libvirt.memory', 16, 16_777_216);
  const cpus = read.whole('libvirt.cpus', 1, 1024);
  return { uri, pool, network, vncHost, memoryMib, cpus, timeoutMs: read.milliseconds('libvirt.timeout') };
};

const networkOf = (text: string, wrong: () => void): LibvirtConfig['network'] => {
  const [, kind, name] = /^(ovs|bridges)(?::(.*))?$/s.exec(text) ?? [];
  const isName = name !== undefined && interfacePattern.test(name);
  if (kind === 'ovs' && isName) return { kind, bridge: name };
  if (kind !== 'bridges' || (name !== undefined && !isName)) wrong();
  return { kind: 'bridges', uplink: name ?? null };
};
