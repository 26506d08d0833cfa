import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Rate, throughput } from './http-load.ts';
import { type Measured, startProgram } from './process.ts';
import { isQuick } from './options.ts';
import { authorization, nodeLabel, type Installation } from './installation.ts';

const { rounds, seconds } = isQuick ? { rounds: 1, seconds: 2 } : { rounds: 3, seconds: 5 };

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
    for (let round = 0; round < rounds; round += 1) {
      rates.corral.push(await throughput(service, paths, seconds, headers));
      rates.bare.push(await throughput(bare, paths, seconds, headers));
    }
  } finally {
    await bare.stop();
  }
  return { corral: mean(rates.corral), bare: mean(rates.bare) };
};

const mean = (rates: readonly Rate[]): Rate => ({
  perSecond: rates.reduce((sum, { perSecond }) => sum + perSecond, 0) / rates.length,
  cpuUs: rates.reduce((sum, { cpuUs }) => sum + cpuUs, 0) / rates.length,
});

/** Paths of show_node spread over all nodes. */
export const showNodePaths = (nodes: number): string[] =>
  Array.from({ length: Math.min(1000, nodes) }, (_, index) => `/v0/node/${nodeLabel((index * 7919) % nodes)}`);
