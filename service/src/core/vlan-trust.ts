import { sql } from 'kysely';
import type { Tx } from '../db/service-database.ts';
import { statement } from '../db/service-statement.ts';
import { allocationFailed, blocked } from './corral-error.ts';
import type { Network, Project } from './find-objects.ts';
import { requireKnownMachines } from './machine-trust.ts';
import type { WriteOp } from './request-context.ts';
import { carriesVlan, type PortReading, rangesIn } from './port-state.ts';

/*
 * Which VLANs may be on ports although nothing records it. Asked when a VLAN is handed out and when a network goes:
 * only ports that are known to drift, or not known at all, are read, each kind through an index that holds no others.
 */

/** A port that may carry a VLAN which is not recorded for it. */
interface Carrier {
  readonly port: string;
  readonly switch: string;
}

const nameOf = ({ port, switch: on }: Carrier): string => `port ${port} on switch ${on}`;

const portsThatMayCarryAny = (tx: Tx) =>
  tx
    .selectFrom('ports')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .leftJoin('nics', 'nics.port_id', 'ports.id')
    .leftJoin('nodes', 'nodes.id', 'nics.node_id')
    .select(['ports.label as port', 'switches.label as switch'])
    .where('ports.may_carry_any', '=', sql<1>`1`)
    .limit(1);

const unknownPort = statement((tx) => portsThatMayCarryAny(tx));
const unknownPortOfProject = statement((tx, { projectId }: { projectId: number }) =>
  portsThatMayCarryAny(tx).where('nodes.project_id', '=', projectId),
);

/**
 * A port is in service once it has been clean, or when a project has its node. One that never was, and passes
 * everything as switches do from the factory, says nothing about any VLAN: its node cannot be had before it has been
 * clean.
 */
const isInService = sql<0 | 1>`case when ports.was_clean = 1 or nodes.project_id is not null then 1 else 0 end`;

const driftingPorts = (tx: Tx) =>
  tx
    .selectFrom('ports')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .leftJoin('nics', 'nics.port_id', 'ports.id')
    .leftJoin('nodes', 'nodes.id', 'nics.node_id')
    .select(['ports.reading', isInService.as('inService')])
    .select(({ fn }) => [fn.min('ports.label').as('port'), fn.min('switches.label').as('switch')])
    .where('ports.drift_since', 'is not', null)
    // Many drift alike: a switch that lost its configuration has one reading, not a thousand. Named is one of them.
    .groupBy(['ports.reading', isInService, 'ports.switch_id']);

const drifting = statement((tx) => driftingPorts(tx));
const driftingOfProject = statement((tx, { projectId }: { projectId: number }) =>
  driftingPorts(tx).where('nodes.project_id', '=', projectId),
);

type SeenPort = Carrier & { readonly reading: PortReading };

/** Ports that were seen to carry what nobody recorded. */
const portsSeenOn = async (tx: Tx, project?: Project): Promise<readonly SeenPort[]> => {
  const rows = project ? await driftingOfProject.all(tx, { projectId: project.id }) : await drifting.all(tx, {});
  return rows.flatMap((row) => {
    const reading = JSON.parse(row.reading ?? 'null') as PortReading | null;
    if (reading === null || (row.inService === 0 && isEverything(reading))) return [];
    return { port: row.port, switch: row.switch, reading };
  });
};

const lastVlan = 4094;

const isEverything = ({ native, tagged }: PortReading): boolean => {
  const count = rangesIn(tagged).reduce((sum, [first, last]) => sum + last - first + 1, native === null ? 0 : 1);
  return count >= lastVlan;
};

const unreadPortsMessage = 'networks cannot be created until the switches have been read again; try again later';

/** Refuses as long as nothing can be said about any VLAN. */
const requireReadPorts = async (op: WriteOp): Promise<void> => {
  await requireKnownMachines(op, unreadPortsMessage);
  const unknown = await unknownPort.first(op.tx, {});
  if (!unknown) return;
  throw blocked(unreadPortsMessage, {
    forAdmins:
      `no VLAN can be allocated: ${nameOf(unknown)} has not been read since its switch was updated or the database was restored, ` +
      'and may carry any; it is read as soon as its switch answers',
  });
};

