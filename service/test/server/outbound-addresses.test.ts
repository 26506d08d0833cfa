import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '@corral/base/config/config-error';
import { loadConfig } from '../../src/config/load-service-config.ts';
import { type EngineName, engines } from '../support/services/engines.ts';
import { startListener } from '../support/http/http-listener.ts';
import { soon } from '../support/obm/console-fixture.ts';
import { Names, startTrap } from '../support/http/test-outbound.ts';
import { makeEnabledRack, makeRack, orders, type Rack, setObm } from '../support/services/obm-rack.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { Talker } from '../support/obm/console-talker.ts';
import { Watcher } from '../support/obm/console-watcher.ts';
import { done, eventually, makeNode, makeProject, reserve } from '../support/services/world.ts';

const named = 'obmd.example.org';
const redirects = [301, 302, 303, 307, 308];

/** A rack whose daemon is known by a name, and a trap on the same port of another address. */
const makeNamedRack = async (engine: EngineName, ...allow: readonly string[]) => {
  const names = new Names();
  const rack = await makeEnabledRack(engine, { host: named, config: { outbound: names.outbound(...allow) } });
  const trap = await startTrap('127.0.0.21', Number(new URL(rack.obmd.origin).port));
  names.asked.length = 0;
  return { ...rack, names, trap };
};

/** What a member is answered on every call that goes to the daemon, both kinds of console included. */
const allAnswers = async ({ service, alice }: Pick<Rack, 'service' | 'alice'>) => {
  const answers: { readonly status: number; readonly text: string }[] = [];
  for (const [, order] of orders) answers.push(await order(alice));
  answers.push(await alice.get('/node/n1/console'));
  const talker = new Talker(service, alice);
  await soon(() => talker.status).not.toBeNull();
  answers.push({ status: talker.status ?? 0, text: talker.refusal });
  answers.push(await alice.put('/node/n1/obm', { enabled: false }));
  return answers;
};

