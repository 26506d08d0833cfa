import { rm } from 'node:fs/promises';
import { type Capture, type LabHost, type LabOvs, startOvs, type Stream } from '@corral/lab';
import { type Answer, basic, type Client, clientOf } from '../http/http-client.ts';
import { expectSound } from './expect-invariants.ts';
import { NetworkMembership, type Wrong } from '../switches/network-membership.ts';
import { nodeOf, patient, revertAll, vlansOf, wire } from '../switches/packet-switches.ts';
import { adminPassword, startService } from './service.ts';
import { runSql } from './run-sql.ts';
import { startStoppingProgram, type StoppingProgram } from './stopping-program.ts';
import { connect, eventually, makeNetwork, makeProject, reserve } from './world.ts';

type Project = 'red' | 'blue';

/** One of two processes that share a database. */
export interface Replica {
  readonly program: StoppingProgram;
  readonly admin: Client;
}

/** Two processes of the service on one PostgreSQL, and an Open vSwitch whose hosts send all the time. */
export interface ReplicaPair {
  readonly ovs: LabOvs;
  readonly env: Readonly<Record<string, string>>;
  readonly replicas: [Replica, Replica];
  readonly membership: NetworkMembership;
  readonly vlans: ReadonlyMap<string, number>;
  /** The hosts that change hands; one more stays in red, one in blue. */
  readonly movers: readonly LabHost[];
  sql(statement: string): Promise<Record<string, unknown>[]>;
  /** Frames that a host was not to hear, so far. */
  wrongs(): readonly Wrong[];
  heard(): number;
  /** Kills a process with -9 and starts it again. */
  restart(index: 0 | 1): Promise<void>;
  expectSound(): Promise<void>;
  stop(): Promise<void>;
}

const settings = {
  ...patient,
  CORRAL_ENGINE_LEASE: '1',
  CORRAL_ENGINE_POLL: '0.3',
  CORRAL_ENGINE_DEVICE_TIMEOUT: '2',
  CORRAL_ENGINE_SESSION_IDLE: '0.2',
};

export const startReplicaPair = async (
  movers: number,
  env: Readonly<Record<string, string>> = {},
): Promise<ReplicaPair> => {
  const [service, ovs] = await Promise.all([
    startService('postgres', { ...settings, ...env }),
    startOvs({ hosts: movers + 2 }),
  ]);
  const [inRed, inBlue, ...moving] = ovs.hosts;
  if (!inRed || !inBlue) throw new Error('there are two hosts more than movers');
  const membership = new NetworkMembership();
  await wire(service.admin, 'ovs', ovs, { settle_ms: 200 });
  await revertAll(service, ovs.hosts);
  for (const [project, host] of [
    ['red', inRed],
    ['blue', inBlue],
  ] as const) {
    await makeProject(service, project);
    await makeNetwork(service, project, project);
    await reserve(service, project, nodeOf(host));
    membership.begins(host.port, project, []);
    await connect(service, nodeOf(host), 'eth0', project);
  }
  const vlans = await vlansOf(service.admin);
  await service.stop();
  const begin = async (): Promise<Replica> => {
    const program = await startStoppingProgram(service.env);
    return { program, admin: clientOf(program.url, basic('admin', adminPassword)) };
  };
  const replicas: [Replica, Replica] = [await begin(), await begin()];
  const captures: { host: LabHost; capture: Capture }[] = [];
  const streams: Stream[] = [];
  for (const host of ovs.hosts) captures.push({ host, capture: await host.capture() });
  for (const host of ovs.hosts) streams.push(host.stream({ marker: host.port, tags: 'untagged' }, 5));
  return {
    ovs,
    env: service.env,
    replicas,
    membership,
    vlans,
    movers: moving,
    sql: async (statement) =>
      (await runSql(service, { sqlite: statement, postgres: statement })) as Record<string, unknown>[],
    wrongs: () => captures.flatMap(({ host, capture }) => membership.wrongs(host.port, capture.frames)),
    heard: () => captures.reduce((sum, { capture }) => sum + capture.frames.length, 0),
    restart: async (index) => {
      await replicas[index].program.kill();
      replicas[index] = await begin();
    },
    expectSound: () => expectSound(service.env),
    stop: async () => {
      for (const { program } of replicas) {
        await program.kill();
      }
      await Promise.all(streams.map((stream) => stream.stop()));
      await ovs.stop();
      await rm(service.dataDir, { recursive: true, force: true });
    },
  };
};

/** Is asked for something once, and answers nothing while a replica is dead or the database does not answer. */
const tried = async (call: Promise<Answer>): Promise<Answer | null> => call.catch(() => null);

/** How a change that was queued ended. */
const endOf = (pair: ReplicaPair, queued: Answer | null): Promise<string> =>
  eventually(async () => {
    const id = (queued?.body as { status_id?: string } | undefined)?.status_id;
    if (queued?.status !== 202 || id === undefined) return 'refused';
    const [row] = await pair.sql(`select status from actions where status_id = '${id}'`);
    // Only the newest change of a nic is kept.
    const status = row === undefined ? 'gone' : String(row['status']);
    return status === 'PENDING' ? undefined : status;
  }, 120_000);

/** Takes a host off its network and out of its project, however often its replica has to be asked. */
export const vacate = async (pair: ReplicaPair, replica: () => Replica, host: LabHost): Promise<void> => {
  const node = nodeOf(host);
  await eventually(async () => {
    const { admin } = replica();
    const shown = await tried(admin.get(`/node/${node}`));
    if (shown?.status !== 200) return undefined;
    const { project, nics } = shown.body as { project: Project | null; nics: { networks: Record<string, string> }[] };
    if (project === null) return true;
    for (const network of Object.values(nics[0]?.networks ?? {})) {
      await endOf(pair, await tried(admin.post(`/node/${node}/nic/eth0/detach_network`, { network })));
    }
    await tried(admin.post(`/project/${project}/detach_node`, { node }));
    return undefined;
  }, 120_000);
  pair.membership.ends(host.port);
};

/** Gives a free host to a project and puts it on its network. Tells whether it is there. */
export const settleIn = async (
  pair: ReplicaPair,
  { admin }: Replica,
  host: LabHost,
  project: Project,
): Promise<boolean> => {
  const node = nodeOf(host);
  const reserved = await tried(admin.post(`/project/${project}/connect_node`, { node }));
  if (reserved?.status !== 200) return false;
  pair.membership.begins(host.port, project, []);
  const queued = await tried(admin.post(`/node/${node}/nic/eth0/connect_network`, { network: project }));
  return (await endOf(pair, queued)) === 'DONE';
};

/** No worker is on a switch. */
export const leftAlone = (pair: ReplicaPair): Promise<true> =>
  eventually(async () => {
    const held = await pair.sql(
      `select 1 from leases where name not like 'worker/%' and expires_at > extract(epoch from clock_timestamp()) * 1000`,
    );
    return held.length === 0 ? true : undefined;
  }, 60_000);

/** The last word on every change is spoken. */
export const nothingPending = (pair: ReplicaPair): Promise<true> =>
  eventually(
    async () => ((await pair.sql(`select 1 from actions where status = 'PENDING'`)).length === 0 ? true : undefined),
    120_000,
  );
