import { createCipheriv, randomBytes } from 'node:crypto';
import { chownSync, chmodSync, copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { newKey } from '@corral/base/secrets/vault-key';
import { formatKeyRing, type KeyRing, parseKeyRing, ringWith } from '@corral/base/secrets/key-ring';
import { sealedStoreIn } from '@corral/base/secrets/sealed-store';
import { keyIdIn, openWithAny, sealWith } from '@corral/base/secrets/sealing';
import type { RotationStep } from '@corral/base/secrets/rotate-key';
import { loadConfig as loadObmdConfig } from '@corral/obmd/config/load-obmd-config';
import { openDatabase as openObmd } from '@corral/obmd/db/open-obmd-database';
import { sealedColumns as obmdColumns } from '@corral/obmd/db/obmd-sealed-columns';
import { startObmd } from '@corral/obmd/start';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rotateKeyOf } from '../../src/admin/rotate-key-command.ts';
import { loadConfig } from '../../src/config/load-service-config.ts';
import { openDatabase } from '../../src/db/open-service-database.ts';
import { sealedColumns } from '../../src/db/sealed-columns.ts';
import { type Admin, runAdmin } from '../support/services/run-admin.ts';
import { engines } from '../support/services/engines.ts';
import { basic } from '../support/http/http-client.ts';
import type { ServiceWithDaemon } from '../support/obm/service-with-daemon.ts';
import { gate } from '../support/services/obm-rack.ts';
import {
  type Found,
  keyFileOf,
  ringOf,
  rotateAndDie,
  rotateHeldAt,
  rotated,
  sealedHousehold,
  sealedValues,
} from '../support/services/key-rotation.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { lateTransaction } from '../support/services/late-transaction.ts';
import { done, eventually, makeSwitch } from '../support/services/world.ts';

const householdForTest = async (engine: (typeof engines)[number]): Promise<ServiceWithDaemon> => {
  const household = await sealedHousehold(engine);
  onTestFinished(() => household.stop());
  return household;
};

/** Everything opens with what is in the file, and nothing with what is not. */
const expectSealedBy = async (service: Service, ring: KeyRing, old: KeyRing): Promise<void> => {
  const values = await sealedValues(service);
  expect(values.length).toBeGreaterThan(6);
  expect(values.filter(({ value }) => openWithAny([ring.keys[0]], value) === undefined)).toEqual([]);
  expect(values.filter(({ value }) => openWithAny(old.keys, value) !== undefined)).toEqual([]);
};

/** The same installation again. Its daemon listens elsewhere then, and the service is told. */
const restarted = async (service: Service): Promise<Service> => {
  await service.stop();
  const again = await service.restart();
  onTestFinished(() => again.stop());
  const [row] = await rows(service, "select obm_admin_token from nodes where label = 'n1'");
  const admin_token = openWithAny(ringOf(service).keys, String(row?.['obm_admin_token']));
  await done(again.admin.put('/node/n1/obmd', { uri: `${again.obmdUrl ?? ''}/node/n1`, admin_token }));
  return again;
};

/** The service can open what it stored, and store more. */
const expectAtWork = async (service: Service, name: string): Promise<void> => {
  await done(service.admin.get('/node/n1/power_status'));
  await done(service.admin.put('/node/n1/obm', { enabled: false }));
  await done(service.admin.put('/node/n1/obm', { enabled: true }));
  await makeSwitch(service, name);
};

const isTold = (admin: Admin, text: string): boolean => admin.output().includes(text);

/** How values were sealed when there was only one key. */
const sealedOnce = (key: Buffer, secret: string): string => {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return `v1:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')}`;
};

const steps: readonly (readonly [RotationStep, number])[] = [
  ['locked', 1],
  ['key drafted', 1],
  ['key added', 1],
  ['settled', 1],
  ['batch resealed', 1],
  ['batch resealed', 3],
  ['all resealed', 1],
  ['removal drafted', 1],
  ['done', 1],
];

