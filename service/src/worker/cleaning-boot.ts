import type { HttpClient } from '@corral/base/http/http-client';
import type { CleaningConfig } from '../config/cleaning-config.ts';
import { connectCleaned, detachCleaned } from '../core/attachments.ts';
import { blocked } from '../core/corral-error.ts';
import { findNetwork, findNic, type Network, type Node } from '../core/find-objects.ts';
import { requireLease } from '../core/leases.ts';
import type { ReadOp, WriteOp } from '../core/request-context.ts';
import { waitUntil } from '../core/wait-until.ts';
import { statement } from '../db/service-statement.ts';
import { type Attempt, findCleaned, type Verdict } from './cleaning-attempt.ts';
import { bootBy, offToBootBy, powerOff } from './cleaning-bmc.ts';
import { askService } from './cleaning-webhook.ts';

/*
 * A node that is cleaned by what it boots from the network. Each of these is a step of its own, begins with a look at
 * the node as it is now, and can be done twice. Switches are changed by the engine, which reads what it wrote.
 */

/** How long one attempt waits for the switches. */
const longestWaitMs = 10_000;
/** Stored as the progress of a boot: its service has confirmed; the node is being turned on; it has been. */
const confirmed = JSON.stringify('confirmed');
const turningOn = JSON.stringify('turning on');
const turnedOn = JSON.stringify('turned on');

type Boot = Extract<CleaningConfig['steps'][number], { kind: 'boot' }>;

/** Connects the nics of a node to the cleaning network. Others are cleaned there: what was left on it must not run. */
export const attachNode = async (attempt: Attempt): Promise<Verdict> => {
  const off = await powerOff(attempt);
  if (off.kind !== 'passed') return off;
  const { network, nics: wanted } = attempt.rules.boot;
  const isWanted = ({ nic, port_id }: NicRow): boolean =>
    wanted.length === 0 ? port_id !== null : wanted.includes(nic);
  const isDone = (row: NicRow): boolean => row.network === network;
  return changeNics(attempt, {
    chosen: (rows) => rows.filter(isWanted),
    isDone,
    change: async (op, node, rows) => {
      const found = await findCleaningNetwork(op, network);
      if (rows.length === 0) throw blocked(`node ${node.label} has no nic to boot from`);
      for (const row of rows.filter((one) => !isDone(one))) {
        if (row.port_id === null)
          throw blocked(`nic ${row.nic} of node ${node.label} is not connected to a switch port`);
        if (row.network !== null) throw blocked(`nic ${row.nic} of node ${node.label} is on network ${row.network}`);
        await connectCleaned(op, { node, nic: await findNic(op, node, row.nic), network: found });
      }
    },
    passed: (rows) => `on network ${network}: ${rows.map(({ nic }) => nic).join(', ')}`,
  });
};

/** Takes the nics of a node off every network. While it is being cleaned, it is on none but the cleaning network. */
export const detachNode = (attempt: Attempt): Promise<Verdict> =>
  changeNics(attempt, {
    chosen: (rows) => rows,
    isDone: ({ network }) => network === null,
    change: async (op, node, rows) => {
      const changed = new Set<string>();
      for (const { nic, network, channel } of rows) {
        // One change of a nic at a time; the next attempt has the next.
        if (network === null || channel === null || changed.has(nic)) continue;
        changed.add(nic);
        const found = { nic: await findNic(op, node, nic), network: await findNetwork(op, network) };
        await detachCleaned(op, { node, ...found, channel });
      }
    },
    passed: () => 'the node is on no network',
  });

/**
 * Has the site's service prepare what the node boots, turns the node on, and waits for the result. A machine can turn
 * itself on, such as by an alarm of its clock, and run what its last tenant left. That must not find a token on the
 * network, so the node is off when the service is sent one, and what runs afterwards was started by this step.
 */
export const bootNode = async (attempt: Attempt, { url }: Boot, http: HttpClient): Promise<Verdict> => {
  const { context, step, rules } = attempt;
  const { network, device } = rules.boot;
  const waiting = { kind: 'waiting', sentence: 'the node was turned on, and no result has been reported' } as const;
  if (step.progress === turnedOn) return waiting;
  const isBegun = step.progress === turningOn;
  if (!isBegun && step.progress !== confirmed) {
    const off = await offToBootBy(attempt, device);
    if (off.kind !== 'passed') return off;
    const nics = await context.read(async (op) => nicsOn(op, await findCleaned(op, attempt), network));
    const failure = await askService(attempt, { url, more: { nics }, progress: confirmed }, http);
    if (failure !== null) return { kind: 'later', sentence: `the service could not be asked: ${failure}` };
  }
  const begin = () => recordProgress(attempt, turningOn);
  const verdict = await bootBy(attempt, device, { isBegun, begin });
  if (verdict.kind !== 'passed') return verdict;
  attempt.moment('cleaning node turned on');
  await recordProgress(attempt, turnedOn);
  return waiting;
};

