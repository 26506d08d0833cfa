import { isRefusal, isSameWire } from '../drivers/switches/switch-contract.ts';
import { queueAction, requireNoPendingAction } from './actions.ts';
import { badArgument, blocked, duplicate, notFound } from './corral-error.ts';
import {
  audienceOf,
  findNic,
  findNode,
  findPort,
  findSwitch,
  type Nic,
  type Node,
  type Port,
  type Switch,
} from './find-objects.ts';
import type { RequestContext, ReadOp, WriteOp } from './request-context.ts';
import { waitUntil } from './wait-until.ts';
import type { PortReading } from './port-state.ts';
import { doubtOf, holdNode, requireForgettable } from './port-trust.ts';
import { driverOf } from './switches.ts';

interface PortArgs {
  readonly switch: string;
  readonly port: string;
}

/** The driver's own spelling of a port name. */
const normalised = (op: ReadOp, on: Switch, port: string): string => {
  const name = driverOf(op.dependencies, on.type).portName(port);
  if (isRefusal(name)) throw badArgument(`path argument "port" is ${JSON.stringify(port)}: ${name.refused}`);
  return name;
};

/** Finds a port by any spelling its driver takes; a name that cannot be one is simply not there. */
const findSpelledPort = (op: ReadOp, on: Switch, port: string): Promise<Port> => {
  const name = driverOf(op.dependencies, on.type).portName(port);
  return findPort(op, on, isRefusal(name) ? port : name);
};

/** Another port of the switch that is the same wire, or a part of it; null: there is none. */
const sameWire = async ({ tx, dependencies }: ReadOp, on: Switch, label: string): Promise<string | null> => {
  const driver = driverOf(dependencies, on.type);
  if (!driver.wire) return null;
  const wire = driver.wire(label);
  const ports = await tx.selectFrom('ports').select('label').where('switch_id', '=', on.id).execute();
  const other = ports.find((port) => port.label !== label && isSameWire(driver.wire?.(port.label) ?? port.label, wire));
  return other?.label ?? null;
};

export const switchRegisterPort = async (op: WriteOp, args: PortArgs): Promise<void> => {
  const on = await findSwitch(op, args.switch);
  const label = normalised(op, on, args.port);
  const taken = await op.tx
    .selectFrom('ports')
    .select('id')
    .where('switch_id', '=', on.id)
    .where('label', '=', label)
    .executeTakeFirst();
  if (taken) throw duplicate(`switch ${on.label} already has a port ${label}`);
  const other = await sameWire(op, on, label);
  if (other !== null)
    throw duplicate(
      `port ${label} is the same socket of switch ${on.label} as its port ${other}; delete that one first`,
    );
  await op.tx.insertInto('ports').values({ switch_id: on.id, label, suspect: null, suspect_retry_at: null }).execute();
  op.record({ type: 'switch_register_port', switch: on.label, port: label });
};

export const switchDeletePort = async (op: WriteOp, args: PortArgs & { force?: 'true' }): Promise<void> => {
  const on = await findSwitch(op, args.switch);
  const port = await findSpelledPort(op, on, args.port);
  const wired = await nicOn(op, port);
  if (wired)
    throw blocked(`nic ${wired.nic.label} of node ${wired.node.label} is on port ${port.label}; detach it first`);
  const doubt = doubtOf(port);
  // Only an operator can know that the device or the cable is gone for good, and what it carried with it.
  if (args.force === undefined) requireForgettable(port, on);
  await op.tx.deleteFrom('held_nodes').where('port_id', '=', port.id).execute();
  await op.tx.deleteFrom('suspect_networks').where('port_id', '=', port.id).execute();
  await op.tx.deleteFrom('ports').where('id', '=', port.id).execute();
  op.record({
    type: 'switch_delete_port',
    switch: on.label,
    port: port.label,
    detail: args.force === undefined || doubt === null ? {} : { forced: doubt.kind },
  });
};

const nicOn = async (op: ReadOp, port: Port): Promise<{ nic: Nic; node: Node } | null> => {
  const nic = await op.tx.selectFrom('nics').selectAll().where('port_id', '=', port.id).executeTakeFirst();
  if (!nic) return null;
  const { label } = await op.tx
    .selectFrom('nodes')
    .select('label')
    .where('id', '=', nic.node_id)
    .executeTakeFirstOrThrow();
  return { nic, node: await findNode(op, label) };
};

/**
 * Connects a nic, and gives the engine a moment to read the port: what it carries already is known before
 * anybody can reserve the node. A switch that does not answer in time is read later, and the node waits for it.
 */
export const portConnectNic = async (
  context: RequestContext,
  args: PortArgs & { node: string; nic: string },
): Promise<void> => {
  const id = await context.write((op) => connectNic(op, args));
  await waitUntil(longestWaitMs, async () => {
    const port = await context.read(({ tx }) =>
      tx.selectFrom('ports').select('unread').where('id', '=', id).executeTakeFirst(),
    );
    return port?.unread !== 1;
  });
};

const longestWaitMs = 2_000;

