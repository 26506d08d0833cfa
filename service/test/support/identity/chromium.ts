import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** One Chromium for a whole suite; each browser it gives has cookies of its own and ends with its test. */
export const sharedChromium = (): (() => Promise<BrowserContext>) => {
  let browser: Browser | null = null;
  beforeAll(async () => {
    // Root has no sandbox there; the pages are ours.
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());
  return async () => {
    if (browser === null) throw new Error('Chromium is started before the first test');
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    return context;
  };
};
