import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Service } from './services/service.ts';

/** Every page's path as the pages' own router has it, such as `/nodes/$node`. */
export const pagePaths = (): readonly string[] => {
  const text = readFileSync(new URL('../../../console/src/router.tsx', import.meta.url), 'utf8');
  return [...text.matchAll(/(?:pageIn\(|path: )'(\/[^']*)'/g)].map(([, path]) => path ?? '');
};

/** What went wrong in a page that nobody asked about. */
interface Complaints {
  readonly list: string[];
}

/** A page that writes down every error, every request to elsewhere, and everything that its policy stopped. */
export const watchedPage = async (context: BrowserContext, service: Service): Promise<Page & Complaints> => {
  const page = await context.newPage();
  const list: string[] = [];
  page.on('pageerror', (error) => list.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // Other tests make and delete interfaces of this machine; the browser breaks off what it loads then, and loads it again.
    if (message.type() !== 'error' || message.text().includes('net::ERR_NETWORK_CHANGED')) return;
    list.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(service.url) && !url.startsWith('data:') && !url.startsWith('blob:'))
      list.push(`elsewhere: ${url}`);
  });
  return Object.assign(page, { list });
};

/** Signs in by the form, and waits for the overview, or for where the person was going. */
export const signIn = async (page: Page, user: string, password: string): Promise<void> => {
  await page
    .getByLabel('User')
    .fill(user)
    .catch(async (cause: unknown) => {
      throw new Error(`there is no form to sign in; the page says: ${await page.locator('body').innerText()}`, {
        cause,
      });
    });
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
};

/** Refusals that a test provokes are written down by the browser too. */
export const forgetRefusals = ({ list }: Complaints): void => {
  const kept = list.filter((line) => !/status of 4\d\d/.test(line));
  list.splice(0, list.length, ...kept);
};

export const expectNoComplaints = ({ list }: Complaints): void => expect(list).toEqual([]);