const connectNic = async (op: WriteOp, args: PortArgs & { node: string; nic: string }): Promise<number> => {
  const on = await findSwitch(op, args.switch);
  const port = await findSpelledPort(op, on, args.port);
  const node = await findNode(op, args.node);
  const nic = await findNic(op, node, args.nic);
  if (nic.port_id !== null)
    throw duplicate(`nic ${nic.label} of node ${node.label} is already on a port; detach it first`);
  const wired = await nicOn(op, port);
  if (wired) {
    throw duplicate(
      `port ${port.label} already has nic ${wired.nic.label} of node ${wired.node.label}; detach it first`,
    );
  }
  // Both may have been registered before this check existed.
  const other = await sameWire(op, on, port.label);
  if (other !== null)
    throw duplicate(
      `port ${port.label} is the same socket of switch ${on.label} as its port ${other}; delete one of the two`,
    );
  await op.tx.updateTable('nics').set({ port_id: port.id }).where('id', '=', nic.id).execute();
  await op.tx.updateTable('ports').set({ unread: 1 }).where('id', '=', port.id).execute();
  op.record(eventOf('port_connect_nic', on, port, { nic, node }));
  op.notify('actions');
  return port.id;
};

export const portDetachNic = async (op: WriteOp, args: PortArgs): Promise<void> => {
  const on = await findSwitch(op, args.switch);
  const port = await findSpelledPort(op, on, args.port);
  const { nic, node } = await requireNic(op, on, port);
  if (node.project !== null)
    throw blocked(`node ${node.label} is in project ${node.project}; detach it from there first`);
  await requireNoPendingAction(op, node, nic);
  // A boot that was broken off by a quarantine leaves a node that is in no project on a network.
  const [attached] = await networksOf(op, nic);
  if (attached !== undefined) {
    throw blocked(`nic ${nic.label} of node ${node.label} is on network ${attached.label}; revert the port first`);
  }
  await op.tx.updateTable('nics').set({ port_id: null }).where('id', '=', nic.id).execute();
  await holdNode(op, port, node);
  op.record(eventOf('port_detach_nic', on, port, { nic, node }));
};

export const portRevert = async (op: WriteOp, args: PortArgs): Promise<{ status_id: string }> => {
  const on = await findSwitch(op, args.switch);
  const port = await findSpelledPort(op, on, args.port);
  const { nic, node } = await requireNic(op, on, port);
  await requireNoPendingAction(op, node, nic);
  op.record(eventOf('port_revert', on, port, { nic, node }));
  return queueAction(op, node.project, nic, { kind: 'revert' });
};

const requireNic = async (op: ReadOp, on: Switch, port: Port): Promise<{ nic: Nic; node: Node }> => {
  const wired = await nicOn(op, port);
  if (!wired) throw notFound(`no nic is connected to port ${port.label} of switch ${on.label}`);
  return wired;
};

const eventOf = (type: string, on: Switch, port: Port, { nic, node }: { nic: Nic; node: Node }) => ({
  type,
  projects: [audienceOf(node)],
  switch: on.label,
  port: port.label,
  node: node.label,
  nic: nic.label,
});

interface PortView {
  readonly node?: string;
  readonly nic?: string;
  readonly networks?: Readonly<Record<string, string>>;
  /** Only there while nobody knows what the port carries: why. */
  readonly suspect?: string;
  /** Only there while the port was seen to carry something else than is recorded: what. */
  readonly drift?: PortReading;
  /** Only there while the switch has no such port, or nobody has read it since its nic was connected. */
  readonly absent?: true;
  readonly unread?: true;
  /**
   * Only there while something of a session that broke off may still arrive: until when, and until it is read after
   * that.
   */
  readonly in_doubt_until?: string;
}

const driftOf = ({ drift_since, reading }: Port): Pick<PortView, 'drift' | 'absent'> => {
  if (drift_since === null) return {};
  const seen = JSON.parse(reading ?? 'null') as PortReading | null;
  return seen === null ? { absent: true } : { drift: seen };
};

const networksOf = ({ tx }: ReadOp, nic: Pick<Nic, 'id'>) =>
  tx
    .selectFrom('attachments')
    .innerJoin('networks', 'networks.id', 'attachments.network_id')
    .select(['attachments.channel', 'networks.label'])
    .where('attachments.nic_id', '=', nic.id)
    .orderBy('attachments.channel')
    .execute();

export const showPort = async (op: ReadOp, args: PortArgs): Promise<PortView> => {
  const on = await findSwitch(op, args.switch);
  const port = await findSpelledPort(op, on, args.port);
  const wired = await nicOn(op, port);
  const doubts = {
    ...(port.suspect === null ? {} : { suspect: port.suspect }),
    ...driftOf(port),
    ...(port.unread === 1 ? { unread: true as const } : {}),
    ...(port.late_until === null ? {} : { in_doubt_until: new Date(port.late_until).toISOString() }),
  };
  if (!wired) return doubts;
  const attached = await networksOf(op, wired.nic);
  return {
    node: wired.node.label,
    nic: wired.nic.label,
    networks: Object.fromEntries(attached.map(({ channel, label }) => [channel, label])),
    ...doubts,
  };
};