/** The VLAN that an administrator chose, if no port is known to carry it. */
export const requireUnseenVlan = async (op: WriteOp, vlan: number): Promise<void> => {
  await requireReadPorts(op);
  const seen = (await portsSeenOn(op.tx)).find(({ reading }) => carriesVlan(reading, vlan));
  if (seen) {
    throw blocked(
      `VLAN ${vlan} was seen on ${nameOf(seen)}, where it is not recorded; revert the port, or choose another id`,
    );
  }
};

/** A VLAN of the pool that no network has and no port is known to carry. */
export const unseenVlan = async (op: WriteOp): Promise<number> => {
  const { tx, dependencies } = op;
  await requireReadPorts(op);
  const rows = await tx.selectFrom('networks').select('vlan').execute();
  const inUse = new Set(rows.map(({ vlan }) => vlan));
  const free = dependencies.allocator.allocate(inUse);
  if (free === null)
    throw allocationFailed('the VLAN pool is empty; delete a network, or ask the operator for a larger pool');
  const seen = await portsSeenOn(tx);
  const vlan = seen.length === 0 ? free : dependencies.allocator.allocate(withSeen(inUse, seen));
  if (vlan !== null) return vlan;
  const one = seen.find(({ reading }) => carriesVlan(reading, free));
  throw allocationFailed(
    'no VLAN of the pool can be allocated: ports carry them without a record; ask the operator to check the drift',
    {
      forAdmins: `no VLAN of the pool can be allocated: each is in use, or on a port where it is not recorded, such as ${one ? nameOf(one) : 'none'}; see GET /drift`,
    },
  );
};

/** By ranges, so that a port which carries everything costs as much as one which carries two. */
const withSeen = (inUse: ReadonlySet<number>, seen: readonly SeenPort[]): ReadonlySet<number> => {
  const marks = new Uint8Array(lastVlan + 2);
  for (const { reading } of seen) {
    if (reading.native !== null) marks[reading.native] = 1;
    for (const [first, last] of rangesIn(reading.tagged)) marks.fill(1, first, last + 1);
  }
  const all = new Set(inUse);
  marks.forEach((mark, vlan) => mark === 1 && all.add(vlan));
  return all;
};

/** Refuses while a port may carry the network although nothing records it; with a project, a port of its nodes. */
export const requireOnNoOtherPort = async (op: WriteOp, network: Network, project?: Project): Promise<void> => {
  const { tx } = op;
  const lineOf = `a port that was on it may still carry network ${network.label}; its state is unknown, so try again later`;
  const suspect = await suspectPort(tx, network, project);
  if (suspect) {
    throw blocked(lineOf, {
      forAdmins: `port ${suspect.port} of switch ${suspect.switch} may still carry network ${network.label}; its state is unknown, so try again later`,
    });
  }
  await requireKnownMachines(op, `a headnode may still be on network ${network.label}; try again later`);
  const unknown = project
    ? await unknownPortOfProject.first(tx, { projectId: project.id })
    : await unknownPort.first(tx, {});
  if (unknown) {
    throw blocked(lineOf, {
      forAdmins: `${nameOf(unknown)} may still carry network ${network.label}: it has not been read since its switch was updated or the database was restored; it is read as soon as its switch answers`,
    });
  }
  const seen = (await portsSeenOn(tx, project)).find(({ reading }) => carriesVlan(reading, network.vlan));
  if (seen) {
    throw blocked(lineOf, {
      forAdmins: `${nameOf(seen)} was seen to carry VLAN ${network.vlan} of network ${network.label}, which is not recorded; revert the port first`,
    });
  }
};

const suspectPort = (tx: Tx, network: Network, project?: Project): Promise<Carrier | undefined> => {
  const suspects = tx
    .selectFrom('suspect_networks')
    .innerJoin('ports', 'ports.id', 'suspect_networks.port_id')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .leftJoin('nics', 'nics.port_id', 'ports.id')
    .leftJoin('nodes', 'nodes.id', 'nics.node_id')
    .select(['ports.label as port', 'switches.label as switch'])
    .where('suspect_networks.network_id', '=', network.id);
  return (project ? suspects.where('nodes.project_id', '=', project.id) : suspects).executeTakeFirst();
};
