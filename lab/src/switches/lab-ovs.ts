import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type LabPapers, makeAuthority, makeCertificate } from './certificates.ts';
import { cable, type LabHost, startHost } from './lab-host.ts';
import type { LabPort, LabSwitch } from './lab-switch.ts';
import { startFaultRelay } from './fault-relay.ts';
import { freePort } from '../listen-loopback.ts';
import { addNamespaces, ip } from './namespaces.ts';
import { type OvsDaemon, OvsDaemons } from './ovs-daemons.ts';
import { built, temporaryDirectory, type Undo } from './undo.ts';

export interface LabOvsOptions {
  /** Hosts, each plugged into a port of its own: `p0`, `p1` and so on. None if left out. */
  readonly hosts?: number;
  /** Ports beside, `d0`, `d1` and so on, with nothing plugged in. None if left out. */
  readonly emptyPorts?: number;
  /** Listens for TLS too. */
  readonly tls?: boolean;
}

/** A real Open vSwitch with one bridge. Its new ports carry all VLANs, as Open vSwitch makes them. */
export interface LabOvs extends LabSwitch {
  readonly bridge: string;
  /** The network namespace of its interfaces. */
  readonly namespace: string;
  /** In the order of their ports. */
  readonly hosts: readonly LabHost[];
  /** Where its database listens. */
  readonly socket: string;
  /** Where ovs-vswitchd takes commands. */
  readonly control: string;
  /** Where it listens for TLS as "lab switch", and what a caller needs; null if it does not. */
  readonly tls: { readonly port: number; readonly papers: LabPapers } | null;
  /** Runs ovs-vsctl by hand. */
  vsctl(...args: readonly string[]): Promise<string>;
  appctl(daemon: OvsDaemon, ...args: readonly string[]): Promise<string>;
  /** Ends one of its processes as a crash would. */
  kill(daemon: OvsDaemon): Promise<void>;
  /** Starts one that was killed. */
  start(daemon: OvsDaemon): Promise<void>;
}

const bridge = 'sw0';
const count = (number: number | undefined, letter: string): string[] =>
  Array.from({ length: number ?? 0 }, (_, index) => `${letter}${index}`);

/** Starts an Open vSwitch (userspace datapath) in a directory and network namespaces of its own. */
export const startOvs = (options: LabOvsOptions = {}): Promise<LabOvs> =>
  built('the Open vSwitch', (undo, stop) => build(options, undo, stop));

