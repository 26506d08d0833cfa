import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { statusOf } from '../../src/server/http-errors.ts';
import { engines } from '../support/services/engines.ts';
import type { Answer } from '../support/http/http-client.ts';
import { serviceForTest } from '../support/services/service.ts';
import { refusal, sharedService } from '../support/services/shared-service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { done, eventually, makeNetwork, makeNode, makeProject, makeUser, obmd } from '../support/services/world.ts';

/** One way to every type of error there is, in a world of one project, one node, one network that uses up the pool. */
describe.each(engines)('types of error on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_VLANS: '100' });

  const makeWorld = async () => {
    await makeProject(service(), 'red');
    await makeProject(service(), 'blue');
    await makeNode(service(), 'n1');
    await makeNetwork(service(), 'net', 'red');
    await makeUser(service(), 'alice', 'blue');
    await done(service().admin.put('/headnode/hn', { project: 'blue', base_img: 'base' }));
    await done(service().admin.put('/headnode/hn/hnic/eth0'));
  };

  const cases: Readonly<Record<string, () => Promise<Answer>>> = {
    '400 ValidationError': () => service().admin.put('/node/n2', {}),
    '400 BadArgumentError': () => service().admin.put('/headnode/x', { project: 'red', base_img: 'windows' }),
    '401 AuthorizationError': () => service().as('alice').get('/projects'),
    '404 NotFoundError': () => service().admin.get('/node/missing'),
    '405 MethodNotAllowedError': () => service().admin.post('/projects'),
    '409 DuplicateError': () => service().admin.put('/node/n1', { obmd }),
    '409 BlockedError': () => service().admin.post('/node/n1/power_on'),
    '409 ProjectMismatchError': () =>
      service().admin.post('/headnode/hn/hnic/eth0/connect_network', { network: 'net' }),
    '409 IllegalStateError': () => service().admin.patch('/auth/basic/user/admin', { is_admin: false }),
    '409 AllocationError': () => service().admin.put('/network/more', { owner: 'red', access: 'red', net_id: '' }),
    '413 PayloadTooLargeError': () => service().admin.put('/node/n1/metadata/a', { value: 'x'.repeat(1024 * 1024) }),
    '502 OBMError': () => service().admin.put('/node/n1/obm', { enabled: true }),
    '502 SwitchError': async () => {
      await makeNode(service(), 'n3', ['eth0'], 'sw-dead');
      service().simulated('sw-dead').faults = { unreachable: true };
      return service().admin.post('/switch/sw-dead/sweep');
    },
    '502 HypervisorError': async () => {
      // Where the mock hypervisor would write there is a directory in its way.
      await mkdir(join(service().dataDir, 'mock-hypervisor.json.new'), { recursive: true });
      return service().admin.post('/headnode/hn/start');
    },
  };

  it.each(Object.keys(cases))('%s', async (expected) => {
    if ((await service().admin.get('/node/n1')).status === 404) await makeWorld();
    expect(await refusal(cases[expected]?.() ?? Promise.reject(new Error('no such case')))).toBe(expected);
  });

  it('there is no other, but for what is our own fault and what has a suite of its own', () => {
    const tried = Object.keys(cases).map((name) => name.split(' ')[1]);
    const elsewhere = ['ServerError', 'TooManyRequestsError', 'UnavailableError'];
    expect([...tried, ...elsewhere].sort()).toEqual(Object.keys(statusOf).sort());
  });

  it('500 ServerError tells nothing internal; the log tells all, with the request id', async () => {
    const broken = await serviceForTest(engine);
    const rename = 'alter table projects rename to hidden_away';
    await runSql(broken, { sqlite: rename, postgres: rename });
    const answer = await broken.admin.get('/projects');
    expect(await refusal(Promise.resolve(answer))).toBe('500 ServerError');
    expect(answer.text).not.toMatch(/sql|table|projects|relation|select|\.ts|Error:/i);
    const id = answer.headers.get('x-request-id') ?? 'none';
    const line = await eventually(() => broken.log.find((entry) => entry.includes(id) && entry.includes('failed')));
    expect(line).toMatch(/no such table: projects|relation \\"projects\\" does not exist/);
    const undo = 'alter table hidden_away rename to projects';
    await runSql(broken, { sqlite: undo, postgres: undo });
    await done(broken.admin.get('/projects'));
  });
});
