import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { authorization, call, type Site } from './site.ts';

const switches = 4;
const portsPerSwitch = 50;
const changeMs = 50;

/** Seconds to attach 200 nics on 4 switches that take 50 ms a change, and what one change after the other would take. */
export const connectAll = async (site: Site, url: string): Promise<{ seconds: number; serialSeconds: number }> => {
  await call(url, 'PUT', '/project/fleet');
  await call(url, 'PUT', '/network/fleet', { owner: 'fleet', access: 'fleet', net_id: '' });
  const nodes: string[] = [];
  for (let index = 0; index < switches; index += 1) nodes.push(...(await makeSwitch(site, url, `slow${index}`)));
  const settled = await watchActions(url);
  const started = performance.now();
  await Promise.all(
    nodes.map((node) => call(url, 'POST', `/node/${node}/nic/eth0/connect_network`, { network: 'fleet' })),
  );
  await settled(nodes.length);
  return {
    seconds: (performance.now() - started) / 1000,
    serialSeconds: (switches * portsPerSwitch * changeMs) / 1000,
  };
};

const makeSwitch = async (site: Site, url: string, label: string): Promise<string[]> => {
  await call(url, 'PUT', `/switch/${label}`, { type: 'mock', hostname: label, username: 'bench', password: 'bench' });
  const place = join(site.dataDir, 'simulated-switches', label);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'faults.json'), JSON.stringify({ delayMs: changeMs }));
  const nodes = Array.from({ length: portsPerSwitch }, (_, index) => `${label}-n${index}`);
  for (const node of nodes) {
    await call(url, 'PUT', `/node/${node}`, { obmd: { uri: 'http://127.0.0.1:9/', admin_token: 'none' } });
    await call(url, 'PUT', `/node/${node}/nic/eth0`, { macaddr: '52:54:00:00:00:01' });
    await call(url, 'PUT', `/switch/${label}/port/${node}`);
    await call(url, 'POST', `/switch/${label}/port/${node}/connect_nic`, { node, nic: 'eth0' });
    await call(url, 'POST', '/project/fleet/connect_node', { node });
  }
  return nodes;
};

/** Follows the event stream, as a client that waits would; answers when so many actions are done. */
const watchActions = async (url: string): Promise<(count: number) => Promise<void>> => {
  const response = await fetch(`${url}/v0/events/stream`, {
    headers: { authorization },
    signal: AbortSignal.timeout(60_000),
  });
  if (!response.ok || !response.body) throw new Error(`the event stream answered ${response.status}`);
  const stream = response.body;
  return async (count) => {
    let done = 0;
    const lines = createInterface({ input: Readable.fromWeb(stream) });
    for await (const line of lines) {
      if (line === 'event: networking_action_failed') throw new Error('a networking action failed');
      if (line === 'event: networking_action_done') done += 1;
      if (done === count) break;
    }
    lines.close();
  };
};
