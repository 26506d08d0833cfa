import { RequestTimes } from '@corral/base/http/request-times';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { NodeRegistry } from '../core/node-registry.ts';
import type { CallReport } from '../core/managed-machine.ts';

/** What `/metrics` shows. */
export interface Metrics {
  requestDone(method: string, route: string, status: number, ms: number): void;
  callDone(call: CallReport): void;
  text(nodeRegistry: NodeRegistry | null): Promise<string>;
  readonly contentType: string;
}

const buckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

export const createMetrics = (): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new RequestTimes('obmd_http_request_seconds');
  const calls = new Histogram({
    name: 'obmd_bmc_call_seconds',
    help: 'Duration of calls to BMCs, including the wait in the queue',
    labelNames: ['type', 'call', 'outcome'],
    buckets,
    registers,
  });
  const isActive = new Gauge({ name: 'obmd_active', help: '1 while this process works with the BMCs', registers });
  const nodes = new Gauge({ name: 'obmd_nodes', help: 'Nodes by type', labelNames: ['type'], registers });
  const waiting = new Gauge({ name: 'obmd_calls_waiting', help: 'Calls waiting for a BMC', registers });
  const failing = new Gauge({
    name: 'obmd_failing_nodes',
    help: 'Nodes whose last call to the BMC failed',
    labelNames: ['type'],
    registers,
  });
  const consoles = new Gauge({
    name: 'obmd_consoles',
    help: 'Consoles that are open on a BMC: watched by a client, or kept for the next one',
    labelNames: ['state'],
    registers,
  });

  const collect = (nodeRegistry: NodeRegistry | null): void => {
    for (const gauge of [nodes, failing]) gauge.reset();
    isActive.set(nodeRegistry === null ? 0 : 1);
    const count = { waiting: 0, open: 0, watched: 0, idle: 0 };
    for (const machine of nodeRegistry?.machines ?? []) {
      nodes.inc({ type: machine.type });
      if (machine.fault !== null) failing.inc({ type: machine.type });
      count.waiting += machine.waiting;
      count[machine.console.state] += 1;
    }
    waiting.set(count.waiting);
    consoles.set({ state: 'kept' }, count.open);
    consoles.set({ state: 'watched' }, count.watched);
  };

  return {
    requestDone: (method, route, status, ms) => requests.observe(method, route, status, ms),
    callDone: ({ type, call, seconds, error }) =>
      calls.observe({ type, call, outcome: error === null ? 'done' : 'failed' }, seconds),
    text: async (nodeRegistry) => {
      collect(nodeRegistry);
      return `${await registry.metrics()}\n${requests.text()}`;
    },
    contentType: registry.contentType,
  };
};