describe.each(engines)('calls to OBM daemons on %s', (engine) => {
  it('are not made elsewhere because of a redirect', async () => {
    const rack = await makeEnabledRack(engine);
    const trap = await startTrap();
    for (const status of redirects) {
      rack.machine.fault = { kind: 'redirect', to: `${trap.origin}/node/n1/power_status`, status };
      for (const answer of await allAnswers(rack)) {
        expect([answer.status, answer.text]).toEqual([502, expect.stringContaining(`redirects (status ${status})`)]);
      }
      rack.machine.fault = null;
      await setObm(rack.alice, false);
      rack.machine.fault = { kind: 'redirect', to: `${trap.origin}/node/n1/token`, status };
      const answer = await rack.alice.put('/node/n1/obm', { enabled: true });
      expect([answer.status, answer.text]).toEqual([502, expect.stringContaining('which is not followed')]);
      rack.machine.fault = null;
      await setObm(rack.alice, true);
    }
    expect(trap.visits()).toEqual([]);
  });

  it('go to the address that was judged, and a name is asked for once for each', async () => {
    const { service, alice, machine, names, trap } = await makeNamedRack(engine);
    // Whoever asks a second time for the same call is sent into the trap, where connections may go as well.
    names.afterwards = () => (names.addresses = ['127.0.0.21']);
    const once = async (call: () => Promise<unknown>): Promise<void> => {
      names.addresses = ['127.0.0.1'];
      names.asked.length = 0;
      await call();
      expect(names.asked).toEqual([named]);
    };
    // A power cycle is two calls: the boot device comes first.
    const single = orders.filter(([name]) => name !== 'power_cycle');
    for (const [, order] of single) await once(() => done(order(alice)));
    await once(async () => {
      const talker = new Talker(service, alice);
      await soon(() => talker.status).toBe(101);
    });
    await once(async () => {
      const watcher = new Watcher(service, alice);
      await soon(() => watcher.status).toBe(200);
    });
    expect(machine.isWatched).toBe(true);
    expect(trap.visits()).toEqual([]);
  });

  it('by a name that has moved out of the list are a 502, and nothing arrives there', async () => {
    const rack = await makeNamedRack(engine, '127.0.0.1');
    const { alice, service, obmd, names, trap } = rack;
    names.addresses = ['127.0.0.21', '::ffff:127.0.0.21'];
    const before = obmd.calls.length;
    for (const answer of await allAnswers(rack)) {
      expect(answer).toMatchObject({ status: 502, text: expect.stringContaining('OBMError') as string });
      expect(answer.text).toMatch(/obmd\.example\.org:\d+ is at an address that this service must not connect to/);
      expect(answer.text).toContain('outbound.allow');
      // Where it is, is no business of a tenant's.
      expect(answer.text).not.toContain('127.0.0.21');
    }
    const told = await service.admin.post('/node/n1/power_on');
    expect(told.status).toBe(502);
    expect(told.text).toMatch(
      /obmd\.example\.org resolves to 127\.0\.0\.21, 127\.0\.0\.21, and .* add it to outbound\.allow/,
    );
    expect(service.log.join('')).toMatch(/AddressRefused.*127\.0\.0\.21/);
    expect([obmd.calls.length - before, trap.visits()]).toEqual([0, []]);
    names.addresses = ['127.0.0.21', '127.0.0.1'];
    await done(alice.post('/node/n1/power_on'));
    expect([obmd.calls.length - before, trap.visits()]).toEqual([1, []]);
  });

  it('by a name that is where nobody may go are a 502, without any list', async () => {
    const rack = await makeNamedRack(engine);
    for (const address of ['169.254.169.254', '::ffff:a9fe:a9fe', 'fd00:ec2::254', '0.0.0.0', 'fe80::1%lo']) {
      rack.names.addresses = [address];
      for (const { status, text } of await allAnswers(rack)) {
        expect([status, text]).toEqual([502, expect.stringContaining('must not connect to')]);
      }
    }
  });

  it('that were fine before the list are refused by it, until it names them', async () => {
    const { service, obmd } = await makeEnabledRack(engine);
    await service.stop();
    const withList = async (list: string): Promise<Service> => {
      const listed = await service.restart({ CORRAL_OUTBOUND_ALLOW: list });
      onTestFinished(() => listed.stop());
      return listed;
    };
    const strict = await withList('10.0.0.0/8, *.example.org');
    const before = obmd.calls.length;
    for (const { status, text } of await allAnswers({ service: strict, alice: strict.as('alice') })) {
      expect([status, text]).toEqual([502, expect.stringContaining('must not connect to')]);
    }
    expect(obmd.calls.length).toBe(before);
    await strict.stop();
    const lenient = await withList('10.0.0.0/8, 127.0.0.1');
    await done(lenient.as('alice').post('/node/n1/power_on'));
  });
});

describe.each(engines)('an address of an OBM daemon on %s', (engine) => {
  it('that can never be connected to is not registered', async () => {
    const { service, obmd } = await makeRack(engine);
    for (const host of [
      '169.254.169.254',
      '0xa9fea9fe',
      '169.254.43518',
      '[::ffff:169.254.169.254]',
      '0',
      '[fe80::1]',
    ]) {
      const uri = `http://${host}:8080/node/n2`;
      for (const answer of [
        await service.admin.put('/node/n2', { obmd: { uri, admin_token: 'x' } }),
        await service.admin.put('/node/n1/obmd', { uri, admin_token: 'x' }),
      ]) {
        expect(answer, host).toMatchObject({ status: 400, body: { type: 'BadArgumentError' } });
        expect(answer.text).toMatch(/obmd\.uri.* connections to .* are not allowed; .*outbound\.allow/);
      }
    }
    expect((await service.admin.get('/nodes/all')).body).toEqual(['n1']);
    expect(obmd.calls).toEqual([]);
  });

  it('is taken if the list names it, and a name always: where it is may change', async () => {
    const service = await serviceForTest(engine, { CORRAL_OUTBOUND_ALLOW: '169.254.7.0/24, 2001:db8::/32' });
    const register = (node: string, host: string) =>
      service.admin.put(`/node/${node}`, { obmd: { uri: `http://${host}/node/n`, admin_token: 'x' } });
    await done(register('n1', '169.254.7.7'));
    await done(register('n2', '[2001:db8::7]:8080'));
    await done(register('n3', 'obmd.invalid'));
    for (const host of ['169.254.8.7', '127.0.0.1', '[2001:db9::7]'])
      expect((await register('n4', host)).status).toBe(400);
  });
});

