import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { password } from '../installation.ts';

/** Where Debian puts it. */
const executablePath = '/usr/bin/chromium';

/** A browser whose visitors are signed in as administrator, each with an empty cache. */
export interface SignedIn {
  visitor(): Promise<BrowserContext>;
  close(): Promise<void>;
}

export const signedIn = async (url: string): Promise<SignedIn> => {
  // Root has no sandbox there; the pages are ours.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const storageState = await signIn(browser, url);
    return {
      visitor: () => browser.newContext({ baseURL: url, storageState, viewport: { width: 1440, height: 900 } }),
      close: () => browser.close(),
    };
  } catch (error) {
    await browser.close();
    throw error;
  }
};

const signIn = async (browser: Browser, url: string) => {
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  await page.goto('/');
  await page.getByLabel('User').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
};

/** What the page's own objects take in MB, after what nobody uses was thrown away. */
export const heapMb = async (page: Page): Promise<number> => {
  const tools = await page.context().newCDPSession(page);
  await tools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await tools.send('Runtime.getHeapUsage');
  await tools.detach();
  return usedSize / 1024 / 1024;
};
