import type { Page } from 'playwright-core';

/** From each interaction, by its kind, to the end of the frame that follows it, in ms. */
export interface Interactions {
  readonly filter: readonly number[];
  readonly sort: readonly number[];
  readonly scroll: readonly number[];
}

/** Events carry the time at which the browser got them, so that waiting for a busy page counts. */
const watchEvents = `
  window.painted = [];
  for (const type of ['keydown', 'click', 'wheel'])
    addEventListener(type, ({ timeStamp }) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => { window.painted.push([type, performance.now() - timeStamp]); };
        port2.postMessage(null);
      });
    }, { capture: true, passive: true });`;

const painted = async (page: Page, type: string): Promise<readonly number[]> => {
  const all = await page.evaluate<readonly (readonly [string, number])[]>('window.painted.splice(0)');
  return all.filter(([kind]) => kind === type).map(([, ms]) => ms);
};

const status = (page: Page) => page.getByRole('main').getByRole('status');

/** Works on the table of all nodes as a person does, one thing after the other. */
export const interact = async (page: Page, rounds: number): Promise<Interactions> => {
  await page.addInitScript(watchEvents);
  await page.goto('/nodes');
  await status(page)
    .filter({ hasText: /^\d+ of \d+$/ })
    .waitFor();
  const found = { filter: [] as number[], sort: [] as number[], scroll: [] as number[] };
  const field = page.getByLabel('Name, MAC address, metadata');
  for (let round = 0; round < rounds; round += 1) {
    await field.pressSequentially(`node-00${round % 10}`, { delay: 80 });
    await status(page)
      .filter({ hasText: /^1\d\d\d? of / })
      .waitFor();
    for (let key = 0; key < 8; key += 1) await field.press('Backspace');
    await status(page)
      .filter({ hasText: /^(\d+) of \1$/ })
      .waitFor();
    found.filter.push(...(await painted(page, 'keydown')));
    for (const name of ['Project', 'Node']) await page.getByRole('columnheader', { name }).getByRole('button').click();
    found.sort.push(...(await painted(page, 'click')));
    await page.getByRole('region', { name: 'Nodes' }).hover();
    for (let turn = 0; turn < 10; turn += 1) {
      await page.mouse.wheel(0, turn < 5 ? 2_000 : -2_000);
      await page.waitForTimeout(50);
    }
    found.scroll.push(...(await painted(page, 'wheel')));
  }
  return found;
};
