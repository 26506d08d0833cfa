import { hasPart } from '@corral/lab';
import { describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { sharedService } from '../support/services/shared-service.ts';

describe.skipIf(!hasPart('Chromium'))('the filter of the reference page', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  it('leaves the calls that have the words, in both columns, and no heading without a call', async () => {
    const page = await (await newBrowser()).newPage();
    await page.goto(`${service().url}/reference`);
    const all = await page.locator('main h2:visible').count();
    expect(all).toBeGreaterThan(5);
    await page.getByLabel('Filter calls').fill('switch_sweep');
    expect(await page.locator('article:visible').count()).toBe(1);
    expect(await page.locator('nav li:visible').allInnerTexts()).toEqual(['switch_sweep']);
    expect(await page.locator('main h2:visible').allInnerTexts()).toEqual(['Drift and reach']);
    expect(await page.locator('nav h2:visible').count()).toBe(1);
    await page.getByLabel('Filter calls').fill('');
    expect(await page.locator('main h2:visible').count()).toBe(all);
  });
});
