import { hasPart } from '@corral/lab';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, signIn, watchedPage } from '../support/pages.ts';
import { adminPassword } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { done, makeNode, makeProject, reserve } from '../support/services/world.ts';

describe.skipIf(!hasPart('Chromium'))('racks in the browser', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  const say = (node: string, label: string, value: unknown) =>
    done(service().admin.put(`/node/${node}/metadata/${label}`, { value }));

  beforeAll(async () => {
    await makeProject(service(), 'red');
    const places: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
      ['n1', { rack: 'r1', unit: 3 }],
      ['n2', { rack: 'r1', unit: '1', height: '2' }],
      ['n3', { rack: 'r1', unit: 2 }],
      ['n10', { rack: 'r2', unit: 'U44' }],
      ['far', { rack: 'r2', unit: 61 }],
      ['vague', { rack: 'r2', unit: 'top' }],
      ['loose', {}],
    ];
    for (const [node, place] of places) {
      await makeNode(service(), node);
      for (const [label, value] of Object.entries(place)) await say(node, label, value);
    }
    await reserve(service(), 'red', 'n1');
  });

  const open = async (path: string) => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}${path}`);
    await signIn(page, 'admin', adminPassword);
    await page.getByText('live', { exact: true }).waitFor();
    return page;
  };

  it('are drawn from metadata; what overlaps or cannot be drawn is named, and changes appear by themselves', async () => {
    const page = await open('/racks');
    const r1 = page.getByRole('region', { name: 'Rack r1' });
    await r1.getByText('3 nodes in 42 units').waitFor();
    await r1.getByText('2 nodes claim units of one another').waitFor();
    await page.getByRole('region', { name: 'Rack r2' }).getByText('1 nodes in 44 units').waitFor();
    const slot = (name: string) => page.getByRole('link', { name, exact: true });
    await slot('n1: rack r1, unit 3; project red, in use').waitFor();
    // A unit is as high as another, and unit 2 is below unit 3.
    const [above, below, tall] = await Promise.all(
      [
        'n1: rack r1, unit 3; project red, in use',
        'n3: rack r1, unit 2; free; others claim the same units',
        'n2: rack r1, units 1 to 2; free; others claim the same units',
      ].map((name) => slot(name).boundingBox()),
    );
    expect(above?.y).toBeLessThan(below?.y ?? 0);
    expect(tall?.height).toBeGreaterThan((below?.height ?? 0) * 1.8);
    expect(tall?.x).not.toBe(below?.x);
    const loose = page.getByRole('list', { name: 'Nodes that are not in a rack' }).getByRole('listitem');
    await expect
      .poll(() => loose.allInnerTexts())
      .toEqual([
        expect.stringMatching(/far\s+in rack r2, unit 61 is outside of units 1 to 60/),
        expect.stringMatching(/loose\s+no rack in its metadata/),
        expect.stringMatching(/vague\s+in rack r2, its unit top is no number/),
      ]);
    await say('loose', 'rack', 'r1');
    await say('loose', 'unit', 9);
    await slot('loose: rack r1, unit 9; free').waitFor();
    expectNoComplaints(page);
  });

  it('tell what is pointed at, are coloured by project or state with a legend, and lead to the node by keys', async () => {
    const page = await open('/racks');
    const legend = page.getByRole('list', { name: 'Legend' }).getByRole('listitem');
    await expect.poll(() => legend.allInnerTexts()).toContain('red\n1');
    await page.getByRole('button', { name: 'By state' }).click();
    await expect.poll(() => legend.allInnerTexts()).toContain('in use\n1');
    expect(new URL(page.url()).search).toBe('?by=state');
    const told = page.getByRole('main').getByRole('status');
    await page.getByRole('link', { name: /^n1: / }).hover();
    await expect.poll(() => told.innerText()).toBe('n1: rack r1, unit 3; project red, in use');
    await page.mouse.move(0, 0);
    await page.getByRole('link', { name: /^n1: / }).focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => told.innerText()).toMatch(/^n10: rack r2, unit 44/);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => told.innerText()).toMatch(/rack r1/);
    await page.getByRole('link', { name: /^n1: / }).focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => told.innerText()).toMatch(/^n[23]: /);
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/nodes\/n[23]$/);
    expectNoComplaints(page);
  });
});
