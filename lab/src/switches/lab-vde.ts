import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { end, startDaemon } from './child-processes.ts';
import { type LabHost, startHost } from './lab-host.ts';
import type { LabPort, LabSwitch } from './lab-switch.ts';
import { startFaultRelay } from './fault-relay.ts';
import { addNamespaces, run } from './namespaces.ts';
import { startSshd } from './sshd.ts';
import { built, temporaryDirectory, type Undo } from './undo.ts';
import { VdeSwitch } from './vde-switch.ts';

export interface LabVdeOptions {
  /** Hosts, plugged into the ports 1, 2 and so on. None if left out. */
  readonly hosts?: number;
  /** How many ports it has; 210 if left out. */
  readonly ports?: number;
}

/** A real vde_switch behind a real sshd. Its new ports are all in VLAN 0, as vde_switch makes them. */
export interface LabVde extends LabSwitch {
  /** In the order of their ports. */
  readonly hosts: readonly LabHost[];
  /** Gives the switch a command by hand. */
  command(line: string): Promise<string>;
}

/** Starts a vde_switch in a directory of its own, its hosts in network namespaces of theirs. */
export const startVde = (options: LabVdeOptions = {}): Promise<LabVde> =>
  built('the vde_switch', (undo, stop) => build(options, undo, stop));

const build = async (options: LabVdeOptions, undo: Undo, stop: () => Promise<void>): Promise<LabVde> => {
  const directory = await temporaryDirectory('vde', undo);
  const vde = new VdeSwitch(directory);
  undo.push(() => vde.stop());
  const count = options.ports ?? 210;
  await vde.start(count);
  const sshd = await startSshd(directory, `unixterm ${vde.management}`);
  undo.push(() => sshd.stop());
  const line = await startFaultRelay({ port: sshd.port });
  undo.push(() => line.stop());

  const prefix = `corral-${process.pid}-${randomBytes(3).toString('hex')}`;
  const namespaces = Array.from({ length: options.hosts ?? 0 }, (_, index) => `${prefix}-v${index + 1}`);
  undo.push(await addNamespaces(namespaces));
  const hosts = await Promise.all(
    namespaces.map(async (namespace, index) => {
      undo.push(await plugIn(vde.data, namespace, index + 1));
      return startHost(namespace, `${index + 1}`, index);
    }),
  );
  undo.push(() => Promise.all(hosts.map((host) => host.stop())));

  return {
    hosts,
    command: (text) => vde.command(text),
    fields: {
      hostname: '127.0.0.1',
      port: line.port,
      username: sshd.username,
      private_key: sshd.privateKey,
      host_key: sshd.fingerprint,
    },
    ports: Array.from({ length: count }, (_, index) => `${index + 1}`),
    unknownPort: `${count + 1}`,
    refusedVlan: 4094,
    carried: async (port) => carriedBy(await vde.command('vlan/allprint'), Number(port)),
    tamper: async (port, { native, tagged }) => {
      const before = carriedBy(await vde.command('vlan/allprint'), Number(port));
      for (const vlan of before.tagged) await vde.command(`vlan/delport ${vlan} ${port}`);
      for (const vlan of [native ?? 4095, ...tagged]) await vde.command(`vlan/create ${vlan}`).catch(() => undefined);
      await vde.command(`port/setvlan ${port} ${native ?? 4095}`);
      for (const vlan of tagged) await vde.command(`vlan/addport ${vlan} ${port}`);
    },
    breakLine: (fault) => line.breakLine(fault),
    stop,
  };
};

/** Joins a new interface, `eth0` of the namespace, to a port of the switch. */
const plugIn = async (data: string, namespace: string, port: number): Promise<() => Promise<void>> => {
  const args = ['netns', 'exec', namespace, 'vde_plug2tap', '-s', data, '-p', String(port), 'eth0'];
  const isThere = (): Promise<boolean> =>
    run('ip', ['-n', namespace, 'link', 'show', 'eth0']).then(
      () => true,
      () => false,
    );
  const child = await startDaemon('ip', args, () => existsSync(data) && isThere(), { name: 'vde_plug2tap' });
  return () => end(child);
};

/** What the list of VLANs says about one port. */
const carriedBy = (list: string, port: number): LabPort => {
  let native: number | null = null;
  const tagged: number[] = [];
  for (const block of list.split(/^VLAN /m).slice(1)) {
    const member = new RegExp(`Port 0*${port} tagged=([01])`).exec(block);
    if (member?.[1] === '0') native = Number.parseInt(block, 10);
    if (member?.[1] === '1') tagged.push(Number.parseInt(block, 10));
  }
  return { native, tagged: tagged.sort((a, b) => a - b) };
};
