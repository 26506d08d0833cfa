import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, type Site } from './site.ts';

const switches = 4;
const portsPerSwitch = 50;
const changeMs = 50;

/** Seconds to attach 200 nics on 4 switches that take 50 ms a change, and what one change after the other would take. */
export const connectAll = async (site: Site, url: string): Promise<{ seconds: number; serialSeconds: number }> => {
  await call(url, 'PUT', '/project/fleet');
  await call(url, 'PUT', '/network/fleet', { owner: 'fleet', access: 'fleet', net_id: '' });
  const nodes: string[] = [];
  for (let index = 0; index < switches; index += 1) nodes.push(...(await makeSwitch(site, url, `slow${index}`)));
  const started = performance.now();
  const queued = await Promise.all(
    nodes.map((node) => call(url, 'POST', `/node/${node}/nic/eth0/connect_network`, { network: 'fleet' })),
  );
  for (const action of queued) await settled(url, (action as { status_id: string }).status_id);
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

const settled = async (url: string, statusId: string): Promise<void> => {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const { status } = (await call(url, 'GET', `/networking_action/${statusId}`)) as { status: string };
    if (status === 'DONE') return;
    if (status === 'ERROR') throw new Error(`networking action ${statusId} failed`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`networking action ${statusId} did not settle`);
};
