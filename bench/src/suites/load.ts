import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Latency, probe } from '../beside-writes.ts';
import { authorization, withNodes } from '../installation.ts';
import { isQuick, say } from '../options.ts';
import { startProgram } from '../process.ts';
import { bareServer, showNodePaths } from '../reads.ts';
import { increaseFigure, perSecond, type Results } from '../report.ts';

const nodes = 1_000;
const rates = isQuick ? [500, 2_000] : [250, 500, 1_000, 2_000, 3_000, 4_000];
const seconds = isQuick ? 3 : 6;
const warmUpSeconds = 2;

/** How long show_node takes while so many a second come in, whether or not the ones before are answered. */
export const measure = (): Promise<Results> =>
  withNodes(nodes, async ({ dataDir }, service) => {
    const paths = showNodePaths(nodes);
    const file = join(dataDir, 'bytes');
    const answer = await fetch(`${service.url}${paths[0] ?? ''}`, { headers: { authorization } });
    await writeFile(file, await answer.text());
    const bare = await startProgram([bareServer, file], {});
    const found: { rate: number; corral: Latency; bare: Latency }[] = [];
    try {
      for (const { url } of [service, bare]) await probe({ url, paths, seconds: warmUpSeconds, perSecond: 1_000 });
      for (const rate of rates) {
        say(`  ${perSecond(rate)}`);
        const of = ({ url }: { readonly url: string }) => probe({ url, paths, seconds, perSecond: rate });
        found.push({ rate, corral: await of(service), bare: await of(bare) });
      }
    } finally {
      await bare.stop();
    }
    const line = (name: string, of: (each: (typeof found)[number]) => number) => ({
      name,
      points: found.map((each) => [each.rate, of(each)] as const),
    });
    return {
      figures: found.flatMap(({ rate, corral, bare: other }) => [
        increaseFigure(`show_node at ${perSecond(rate)}, p50`, [corral.p50, other.p50], 'ms', null),
        increaseFigure(`show_node at ${perSecond(rate)}, p99`, [corral.p99, other.p99], 'ms', null),
      ]),
      plots: [
        {
          name: 'latency-over-load',
          title: 'show_node: time to the answer over load',
          x: { label: 'requests a second' },
          y: { label: 'milliseconds', isLogarithmic: true },
          series: [
            line('Corral, p50', ({ corral }) => corral.p50),
            line('Corral, p99', ({ corral }) => corral.p99),
            line('bare Fastify, p50', (each) => each.bare.p50),
            line('bare Fastify, p99', (each) => each.bare.p99),
          ],
        },
      ],
    };
  });
