import { readFile } from 'node:fs/promises';
import { hasPart } from '@corral/lab';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, signIn, watchedPage } from '../support/pages.ts';
import { runSql } from '../support/services/run-sql.ts';
import { adminPassword, passwordOf } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { makeProject, makeUser } from '../support/services/world.ts';

const march = Date.UTC(2026, 2, 1);
const hour = 3_600_000;

/** What the ledger has of a month that is over. */
const spans = [
  { project: 'red', node: 'n1', class: 'gpu', kind: 'reserved', hours: 10 },
  { project: 'red', node: 'n1', class: 'gpu', kind: 'powered', hours: 2.5 },
  { project: 'red', node: 'n2', class: '', kind: 'reserved', hours: 4 },
  { project: 'blue', node: 'n2', class: '', kind: 'reserved', hours: 1 },
] as const;

/** The rows of the table as they are read out, without the headings. */
const figures = async (page: Page, by: string): Promise<readonly string[]> => {
  const table = page.getByRole('table', { name: `Hours by ${by}`, exact: true });
  await table.waitFor();
  const rows = await table.getByRole('row').allInnerTexts();
  return rows.slice(1).map((row) =>
    row
      .trim()
      .split(/\s*\t\s*/)
      .join(' | '),
  );
};

describe.skipIf(!hasPart('Chromium'))('usage in the browser', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  const signedIn = async (user: string, password: string, path: string) => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}${path}`);
    await signIn(page, user, password);
    return page;
  };

  beforeAll(async () => {
    for (const project of ['red', 'blue']) await makeProject(service(), project);
    await makeUser(service(), 'rita', 'red');
    for (const { project, node, class: name, kind, hours } of spans) {
      const statement = `insert into usage_spans (node, class, project_id, project, kind, from_at, until_at)
        select '${node}', '${name}', id, label, '${kind}', ${march + hour}, ${march + hour + hours * hour}
        from projects where label = '${project}'`;
      await runSql(service(), { sqlite: statement, postgres: statement });
    }
  });

  it('shows hours by project, class and node as the ledger has them, and saves what the command prints', async () => {
    const page = await signedIn('admin', adminPassword, '/usage?from=2026-03-01&to=2026-04-01');
    expect(await figures(page, 'project')).toEqual(['red | 14.00 | 2.50', 'blue | 1.00 | 0.00']);
    await page.getByRole('img', { name: 'Hours reserved and powered by project' }).waitFor();
    await page.getByText('corral usage --from 2026-03-01 --to 2026-04-01', { exact: true }).waitFor();
    await page.getByText('15.00 h', { exact: true }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('usage-project-2026-03-01-2026-04-01.csv');
    expect((await readFile(await download.path(), 'utf8')).replace(/,\d+,(?=\d)/g, ',ID,')).toBe(
      'project,project_id,reserved_seconds,powered_seconds\r\nblue,ID,3600,0\r\nred,ID,50400,9000\r\n',
    );

    await page.getByRole('button', { name: 'By class' }).click();
    expect(await figures(page, 'class')).toEqual(['gpu | 10.00 | 2.50', 'no class | 5.00 | 0.00']);
    await page.getByText('corral usage --from 2026-03-01 --to 2026-04-01 --by class').waitFor();
    await page.getByRole('button', { name: 'By node' }).click();
    expect(await figures(page, 'node')).toEqual(['n1 | 10.00 | 2.50', 'n2 | 5.00 | 0.00']);
    await page.getByRole('button', { name: 'Reserved hours' }).click();
    await expect.poll(() => figures(page, 'node')).toEqual(['n2 | 5.00 | 0.00', 'n1 | 10.00 | 2.50']);
    // Of the first day of the month only that which is in it.
    await page.getByLabel('Before').fill('2026-03-02');
    await page.getByText('2026-03-02 00:00 UTC').waitFor();
    expect(page.url()).toContain('to=2026-03-02');
    await page.getByRole('button', { name: 'Last month' }).click();
    await page.getByText('No node was reserved in this time').waitFor();
    expectNoComplaints(page);
  });

  it('shows tenants the hours of their own projects, and is found by Ctrl-K', async () => {
    const page = await signedIn('rita', passwordOf('rita'), '/');
    await page.getByText('live', { exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('usage');
    await page.keyboard.press('Enter');
    await page.getByText('No node was reserved in this time').waitFor();
    await page.goto(`${service().url}/usage?from=2026-03-01&to=2026-04-01&by=node`);
    expect(await figures(page, 'node')).toEqual(['n1 | 10.00 | 2.50', 'n2 | 4.00 | 0.00']);
    expectNoComplaints(page);
  });
});
