import { setTimeout as sleep } from 'node:timers/promises';
import { steadyNow } from '@corral/base/steady-clock';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { sql } from 'kysely';
import type { TokenOutcome } from '../auth/keystone-backend.ts';
import type { Db } from '../db/service-database.ts';
import { RequestTimes } from '@corral/base/http/request-times';
import { joinMetrics, type MetricsPeers } from './metrics-peers.ts';
import { readQueue } from './queue-metrics.ts';

/** Why a client was rejected before authentication. */
type Refusal = 'rate' | 'streams' | 'connections' | 'made_room';

/** What `/metrics` shows: requests as they are served, the queue and the database when it is asked. */
export interface Metrics {
  requestDone(method: string, route: string, status: number, ms: number): void;
  refused(why: Refusal): void;
  actionSettled(onSwitch: string, status: 'DONE' | 'ERROR', seconds: number): void;
  passDone(onSwitch: string, outcome: 'ok' | 'fault', seconds: number): void;
  readonly tokenChecked: (outcome: TokenOutcome, seconds: number) => void;
  loginFailed(why: 'wrong' | 'throttled'): void;
  text(): Promise<string>;
  readonly contentType: string;
}

const actionBuckets = [0.01, 0.05, 0.25, 1, 5, 15, 60];
/** A database that takes longer is down. */
const databaseWithinMs = 1_500;
const validationBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10];

export const createMetrics = (db: Db, peers: MetricsPeers | null = null): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  // What the database knows is the same in every process.
  const shared = new Registry();
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter<L>({ name, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge<L>({ name, help, labelNames, registers });
  const sharedGauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge<L>({ name, help, labelNames, registers: [shared] });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram<L>({ name, help, buckets, labelNames, registers });
  collectDefaultMetrics({ register: registry });
  const requests = new RequestTimes('corral_http_request_seconds');
  const refusals = counter(
    'corral_http_refused_total',
    'Requests (rate, streams) and connections (connections, made_room) rejected because of a limit',
    'why',
  );
  const settled = histogram(
    'corral_action_seconds',
    'Time from queueing a networking action to its end',
    actionBuckets,
    'switch',
    'status',
  );
  const passes = histogram(
    'corral_switch_pass_seconds',
    'Time of one pass over a switch',
    actionBuckets,
    'switch',
    'outcome',
  );
  const validations = histogram(
    'corral_keystone_validation_seconds',
    'Time that Keystone took to validate a token, by result',
    validationBuckets,
    'outcome',
  );
  const remembered = counter('corral_keystone_remembered_total', 'Tokens validated from the cache');
  const actions = sharedGauge(
    'corral_actions',
    'Networking actions that are pending, or whose last change of a nic failed',
    'switch',
    'status',
  );
  const oldest = sharedGauge(
    'corral_queue_age_seconds',
    'Age of the oldest pending networking action of a switch',
    'switch',
  );
  const leases = sharedGauge('corral_switch_lease', '1 for the worker that holds a switch', 'switch', 'holder');
  const suspects = sharedGauge('corral_suspect_ports', 'Ports in an unknown state', 'switch');
  const drifting = sharedGauge('corral_drifting_ports', 'Ports that differ from what is recorded', 'switch');
  const inDoubt = sharedGauge(
    'corral_ports_in_doubt',
    'Ports to which a change of an aborted session may still arrive',
    'switch',
  );
  const answering = sharedGauge(
    'corral_switch_up',
    '0 after communication with a switch failed, until it succeeds',
    'switch',
  );
  const sweptAt = sharedGauge(
    'corral_switch_swept_timestamp_seconds',
    'When a switch was last read completely',
    'switch',
  );
  const unsaved = sharedGauge(
    'corral_switch_unsaved_seconds',
    'Time since the running configuration of a switch is unsaved; 0 when it is saved',
    'switch',
  );
  const transactions = counter(
    'corral_database_transactions_total',
    'Transactions by kind; a retry is one that conflicted with another',
    'engine',
    'kind',
  );
  const logins = counter(
    'corral_failed_logins_total',
    'Logins with a wrong user name or password, and logins that were throttled',
    'why',
  );
  for (const why of ['wrong', 'throttled']) logins.inc({ why }, 0);

  gauge('corral_process_id', 'The process that counted this').set(process.pid);
  const up = gauge('corral_database_up', '1 while the database answers');

  const writable = gauge(
    'corral_database_writable',
    '0 after a change could not be stored (disk full, read-only, locked), until one can',
  );

  const collect = async (): Promise<void> => {
    const queue = await db.read((tx) => readQueue(db.now, tx));
    const gauges = [actions, oldest, leases, suspects, drifting, inDoubt, answering, sweptAt, unsaved];
    for (const each of gauges) each.reset();
    for (const row of queue.failed) actions.set({ switch: row.switch, status: 'ERROR' }, row.count);
    for (const row of queue.pending) {
      actions.set({ switch: row.switch, status: 'PENDING' }, row.count);
      oldest.set({ switch: row.switch }, Math.max(0, steadyNow() - row.oldest) / 1000);
    }
    for (const row of queue.leases) leases.set({ switch: row.switch, holder: row.holder }, 1);
    for (const row of queue.suspects) suspects.set({ switch: row.switch }, row.count);
    for (const row of queue.inDoubt) inDoubt.set({ switch: row.switch }, row.count);
    for (const row of queue.switches) {
      const labels = { switch: row.label };
      answering.set(labels, row.faults === 0 ? 1 : 0);
      drifting.set(labels, row.drifting);
      unsaved.set(labels, row.unsaved_since === null ? 0 : Math.max(0, steadyNow() - row.unsaved_since) / 1000);
      if (row.swept_at !== null) sweptAt.set(labels, row.swept_at / 1000);
    }
  };

  const isDatabaseUp = async (): Promise<boolean> => {
    const late = sleep(databaseWithinMs, false, { ref: false });
    const isUp = db
      .read((tx) => sql`select 1`.execute(tx))
      .then(
        () => true,
        () => false,
      );
    return Promise.race([isUp, late]);
  };

  /** What this process alone knows. */
  const own = async (): Promise<string> => {
    const isUp = await isDatabaseUp();
    up.set(isUp ? 1 : 0);
    writable.set(isUp && db.condition.fault === null ? 1 : 0);
    transactions.reset();
    const { reads, writes, retries } = db.statistics;
    for (const [kind, count] of Object.entries({ read: reads, write: writes, retry: retries })) {
      transactions.inc({ engine: db.engine, kind }, count);
    }
    return `${await registry.metrics()}\n${requests.text()}`;
  };
  peers?.serve(own);

  return {
    requestDone: (method, route, status, ms) => requests.observe(method, route, status, ms),
    refused: (why) => refusals.inc({ why }),
    actionSettled: (onSwitch, status, seconds) => settled.observe({ switch: onSwitch, status }, seconds),
    passDone: (onSwitch, outcome, seconds) => passes.observe({ switch: onSwitch, outcome }, seconds),
    tokenChecked: (outcome, seconds) => {
      if (outcome === 'remembered') remembered.inc();
      else validations.observe({ outcome }, seconds);
    },
    loginFailed: (why) => logins.inc({ why }),
    text: async () => {
      // A database that is down is a reason to look at the metrics, not to have none.
      await collect().catch(() => undefined);
      const counted =
        peers === null
          ? await own()
          : joinMetrics([{ number: peers.number, text: await own() }, ...(await peers.others())]);
      return `${await shared.metrics()}\n${counted}`;
    },
    contentType: registry.contentType,
  };
};
