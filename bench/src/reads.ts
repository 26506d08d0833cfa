import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Rate, throughput, warmUp } from './http-load.ts';
import { type Measured, startProgram } from './process.ts';
import { isQuick } from './options.ts';
import { median } from './statistics.ts';
import { authorization, nodeLabel, type Installation } from './installation.ts';

/** Short turns, and many: a shared machine changes its speed within seconds, and by half. */
const turns = isQuick ? 8 : 20;
const seconds = 1;

export const bareServer = fileURLToPath(new URL('./bare-server.js', import.meta.url));

export interface Rates {
  readonly corral: Rate;
  readonly bare: Rate;
}

/**
 * Reads of these paths, by the service and by a bare server with the same bytes. The two take turns, so that a machine
 * that gets slower meanwhile is slower for both.
 */
export const compareReads = async (
  { dataDir }: Pick<Installation, 'dataDir'>,
  service: Measured,
  paths: readonly string[],
  headers: Readonly<Record<string, string>> = { authorization },
): Promise<Rates> => {
  const response = await fetch(`${service.url}${paths[0] ?? ''}`, { headers });
  const file = join(dataDir, 'bytes');
  await writeFile(file, await response.text());
  const bare = await startProgram([bareServer, file], {});
  const rates: { corral: Rate[]; bare: Rate[] } = { corral: [], bare: [] };
  try {
    await warmUp(service, paths, headers);
    await warmUp(bare, paths, headers);
    for (let turn = 0; turn < turns; turn += 1) {
      rates.corral.push(await throughput(service, paths, seconds, headers));
      rates.bare.push(await throughput(bare, paths, seconds, headers));
    }
  } finally {
    await bare.stop();
  }
  return { corral: middle(rates.corral), bare: middle(rates.bare) };
};

const middle = (rates: readonly Rate[]): Rate => ({
  perSecond: median(rates.map(({ perSecond }) => perSecond)),
  cpuUs: median(rates.map(({ cpuUs }) => cpuUs)),
});

/** Paths of show_node spread over all nodes. */
export const showNodePaths = (nodes: number): string[] =>
  Array.from({ length: Math.min(1000, nodes) }, (_, index) => `/v0/node/${nodeLabel((index * 7919) % nodes)}`);
