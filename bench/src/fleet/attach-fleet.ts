import { actionsWatched, makeSwitch } from '../bench-switches.ts';
import { call, createInstallation, type Installation } from '../installation.ts';
import { say } from '../options.ts';
import { type Figure, increaseFigure, limitFigure, noneFigure } from '../report.ts';
import { quantile } from '../statistics.ts';
import { idealMs, type SwitchDay } from './ideal-schedule.ts';

const temper = { loginMs: 10_000, portMs: 500, dropPercent: 1 };
const projects = 10;
const callersAtOnce = 20;
const buildersAtOnce = 8;

/** How large the site is. */
export interface FleetSize {
  readonly switches: number;
  readonly portsPerSwitch: number;
}

interface NodeOnNetwork {
  readonly node: string;
  readonly network: string;
  readonly onSwitch: string;
}

/**
 * A whole site at once, on switches that take 10 s to let anyone in and half a second for each port, and drop the line
 * at one of a hundred changes. How long until every node is on its network, beside a perfect scheduler; how long each
 * tenant waits; and whether anything is where it should not be.
 */
export const attachFleet = async (size: FleetSize): Promise<Figure[]> => {
  const installation = await createInstallation();
  let service = await installation.start();
  try {
    const places = await build(installation, service.url, size);
    // Nobody has a session open when the day begins.
    await service.stop();
    service = await installation.start();
    say(`${places.length} nodes on ${size.switches} switches; every node is attached now`);
    const before = service.cpuMs();
    const { waits, wholeMs, askedMs } = await attachAll(service.url, places);
    const processorMs = service.cpuMs() - before;
    const days: SwitchDay[] = [];
    for (const [label, asked] of askedMs) {
      days.push({ askedMs: asked, ports: size.portsPerSwitch, drops: await installation.drops(label) });
    }
    say(`${days.reduce((sum, { drops }) => sum + drops, 0)} lines dropped`);
    const wrong = await violations(service.url, places);
    const ideal = idealMs(days, temper);
    const serialMs = places.length * (temper.loginMs + temper.portMs);
    return [
      increaseFigure(
        `${places.length} nodes attached, beside the ideal schedule`,
        [wholeMs / 1000, ideal / 1000],
        's',
        1.2,
      ),
      increaseFigure('the same, beside one after the other', [wholeMs / 1000, serialMs / 1000], 's', 0.05),
      limitFigure('a tenant waits, p50', quantile(waits, 0.5) / 1000, null, 's'),
      limitFigure('a tenant waits, p99', quantile(waits, 0.99) / 1000, null, 's'),
      limitFigure('processor time of the service, a node', processorMs / places.length, null, 'ms'),
      noneFigure('ports that carry anything else', wrong, `of ${places.length}`),
    ];
  } finally {
    await service.stop();
    await installation.remove();
  }
};

const build = async (installation: Installation, url: string, size: FleetSize): Promise<NodeOnNetwork[]> => {
  const places: NodeOnNetwork[] = [];
  for (let index = 0; index < projects; index += 1) {
    await call(url, 'PUT', `/project/p${index}`);
    await call(url, 'PUT', `/network/net${index}`, { owner: `p${index}`, access: `p${index}`, net_id: '' });
  }
  const switches = Array.from({ length: size.switches }, (_, index) => `sw${index}`);
  const builder = async (): Promise<void> => {
    for (let label = switches.pop(); label !== undefined; label = switches.pop()) {
      const onSwitch = label;
      const nodes = await makeSwitch(installation, url, label, size.portsPerSwitch, (count) => `p${count % projects}`);
      // Only from here on is it slow: nobody wants to wait for the nics to be connected one by one.
      await installation.misbehave(label, temper);
      places.push(...nodes.map((node, count) => ({ node, network: `net${count % projects}`, onSwitch })));
      if (switches.length % 10 === 0) say(`  ${size.switches - switches.length} of ${size.switches} switches`);
    }
  };
  await Promise.all(Array.from({ length: buildersAtOnce }, builder));
  return places;
};

interface Attached {
  /** Milliseconds that each node's tenant waited from the call to DONE. */
  readonly waits: readonly number[];
  /** From the first call to the last DONE. */
  readonly wholeMs: number;
  /** When each switch was first asked for something, from the first call on. */
  readonly askedMs: ReadonlyMap<string, number>;
}

const attachAll = async (url: string, places: readonly NodeOnNetwork[]): Promise<Attached> => {
  const watch = await actionsWatched(url, new Set(places.map(({ node }) => node)));
  const asked = new Map<string, number>();
  const askedMs = new Map<string, number>();
  const queue = [...places];
  const began = performance.now();
  const caller = async (): Promise<void> => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const started = performance.now();
      if (!askedMs.has(next.onSwitch)) askedMs.set(next.onSwitch, started - began);
      const path = `/node/${next.node}/nic/eth0/connect_network`;
      const answer = (await call(url, 'POST', path, { network: next.network })) as { status_id: string };
      asked.set(answer.status_id, started);
    }
  };
  await Promise.all(Array.from({ length: callersAtOnce }, caller));
  const done = await watch(places.length, (count) => {
    if (count % Math.ceil(places.length / 10) === 0) say(`  ${count} of ${places.length} done`);
  });
  const waits = done.map(({ statusId, at }) => at - (asked.get(statusId) ?? at));
  return { waits, wholeMs: Math.max(...done.map(({ at }) => at)) - began, askedMs };
};

/** Ports that carry anything but their own network, as the switches say. */
const violations = async (url: string, places: readonly NodeOnNetwork[]): Promise<number> => {
  const view = (await call(url, 'GET', '/drift')) as { switches: { ports: unknown[] }[] };
  let wrong = view.switches.reduce((count, { ports }) => count + ports.length, 0);
  const networks = new Set(places.map(({ network }) => network));
  for (const network of networks) {
    const reach = (await call(url, 'GET', `/network/${network}/reach`)) as {
      complete: boolean;
      ports: { verdict: string }[];
    };
    const expected = places.filter((place) => place.network === network).length;
    wrong += reach.ports.filter(({ verdict }) => verdict !== 'as recorded').length;
    wrong += Math.abs(expected - reach.ports.length) + (reach.complete ? 0 : 1);
  }
  return wrong;
};
