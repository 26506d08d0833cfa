import { describe, expect, it } from 'vitest';
import {
  adminToken,
  basic,
  type Daemon,
  daemonForTest,
  done,
  message,
  refusal,
  sharedDaemon,
} from './support/daemon.ts';
import { engines } from './support/obmd-engines.ts';
import { makeNode, newTenant, register, shown } from './support/token-holder.ts';
import { soon, watch } from './support/console-watchers.ts';

const mock = (addr: string) => ({ type: 'mock', info: { addr } });

describe.each(engines)('nodes on %s', (engine) => {
  const shared = sharedDaemon(engine);

  it('are registered, shown, listed in order, and deleted', async () => {
    const daemon = await daemonForTest(engine);
    for (const id of ['n2', 'n10', 'n1']) {
      const { text } = await done(daemon.admin('PUT', `/node/${id}`, mock(`nodes-${id}`)));
      expect(text).toBe('');
    }
    expect((await done(daemon.admin('GET', '/nodes'))).body).toEqual([
      { id: 'n1', ...mock('nodes-n1') },
      { id: 'n10', ...mock('nodes-n10') },
      { id: 'n2', ...mock('nodes-n2') },
    ]);
    expect(await shown(daemon, 'n1')).toEqual({
      id: 'n1',
      type: 'mock',
      info: { addr: 'nodes-n1' },
      has_token: false,
      console: 'idle',
      fault: null,
    });
    expect((await done(daemon.admin('DELETE', '/node/n1'))).text).toBe('');
    expect(await refusal(daemon.admin('GET', '/node/n1'))).toBe('404 NotFoundError');
    expect(await refusal(daemon.admin('DELETE', '/node/n1'))).toBe('404 NotFoundError');
  });

  it.each(['__proto__', 'constructor', 'ünï 日本 🐎', '100% a+b;c=d?e#f&g', "o'neill", 'ß'.repeat(255)])(
    'may be called %s',
    async (id) => {
      const daemon = shared();
      const path = `/node/${encodeURIComponent(id)}`;
      await done(daemon.admin('PUT', path, mock('odd')));
      const tenant = await newTenant(daemon, id);
      expect((await done(tenant.status())).body).toEqual({ power_status: 'off' });
      expect((await done(daemon.admin('GET', path))).body).toMatchObject({ id, has_token: true });
      await done(daemon.admin('DELETE', path));
      expect(await refusal(daemon.admin('GET', path))).toBe('404 NotFoundError');
    },
  );

  it('that are registered again have lost their token, and their clients are disconnected with the reason', async () => {
    const daemon = shared();
    const { tenant, machine } = await makeNode(daemon, 'n1');
    machine.powerOn();
    const watcher = await watch(tenant);
    await register(daemon, 'n1', machine);
    await soon(() => watcher.isOver).toBe(true);
    expect(watcher.text).toContain('[console: the node was registered again]');
    expect(machine.isWatched).toBe(false);
    expect(await refusal(tenant.status())).toBe('401 AuthorizationError');
    expect(await shown(daemon, 'n1')).toMatchObject({ has_token: false });
    await done((await newTenant(daemon, 'n1')).status());
  });

  it('that are deleted have lost their token, and their clients are disconnected with the reason', async () => {
    const daemon = shared();
    const { tenant, machine } = await makeNode(daemon, 'n1');
    const watcher = await watch(tenant);
    await done(daemon.admin('DELETE', '/node/n1'));
    await soon(() => watcher.isOver).toBe(true);
    expect(watcher.text).toContain('[console: the node was deleted]');
    expect(await refusal(tenant.status())).toBe('404 NotFoundError');
    await register(daemon, 'n1', machine);
    expect(await refusal(tenant.status())).toBe('401 AuthorizationError');
  });

  it('survive a restart, tokens included', async () => {
    const daemon = await daemonForTest(engine);
    const { tenant, machine } = await makeNode(daemon, 'n1');
    await makeNode(daemon, 'n2');
    await done(daemon.admin('DELETE', '/node/n2/token'));
    await daemon.stop();
    const again = await daemon.again();
    try {
      machine.powerOn();
      expect((await done(tenant.at(again).status())).body).toEqual({ power_status: 'on' });
      expect(await shown(again, 'n1')).toMatchObject({ has_token: true, info: { addr: `mock://${machine.name}` } });
      expect(await shown(again, 'n2')).toMatchObject({ has_token: false });
      await done(again.admin('DELETE', '/node/n1/token'));
      await again.stop();
      const third = await daemon.again();
      expect(await refusal(tenant.at(third).status())).toBe('401 AuthorizationError');
      await third.stop();
    } finally {
      await again.stop();
    }
  });
});

