import { steadyNow } from '@corral/base/steady-clock';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { TokenOutcome } from '../auth/keystone-backend.ts';
import type { Db } from '../db/service-database.ts';
import { RequestTimes } from '@corral/base/http/request-times';
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
const validationBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10];

export const createMetrics = (db: Db): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new RequestTimes('corral_http_request_seconds');
  const refusals = new Counter({
    name: 'corral_http_refused_total',
    help: 'Requests (rate, streams) and connections (connections, made_room) rejected because of a limit',
    labelNames: ['why'],
    registers,
  });
  const settled = new Histogram({
    name: 'corral_action_seconds',
    help: 'Time from queueing a networking action to its end',
    labelNames: ['switch', 'status'],
    buckets: actionBuckets,
    registers,
  });
  const passes = new Histogram({
    name: 'corral_switch_pass_seconds',
    help: 'Time of one pass over a switch',
    labelNames: ['switch', 'outcome'],
    buckets: actionBuckets,
    registers,
  });
  const validations = new Histogram({
    name: 'corral_keystone_validation_seconds',
    help: 'Time that Keystone took to validate a token, by result',
    labelNames: ['outcome'],
    buckets: validationBuckets,
    registers,
  });
  const remembered = new Counter({
    name: 'corral_keystone_remembered_total',
    help: 'Tokens validated from the cache',
    registers,
  });
  const actions = new Gauge({
    name: 'corral_actions',
    help: 'Networking actions by state and switch',
    labelNames: ['switch', 'status'],
    registers,
  });
  const oldest = new Gauge({
    name: 'corral_queue_age_seconds',
    help: 'Age of the oldest pending networking action of a switch',
    labelNames: ['switch'],
    registers,
  });
  const leases = new Gauge({
    name: 'corral_switch_lease',
    help: '1 for the worker that holds a switch',
    labelNames: ['switch', 'holder'],
    registers,
  });
  const suspects = new Gauge({
    name: 'corral_suspect_ports',
    help: 'Ports in an unknown state',
    labelNames: ['switch'],
    registers,
  });
  const drifting = new Gauge({
    name: 'corral_drifting_ports',
    help: 'Ports that differ from what is recorded',
    labelNames: ['switch'],
    registers,
  });
  const inDoubt = new Gauge({
    name: 'corral_ports_in_doubt',
    help: 'Ports to which a change of an aborted session may still arrive',
    labelNames: ['switch'],
    registers,
  });
  const answering = new Gauge({
    name: 'corral_switch_up',
    help: '0 after communication with a switch failed, until it succeeds',
    labelNames: ['switch'],
    registers,
  });
  const sweptAt = new Gauge({
    name: 'corral_switch_swept_timestamp_seconds',
    help: 'When a switch was last read completely',
    labelNames: ['switch'],
    registers,
  });
  const unsaved = new Gauge({
    name: 'corral_switch_unsaved_seconds',
    help: 'Time since the running configuration of a switch is unsaved; 0 when it is saved',
    labelNames: ['switch'],
    registers,
  });
  const transactions = new Counter({
    name: 'corral_database_transactions_total',
    help: 'Transactions by kind; a retry is one that conflicted with another',
    labelNames: ['engine', 'kind'],
    registers,
  });

  const logins = new Counter({
    name: 'corral_failed_logins_total',
    help: 'Logins with a wrong user name or password, and logins that were throttled',
    labelNames: ['why'],
    registers,
  });
  for (const why of ['wrong', 'throttled']) logins.inc({ why }, 0);

  const up = new Gauge({ name: 'corral_database_up', help: '1 while the database answers', registers });

  const writable = new Gauge({
    name: 'corral_database_writable',
    help: '0 after a change could not be stored (disk full, read-only, locked), until one can',
    registers,
  });

  const collect = async (): Promise<void> => {
    const queue = await db.read((tx) => readQueue(db.now, tx));
    const gauges = [actions, oldest, leases, suspects, drifting, inDoubt, answering, sweptAt, unsaved];
    for (const gauge of gauges) gauge.reset();
    for (const row of queue.settled) actions.set({ switch: row.switch, status: row.status }, row.count);
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
    transactions.reset();
    const { reads, writes, retries } = db.statistics;
    for (const [kind, count] of Object.entries({ read: reads, write: writes, retry: retries })) {
      transactions.inc({ engine: db.engine, kind }, count);
    }
  };

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
      const isUp = await collect().then(
        () => 1,
        () => 0,
      );
      up.set(isUp);
      writable.set(isUp === 1 && db.condition.fault === null ? 1 : 0);
      return `${await registry.metrics()}\n${requests.text()}`;
    },
    contentType: registry.contentType,
  };
};
