import { cpus } from 'node:os';
import { call, createInstallation, type Installation } from './installation.ts';
import { actionsWatched, makeSwitch } from './bench-switches.ts';

/*
 * A whole site at once: 1,000 nodes on 50 switches that take 10 s to let anyone in and half a second for each
 * port, and drop the line at one of a hundred changes. How long until every node is on its network, how long
 * each tenant waits, and whether anything is where it should not be. `--quick`: a tenth of it.
 */
const isQuick = process.argv.includes('--quick');
const size = isQuick ? { switches: 10, portsPerSwitch: 10 } : { switches: 50, portsPerSwitch: 20 };
const temper = { loginMs: 10_000, portMs: 500, dropPercent: 1 };
const projects = 10;
const callersAtOnce = 20;
const buildersAtOnce = 8;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

interface NodeOnNetwork {
  readonly node: string;
  readonly network: string;
}

const main = async (): Promise<void> => {
  say(`fleet: Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`);
  const installation = await createInstallation();
  let service = await installation.start();
  try {
    const places = await build(installation, service.url);
    // Nobody has a session open when the day begins.
    await service.stop();
    service = await installation.start();
    say(`${places.length} nodes on ${size.switches} switches; every node is attached now`);
    const waits = await attachAll(service.url, places);
    const wrong = await violations(service.url, places);
    report(places.length, waits, wrong);
  } finally {
    await service.stop();
    await installation.remove();
  }
};

const build = async (installation: Installation, url: string): Promise<NodeOnNetwork[]> => {
  const places: NodeOnNetwork[] = [];
  for (let index = 0; index < projects; index += 1) {
    await call(url, 'PUT', `/project/p${index}`);
    await call(url, 'PUT', `/network/net${index}`, { owner: `p${index}`, access: `p${index}`, net_id: '' });
  }
  const switches = Array.from({ length: size.switches }, (_, index) => `sw${index}`);
  const builder = async (): Promise<void> => {
    for (let label = switches.pop(); label !== undefined; label = switches.pop()) {
      const nodes = await makeSwitch(installation, url, label, size.portsPerSwitch, (count) => `p${count % projects}`);
      // Only from here on is it slow: nobody wants to wait for the nics to be connected one by one.
      await installation.misbehave(label, temper);
      places.push(...nodes.map((node, count) => ({ node, network: `net${count % projects}` })));
      if (switches.length % 10 === 0) say(`  ${size.switches - switches.length} of ${size.switches} switches`);
    }
  };
  await Promise.all(Array.from({ length: buildersAtOnce }, builder));
  return places;
};

/** Milliseconds that each node's tenant waited from the call to DONE. */
const attachAll = async (url: string, places: readonly NodeOnNetwork[]): Promise<number[]> => {
  const watch = await actionsWatched(url, new Set(places.map(({ node }) => node)));
  const asked = new Map<string, number>();
  const queue = [...places];
  const caller = async (): Promise<void> => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const started = performance.now();
      const path = `/node/${next.node}/nic/eth0/connect_network`;
      const answer = (await call(url, 'POST', path, { network: next.network })) as { status_id: string };
      asked.set(answer.status_id, started);
    }
  };
  await Promise.all(Array.from({ length: callersAtOnce }, caller));
  const done = await watch(places.length, (count) => {
    if (count % Math.ceil(places.length / 10) === 0) say(`  ${count} of ${places.length} done`);
  });
  return done.map(({ statusId, at }) => at - (asked.get(statusId) ?? at)).sort((a, b) => a - b);
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

const report = (nodes: number, waits: readonly number[], wrong: number): void => {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  const at = (share: number): string =>
    seconds(waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0);
  const whole = waits.at(-1) ?? 0;
  const serialMs = nodes * (temper.loginMs + temper.portMs);
  const lines = [
    ['nodes attached', String(waits.length)],
    ['all attached after', seconds(whole)],
    ['one after the other, a session each', seconds(serialMs)],
    ['ratio', (whole / serialMs).toFixed(4)],
    ['a tenant waits, p50', at(0.5)],
    ['a tenant waits, p99', at(0.99)],
    ['violations', String(wrong)],
  ] as const;
  process.stdout.write(`\n${lines.map(([what, value]) => `${what.padEnd(38)}${value.padStart(10)}`).join('\n')}\n`);
  if (wrong > 0) process.exitCode = 1;
};

await main();
