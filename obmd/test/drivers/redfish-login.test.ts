import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { amply, bmcWith, expectFault, startTrial } from '../support/redfish-fixture.ts';

const login = { method: 'POST', path: /Sessions\/?$/ };

describe('the session with a Redfish service', () => {
  it('is one for all calls, also those at the same time, and ends with the last', async () => {
    const { service, bmc } = await startTrial();
    await Promise.all([bmc.powerStatus(amply()), bmc.powerOn(amply()), bmc.setBootDevice('pxe', amply())]);
    await bmc.powerStatus(amply());
    expect(service.sessions).toMatchObject({ made: 1, count: 1 });
    await bmc.close?.();
    expect(service.sessions.count).toBe(0);
    expect(new Set(service.asked().map(({ credentials }) => credentials))).toEqual(new Set(['none', 'session']));
  });

  it('is made again when it has ended meanwhile, once', async () => {
    const { service, bmc } = await startTrial();
    await bmc.powerStatus(amply());
    service.sessions.endAll();
    await Promise.all([bmc.powerOn(amply()), bmc.powerStatus(amply())]);
    expect(service.sessions).toMatchObject({ made: 2, count: 1 });
    await bmc.close?.();
    expect(service.sessions.count).toBe(0);
  });

  it('is there again after it was closed and is used', async () => {
    const { service, bmc } = await startTrial();
    await bmc.powerStatus(amply());
    await bmc.close?.();
    await bmc.powerStatus(amply());
    await bmc.close?.();
    expect(service.sessions).toMatchObject({ made: 2, count: 0 });
  });

  it.each([
    ['in full, under a name of its own', 'https://ilo-cn7:8443/redfish/v1/SessionService/Sessions/s1'],
    ['not in the header', undefined],
  ])('ends also when the BMC tells its address %s', async (_, location) => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'headers', headers: { location }, on: login });
    await bmc.powerStatus(amply());
    await bmc.close?.();
    expect(service.sessions).toMatchObject({ made: 1, count: 0 });
  });

  it('is not missed on closing a BMC that hangs', async () => {
    const { service, bmc } = await startTrial();
    await bmc.powerStatus(amply());
    service.breakLine({ kind: 'hang' });
    const before = performance.now();
    await bmc.close?.();
    expect(performance.now() - before).toBeLessThan(12_000);
  });

  it('of a call that gave up is made by the one that still waits', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'hang', times: 1, on: login });
    const hasty = bmc.powerStatus(AbortSignal.timeout(200));
    const patient = bmc.powerStatus(amply());
    await expectFault(hasty, 'unreachable', /did not answer in time/);
    expect(await patient).toBe('off');
  });
});

describe('name and password on every question', () => {
  it.each([
    ['has no sessions', { maxSessions: 0 }, null],
    ['shows sessions and makes none', {}, 405],
    ['has no session left', {}, 503],
    ['makes sessions for others only', {}, 400],
  ])('are used where a BMC %s', async (_, options, status) => {
    const { service, bmc } = await startTrial(options);
    if (status !== null) service.fault({ kind: 'status', status, on: login });
    await bmc.powerOn(amply());
    expect(service.machine.power).toBe('on');
    expect(service.sessions.made).toBe(0);
    expect(service.asked().at(-1)?.credentials).toBe('basic');
    await bmc.close?.();
  });

  it('are used when others took all sessions, and end none of theirs', async () => {
    const { service, bmc } = await startTrial({ maxSessions: 1 });
    service.sessions.create();
    expect(await bmc.powerStatus(amply())).toBe('off');
    await bmc.close?.();
    expect(service.sessions.count).toBe(1);
  });

  it('are used where a session comes without a token', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'headers', headers: { 'x-auth-token': undefined }, on: login });
    expect(await bmc.powerStatus(amply())).toBe('off');
    expect(service.sessions).toMatchObject({ made: 1, count: 0 });
  });
});

