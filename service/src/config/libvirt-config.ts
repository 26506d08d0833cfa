import { isIP } from 'node:net';
import type { SettingReader } from '@corral/base/config/setting-reader';
import { textThat, type ValueType } from '@corral/base/config/value-types';
import { isLocal, uriPattern, uriRule } from '@corral/base/libvirt/libvirt-uri';
import type { LibvirtConfig } from './service-config.ts';

/** What becomes an argument of a program: it never starts with a dash. */
const poolPattern = /^[A-Za-z0-9_][\w.:+@-]{0,127}$/;
/** virsh takes digits alone for the number of a machine that runs. */
const imagePattern = /^(?!\d+$)[A-Za-z0-9_][\w.:+@-]{0,127}$/;
const imageRule = 'up to 128 letters, digits and . _ : + @ -, not digits alone, no dash first';
/** Linux takes no longer names. */
const interfacePattern = /^[A-Za-z0-9_][\w.-]{0,14}$/;
const everywhere: readonly string[] = ['0.0.0.0', '::'];

export const libvirtUri = textThat((given) => new RegExp(uriPattern).test(given), uriRule);
export const storagePool = textThat((given) => poolPattern.test(given), 'the name of a storage pool');
export const vncHost = textThat(
  (given) => isIP(given) !== 0 && !everywhere.includes(given),
  'one address of the hypervisor, such as 127.0.0.1',
);
export const libvirtNetwork: ValueType<LibvirtConfig['network']> = {
  expected: '`ovs:BRIDGE`, `bridges` or `bridges:UPLINK`, with names of interfaces',
  parse: (given, wrong) => {
    const [, kind, name] = /^(ovs|bridges)(?::(.*))?$/s.exec(given) ?? [];
    const isName = name !== undefined && interfacePattern.test(name);
    if (kind === 'ovs' && isName) return { kind, bridge: name };
    if (kind !== 'bridges' || (name !== undefined && !isName)) wrong();
    return { kind: 'bridges', uplink: name ?? null };
  },
};

/** What is read of the settings here. */
interface LibvirtValues {
  readonly hypervisor: string;
  readonly images: readonly string[];
  readonly 'libvirt.uri': string;
  readonly 'libvirt.pool': string;
  readonly 'libvirt.network': LibvirtConfig['network'];
  readonly 'libvirt.vnc_host': string;
  readonly 'libvirt.memory': number;
  readonly 'libvirt.cpus': number;
  readonly 'libvirt.timeout': number;
}

/** Reads the settings of the libvirt that runs headnodes. Names of images are checked only if it is the one that does. */
export const libvirtConfig = (read: SettingReader<LibvirtValues>, mistakes: string[]): LibvirtConfig => {
  if (read.value('hypervisor') === 'libvirt' && !read.value('images').every((image) => imagePattern.test(image))) {
    read.wrong('images', `names of domains or volumes: ${imageRule}`);
  }
  const config = {
    uri: read.value('libvirt.uri'),
    pool: read.value('libvirt.pool'),
    network: read.value('libvirt.network'),
    vncHost: read.value('libvirt.vnc_host'),
    memoryMib: read.value('libvirt.memory'),
    cpus: read.value('libvirt.cpus'),
    timeoutMs: read.value('libvirt.timeout'),
  };
  if (config.network.kind === 'bridges' && config.network.uplink !== null && !isLocal(config.uri)) {
    mistakes.push(
      'libvirt.network: bridges are made on this host only, so that libvirt.uri must be of a libvirt on it; give "bridges", and make them on the other',
    );
  }
  return config;
};