describe.each(engines)('the maintenance service on %s', (engine) => {
  const makePool = async (url: (origin: URL) => string, names: Names, ...allow: readonly string[]) => {
    const listener = await startListener();
    const env = { CORRAL_MAINTENANCE_PROJECT: 'repair', CORRAL_MAINTENANCE_URL: url(new URL(listener.url)) };
    const service = await serviceForTest(engine, env, { outbound: names.outbound(...allow) });
    await makeProject(service, 'red');
    return { service, listener };
  };
  /** A node that was in project red and left it. */
  const leave = async (service: Service, node: string): Promise<void> => {
    await makeNode(service, node);
    await reserve(service, 'red', node);
    await done(service.admin.post('/project/red/detach_node', { node }));
  };
  const waiting = (service: Service) => {
    const sql = 'select attempts from notifications';
    return runSql(service, { sqlite: sql, postgres: sql });
  };
  const logged = (service: Service, what: RegExp) =>
    eventually(() =>
      service.log.find((line) => line.includes('failed to notify the maintenance service') && what.test(line)),
    );

  it('is not notified where connections are not allowed; the notification is kept until they are', async () => {
    const names = new Names();
    const { service, listener } = await makePool((url) => `http://hook.example.org:${url.port}/`, names, '127.0.0.1');
    const trap = await startTrap('127.0.0.21', Number(new URL(listener.url).port));
    names.addresses = ['127.0.0.21'];
    await leave(service, 'n1');
    await logged(service, /hook\.example\.org resolves to 127\.0\.0\.21, and .* add it to outbound\.allow/);
    expect([await waiting(service), listener.heard, trap.visits()]).toMatchObject([[{}], [], []]);
    names.addresses = ['127.0.0.21', '127.0.0.1'];
    await eventually(async () => ((await waiting(service)).length === 0 ? true : undefined));
    expect(listener.heard.map(({ body }) => body)).toEqual([{ node: 'n1' }]);
    expect(trap.visits()).toEqual([]);
  });

  it('is not followed elsewhere by a redirect', async () => {
    const { service, listener } = await makePool((url) => url.href, new Names());
    const trap = await startTrap();
    listener.react = () => {
      const status = redirects[listener.heard.length];
      return status === undefined ? 200 : { status, location: `${trap.origin}/` };
    };
    for (const status of redirects) await leave(service, `n${status}`);
    for (const status of redirects) {
      await logged(
        service,
        new RegExp(`redirects \\(status ${status}\\), which is not followed; set maintenance\\.url`),
      );
    }
    await eventually(async () => ((await waiting(service)).length === 0 ? true : undefined));
    expect(trap.visits()).toEqual([]);
  });
});

describe('the list of where connections may go', () => {
  const mistakesIn = (env: Readonly<Record<string, string>>): readonly string[] => {
    try {
      loadConfig(env);
      return [];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.mistakes;
    }
  };

  it.each(['CORRAL_OUTBOUND_ALLOW', 'CORRAL_OBMD_OUTBOUND_ALLOW'])('%s is checked at the start', (variable) => {
    expect(mistakesIn({ [variable]: '10.0.0.0/8, 2001:db8::/32, bmc7, *.example.org' })).toEqual([]);
    const [mistake, ...others] = mistakesIn({ [variable]: '10.0.0.0/8, 10.0.0.0/33' });
    expect(mistake).toMatch(
      new RegExp(`^${variable}: .* expected addresses, networks and host names .*; "10.0.0.0/33" is none`),
    );
    expect(others).toEqual([]);
  });

  it('has to permit the address of the maintenance service', () => {
    const pool = { CORRAL_MAINTENANCE_PROJECT: 'repair', CORRAL_MAINTENANCE_URL: 'http://127.1/hook' };
    expect(mistakesIn(pool)).toEqual([]);
    expect(mistakesIn({ ...pool, CORRAL_OUTBOUND_ALLOW: '10.0.0.0/8' })).toEqual([
      'maintenance.url: connections to 127.0.0.1 are not allowed; to allow them, add it to outbound.allow',
    ]);
  });
});