const recordProgress = (attempt: Attempt, progress: string): Promise<void> =>
  attempt.context.write(async (op) => {
    await requireLease(op, attempt.held.lease);
    await findCleaned(op, attempt);
    await op.tx.updateTable('cleaning_steps').set({ progress }).where('id', '=', attempt.step.id).execute();
  });

/** One row for each attachment, or nic without one. */
interface NicRow {
  readonly nic: string;
  readonly port_id: number | null;
  readonly network: string | null;
  readonly channel: string | null;
  /** The newest change of the nic. */
  readonly status: string | null;
  readonly error: string | null;
}

interface NicChange {
  readonly chosen: (rows: readonly NicRow[]) => readonly NicRow[];
  readonly isDone: (row: NicRow) => boolean;
  readonly change: (op: WriteOp, node: Node, rows: readonly NicRow[]) => Promise<void>;
  readonly passed: (rows: readonly NicRow[]) => string;
}

/** Queues what is not done yet, waits for the engine, and tells what became of it. */
const changeNics = async (attempt: Attempt, { chosen, isDone, change, passed }: NicChange): Promise<Verdict> => {
  const { context } = attempt;
  const look = (op: ReadOp, node: Node) => nicsOfNode.all(op.tx, { nodeId: node.id });
  const now = () => context.read(async (op) => look(op, await findCleaned(op, attempt)));
  const isSettled = (rows: readonly NicRow[]): boolean => rows.every(({ status }) => status !== 'PENDING');
  // Also what others queued before: it is waited for.
  const settle = () => waitUntil(longestWaitMs, async () => attempt.signal.aborted || isSettled(await now()));
  const isOver = (rows: readonly NicRow[]): boolean =>
    isSettled(rows) && chosen(rows).length > 0 && chosen(rows).every(isDone);
  await settle();
  if (!isOver(await now())) {
    await context.write(async (op) => {
      await requireLease(op, attempt.held.lease);
      const node = await findCleaned(op, attempt);
      const rows = await look(op, node);
      if (isSettled(rows)) await change(op, node, chosen(rows));
    });
    attempt.moment('cleaning change queued');
    await settle();
  }
  const rows = await now();
  if (isOver(rows)) return { kind: 'passed', sentence: passed(chosen(rows)) };
  if (rows.length === 0) return { kind: 'passed', sentence: passed([]) };
  const open = rows.find((row) => row.status === 'PENDING' || !isDone(row));
  const why =
    open?.status === 'PENDING' ? 'its switch has not been changed yet' : (open?.error ?? 'it is not done yet');
  return { kind: 'later', sentence: `nic ${open?.nic ?? ''}: ${why}` };
};

const nicsOfNode = statement((tx, { nodeId }: { nodeId: number }) =>
  tx
    .selectFrom('nics')
    .leftJoin('attachments', 'attachments.nic_id', 'nics.id')
    .leftJoin('networks', 'networks.id', 'attachments.network_id')
    .leftJoin('actions', 'actions.nic_id', 'nics.id')
    .select(['nics.label as nic', 'nics.port_id', 'networks.label as network', 'attachments.channel'])
    .select(['actions.status', 'actions.error'])
    .where('nics.node_id', '=', nodeId)
    .orderBy('nics.label'),
);

/** Tenants must not be where nodes are cleaned; on the access list is who serves what they boot. */
const findCleaningNetwork = async (op: ReadOp, label: string): Promise<Network> => {
  const network = await findNetwork(op, label);
  if (network.is_public === 1)
    throw blocked(`network ${label} cannot be used for cleaning: every project has access to it`);
  if (network.owner_id === null) return network;
  throw blocked(`network ${label} cannot be used for cleaning: a project owns it, and decides who has access`);
};

/** The nics that are on the cleaning network, as the site's service knows them again. */
export const nicsOn = async ({ tx }: ReadOp, node: Node, network: string) =>
  (
    await tx
      .selectFrom('nics')
      .innerJoin('attachments', 'attachments.nic_id', 'nics.id')
      .innerJoin('networks', 'networks.id', 'attachments.network_id')
      .select(['nics.label', 'nics.macaddr'])
      .where('nics.node_id', '=', node.id)
      .where('networks.label', '=', network)
      .orderBy('nics.label')
      .execute()
  ).map(({ label, macaddr }) => ({ nic: label, macaddr }));