describe('a registration', () => {
  const shared = sharedDaemon('sqlite');
  const put = async (body: unknown): Promise<string> => {
    const said = await message(shared().admin('PUT', '/node/unborn', body));
    expect(await refusal(shared().admin('GET', '/node/unborn'))).toBe('404 NotFoundError');
    return said;
  };

  it.each([
    {
      what: 'of an unknown type',
      body: { type: 'abacus', info: {} },
      names: ['"type"', 'ipmi, libvirt, mock, redfish'],
    },
    { what: 'of a type that JavaScript knows', body: { type: 'constructor', info: {} }, names: ['"type"', 'ipmi'] },
    { what: 'without a type', body: { info: {} }, names: ['"type"', 'missing'] },
    { what: 'without info', body: { type: 'mock' }, names: ['"info"', 'missing'] },
    { what: 'with info that is no object', body: { type: 'mock', info: 'n1' }, names: ['"info"', 'JSON object'] },
    { what: 'with an unknown field', body: { ...mock('n1'), color: 'red' }, names: ['"color"'] },
    {
      what: 'with an unknown field of info',
      body: { type: 'mock', info: { addr: 'n1', color: 1 } },
      names: ['"info.color"', '"addr"'],
    },
    { what: 'without a field of info', body: { type: 'mock', info: {} }, names: ['"info.addr"', 'missing'] },
    {
      what: 'with a field of the wrong kind',
      body: { type: 'mock', info: { addr: 5 } },
      names: ['"info.addr"', 'any word'],
    },
    {
      what: 'of an ipmi without its password',
      body: { type: 'ipmi', info: { addr: '10.0.0.1', user: 'u' } },
      names: ['"info.pass"'],
    },
    { what: 'that repeats the path', body: { ...mock('n1'), id: 'n1' }, names: ['"id"'] },
  ])('$what is refused, and the field is named', async ({ body, names }) => {
    const said = await put(body);
    for (const name of names) expect(said).toContain(name);
  });

  it('that is refused leaves the node as it was', async () => {
    const daemon = shared();
    const { tenant } = await makeNode(daemon, 'n1');
    expect(await refusal(daemon.admin('PUT', '/node/n1', { type: 'mock', info: {} }))).toBe('400 ValidationError');
    expect(await refusal(daemon.admin('PUT', '/node/n1', { type: 'abacus', info: {} }))).toBe('400 BadArgumentError');
    await done(tenant.status());
  });
});

const adminCalls = [
  ['GET', '/nodes'],
  ['GET', '/node/n1'],
  ['PUT', '/node/n1'],
  ['DELETE', '/node/n1'],
  ['POST', '/node/n1/token'],
  ['DELETE', '/node/n1/token'],
  ['GET', '/node/missing'],
  ['DELETE', '/node/missing/token'],
] as const;

const badCredentials: readonly (readonly [string, (daemon: Daemon) => string | null])[] = [
  ['no credentials', () => null],
  ['the token as a password of somebody else', () => basic('root', adminToken)],
  ['a wrong token', () => basic('admin', 'wrong')],
  ['an empty token', () => basic('admin', '')],
  ['the beginning of the token', () => basic('admin', adminToken.slice(0, -1))],
  ['the token as a bearer token', () => `Bearer ${adminToken}`],
  ['nonsense', () => 'Basic ?'],
];

describe('the calls of the administrator', () => {
  const shared = sharedDaemon('sqlite');

  it.each(badCredentials)('are refused with %s', async (_what, credentials) => {
    const daemon = shared();
    const { tenant } = await makeNode(daemon, 'n1');
    const authorization = credentials(daemon);
    for (const [method, path] of adminCalls) {
      for (const query of ['', `?token=${tenant.token}`]) {
        const answer = daemon.send(
          method,
          `${path}${query}`,
          authorization === null ? {} : { headers: { authorization } },
        );
        expect(await refusal(answer), `${method} ${path}`).toBe('401 AuthorizationError');
        expect((await answer).headers.get('www-authenticate')).toContain('Basic');
      }
    }
    await done(tenant.status());
    expect(await shown(daemon, 'n1')).toMatchObject({ has_token: true });
  });
});
