import { describe, expect, it } from 'vitest';
import { engines } from './support/engines.ts';
import { refusal } from './support/shared.ts';
import { serviceForTest } from './support/service.ts';
import { runSql } from './support/sql.ts';

describe.each(engines)('a kept answer, on %s,', (engine) => {
  it('is one for all spellings of its question, so that no caller can fill the memory with them', async () => {
    const service = await serviceForTest(engine);
    const { anonymous } = service;
    expect((await anonymous.get('/nodes/free')).body).toEqual([]);
    // Past the service no event tells of it, so that only an answer that is made anew can have it.
    const insert = `insert into nodes (label, metadata, obm_uri, obm_admin_token) values ('n1', '{}', '', '')`;
    await runSql(service, { sqlite: insert, postgres: insert });
    expect((await anonymous.get('/nodes/%66re%65')).body).toEqual([]);
    expect((await anonymous.get('/nodes/free?&&')).body).toEqual(['n1']);
    expect((await anonymous.get('/nodes/free')).body).toEqual([]);
  });

  it('is not given to a question that has something wrong in it', async () => {
    const { anonymous } = await serviceForTest(engine);
    expect((await anonymous.get('/nodes/free')).status).toBe(200);
    expect(await refusal(anonymous.get('/nodes/free?nonsense=1'))).toBe('400 ValidationError');
  });
});
