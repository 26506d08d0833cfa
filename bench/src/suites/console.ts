import { firstLoads } from '../console/first-load.ts';
import { interact } from '../console/interactions.ts';
import { memoryOverTime } from '../console/memory-over-time.ts';
import { type SignedIn, signedIn } from '../console/signed-in.ts';
import { createSite } from '../growth/measured-site.ts';
import { siteLabels } from '../growth/site-seed.ts';
import { isQuick, say } from '../options.ts';
import { type Figure, increaseFigure, limitFigure, type Results } from '../report.ts';
import { quantile } from '../statistics.ts';

/** 50 switches of 800 ports. */
const nodes = 10_000;
const shape = { portsPerSwitch: 800, networks: 500 };
/** `--quick`: a tenth of it. */
const loads = isQuick ? 3 : 15;
const rounds = isQuick ? 3 : 20;
const seconds = isQuick ? { early: 10, late: 60 } : { early: 60, late: 600 };

/** The pages in Chromium, on a large site: what a first visit takes, how soon they answer, and whether they grow. */
export const measure = async (): Promise<Results> => {
  const site = await createSite('sqlite', nodes, shape);
  try {
    const service = await site.installation.start();
    try {
      const browser = await signedIn(service.url);
      try {
        return { figures: [...(await loadFigures(browser)), ...(await pageFigures(browser, service.url))] };
      } finally {
        await browser.close();
      }
    } finally {
      await service.stop();
    }
  } finally {
    await site.remove();
  }
};

const loadFigures = async (browser: SignedIn): Promise<readonly Figure[]> => {
  say('  first visits');
  const { pageKb, dataKb, ms, staticMs } = await firstLoads(browser, siteLabels.node(0), loads);
  return [
    limitFigure('first load of the nodes, without data', pageKb, 300, 'kB', 'compressed'),
    limitFigure('data of 10,000 nodes', dataKb, null, 'kB', 'not compressed'),
    increaseFigure('first row seen, beside a static page of the same bytes', [ms, staticMs], 'ms', null),
  ];
};

const pageFigures = async (browser: SignedIn, url: string): Promise<readonly Figure[]> => {
  const visitor = await browser.visitor();
  const page = await visitor.newPage();
  say('  filter, sort and scroll');
  const found = await interact(page, rounds);
  const figures = Object.entries(found).map(([what, times]: [string, readonly number[]]) =>
    limitFigure(`${what} to next paint, p95 of ${times.length}`, quantile(times, 0.95), 200, 'ms'),
  );
  say(`  ${seconds.late} s of events`);
  const pages = [await visitor.newPage(), await visitor.newPage()];
  for (const [index, path] of ['/', '/events'].entries()) await pages[index]?.goto(path);
  const heaps = await memoryOverTime(url, [page, ...pages], seconds);
  return [
    ...figures,
    ...heaps.map(({ page: path, earlyMb, lateMb }) =>
      increaseFigure(
        `memory of ${path} after ${seconds.late} s of events, beside ${seconds.early} s`,
        [lateMb, earlyMb],
        'MB',
        1.1,
      ),
    ),
  ];
};
