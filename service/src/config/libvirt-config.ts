import { isIP } from 'node:net';
import type { SettingReader } from '@corral/base/config/setting-reader';
import type { Settings, ValuesOf } from '@corral/base/config/setting';
import { seconds, textThat, type ValueType, whole } from '@corral/base/config/value-types';
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

const libvirtUri = textThat((given) => new RegExp(uriPattern).test(given), uriRule);
const storagePool = textThat((given) => poolPattern.test(given), 'the name of a storage pool');
const vncHost = textThat(
  (given) => isIP(given) !== 0 && !everywhere.includes(given),
  'one address of the hypervisor, such as 127.0.0.1',
);
const libvirtNetwork: ValueType<LibvirtConfig['network']> = {
  expected: '`ovs:BRIDGE`, `bridges` or `bridges:UPLINK`, with names of interfaces',
  parse: (given, wrong) => {
    const [, kind, name] = /^(ovs|bridges)(?::(.*))?$/s.exec(given) ?? [];
    const isName = name !== undefined && interfacePattern.test(name);
    if (kind === 'ovs' && isName) return { kind, bridge: name };
    if (kind !== 'bridges' || (name !== undefined && !isName)) wrong();
    return { kind: 'bridges', uplink: name ?? null };
  },
};

/** The settings of the libvirt that runs headnodes. */
export const libvirtSettings = {
  'libvirt.uri': {
    takes: libvirtUri,
    fallback: 'qemu:///system',
    about: 'The libvirt that runs headnodes, as the [OBM driver](obmd/libvirt.md#fields) takes it.',
  },
  'libvirt.pool': { takes: storagePool, fallback: 'default', about: 'Its storage pool for disks of headnodes.' },
  'libvirt.network': {
    takes: libvirtNetwork,
    fallback: 'bridges',
    about: 'How headnodes [reach VLANs](hypervisors.md#networks): `ovs:BRIDGE`, `bridges` or `bridges:UPLINK`.',
  },
  'libvirt.vnc_host': {
    takes: vncHost,
    fallback: '127.0.0.1',
    about:
      'Address of the hypervisor that [screens](hypervisors.md#screens) of headnodes listen on, and are reached at.',
  },
  'libvirt.memory': {
    takes: whole(16, 16_777_216),
    fallback: '1024',
    about: 'MiB of memory of a headnode whose image is a volume.',
  },
  'libvirt.cpus': {
    takes: whole(1, 1024),
    fallback: '1',
    about: 'Processors of a headnode whose image is a volume, 1 to 1024.',
  },
  'libvirt.timeout': {
    takes: seconds(),
    fallback: '30',
    about:
      'How long one command of libvirt may take. Starting a machine (120 s) and copying a whole disk (10 minutes) have longer.',
  },
} as const satisfies Settings;

interface LibvirtValues extends ValuesOf<typeof libvirtSettings> {
  readonly hypervisor: string;
  readonly images: readonly string[];
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
