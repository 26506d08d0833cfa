import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HilSite, makeHilSite } from '../support/coming-from-hil/hil-site.ts';
import { pageRows } from '../support/coming-from-hil/page-rows.ts';
import { rowCases } from '../support/coming-from-hil/row-cases.ts';
import { engines } from '../support/services/engines.ts';
import { patient } from '../support/services/obm-rack.ts';
import { sharedService } from '../support/services/shared-service.ts';

const rows = pageRows();

it('every row of docs/coming-from-hil.md has a case, and every case a row', () => {
  expect(rows.map(({ situation }) => situation).sort()).toEqual(Object.keys(rowCases).sort());
});

describe.each(engines)('a script of HIL, on %s', (engine) => {
  const service = sharedService(engine, patient);
  let site: HilSite;
  beforeAll(async () => {
    site = await makeHilSite(service());
  });
  afterAll(() => site.obmd.close());

  it.each(rows.map((row) => [row.situation, row] as const))('gets what the page says: %s', async (situation, row) => {
    const answer = await rowCases[situation]?.(site, engine);
    expect(answer?.status, answer?.text).toBe(row.status);
    if (row.rest.endsWith('Error')) {
      expect(answer?.body).toEqual({ type: row.rest, msg: expect.any(String) as string });
    } else if (row.rest !== '') {
      expect(answer?.body).toMatchObject(JSON.parse(row.rest) as object);
    }
  });
});
