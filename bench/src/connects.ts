import { call, type Installation } from './installation.ts';
import { actionsWatched, makeSwitch } from './bench-switches.ts';

const changeMs = 50;
const callersAtOnce = 20;

/** Seconds to attach 200 nics on 4 switches that take 50 ms a change, and what one change after the other would take. */
export const connectAll = async (
  installation: Installation,
  url: string,
): Promise<{ seconds: number; serialSeconds: number }> => {
  const switches = ['slow0', 'slow1', 'slow2', 'slow3'];
  const nodes = await build(installation, url, 'fleet', switches, 50);
  for (const label of switches) await installation.misbehave(label, { delayMs: changeMs });
  return { seconds: await attach(url, 'fleet', nodes), serialSeconds: (nodes.length * changeMs) / 1000 };
};

/**
 * Seconds to attach and detach what is on seven good switches: alone, and beside one that hangs, one that
 * refuses and one that lies, each with work of its own under way.
 */
export const besideBadSwitches = async (
  installation: Installation,
  url: string,
): Promise<{ alone: number; beside: number }> => {
  const good = Array.from({ length: 7 }, (_, index) => `good${index}`);
  const bad = { hangs: { hang: true }, refuses: { refuse: ['*'] }, lies: { lie: ['*'] } };
  const nodes = await build(installation, url, 'seven', good, 20);
  for (const label of good) await installation.misbehave(label, { delayMs: changeMs });
  const victims = await build(installation, url, 'three', Object.keys(bad), 20);
  await attach(url, 'seven', nodes);
  await attach(url, 'seven', nodes, 'detach_network');
  const alone = (await attach(url, 'seven', nodes)) + (await attach(url, 'seven', nodes, 'detach_network'));
  for (const [label, faults] of Object.entries(bad)) await installation.misbehave(label, faults);
  for (const node of victims) await call(url, 'POST', `/node/${node}/nic/eth0/connect_network`, { network: 'three' });
  const beside = (await attach(url, 'seven', nodes)) + (await attach(url, 'seven', nodes, 'detach_network'));
  return { alone, beside };
};

const build = async (
  installation: Installation,
  url: string,
  project: string,
  switches: readonly string[],
  ports: number,
): Promise<string[]> => {
  await call(url, 'PUT', `/project/${project}`);
  await call(url, 'PUT', `/network/${project}`, { owner: project, access: project, net_id: '' });
  const nodes: string[] = [];
  for (const label of switches) nodes.push(...(await makeSwitch(installation, url, label, ports, () => project)));
  return nodes;
};

const attach = async (
  url: string,
  network: string,
  nodes: readonly string[],
  verb: 'connect_network' | 'detach_network' = 'connect_network',
): Promise<number> => {
  const settled = await actionsWatched(url, new Set(nodes));
  const started = performance.now();
  const waiting = [...nodes];
  const caller = async (): Promise<void> => {
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      await call(url, 'POST', `/node/${node}/nic/eth0/${verb}`, { network });
    }
  };
  await Promise.all(Array.from({ length: callersAtOnce }, caller));
  await settled(nodes.length);
  return (performance.now() - started) / 1000;
};
