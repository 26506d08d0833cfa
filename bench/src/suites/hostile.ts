import { type Attackers, startAttackers } from '../hostile/attackers.ts';
import { askNormally, type Noticed } from '../hostile/clients.ts';
import { quantile } from '../statistics.ts';
import type { Measured } from '../process.ts';
import { isQuick, say } from '../options.ts';
import {
  type Figure,
  increaseFigure,
  limitFigure,
  noneFigure,
  perSecond,
  type Results,
  withoutAim,
} from '../report.ts';
import { createInstallation, seedNodes } from '../installation.ts';
import { measureBlocks } from '../hostile/scenarios.ts';

/*
 * What normal clients notice of hostile ones: thousands of connections on which a request never ends, and uploads that
 * nobody wants. `--quick`: a tenth of it. The attackers have addresses of their own, as they would on a network.
 * Then requests that are meant to be expensive, event streams and old events, with what they do to the event loop,
 * measured inside the service.
 */
const size = isQuick
  ? { nodes: 100, slow: 1_000, oversized: 100, rounds: 1, seconds: 3 }
  : { nodes: 1_000, slow: 10_000, oversized: 1_000, rounds: 3, seconds: 8 };
const blocks = isQuick
  ? { nodes: 100, requests: 8, seconds: 3, oldEvents: 400_000 }
  : { nodes: 1_000, requests: 80, seconds: 15, oldEvents: 400_000 };
const attackers = 4;
const addressesEach = 10;
/** How many times as long an answer may take beside them. */
const aim = 2;
const memoryAim = 300;

const after = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Normal clients over several rounds, as one. */
const together = (rounds: readonly Noticed[]): Noticed => ({
  waits: rounds.flatMap(({ waits }) => waits),
  failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
  seconds: rounds.reduce((sum, { seconds }) => sum + seconds, 0),
});

const compared = (letter: string, what: string, beside: Noticed, alone: Noticed): Figure[] => [
  increaseFigure(
    `(${letter}) ${what}, p50 of ${beside.waits.length} calls`,
    [quantile(beside.waits, 0.5), quantile(alone.waits, 0.5)],
    'ms',
    aim,
  ),
  increaseFigure(`(${letter}) p99`, [quantile(beside.waits, 0.99), quantile(alone.waits, 0.99)], 'ms', aim),
  noneFigure(
    `(${letter}) calls that failed, at ${perSecond(beside.waits.length / beside.seconds)}`,
    beside.failed,
    `of ${beside.waits.length}, ${perSecond(alone.waits.length / alone.seconds)} alone`,
  ),
];

const withService = async <T>(env: Record<string, string>, work: (service: Measured) => Promise<T>): Promise<T> => {
  const installation = await createInstallation(env);
  let service = await installation.start();
  try {
    await service.stop();
    seedNodes(installation, size.nodes);
    service = await installation.start();
    await askNormally(service.url, size.nodes, after(2));
    return await work(service);
  } finally {
    await service.stop();
    await installation.remove();
  }
};

const askAlone = (url: string): Promise<Noticed> => askNormally(url, size.nodes, after(size.seconds));

const drippers = (url: string): Attackers =>
  startAttackers(
    'dripper',
    Array.from({ length: attackers }, (_, index) => {
      const first = 2 + index * addressesEach;
      const share = [new URL(url).port, size.slow / attackers, first, first + addressesEach - 1];
      return share.map(String);
    }),
  );

/** Waits until as many have been opened as there are to be, and no longer than a minute. */
const allOpened = async ({ counts }: { readonly counts: () => Readonly<Record<string, number>> }): Promise<void> => {
  const deadline = performance.now() + 60_000;
  while ((counts()['opened'] ?? 0) < size.slow && performance.now() < deadline) await after(0.1);
};

const besideSlow = async (letter: string, connections: number): Promise<readonly Figure[]> =>
  withService({ CORRAL_LIMITS_CONNECTIONS: String(connections) }, async (service) => {
    const alone = [await askAlone(service.url)];
    const slow = drippers(service.url);
    const beside: Noticed[] = [];
    let held = 0;
    try {
      await allOpened({ counts: () => slow.counts });
      for (let round = 0; round < size.rounds; round += 1) {
        beside.push(await askNormally(service.url, size.nodes, after(size.seconds)));
        held = Math.max(held, slow.counts['open'] ?? 0);
      }
      say(`  ${JSON.stringify(slow.counts)}`);
    } finally {
      await slow.stop();
    }
    while (alone.length < size.rounds) alone.push(await askAlone(service.url));
    const what = `${size.slow} slow connections, ${connections} allowed, ${held} held`;
    return [
      ...compared(letter, what, together(beside), together(alone)),
      limitFigure(`(${letter}) memory afterwards`, service.memory(), memoryAim, 'MB'),
    ];
  });

const besideOversized = async (letter: string): Promise<Figure[]> =>
  withService({}, async (service) => {
    const alone: Noticed[] = [await askAlone(service.url)];
    const share = [new URL(service.url).port, String(size.oversized / attackers)];
    const gluttons = startAttackers(
      'glutton',
      Array.from({ length: attackers }, () => share),
    );
    const beside = await askNormally(service.url, size.nodes, gluttons.over);
    const { whole = 0, bytes = 0 } = gluttons.counts;
    while (alone.length < size.rounds) alone.push(await askAlone(service.url));
    const megabytes = bytes / 1_000_000;
    say(`  ${JSON.stringify(gluttons.counts)}`);
    return [
      ...compared(letter, `${size.oversized} uploads of 100 MB`, beside, together(alone)),
      noneFigure(`(${letter}) uploads that were taken whole`, whole, `of ${size.oversized}`),
      limitFigure(
        `(${letter}) sent before the service closed the connection`,
        megabytes / size.oversized,
        20,
        'MB each',
        'of 100 MB',
      ),
      limitFigure(`(${letter}) memory afterwards`, service.memory(), memoryAim, 'MB'),
    ];
  });

/** Connections and uploads of hostile clients. */
export const measure = async (): Promise<Results> => {
  const figures: Figure[] = [];
  say('(a) more slow connections than are allowed');
  figures.push(...(await besideSlow('a', isQuick ? 400 : 4_096)));
  say('(b) all of them allowed: what the limit is for');
  figures.push(...(await besideSlow('b', size.slow + 1_000)).map(withoutAim));
  say('(c) oversized uploads');
  figures.push(...(await besideOversized('c')));
  return { figures };
};

/** Requests that are meant to be expensive. */
export const measureLoop = async (): Promise<Results> => ({ figures: await measureBlocks(blocks) });
