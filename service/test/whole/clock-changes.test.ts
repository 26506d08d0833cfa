import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPart } from '../../../lab/src/installed-parts.ts';
import { SimulatedSwitch } from '../../src/drivers/switches/simulated-switch.ts';
import { makeToken, scriptWith, signIn } from '../support/identity/browser.ts';
import { engines, freshPostgres } from '../support/services/engines.ts';
import { basic, type Client, clientOf } from '../support/http/http-client.ts';
import { type Program, startProgram } from '../support/services/service-program.ts';
import { adminPassword } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { type SettableClock, settableClock } from '../support/services/set-clock.ts';
import { done, eventually, obmd } from '../support/services/world.ts';

interface Shown {
  readonly status: string;
  readonly queue?: { readonly attempts: number };
}

describe.runIf(hasPart('faketime')).each(engines)('a service whose clock is set, on %s', (engine) => {
  let directory: string;
  let clock: SettableClock;
  let program: Program;
  let database: Readonly<Record<string, string>>;
  let admin: Client;
  let clients: Readonly<Record<'session' | 'token', Client>>;
  const nodes = ['n0', 'n1', 'n2'];

  const onSwitch = () => new SimulatedSwitch(join(directory, 'data/simulated-switches'), 'sw0');
  const show = async (id: string): Promise<Shown> => (await done(admin.get(`/networking_action/${id}`))).body as Shown;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'corral-clock-'));
    clock = await settableClock(directory);
    database = engine === 'postgres' ? { CORRAL_DATABASE_URL: await freshPostgres() } : {};
    program = await startProgram({
      ...clock.env,
      CORRAL_PORT: '0',
      CORRAL_DATA_DIR: join(directory, 'data'),
      CORRAL_ADMIN_PASSWORD: adminPassword,
      CORRAL_ENGINE_BUDGET: '30',
      CORRAL_ENGINE_POLL: '0.5',
      CORRAL_ENGINE_LEASE: '1',
      CORRAL_ENGINE_SESSION_IDLE: '0.5',
      CORRAL_SESSIONS_IDLE: '1800',
      ...database,
    });
    admin = clientOf(program.url, basic('admin', adminPassword));
    await done(admin.put('/project/red'));
    await done(admin.put('/network/net', { owner: 'red', access: 'red', net_id: '' }));
    await done(admin.put('/switch/sw0', { type: 'mock', hostname: 'sw0', username: 'u', password: 'p' }));
    for (const node of nodes) {
      await done(admin.put(`/node/${node}`, { obmd }));
      await done(admin.put(`/node/${node}/nic/eth0`, { macaddr: '52:54:00:00:00:01' }));
      await done(admin.put(`/switch/sw0/port/${node}/eth0`));
      await done(admin.post(`/switch/sw0/port/${node}/eth0/connect_nic`, { node, nic: 'eth0' }));
      await done(admin.post('/project/red/connect_node', { node }));
    }
    const session = await signIn(program, 'admin', adminPassword);
    clients = { session, token: scriptWith(program, await makeToken(session, 'script')) };
  });
  afterAll(async () => {
    await program.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  it.each([
    { what: 'an hour forward', offset: '+3600', node: 'n0' },
    { what: 'two hours back', offset: '-3600', node: 'n1' },
    { what: 'right again', offset: '+0', node: 'n2' },
  ])('$what: a retry goes on and neither ends nor waits for ever, and sessions stay valid', async (step) => {
    for (const client of Object.values(clients)) await done(client.get('/auth/whoami'));
    onSwitch().faults = { unreachable: true };
    const queued = await done(admin.post(`/node/${step.node}/nic/eth0/connect_network`, { network: 'net' }));
    const { status_id: id } = queued.body as { status_id: string };
    const triedMoreThan = (least: number): Promise<number> =>
      eventually(async () => {
        const { status, queue } = await show(id);
        expect(status).toBe('PENDING');
        return (queue?.attempts ?? 0) > least ? queue?.attempts : undefined;
      });
    const before = await triedMoreThan(0);
    await clock.set(step.offset);
    await triedMoreThan(before + 1);
    for (const client of Object.values(clients)) await done(client.get('/auth/whoami'));
    onSwitch().faults = {};
    const shown = await eventually(async () => {
      const now = await show(id);
      return now.status === 'PENDING' ? undefined : now.status;
    });
    expect(shown).toBe('DONE');
    expect((await fetch(`${program.url}/readyz`)).status).toBe(200);
  });

  it.each([
    { what: 'an hour forward', before: 0, offset: '+3600' },
    { what: 'two hours back', before: 3_600_000, offset: '-3600' },
    { what: 'right again', before: -3_600_000, offset: '+0' },
  ])(
    '$what: a sweep that is due waits for the lease of a process that died, neither for no time nor for ever',
    async (step) => {
      const sql = (statement: string) =>
        runSql({ env: database, dataDir: join(directory, 'data') }, { sqlite: statement, postgres: statement });
      const sweptAt = async (): Promise<unknown> =>
        ((await done(admin.get('/switch/sw0/drift'))).body as { swept_at: unknown }).swept_at;
      await eventually(async () =>
        (await sql(`select 1 from leases where name like 'switch/%' and expires_at > 0`)).length === 0
          ? true
          : undefined,
      );
      const before = await sweptAt();
      // By the clock that the database goes by.
      const now = Date.now() + (engine === 'sqlite' ? step.before : 0);
      await sql(
        `update leases set holder = 'dead', fence = fence + 1, expires_at = ${now + 1_000} where name like 'switch/%'`,
      );
      await sql('update switches set sweep_at = 1');
      await clock.set(step.offset);
      const since = performance.now();
      await eventually(async () => ((await sweptAt()) === before ? undefined : true));
      // A row has to stand still for half a lease, whatever the clock says.
      expect(performance.now() - since).toBeGreaterThan(400);
    },
  );
});
