import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { siteLabels } from '../growth/site-seed.ts';
import { call } from '../installation.ts';
import { heapMb } from './signed-in.ts';

const perSecond = 20;
/** Nodes that nobody has: the second half of every twenty. */
const freeNodes = Array.from({ length: 10 }, (_, index) => siteLabels.node(10 + index));

/** Heaps in MB, by page, early and late. */
export type Heaps = readonly { readonly page: string; readonly earlyMb: number; readonly lateMb: number }[];

/** Keeps pages open while nodes are reserved and given back, twenty times a second, and looks at their memory twice. */
export const memoryOverTime = async (
  url: string,
  pages: readonly Page[],
  { early, late }: { readonly early: number; readonly late: number },
): Promise<Heaps> => {
  await call(url, 'PUT', '/project/bench');
  let made = 0;
  const changeUntil = async (seconds: number): Promise<void> => {
    for (; made < seconds * perSecond; made += 1) {
      const due = sleep(1000 / perSecond);
      const verb = made % (2 * freeNodes.length) < freeNodes.length ? 'connect_node' : 'detach_node';
      await call(url, 'POST', `/project/bench/${verb}`, { node: freeNodes[made % freeNodes.length] });
      await due;
    }
  };
  await changeUntil(early);
  const before = await inTurn(pages, heapMb);
  await changeUntil(late);
  const after = await inTurn(pages, heapMb);
  // A page that lost its events would need no memory for them.
  const name = 'project-of-the-end';
  await call(url, 'PUT', `/project/${name}`);
  await call(url, 'POST', `/project/${name}/connect_node`, { node: freeNodes[0] });
  await inTurn(pages, (page) => page.getByText(name).first().waitFor());
  return pages.map((page, index) => ({
    page: new URL(page.url()).pathname,
    earlyMb: before[index] ?? Number.NaN,
    lateMb: after[index] ?? Number.NaN,
  }));
};

const inTurn = async <T>(pages: readonly Page[], ask: (page: Page) => Promise<T>): Promise<readonly T[]> => {
  const answers: T[] = [];
  for (const page of pages) answers.push(await ask(page));
  return answers;
};
