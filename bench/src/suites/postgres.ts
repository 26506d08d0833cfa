import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { authorization, call, createInstallation } from '../installation.ts';
import { pgbenchScript } from '../postgres/pgbench-script.ts';
import { seedPostgres } from '../postgres/seed-postgres.ts';
import { type PostgresServer, startPostgres } from '../postgres/postgres-server.ts';
import type { Measured } from '../process.ts';
import { isQuick, say } from '../options.ts';
import { type Figure, increaseFigure, limitFigure, perSecond, type Results, throughputFigure } from '../report.ts';
import { callers, reserveInTurn } from '../reserve.ts';
import { median } from '../statistics.ts';

/*
 * Reservations and releases on PostgreSQL, by twenty callers at once, each on a node of its own; beside pgbench with the
 * same statements and as many clients. Rounds of both alternate, so that a busy machine slows both. Processor time is
 * that of the service and of PostgreSQL together, beside that of PostgreSQL alone under pgbench.
 */
const rounds = isQuick ? 2 : 5;
/** Reservations, each with its release, of every caller in a round. */
const pairs = isQuick ? 40 : 100;
const amount = 2 * callers * pairs;
const nodes = 1_000;

/** Calls a second, and the processor time of one in µs. */
interface Round {
  readonly rate: number;
  readonly serviceUs: number;
  readonly postgresUs: number;
}

/** Every node is free, and whatever came before is on the disk, so that no round pays for another. */
const settle = async (server: PostgresServer): Promise<void> => {
  await server.tool('psql', ['-qc', 'update nodes set project_id = null where project_id is not null']);
  await server.tool('psql', ['-qc', 'checkpoint']);
};

const ofService = async (server: PostgresServer, service: Measured): Promise<Round> => {
  await settle(server);
  const before = { service: service.cpuMs(), postgres: server.cpuMs() };
  const { perSecond: rate } = await reserveInTurn(service.url, { amount });
  return {
    rate,
    serviceUs: (1000 * (service.cpuMs() - before.service)) / amount,
    postgresUs: (1000 * (server.cpuMs() - before.postgres)) / amount,
  };
};

const ofPgbench = async (server: PostgresServer, script: string): Promise<Round> => {
  await settle(server);
  const before = server.cpuMs();
  const text = await server.tool('pgbench', [
    ...[
      '-n',
      '-M',
      'prepared',
      '-c',
      String(callers),
      '-j',
      '2',
      '-t',
      String(pairs),
      '--max-tries=10000',
      '-f',
      script,
    ],
    'postgres',
  ]);
  const transactions = Number(/transactions actually processed: (\d+)/.exec(text)?.[1]);
  const tps = Number(/tps = ([\d.]+)/.exec(text)?.[1]);
  say(`    ${/number of transactions retried: .*/.exec(text)?.[0] ?? 'no retries'}`);
  return { rate: 2 * tps, serviceUs: 0, postgresUs: (500 * (server.cpuMs() - before)) / transactions };
};

const retries = async (service: Measured): Promise<number> => {
  const text = await (await fetch(`${service.url}/metrics`, { headers: { authorization } })).text();
  return Number(/corral_database_transactions_total\{.*kind="retry"\} (\d+)/.exec(text)?.[1]);
};

export const measure = async (): Promise<Results> => {
  const server = await startPostgres();
  const installation = await createInstallation({ CORRAL_DATABASE_URL: server.url });
  const service = await installation.start();
  try {
    await seedPostgres(server, nodes);
    const scripts = (['serializable', 'read committed'] as const).map((isolation) => {
      const path = join(server.directory, `${isolation}.sql`);
      writeFileSync(path, pgbenchScript(isolation));
      return path;
    });
    await call(service.url, 'PUT', '/project/bench');
    await ofService(server, service);
    const corral: Round[] = [];
    const pgbench: [Round[], Round[]] = [[], []];
    for (let round = 1; round <= rounds; round += 1) {
      const lost = await retries(service);
      const mine = await ofService(server, service);
      say(
        `  ${perSecond(mine.rate)}, ${Math.round(mine.serviceUs)} + ${Math.round(mine.postgresUs)} µs, ${(await retries(service)) - lost} retries`,
      );
      corral.push(mine);
      for (const [index, script] of scripts.entries()) {
        const theirs = await ofPgbench(server, script);
        say(`  pgbench ${perSecond(theirs.rate)}, ${Math.round(theirs.postgresUs)} µs`);
        pgbench[index]?.push(theirs);
      }
    }
    return { figures: figuresOf(corral, ...pgbench) };
  } finally {
    await service.stop();
    await installation.remove();
    await server.stop();
  }
};

const figuresOf = (corral: readonly Round[], pgbench: readonly Round[], careless: readonly Round[]): Figure[] => {
  const rateOf = (rounds: readonly Round[]) => ({ perSecond: median(rounds.map(({ rate }) => rate)) });
  const usOf = (rounds: readonly Round[], which: 'serviceUs' | 'postgresUs'): number =>
    median(rounds.map((round) => round[which]));
  const what = 'reserve and release, PostgreSQL, beside pgbench';
  return [
    throughputFigure(`${what}, serializable`, rateOf(corral), rateOf(pgbench), 0.6),
    throughputFigure(`${what}, read committed`, rateOf(corral), rateOf(careless), null),
    increaseFigure(
      'processor time of PostgreSQL, beside pgbench',
      [usOf(corral, 'postgresUs'), usOf(pgbench, 'postgresUs')],
      'µs',
      null,
    ),
    limitFigure('processor time of the service', usOf(corral, 'serviceUs'), null, 'µs'),
  ];
};
