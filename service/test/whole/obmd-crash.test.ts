import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EngineName, engines, freshPostgres } from '../support/services/engines.ts';
import { basic, type Client, clientOf } from '../support/http/http-client.ts';
import { type Killable, startKillable } from '../support/obm/killable-program.ts';
import { type Relay, startRelay } from '../support/obm/obm-relay.ts';
import { setObm } from '../support/services/obm-rack.ts';
import { effort, randomFrom, seed } from '../support/vitest/seed.ts';
import { adminPassword } from '../support/services/service.ts';
import { done, eventually } from '../support/services/world.ts';

const rounds = Math.ceil(16 * effort);
/** What passes between service and daemon is on its way for so long: there has to be a moment to be killed in. */
const delayMs = 6;
/** Longer than a dead process can keep others from a node. */
const patienceMs = 15_000;
const adminToken = 'c0de-crash-admin-token';

type Who = 'service' | 'daemon';
/** Who dies: the daemon inside the service dies with it. */
const deaths = {
  sqlite: { place: 'inside', of: [['service']] },
  postgres: { place: 'beside', of: [['service'], ['daemon'], ['service', 'daemon']] },
} as const satisfies Record<EngineName, { place: string; of: readonly (readonly Who[])[] }>;

describe.each(engines)('OBM when processes are killed with -9, on %s', (engine) => {
  const { place, of } = deaths[engine];
  const undo: (() => Promise<unknown>)[] = [];
  const random = randomFrom(seed);
  let relay: Relay;
  let env: Readonly<Record<Who, Readonly<Record<string, string>>>>;
  let service: Killable;
  let daemon: Killable;

  beforeAll(async () => {
    env = await environments(engine, place, undo);
    relay = await startRelay(delayMs);
    undo.push(() => relay.stop());
    await start(['daemon', 'service']);
    undo.push(() => kill(['service', 'daemon']));
    for (let round = 0; round < rounds; round += 1) await addNode(`n${round}`);
    await addNode('spare');
  });
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });

  const start = async (who: readonly Who[]): Promise<void> => {
    if (who.includes('daemon') && place === 'beside') daemon = await startKillable('daemon', env.daemon);
    if (who.includes('service')) service = await startKillable('service', env.service);
    if (place === 'inside') daemon = service;
    relay.target = daemon.obmdUrl;
    // The password is known from here on: calls begin at once.
    if (who.includes('service')) await done(admin().get('/nodes/all'));
  };
  const kill = async (who: readonly Who[]): Promise<void> => {
    await Promise.all(who.map((one) => (one === 'service' ? service : daemon).kill()));
  };

  const admin = (): Client => clientOf(service.url, basic('admin', adminPassword));
  const toDaemon = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${daemon.obmdUrl}${path}`, {
      method,
      headers: { authorization: basic('admin', adminToken) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const addNode = async (node: string): Promise<void> => {
    const answer = await toDaemon('PUT', `/node/${node}`, { type: 'mock', info: { addr: `${place}-${node}` } });
    expect(answer.status, await answer.text()).toBe(200);
    const uri = `${relay.origin}/node/${node}`;
    await done(admin().put(`/node/${node}`, { obmd: { uri, admin_token: adminToken } }));
  };

  /** Those of the tokens that the daemon accepts for a node. */
  const accepted = async (node: string): Promise<string[]> => {
    const good: string[] = [];
    for (const token of relay.given(node)) {
      const answer = await fetch(`${daemon.obmdUrl}/node/${node}/power_status?token=${token}`);
      if (answer.status === 200) good.push(token);
      else expect(answer.status).toBe(401);
    }
    return good;
  };
  const isConsoleOpen = async (node: string): Promise<boolean> => {
    const view = (await (await toDaemon('GET', `/node/${node}`)).json()) as { console: string };
    return view.console !== 'idle';
  };

  const expectOff = async (node: string): Promise<void> => {
    // A token that was on its way when the service died may be left. Nobody has it; nothing was ever done with it.
    const left = await accepted(node);
    expect(left.filter((token) => relay.used.has(token))).toEqual([]);
    expect(left.length).toBeLessThanOrEqual(1);
    expect(await isConsoleOpen(node)).toBe(false);
  };

  /** What the service says has to be so. `waiting`: it waits until the lease of a dead process is over. */
  const check = async (node: string, patienceMs: number): Promise<'off' | 'on' | 'broken' | 'waiting'> => {
    const asked = admin().get(`/node/${node}/power_status`);
    asked.catch(() => undefined);
    const answer = await Promise.race([asked, sleep(patienceMs, null)]);
    if (answer?.status === 409) {
      await expectOff(node);
      return 'off';
    }
    if (answer?.status === 200) {
      expect(await accepted(node)).toHaveLength(1);
      return 'on';
    }
    if (answer === null) return 'waiting';
    expect(answer, answer.text).toMatchObject({ status: 502 });
    expect(answer.text).toContain('disable OBM of the node and enable it again');
    expect(await accepted(node)).toEqual([]);
    expect(await isConsoleOpen(node)).toBe(false);
    return 'broken';
  };

  it(`${rounds} times, while it is enabled and disabled: off is off, on is on`, { timeout: 240_000 }, async () => {
    const watchers: Watching[] = [];
    // The first of all loads what the others need.
    await setObm(admin(), true, 'spare');
    await setObm(admin(), false, 'spare');
    const usual = { enabling: await timed(() => setObm(admin(), true, 'spare')), disabling: 0 };
    watchers.push(await watch(service.url, 'spare'));
    usual.disabling = await timed(() => setObm(admin(), false, 'spare'));
    for (let round = 0; round < rounds; round += 1) {
      const node = `n${round}`;
      const enabled = round % 2 === 0;
      if (!enabled) {
        await setObm(admin(), true, node);
        watchers.push(await watch(service.url, node));
      }
      const who = of[Math.floor(random() * of.length)] ?? [];
      const call = admin()
        .put(`/node/${node}/obm`, { enabled })
        .then(
          ({ status }) => status,
          () => 'nothing',
        );
      // From before it has begun until after it is over.
      await sleep(random() * 1.2 * usual[enabled ? 'enabling' : 'disabling']);
      await kill(who);
      const told = await call;
      await start(who);
      const state = await check(node, 500);
      if (told === 200) expect([enabled ? 'on' : 'off', 'waiting'], `round ${round}, seed ${seed}`).toContain(state);
    }
    // Whatever it was, it can be put right.
    for (let round = 0; round < rounds; round += 1) {
      const node = `n${round}`;
      expect(await check(node, patienceMs)).not.toBe('waiting');
      await setObm(admin(), false, node);
      await setObm(admin(), true, node);
      expect(await check(node, patienceMs)).toBe('on');
      await setObm(admin(), false, node);
      expect(await check(node, patienceMs)).toBe('off');
      expect(await accepted(node)).toEqual([]);
    }
    for (const watcher of watchers) await eventually(() => (watcher.isOver ? true : undefined));
  });
});

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

interface Watching {
  isOver: boolean;
}

/** Opens the console of a node, and notes when it ends. */
const watch = async (url: string, node: string): Promise<Watching> => {
  const watching: Watching = { isOver: false };
  const answer = await fetch(`${url}/v0/node/${node}/console`, {
    headers: { authorization: basic('admin', adminPassword) },
  });
  expect(answer.status).toBe(200);
  void answer.text().then(
    () => (watching.isOver = true),
    () => (watching.isOver = true),
  );
  return watching;
};

const environments = async (
  engine: EngineName,
  place: 'inside' | 'beside',
  undo: (() => Promise<unknown>)[],
): Promise<Readonly<Record<Who, Readonly<Record<string, string>>>>> => {
  const common = async (kind: string): Promise<Record<string, string>> => {
    const dataDir = await mkdtemp(join(tmpdir(), `corral-crash-${kind}-`));
    undo.push(() => rm(dataDir, { recursive: true, force: true }));
    const database: Record<string, string> =
      engine === 'postgres' ? { CORRAL_DATABASE_URL: await freshPostgres() } : {};
    return { CORRAL_DATA_DIR: dataDir, CORRAL_LOG_LEVEL: 'warn', ...database };
  };
  const listen = { CORRAL_OBMD: '127.0.0.1:0', CORRAL_OBMD_ADMIN_TOKEN: adminToken };
  return {
    service: {
      ...(await common('service')),
      CORRAL_PORT: '0',
      CORRAL_ADMIN_PASSWORD: adminPassword,
      ...(place === 'inside' ? listen : {}),
    },
    daemon: { ...(await common('obmd')), ...listen },
  };
};
