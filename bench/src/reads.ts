import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { throughput } from './http-load.ts';
import { startProgram } from './process.ts';
import { authorization, nodeLabel, type Installation } from './installation.ts';

const bareServer = fileURLToPath(new URL('./bare-server.js', import.meta.url));

export interface Rates {
  readonly corral: number;
  readonly bare: number;
}

/**
 * Requests a second for these paths, of the service and of a bare server with the same bytes. The two take
 * turns, so that a machine that gets slower meanwhile is slower for both.
 */
export const compareReads = async (
  { dataDir }: Pick<Installation, 'dataDir'>,
  url: string,
  paths: readonly string[],
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<Rates> => {
  const response = await fetch(`${url}${paths[0] ?? ''}`, { headers: { authorization } });
  const file = join(dataDir, 'bytes');
  await writeFile(file, await response.text());
  const bare = await startProgram([bareServer, file], {});
  const totals = { corral: 0, bare: 0 };
  try {
    for (let round = 0; round < rounds; round += 1) {
      totals.corral += await throughput(url, paths, seconds);
      totals.bare += await throughput(bare.url, paths, seconds);
    }
  } finally {
    await bare.stop();
  }
  return { corral: totals.corral / rounds, bare: totals.bare / rounds };
};

/** Paths of show_node spread over all nodes. */
export const showNodePaths = (nodes: number): string[] =>
  Array.from({ length: Math.min(1000, nodes) }, (_, index) => `/v0/node/${nodeLabel((index * 7919) % nodes)}`);
