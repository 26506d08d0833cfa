import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Type } from '@sinclair/typebox';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAuthenticator } from '../../src/auth/authenticator.ts';
import { loadConfig } from '../../src/config/load-service-config.ts';
import type { Dependencies } from '../../src/core/dependencies.ts';
import { openDatabase } from '../../src/db/open-service-database.ts';
import { buildServer } from '../../src/server/app.ts';
import { createMetrics } from '../../src/server/metrics.ts';
import { route } from '../../src/server/route.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { engines } from '../support/services/engines.ts';
import { refusal } from '../support/services/shared-service.ts';
import { serviceForTest } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { eventually, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

describe.each(engines)('a kept answer, on %s,', (engine) => {
  it('is one for all spellings of its question, so that no caller can fill the memory with them', async () => {
    const service = await serviceForTest(engine);
    const { anonymous } = service;
    const free = async (spelling: string) => (await anonymous.get(`/nodes/${spelling}`)).body as string[];
    const unused = ['%66re%65', 'f%72ee', 'fr%65e', '%66%72ee', 'fre%65', '%66r%65e', 'f%72e%65', '%66ree'];
    // No answer is kept while a transaction of another database of the server runs, nor longer than five seconds.
    await eventually(async () => {
      const kept = await free('free');
      // Past the service no event tells of it, so that only an answer that is made anew can have it.
      const fresh = randomUUID();
      const insert = `insert into nodes (label, metadata, obm_uri, obm_admin_token) values ('${fresh}', '{}', '', '')`;
      await runSql(service, { sqlite: insert, postgres: insert });
      // While a commit of the service is on its way to the disk, readers see what is there from before.
      await eventually(async () => ((await free('free?&&')).includes(fresh) ? true : undefined));
      if ((await free('free')).length > kept.length) return undefined;
      const spelling = unused.pop();
      if (spelling === undefined) throw new Error('the answer is kept for one spelling only');
      return (await free(spelling)).length === kept.length ? true : undefined;
    });
  });

  it('is given to nobody with other rights', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'red');
    await makeNode(service, 'n1');
    await reserve(service, 'red', 'n1');
    const [ada, bob] = [await makeUser(service, 'ada', 'red'), await makeUser(service, 'bob')];
    // Each answer is made when nothing has changed since the one before it.
    for (let count = 0; count < 2; count += 1) {
      expect((await ada.get('/node/n1')).status).toBe(200);
      expect((await bob.get('/node/n1')).status).toBe(401);
      expect((await service.anonymous.get('/node/n1')).status).toBe(401);
      expect((await service.admin.get('/node/n1')).status).toBe(200);
    }
  });

  it('is not given to a question that has something wrong in it', async () => {
    const { anonymous } = await serviceForTest(engine);
    expect((await anonymous.get('/nodes/free')).status).toBe(200);
    expect(await refusal(anonymous.get('/nodes/free?nonsense=1'))).toBe('400 ValidationError');
  });
});

it('an answer holds what its schema names and nothing else, whether it is cached or computed', async () => {
  const dataDir = await dataDirectory('corral-reply-');
  const { http: front, database } = loadConfig({ CORRAL_DATA_DIR: dataDir });
  const db = await openDatabase(database);
  const answer = (name: string, keep?: 'everyone' | 'caller') =>
    route({
      name,
      endpoint: `GET /${name}`,
      summary: '',
      access: 'anyone',
      auth: '',
      reply: Type.Object({ name: Type.String() }),
      ...(keep === undefined ? {} : { cache: keep }),
      handle: () => Promise.resolve({ name, secret: 'of nobody’s business' }),
    });
  const server = buildServer({
    db,
    dependencies: {} as Dependencies,
    auth: createAuthenticator([]),
    requireAuthentication: false,
    http: front,
    metrics: createMetrics(db),
    log: pino({ enabled: false }),
    routes: [answer('anew'), answer('kept_for_everyone', 'everyone'), answer('kept_for_caller', 'caller')],
  });
  onTestFinished(async () => {
    await server.close();
    await db.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  for (const name of ['anew', 'kept_for_everyone', 'kept_for_caller', 'kept_for_everyone', 'kept_for_caller']) {
    const { body, headers } = await server.inject(`/v0/${name}`);
    expect(body).toBe(`{"name":"${name}"}`);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  }
});