describe.each(engines)('rotate-key on %s', (engine) => {
  it('re-seals everything while the service runs, and needs no restart', async () => {
    const household = await householdForTest(engine);
    const { service } = household;
    const before = ringOf(service);
    const rotation = { isOver: false };
    let count = 0;
    const sealing = (async () => {
      while (!rotation.isOver) {
        count += 1;
        await makeSwitch(service, `busy-${count}`);
        await household.addNode(`busy-${count}`, 'mock', { addr: `mock://busy-${count}` });
      }
    })();
    const output = await rotated(service.env);
    rotation.isOver = true;
    await sealing;
    const after = ringOf(service);
    expect(output).toContain(`sealing key   ${after.keys[0].id}`);
    expect(output).toContain(`old key       ${before.keys[0].id}`);
    for (const { bytes } of [...before.keys, ...after.keys]) expect(output).not.toContain(bytes.toString('base64'));
    expect(after.keys).toHaveLength(1);
    await expectAtWork(service, 'later');
    await expectSealedBy(service, after, before);
    expect(service.log.join('')).not.toMatch(/"level":[56]0/);

    const again = await restarted(service);
    await expectAtWork(again, 'after-a-restart');
  });

  it('waits for a transaction that had sealed with the old key, and re-seals that too', async () => {
    const { service } = await householdForTest(engine);
    const before = ringOf(service);
    const go = `${service.dataDir}/go`;
    const admin = rotateHeldAt(service.env, 'key drafted', go);
    onTestFinished(async () => {
      writeFileSync(go, '');
      await admin.ended;
    });
    await eventually(() => (isTold(admin, 'held') ? true : undefined));
    const { straggle, commit } = await lateTransaction(service);
    writeFileSync(go, '');
    // SQLite has it wait for the lock without a word. One that does not wait is over instead, and was too quick.
    const isWaiting = (): boolean =>
      engine === 'sqlite' ? ringOf(service).keys.length === 2 : isTold(admin, 'waiting for 1');
    await Promise.race([eventually(() => (isWaiting() ? true : undefined)), admin.ended]);
    await straggle();
    await commit();
    expect(await admin.ended, admin.output()).toBe(0);
    await expectSealedBy(service, ringOf(service), before);
    const [row] = await rows(service, "select config from switches where label = 'straggler'");
    expect(openWithAny(ringOf(service).keys, String(row?.['config']))).toContain('hostname');
  });

  it.each(steps)('killed at the step "%s" (%i), it loses nothing, and the next one finishes', async (step, times) => {
    const { service } = await householdForTest(engine);
    const before = ringOf(service);
    await rotateAndDie(service.env, step, times);
    // The service that runs, one that is started, and whatever is in the tables.
    await expectAtWork(service, 'running');
    const midway = ringOf(service);
    const values = await sealedValues(service);
    expect(values.filter(({ value }) => openWithAny(midway.keys, value) === undefined)).toEqual([]);
    const again = await restarted(service);
    await expectAtWork(again, 'started');

    const output = await rotated(service.env);
    expect(output.includes('an unfinished rotation was completed')).toBe(midway.keys.length > 1);
    expect(ringOf(service).keys).toHaveLength(1);
    await expectSealedBy(service, ringOf(service), before);
    await expectAtWork(again, 'finished');
    expect(readdirSync(service.dataDir).filter((name) => name.startsWith('secret.key'))).toEqual(['secret.key']);
  });

  it('is done by one at a time', async () => {
    const { service } = await householdForTest(engine);
    const [reached, go] = [gate(), gate()];
    const terminal = { out: () => undefined, err: () => undefined, isLive: false };
    const first = rotateKeyOf(loadConfig(service.env), terminal, {
      step: async (step) => {
        if (step !== 'settled') return;
        reached.open();
        await go.opened;
      },
    });
    await reached.opened;
    const { code, output } = await runAdmin(service.env, 'rotate-key');
    expect(code).toBe(2);
    expect(output).toMatch(
      new RegExp(
        `^corral-admin: another rotate-key is running \\(process ${process.pid} on \\S+\\); wait until .*\\n$`,
      ),
    );
    expect(ringOf(service).keys).toHaveLength(2);
    go.open();
    expect(await first).toBe(0);
    expect(ringOf(service).keys).toHaveLength(1);
    await rotated(service.env);
  });

  it('does not overwrite what was changed between its look and its write', async () => {
    const { service } = await householdForTest(engine);
    const db = await openDatabase(loadConfig(service.env).database);
    onTestFinished(() => db.close());
    const store = sealedStoreIn('service', db, sealedColumns);
    const column = { table: 'nodes', key: 'id', column: 'obm_admin_token' };
    const looked = await store.others(column, newKey().id, null, 100);
    expect(looked).toHaveLength(2);
    const obmd = { uri: 'http://127.0.0.1:9/node/elsewhere', admin_token: 'the newest token' };
    await done(service.admin.put('/node/plain/obmd', obmd));
    const anew = sealWith(newKey(), 'what it was before');
    expect(
      await store.swap(
        column,
        looked.map((value) => ({ ...value, anew })),
      ),
    ).toBe(1);
    const [row] = await rows(service, "select obm_admin_token from nodes where label = 'plain'");
    expect(openWithAny(ringOf(service).keys, String(row?.['obm_admin_token']))).toBe('the newest token');
  });

  it('in three steps leaves no moment at which a copy of the file lacks a key', async () => {
    const { service } = await householdForTest(engine);
    const before = ringOf(service);
    // Another machine: the same database, and a copy of the file.
    const copy = join(service.dataDir, 'copy.key');
    const carry = (): void => copyFileSync(keyFileOf(service), copy);
    carry();
    const other = await service.restart({ CORRAL_KEY_FILE: copy, CORRAL_OBMD: 'off' });
    onTestFinished(() => other.stop());
    const expectBothAtWork = async (name: string): Promise<void> => {
      await expectAtWork(service, `here-${name}`);
      await expectAtWork(other, `there-${name}`);
    };

    expect(await rotated(service.env, '--prepare')).toContain('Copy the file to the other machines now');
    const [sealing, next] = ringOf(service).keys;
    expect(sealing.id).toBe(before.keys[0].id);
    expect(await rotated(service.env, '--prepare')).toContain(`next key      ${next?.id ?? ''}`);
    await expectBothAtWork('prepared');
    carry();
    await rotated(service.env, '--keep-old');
    expect(ringOf(service).keys.map(({ id }) => id)).toEqual([next?.id, sealing.id]);
    // The copy seals with the old key still.
    await expectBothAtWork('rotated');
    expect((await sealedValues(service)).some(({ value }) => keyIdIn(value) === sealing.id)).toBe(true);
    carry();
    await expectBothAtWork('copied');
    await rotated(service.env);
    await expectBothAtWork('finished');
    carry();
    await expectBothAtWork('over');
    expect(ringOf(service).keys.map(({ id }) => id)).toEqual([next?.id]);
    await expectSealedBy(service, ringOf(service), before);
    const logs = [...service.log, ...other.log].join('');
    expect(logs).not.toMatch(/"level":[56]0/);
  });

  it('keeps the old key with --keep-old, and takes it out the next time', async () => {
    const { service } = await householdForTest(engine);
    const before = ringOf(service);
    expect(await rotated(service.env, '--keep-old')).toContain('Copy it to the other machines now');
    const both = ringOf(service);
    expect(both.keys.map(({ id }) => id)).toEqual([both.keys[0].id, before.keys[0].id]);
    // A machine whose copy is still the old one seals with the old key.
    const late = sealedOnce(before.keys[0].bytes, '{"hostname": "late"}');
    await runSql(service, {
      sqlite: `update switches set config = '${late}' where label = 'sw1'`,
      postgres: `update switches set config = '${late}' where label = 'sw1'`,
    });
    const output = await rotated(service.env);
    expect(output).toMatch(/^service: 1 value re-sealed$/m);
    expect(ringOf(service).keys.map(({ id }) => id)).toEqual([both.keys[0].id]);
    await expectSealedBy(service, ringOf(service), before);
  });

  it('says with --dry-run what it would do, and does nothing', async () => {
    const { service } = await householdForTest(engine);
    const text = await readFile(keyFileOf(service), 'utf8');
    const before = await sealedValues(service);
    const inDaemon = before.filter(({ table }) => table.startsWith('obmd_')).length;
    const output = await rotated(service.env, '--dry-run');
    expect(output).toContain(`service       ${before.length - inDaemon} values to be re-sealed\n`);
    expect(output).toContain(`OBM daemon    ${inDaemon} values to be re-sealed\n`);
    expect(output).toContain('Nothing was changed.');
    expect(await readFile(keyFileOf(service), 'utf8')).toBe(text);
    expect(await sealedValues(service)).toEqual(before);
  });

  it('brings a database of the time before key names to its new key', async () => {
    const { service } = await householdForTest(engine);
    const { keys } = ringOf(service);
    for (const { table, column, value } of await sealedValues(service)) {
      const old = sealedOnce(keys[0].bytes, openWithAny(keys, value) ?? '');
      const statement = `update ${table} set ${column} = '${old}' where ${column} = '${value}'`;
      if (engine === 'postgres' || !table.startsWith('obmd_')) {
        await runSql(service, { sqlite: statement, postgres: statement });
      }
    }
    const again = await restarted(service);
    await expectAtWork(again, 'mixed');
    await rotated(service.env);
    await expectSealedBy(service, ringOf(service), ringWith(keys[0]));
    await expectAtWork(again, 'after');
  });

  it('leaves old keys in the file when something cannot be opened, and says what', async () => {
    const { service } = await householdForTest(engine);
    const lost = sealedOnce(randomBytes(32), 'lost');
    const statement = `update switches set config = '${lost}' where label = 'sw1'`;
    await runSql(service, { sqlite: statement, postgres: statement });
    const { code, output } = await runAdmin(service.env, 'rotate-key');
    expect(code).toBe(1);
    expect(output).toMatch(/^corral-admin: no key in the file opens switches.config of id \d+ \(service\)$/m);
    expect(ringOf(service).keys).toHaveLength(2);
    await done(service.admin.del('/switch/sw1'));
    await rotated(service.env);
    expect(ringOf(service).keys).toHaveLength(1);
  });

  it('refuses a key file that is not the database’s, garbled or missing, and changes nothing', async () => {
    const { service } = await householdForTest(engine);
    const file = keyFileOf(service);
    const right = ringOf(service);
    const before = await sealedValues(service);
    const wanted = `sealed with key ${right.keys[0].id}: put your copy of it back`;
    const wrong = formatKeyRing(ringWith(newKey()));
    for (const [text, sentence] of [
      [wrong, 'is not the key that'],
      ['garbled', 'does not contain 32 bytes in base64 in line 1'],
    ] as const) {
      writeFileSync(file, text);
      const { code, output } = await runAdmin(service.env, 'rotate-key');
      expect(code).toBe(2);
      expect(output).toMatch(/^corral-admin: key_file: [^\n]+\n$/);
      for (const part of [`${file} ${sentence}`, wanted]) expect(output).toContain(part);
      expect(await readFile(file, 'utf8')).toBe(text);
    }
    const elsewhere = { ...service.env, CORRAL_KEY_FILE: `${file}.gone` };
    expect(await runAdmin(elsewhere, 'rotate-key')).toEqual({
      code: 2,
      output: `corral-admin: key_file: ${file}.gone is missing; this database's secrets are ${wanted}\n`,
    });
    expect(await sealedValues(service)).toEqual(before);
    writeFileSync(file, formatKeyRing(right));
    await rotated(service.env);
  });

  it('includes a daemon beside the service that has the same key file, and leaves one with its own alone', async () => {
    const service = await serviceForTest(engine);
    await makeSwitch(service, 'sw0');
    const daemonWith = async (env: Readonly<Record<string, string>>): Promise<Found[]> => {
      const settings = { ...service.env, CORRAL_OBMD: '127.0.0.1:0', CORRAL_OBMD_ADMIN_TOKEN: 'token', ...env };
      const daemon = await startObmd(loadObmdConfig(settings), pino({ level: 'silent' }));
      try {
        const body = JSON.stringify({ type: 'mock', info: { addr: 'mock://beside' } });
        const headers = { authorization: basic('admin', 'token') };
        expect((await fetch(`${daemon.url}/node/beside`, { method: 'PUT', headers, body })).status).toBe(200);
        await rotated(service.env);
      } finally {
        await daemon.stop();
      }
      return (await sealedValues(service)).filter(({ table }) => table.startsWith('obmd_'));
    };
    const shared = await daemonWith({});
    expect(shared.map(({ value }) => keyIdIn(value))).toEqual(Array(3).fill(ringOf(service).keys[0].id));

    for (const table of ['obmd_nodes', 'obmd_settings']) await dropInObmd(service, table);
    const own = await daemonWith({ CORRAL_KEY_FILE: join(service.dataDir, 'own.key') });
    const { keys } = parseKeyRing(await readFile(join(service.dataDir, 'own.key'), 'utf8'));
    expect(own.map(({ value }) => keyIdIn(value))).toEqual(Array(3).fill(keys[0].id));
  });

  it('keeps the owner and the mode of the key file', async () => {
    const { service } = await householdForTest(engine);
    const file = keyFileOf(service);
    const uid = process.getuid?.() === 0 ? 12_345 : statSync(file).uid;
    chownSync(file, uid, statSync(file).gid);
    chmodSync(file, 0o600);
    await rotated(service.env);
    expect(statSync(file)).toMatchObject({ uid, mode: 0o100_600 });
  });

  it('knows every column that holds sealed values', async () => {
    const { service } = await householdForTest(engine);
    const listed = [...sealedColumns, ...obmdColumns].map(({ table, column }) => `${table}.${column}`).sort();
    const found = new Set((await sealedValues(service)).map(({ table, column }) => `${table}.${column}`));
    expect([...found].sort()).toEqual(listed);
    expect([...(await sealedValues(service))].every(({ value }) => keyIdIn(value) !== null)).toBe(true);
  });
});

/** Empties a table of the daemon's. */
const dropInObmd = async (service: Service, table: string): Promise<void> => {
  const url = service.env['CORRAL_DATABASE_URL'];
  const place = { engine: 'sqlite', path: join(service.dataDir, 'obmd.db') } as const;
  const db = await openObmd(url === undefined ? place : { engine: 'postgres', url, connections: 2 });
  await db.write((tx) => sql`delete from ${sql.table(table)}`.execute(tx));
  await db.close();
};

type Row = Readonly<Record<string, unknown>>;

const rows = async (service: Service, statement: string): Promise<Row[]> =>
  (await runSql(service, { sqlite: statement, postgres: statement })) as Row[];

it('every column that the tables call sealed is on the list', () => {
  const schema = readFileSync(new URL('../../src/db/service-schema.ts', import.meta.url), 'utf8');
  const said = [...schema.matchAll(/\/\*\* sealed\b[^\n]*\*\/\n\s+(\w+):/g)].map(([, column]) => column);
  expect(said.length).toBeGreaterThan(0);
  const listed = sealedColumns.filter(({ table }) => table !== 'settings').map(({ column }) => column);
  expect(said.sort()).toEqual(listed.sort());
});