const build = async (options: LabOvsOptions, undo: Undo, stop: () => Promise<void>): Promise<LabOvs> => {
  const directory = await temporaryDirectory('ovs', undo);
  const hostPorts = count(options.hosts, 'p');
  const emptyPorts = count(options.emptyPorts, 'd');
  const prefix = `corral-${process.pid}-${randomBytes(3).toString('hex')}`;
  const inside = `${prefix}-sw`;
  undo.push(await addNamespaces([inside, ...hostPorts.map((port) => `${prefix}-${port}`)]));

  const tls = options.tls === true ? await tlsIn(directory) : null;
  const daemons = new OvsDaemons(directory, inside, tls?.remotes ?? []);
  undo.push(() => Promise.all([daemons.kill('ovs-vswitchd'), daemons.kill('ovsdb-server')]));
  await Promise.all([
    daemons.create(),
    ip(hostPorts.map((port) => cable(`${prefix}-${port}`, port, inside))).then(() =>
      ip(['link set lo up', ...hostPorts.map((port) => `link set ${port} up`)], inside),
    ),
  ]);
  const hosts = await Promise.all(hostPorts.map((port, number) => startHost(`${prefix}-${port}`, port, number)));
  undo.push(() => Promise.all(hosts.map((host) => host.stop())));
  await daemons.vsctl(
    ...['add-br', bridge, '--', 'set', 'Bridge', bridge, 'datapath_type=netdev'],
    ...hostPorts.flatMap((port) => ['--', 'add-port', bridge, port]),
    ...emptyPorts.flatMap((port) => ['--', 'add-port', bridge, port, '--', 'set', 'Interface', port, 'type=dummy']),
  );
  const line = await startFaultRelay({ path: daemons.socket });
  undo.push(() => line.stop());

  return {
    bridge,
    namespace: inside,
    hosts,
    socket: daemons.socket,
    control: daemons.control,
    tls: tls && { port: tls.port, papers: tls.papers },
    fields: { ovs_bridge: bridge, ovsdb: `tcp:127.0.0.1:${line.port}` },
    ports: [...hostPorts, ...emptyPorts],
    unknownPort: 'p999',
    refusedVlan: 4096,
    carried: async (port) => carriedUnder(await settingsOf(daemons, port)),
    tamper: async (port, { native, tagged }) => {
      const mode = native === null ? 'trunk' : tagged.length === 0 ? 'access' : 'native-untagged';
      await daemons.vsctl(
        ...['clear', 'Port', port, 'tag', 'trunks', 'cvlans'],
        ...['--', 'set', 'Port', port, `vlan_mode=${mode}`, 'protected=false'],
        ...(native === null ? [] : [`tag=${native}`]),
        ...(tagged.length === 0 ? [] : [`trunks=${tagged.join(',')}`]),
      );
    },
    breakLine: (fault) => line.breakLine(fault),
    vsctl: (...args) => daemons.vsctl(...args),
    appctl: (daemon, ...args) => daemons.appctl(daemon, ...args),
    kill: (daemon) => daemons.kill(daemon),
    start: (daemon) => daemons.start(daemon),
    stop,
  };
};

const tlsIn = async (directory: string) => {
  await makeAuthority(directory);
  const papers = await makeCertificate(directory, 'caller', 'corral');
  await makeCertificate(directory, 'switch', 'lab switch');
  const at = (file: string) => join(directory, file);
  const port = await freePort();
  const own = [`--private-key=${at('switch.key')}`, `--certificate=${at('switch.pem')}`, `--ca-cert=${at('ca.pem')}`];
  return { port, papers, remotes: [...own, `--remote=pssl:${port}:127.0.0.1`] };
};

type Settings = Readonly<Record<'vlan_mode' | 'tag' | 'trunks' | 'cvlans' | 'protected', string>>;

/** ovs-vsctl writes an absent value as `[]`, a set as `[1, 2]`. */
const settingsOf = async (daemons: OvsDaemons, port: string): Promise<Settings> => {
  const said = await daemons.vsctl(
    ...['vlan_mode', 'tag', 'trunks', 'cvlans', 'protected'].flatMap((column) => ['--', 'get', 'Port', port, column]),
  );
  const [vlan_mode = '', tag = '', trunks = '', cvlans = '', isProtected = ''] = said.trim().split('\n');
  return { vlan_mode, tag, trunks, cvlans, protected: isProtected };
};

/** What ovs-vswitchd.conf.db(5) says of such a port, for the settings that the tests make. */
const carriedUnder = ({ vlan_mode, tag, trunks, cvlans, protected: isProtected }: Settings): LabPort => {
  const native = tag === '[]' ? null : Number(tag);
  const tagged =
    trunks === '[]'
      ? []
      : trunks
          .replaceAll(/[[\] ]/g, '')
          .split(',')
          .map(Number);
  const passes4095Alone = vlan_mode === 'dot1q-tunnel' && tag === '4095' && cvlans === '[4095]';
  if (passes4095Alone && isProtected === 'true') return { native: null, tagged: [] };
  if (vlan_mode === 'access' && native !== null && tagged.length === 0) return { native, tagged };
  if (vlan_mode === 'native-untagged' && native !== null && tagged.length > 0) return { native, tagged };
  if (vlan_mode === 'trunk' && native === null && tagged.length > 0) return { native, tagged };
  throw new Error(`the port carries something else: ${vlan_mode} tag=${tag} trunks=${trunks} cvlans=${cvlans}`);
};
