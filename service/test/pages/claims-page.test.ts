import { hasPart } from '@corral/lab';
import { describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, forgetRefusals, signIn, watchedPage } from '../support/pages.ts';
import { adminPassword, passwordOf, type Service, serviceForTest } from '../support/services/service.ts';
import { done, makeProject, makeUser, obmd, reserve } from '../support/services/world.ts';

const gpus: Readonly<Record<string, number>> = { n1: 1, n2: 4, n3: 4, n4: 8 };

/** A service with the projects red of rita and blue of bert, and four free nodes, two of them in one rack. */
const siteOfTwo = async (): Promise<Service> => {
  const service = await serviceForTest('sqlite');
  for (const project of ['red', 'blue']) await makeProject(service, project);
  for (const [node, count] of Object.entries(gpus)) {
    await done(service.admin.put(`/node/${node}`, { obmd, metadata: { gpus: count, rack: `r${count}` } }));
  }
  await makeUser(service, 'rita', 'red');
  await makeUser(service, 'bert', 'blue');
  return service;
};

describe.skipIf(!hasPart('Chromium'))('claims in the browser', () => {
  const newBrowser = sharedChromium();

  const opened = async (service: Service, user: string, password = passwordOf(user)) => {
    const page = await watchedPage(await newBrowser(), service);
    await page.goto(`${service.url}/claims`);
    await signIn(page, user, password);
    await page.getByText('live', { exact: true }).waitFor();
    return {
      page,
      fits: page.getByRole('region', { name: 'What fits now' }),
      count: page.getByLabel('How many nodes'),
      claim: page.getByRole('button', { name: 'Claim', exact: true }),
      claimsOf: (project: string) => page.getByRole('table', { name: `Claims of ${project}` }),
      addCondition: async (place: number, label: string, compared: string) => {
        await page.getByRole('button', { name: 'Add a condition' }).click();
        const condition = page.getByRole('group', { name: `Condition ${place}` });
        await condition.getByLabel('Label').fill(label);
        await condition.getByLabel('Compared').selectOption(compared);
        return condition;
      },
    };
  };

  it('are counted while they are typed, and get what they show', async () => {
    const service = await siteOfTwo();
    const { page, fits, count, claim, addCondition } = await opened(service, 'rita');
    await fits.getByText('4 free nodes fit', { exact: true }).waitFor();
    const condition = await addCondition(1, 'gpus', 'is at least');
    await fits.getByText('Give a value').waitFor();
    expect(await claim.getAttribute('aria-disabled')).toBe('true');
    await condition.getByLabel('Value').fill('4');
    await fits.getByText('3 free nodes fit', { exact: true }).waitFor();
    await count.fill('2');
    await fits.getByText('You would get n2, n3.').waitFor();
    await page.getByLabel('Which of those that fit').selectOption('Spread: as many values as possible');
    await page.getByLabel('Of which metadata').fill('rack');
    await fits.getByText('You would get n2, n4.').waitFor();
    await page.getByText("corral claim nodes red 2 --match 'gpus>=4' --spread rack").waitFor();
    await claim.click();
    await page.getByText('Project red has n2, n4 now.').waitFor();
    expect((await done(service.admin.get('/project/red/nodes'))).body).toEqual(['n2', 'n4']);
    // What fits is another now, without anything being typed.
    await fits.getByText('1 free node fits', { exact: true }).waitFor();
    expectNoComplaints(page);
  });

  it('show which condition leaves too few, and follow what others do', async () => {
    const service = await siteOfTwo();
    await reserve(service, 'red', 'n4');
    const { page, fits, count, addCondition } = await opened(service, 'bert');
    await (await addCondition(1, 'gpus', 'is at least')).getByLabel('Value').fill('4');
    await addCondition(2, 'ssd', 'is there');
    await fits.getByText('No free node fits', { exact: true }).waitFor();
    const closest = 'Of the free nodes, ssd present is met by 0, gpus at least 4 by 2.';
    await fits.getByText(closest, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove condition 2' }).click();
    await count.fill('3');
    const lacking = '3 nodes are asked for, and 2 free nodes fit; 1 more fits but is not free.';
    await fits.getByText(lacking, { exact: true }).waitFor();
    await done(service.admin.post('/project/red/detach_node', { node: 'n4' }));
    await fits.getByText('You would get n2, n3, n4.').waitFor();
    expectNoComplaints(page);
  });

  it('that are refused say what is lacking; those that wait have a place, and can be cancelled', async () => {
    const service = await siteOfTwo();
    for (const node of ['n2', 'n3', 'n4']) await reserve(service, 'red', node);
    const { page, fits, count, claim, claimsOf } = await opened(service, 'bert');
    await page.getByText('No claim of blue waits').waitFor();
    await count.fill('2');
    await fits.getByText('1 free node fits', { exact: true }).waitFor();
    await claim.click();
    await page.getByRole('alert').getByText('2 nodes are asked for, and 1 free node fits').waitFor();
    forgetRefusals(page);
    await page.getByLabel('Wait in line if too few fit').check();
    await page.getByText('corral claim nodes blue 2 --wait').waitFor();
    await claim.click();
    await page.getByText('It waits in line, at place 1.').waitFor();
    const claims = claimsOf('blue');
    await claims.getByText('place 1 in line').waitFor();
    await claims.getByRole('button', { name: 'Cancel the claim of 2 nodes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^corral claim cancel [\da-f-]+$/).waitFor();
    await dialog.getByRole('button', { name: 'Cancel the claim' }).click();
    await claims.getByText('cancelled').waitFor();
    expect(await claims.getByRole('button', { name: /^Cancel the claim/ }).count()).toBe(0);
    expectNoComplaints(page);
  });

  it('that wait are served while the page is open', async () => {
    const service = await siteOfTwo();
    for (const node of ['n1', 'n2', 'n3', 'n4']) await reserve(service, 'red', node);
    const { page, claim, claimsOf } = await opened(service, 'bert');
    await page.getByLabel('Wait in line if too few fit').check();
    await claim.click();
    const claims = claimsOf('blue');
    await claims.getByText('place 1 in line').waitFor();
    await done(service.admin.post('/project/red/detach_node', { node: 'n4' }));
    await claims.getByRole('link', { name: 'n4' }).waitFor();
    await claims.getByText('served').waitFor();
    expectNoComplaints(page);
  });

  it('are made for a project that is chosen, by administrators for any', async () => {
    const service = await siteOfTwo();
    const { page, fits, claim } = await opened(service, 'admin', adminPassword);
    await page.getByText('Choose a project').waitFor();
    await page.getByLabel('For project').selectOption('blue');
    await fits.getByText('You would get n1.').waitFor();
    await claim.click();
    await page.getByText('Project blue has n1 now.').waitFor();
    expectNoComplaints(page);
  });
});
