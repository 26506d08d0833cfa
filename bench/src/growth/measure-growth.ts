import { changeSteps } from './change-steps.ts';
import { lastSteps, listSteps } from './list-steps.ts';
import { createSite, type Engine, type MeasuredSite } from './measured-site.ts';
import { median, requirePlaces, type StepCost, walkCalls } from './walk-calls.ts';
import { startsOf } from '../installation.ts';
import { wholeSite } from './whole-site.ts';

/** One thing, at every size that was measured. */
export interface GrowthFigure {
  readonly what: string;
  readonly unit: 'µs' | 'µs an item' | 'ms' | 'MB' | 's' | 'µs a node' | 'bytes a node';
  /** By size, in the order of the sizes. */
  readonly values: readonly number[];
  /** Of calls: the median of the time that a caller waits, in ms. */
  readonly wallMs: readonly number[] | null;
  /** The last value over the first. */
  readonly ratio: number;
  /** What the ratio is not to exceed. */
  readonly aim: number;
}

export interface Growth {
  readonly engine: Engine;
  readonly sizes: readonly number[];
  readonly figures: readonly GrowthFigure[];
}

export interface GrowthOptions {
  readonly engine: Engine;
  readonly sizes: readonly number[];
  /** Walks through all calls; the first warms up and does not count. */
  readonly rounds: number;
  readonly say: (text: string) => void;
}

/** Each call is to cost the same in a site a hundred times as large, and a list the same for each item. */
const aim = 1.2;
const steps = [...listSteps, ...changeSteps];

type Values = ReadonlyMap<
  string,
  Omit<GrowthFigure, 'what' | 'values' | 'wallMs' | 'ratio' | 'aim'> & {
    readonly value: number;
    readonly wallMs: number | null;
  }
>;

/** Measures sites of several sizes, one after the other. */
export const measureGrowth = async ({ engine, sizes, rounds, say }: GrowthOptions): Promise<Growth> => {
  const measured: Values[] = [];
  for (const nodes of sizes) {
    say(`${engine}, ${nodes.toLocaleString('en')} nodes: seeding`);
    const site = await createSite(engine, nodes);
    try {
      measured.push(await measureSite(site, rounds, say));
    } finally {
      await site.remove();
    }
  }
  return { engine, sizes, figures: figuresOf(measured) };
};

const measureSite = async (site: MeasuredSite, rounds: number, say: (text: string) => void): Promise<Values> => {
  const { readyMs, memoryMb } = await startsOf(site.installation);
  const service = await site.installation.start();
  try {
    await requirePlaces(service.url, [...steps, ...lastSteps]);
    const running = { url: service.url, pid: service.child.pid ?? 0 };
    const walks: StepCost[][] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const costs = await walkCalls(site, running, steps, `w${round}`);
      if (round > 0) walks.push(costs);
      say(`  walk ${round} of ${rounds}: memory ${Math.round(service.memory())} MB`);
    }
    const walkedMb = service.memory();
    const whole = await wholeSite(site, service);
    const bytes = await site.databaseBytes();
    await closeIdleConnections(service.url);
    const last = await walkCalls(site, running, lastSteps, 'last');
    const { nodes } = site;
    const wholes: Values = new Map([
      ['start to ready', { unit: 'ms', value: readyMs, wallMs: null }],
      ['memory after start', { unit: 'MB', value: memoryMb, wallMs: null }],
      ['memory after all calls', { unit: 'MB', value: walkedMb, wallMs: null }],
      ['corral-admin backup', { unit: 'µs a node', value: (whole.backupSeconds * 1e6) / nodes, wallMs: null }],
      ['size of the backup', { unit: 'bytes a node', value: whole.backupBytes / nodes, wallMs: null }],
      ['size of the database', { unit: 'bytes a node', value: bytes / nodes, wallMs: null }],
      ...Object.entries(whole.document ?? {}).map(
        ([name, seconds]) =>
          [
            name === 'exportSeconds' ? 'corral export' : 'corral apply, nothing to change',
            { unit: 'µs a node', value: (seconds * 1e6) / nodes, wallMs: null },
          ] as const,
      ),
    ]);
    return new Map([...callsOf(walks), ...callsOf([last]), ...wholes]);
  } finally {
    await service.stop();
  }
};

/** The service has closed them by now, and the client only notices when it uses one. */
const closeIdleConnections = async (url: string): Promise<void> => {
  for (let count = 0; count < 3; count += 1) await fetch(`${url}/healthz`).catch(() => undefined);
};

/** The least of the rounds: what else runs on the machine only adds to it. */
const callsOf = (walks: readonly (readonly StepCost[])[]): Values =>
  new Map(
    (walks[0] ?? []).map(({ name, items }, index) => {
      const costs = walks.flatMap((walk) => walk[index] ?? []);
      const cpuUs = Math.min(...costs.map((cost) => cost.cpuUs));
      return [
        name,
        {
          unit: items === null ? 'µs' : 'µs an item',
          value: items === null ? cpuUs : cpuUs / Math.max(1, items),
          wallMs: median(costs.map((cost) => cost.wallMs)),
        },
      ];
    }),
  );

const figuresOf = (measured: readonly Values[]): GrowthFigure[] =>
  [...(measured[0] ?? [])].map(([what, { unit }]) => {
    const points = measured.flatMap((values) => values.get(what) ?? []);
    const values = points.map(({ value }) => value);
    const walls = points.flatMap(({ wallMs }) => wallMs ?? []);
    return {
      what,
      unit,
      values,
      wallMs: walls.length === values.length ? walls : null,
      ratio: (values.at(-1) ?? 0) / (values[0] ?? 0),
      aim,
    };
  });
