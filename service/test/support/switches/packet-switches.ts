import { type LabHost, type LabSwitch, type Part, startOvs, startVde } from '@corral/lab';
import { expect } from 'vitest';
import type { Client } from '../http/http-client.ts';
import type { Service } from '../services/service.ts';
import { done, obmd, settled } from '../services/world.ts';

/** A switch that forwards real frames, with hosts plugged into it. */
export type PacketSwitch = LabSwitch & { readonly hosts: readonly LabHost[] };

/** A kind of switch that forwards real frames. */
export interface PacketSwitchKind {
  readonly part: Part;
  /** Its type in switch_register. */
  readonly type: string;
  /** Fields that make it quick where hosts make few flows. */
  readonly quick: Readonly<Record<string, unknown>>;
  /** What passes between two ports that nobody has configured, out of a frame without a tag and one with each tag. */
  readonly passesUnconfigured: 'every tag' | 'untagged';
  start(hosts: number): Promise<PacketSwitch>;
}

export const packetSwitches: readonly PacketSwitchKind[] = [
  {
    part: 'Open vSwitch',
    type: 'ovs',
    quick: { settle_ms: 200 },
    passesUnconfigured: 'every tag',
    start: (hosts) => startOvs({ hosts }),
  },
  {
    part: 'vde_switch',
    type: 'vde',
    quick: {},
    passesUnconfigured: 'untagged',
    start: (hosts) => startVde({ hosts, ports: hosts + 2 }),
  },
];

/** Real switches take their time, on a busy machine above all: nothing is to fail for being slow. */
export const patient = {
  CORRAL_ENGINE_BUDGET: '60',
  CORRAL_ENGINE_DEVICE_TIMEOUT: '20',
  CORRAL_ENGINE_LEASE: '10',
  CORRAL_ENGINE_SESSION_IDLE: '5',
};

/** What a switch has on one of its ports: a host, or a whole machine. */
type Plugged = Pick<LabHost, 'port' | 'mac'>;

/** The node that stands for a host. It has one nic, `eth0`, as the host has. */
export const nodeOf = ({ port }: LabHost): string => `node-${port}`;

/** Registers the switch, and for each host a node whose nic is on the host's port. */
export const wire = async (
  admin: Client,
  type: string,
  device: PacketSwitch,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<void> => {
  await done(admin.put('/switch/sw0', { type, ...device.fields, ...fields }));
  for (const host of device.hosts) await plug(admin, nodeOf(host), host);
};

/** Registers a node whose nic is on a port of a switch. */
export const plug = async (
  admin: Client,
  node: string,
  { port, mac }: Plugged,
  { daemon = obmd, onSwitch = 'sw0' }: { readonly daemon?: typeof obmd; readonly onSwitch?: string } = {},
): Promise<void> => {
  await done(admin.put(`/node/${node}`, { obmd: daemon }));
  await done(admin.put(`/node/${node}/nic/eth0`, { macaddr: mac }));
  await done(admin.put(`/switch/${onSwitch}/port/${port}`));
  await done(admin.post(`/switch/${onSwitch}/port/${port}/connect_nic`, { node, nic: 'eth0' }));
};

/** What an operator does with ports that come with VLANs of their own: takes everything off them. */
export const revertAll = async (service: Service, hosts: readonly Plugged[]): Promise<void> => {
  const queued = await Promise.all(hosts.map(({ port }) => service.admin.post(`/switch/sw0/port/${port}/revert`)));
  for (const answer of queued) expect((await settled(service, answer)).status).toBe('DONE');
};

/** The VLANs of networks, by their labels. */
export const vlansOf = async (admin: Client): Promise<ReadonlyMap<string, number>> => {
  const { body } = await done(admin.get('/networks'));
  return new Map(
    Object.entries(body as Record<string, { network_id: string }>).map(([label, { network_id }]) => [
      label,
      Number(network_id),
    ]),
  );
};