describe('a password that the BMC does not accept', () => {
  it.each([
    ['sessions', 4, ['none', 'none']],
    ['no sessions', 0, ['none', 'basic']],
  ])('is tried once, with %s', async (_, maxSessions, asked) => {
    const { service } = await startTrial({ maxSessions });
    const bmc = bmcWith({ ...service.info, pass: 'secret-but-wrong' });
    const error = await expectFault(
      bmc.powerStatus(amply()),
      'credentials',
      /rejects the registered user name and password/,
    );
    expect(inspect(error, { depth: 20 })).not.toContain('secret-but-wrong');
    expect(service.asked().map(({ credentials }) => credentials)).toEqual(asked);
  });

  it('is reported when it was changed while a session was open', async () => {
    const { service, bmc } = await startTrial();
    await bmc.powerStatus(amply());
    service.fault({ kind: 'status', status: 401, on: { path: /Systems|Sessions/ } });
    await expectFault(bmc.powerStatus(amply()), 'credentials', /register the right ones/);
  });

  it('is what a session seems to have that is good for nothing, and no session is left of it', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'status', status: 401, on: { path: /Systems/ } });
    await expectFault(bmc.powerStatus(amply()), 'credentials', /rejects the registered user name/);
    expect(service.sessions).toMatchObject({ made: 2, count: 0 });
  });

  it.each(['{"error":{"message":"no user operator with calvin-and-hobbes"}}', 'calvin-and-hobbes?'])(
    'is not revealed even if the BMC repeats it: %s',
    async (body) => {
      const { service, bmc } = await startTrial();
      service.fault({ kind: 'status', status: 401, body, on: login });
      const error = await expectFault(bmc.powerStatus(amply()), 'credentials', /rejects the registered user name/);
      expect(error.cause).toMatchObject({ message: expect.stringContaining('…') as string });
    },
  );

  it('is another matter than a user who may not do this', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'status', status: 403, on: { method: 'POST', path: /Reset$/ } });
    await expectFault(bmc.powerOn(amply()), 'credentials', /give that user the role Operator/);
  });
});

describe('the machine that is meant', () => {
  const systems = ['node-1', 'node-2', 'node-3'];

  it('has to be named where a BMC has several', async () => {
    const { bmc } = await startTrial({ systems });
    await expectFault(
      bmc.powerStatus(amply()),
      'unsupported',
      /several machines \(node-1, node-2, node-3\); .* as "system"/,
    );
  });

  it.each(['node-2', '/redfish/v1/Systems/node-2', '/redfish/v1/Systems/node-2/'])('is named by %s', async (system) => {
    for (const flavour of ['plain', 'hpe'] as const) {
      const { service, bmc } = await startTrial({ systems, flavour }, { system });
      await bmc.powerOn(amply());
      expect(service.machines.map(({ power }) => power)).toEqual(['off', 'on', 'off']);
    }
  });

  it('is not guessed when the BMC has none of that name', async () => {
    const { bmc } = await startTrial({ systems }, { system: 'node' });
    await expectFault(bmc.powerStatus(amply()), 'unsupported', /no machine with the "system" .* node-1, node-2/);
  });

  it('is found on a later page of the list', async () => {
    const { service, bmc } = await startTrial({ systems: [...systems, 'node-9'] }, { system: 'node-9' });
    let pages = 0;
    const edit = (document: Record<string, unknown>) => {
      pages += 1;
      const next = pages === 1 ? { 'Members@odata.nextLink': '/redfish/v1/Systems?$skip=1' } : {};
      return { ...document, ...next, Members: [{ '@odata.id': `/redfish/v1/Systems/node-${7 + pages}` }] };
    };
    service.fault({ kind: 'edit', on: { path: /\/Systems$/ }, edit });
    expect(await bmc.powerStatus(amply())).toBe('off');
    expect(service.asked().at(-1)?.path).toBe('/redfish/v1/Systems/node-9');
  });

  it('is looked for again when it has moved', async () => {
    const { service, bmc } = await startTrial();
    await bmc.powerStatus(amply());
    service.fault({ kind: 'status', status: 404, times: 1, on: { path: /Systems\/1$/ } });
    expect(await bmc.powerStatus(amply())).toBe('off');
  });

  it('is found on a BMC that shows nothing to strangers', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'status', status: 401, on: { path: /v1\/$/ } });
    expect(await bmc.powerStatus(amply())).toBe('off');
  });

  it('has to be there', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'edit', on: { path: /Systems$/ }, edit: () => ({ Members: [] }) });
    await expectFault(bmc.powerStatus(amply()), 'unsupported', /lists no machines/);
  });
});
