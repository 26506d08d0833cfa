import { join } from 'node:path';
import { throughput, warmUp } from '../http-load.ts';
import { call, createInstallation } from '../installation.ts';
import { isQuick, say } from '../options.ts';
import { seedPostgres } from '../postgres/seed-postgres.ts';
import { startPostgres } from '../postgres/postgres-server.ts';
import { showNodePaths } from '../reads.ts';
import { type Figure, perSecond, processorFigure, type Results, throughputFigure } from '../report.ts';
import { callers, reserveInTurn } from '../reserve.ts';

const nodes = 1_000;
const counts = isQuick ? [1, 2] : [1, 2, 3, 4];
const seconds = isQuick ? 3 : 6;
const pairs = isQuick ? 20 : 60;

/** What one port answers with so many processes behind it. */
interface Answered {
  readonly processes: number;
  readonly reads: { readonly perSecond: number; readonly cpuUs: number };
  readonly changes: { readonly perSecond: number };
}

/** Reads and changes over the number of processes. PostgreSQL keeps its files in memory: the disk would be the limit. */
export const measure = async (): Promise<Results> => {
  const server = await startPostgres('memory');
  const found: Answered[] = [];
  try {
    for (const processes of counts) {
      const installation = await createInstallation({
        CORRAL_DATABASE_URL: server.url,
        CORRAL_KEY_FILE: join(server.directory, 'secret.key'),
        CORRAL_PROCESSES: String(processes),
      });
      const service = await installation.start();
      try {
        if (found.length === 0) {
          await seedPostgres(server, nodes);
          await call(service.url, 'PUT', '/project/bench');
        }
        await warmUp(service, showNodePaths(nodes));
        const reads = await throughput(service, showNodePaths(nodes), seconds);
        await reserveInTurn(service.url, { amount: 2 * callers * 5 });
        const changes = await reserveInTurn(service.url, { amount: 2 * callers * pairs });
        say(`  ${processes}: ${perSecond(reads.perSecond)} reads, ${perSecond(changes.perSecond)} changes`);
        found.push({ processes, reads, changes });
      } finally {
        await service.stop();
        await installation.remove();
      }
    }
  } finally {
    await server.stop();
  }
  const line = (name: string, of: (each: Answered) => number) => ({
    name,
    points: found.map((each) => [each.processes, of(each)] as const),
  });
  return {
    figures: figuresOf(found),
    plots: [
      {
        name: 'throughput-over-processes',
        title: 'Calls a second over the number of processes (PostgreSQL, files in memory)',
        x: { label: 'processes' },
        y: { label: 'calls a second', isLogarithmic: true },
        series: [
          line('show_node', ({ reads }) => reads.perSecond),
          line('reserve and release', ({ changes }) => changes.perSecond),
        ],
      },
    ],
  };
};

const figuresOf = ([one, ...more]: readonly Answered[]): Figure[] =>
  one === undefined
    ? []
    : more.flatMap(({ processes, reads, changes }) => [
        throughputFigure(`show_node, ${processes} processes beside one`, reads, one.reads, null),
        processorFigure(`show_node, ${processes} processes beside one, processor time`, reads, one.reads, null),
        throughputFigure(`reserve and release, ${processes} processes beside one`, changes, one.changes, null),
      ]);
