import { randomBytes } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runAdmin } from '../support/services/run-admin.ts';
import { engines } from '../support/services/engines.ts';
import { fromOtherMachine, otherAddress } from '../support/services/other-machine.ts';
import { keyFileOf, ringOf, rotated, sealedHousehold, sealedValues } from '../support/services/key-rotation.ts';
import type { Service } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { makeSwitch } from '../support/services/world.ts';

const refusal = {
  code: 2,
  output: `corral-admin: the database is also in use from other machines (${otherAddress}), and what they seal with a copy of the old key would be lost: run rotate-key --prepare, rotate-key --keep-old and rotate-key, and copy the key file to them after each; or rotate-key --single-machine if none of them has a copy\n`,
};

const installation = async (): Promise<Service> => {
  const household = await sealedHousehold('postgres');
  onTestFinished(() => household.stop());
  return household.service;
};

const urlOf = ({ env }: Service): string => env['CORRAL_DATABASE_URL'] ?? '';

/** The service on another machine, with the same database and a copy of the key file. */
const onOtherMachine = async (service: Service): Promise<{ other: Service; carry: () => void }> => {
  const copy = join(service.dataDir, 'copy.key');
  const carry = (): void => copyFileSync(keyFileOf(service), copy);
  carry();
  const url = await fromOtherMachine(urlOf(service));
  const other = await service.restart({ CORRAL_DATABASE_URL: url, CORRAL_KEY_FILE: copy, CORRAL_OBMD: 'off' });
  onTestFinished(() => other.stop());
  return { other, carry };
};

/** Some program that is connected from the other machine. */
const connectThere = async (service: Service, application_name: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: await fromOtherMachine(urlOf(service)), application_name });
  await client.connect();
  return client;
};

describe.runIf(engines.includes('postgres'))('rotate-key with other machines on the database', () => {
  it('is refused before anything is changed, unless the file can be copied in between', async () => {
    const service = await installation();
    const { other, carry } = await onOtherMachine(service);
    const text = readFileSync(keyFileOf(service), 'utf8');
    const before = await sealedValues(service);
    expect(await runAdmin(service.env, 'rotate-key')).toEqual(refusal);
    expect(await runAdmin(service.env, 'rotate-key', '--dry-run')).toEqual(refusal);
    expect(readFileSync(keyFileOf(service), 'utf8')).toBe(text);
    expect(await sealedValues(service)).toEqual(before);

    await rotated(service.env, '--prepare');
    carry();
    // The other one would seal with the old key still.
    expect(await runAdmin(service.env, 'rotate-key')).toEqual(refusal);
    await rotated(service.env, '--keep-old');
    await makeSwitch(other, 'sealed-with-the-old-key');
    carry();
    await rotated(service.env);
    carry();
    await makeSwitch(other, 'sealed-with-the-new-key');
    expect(ringOf(service).keys).toHaveLength(1);
    const prefix = `v2:${ringOf(service).keys[0].id}:`;
    expect((await sealedValues(service)).filter(({ value }) => !value.startsWith(prefix))).toEqual([]);
  });

  it('is done with --single-machine', async () => {
    const service = await installation();
    await onOtherMachine(service);
    const [before] = ringOf(service).keys;
    await rotated(service.env, '--single-machine');
    expect(ringOf(service).keys.map(({ id }) => id)).not.toContain(before.id);
    expect(ringOf(service).keys).toHaveLength(1);
  });

  it('counts the service and the daemon, idle ones too, and no other program', async () => {
    const service = await installation();
    for (const name of ['corral', 'corral listener', 'obmd', 'obmd listener']) {
      const client = await connectThere(service, name);
      expect(await runAdmin(service.env, 'rotate-key', '--dry-run'), name).toEqual(refusal);
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await client.end();
      await expect.poll(() => isConnected(service, rows[0]?.pid ?? 0)).toBe(false);
    }
    const client = await connectThere(service, 'psql');
    onTestFinished(() => client.end());
    await rotated(service.env);
  });

  it('says that it cannot tell where the addresses of others are hidden, and goes on', async () => {
    const service = await installation();
    const user = `corral_${randomBytes(6).toString('hex')}`;
    const run = (postgres: string): Promise<unknown> => runSql(service, { sqlite: '', postgres });
    await run(`create role ${user} login`);
    onTestFinished(async () => {
      await run(`drop owned by ${user}`);
      await run(`drop role ${user}`);
    });
    await run(`grant all on schema public to ${user}`);
    await run(`grant all on all tables in schema public to ${user}`);
    await run(`grant all on all sequences in schema public to ${user}`);
    const url = new URL(urlOf(service));
    url.username = user;
    const output = await rotated({ ...service.env, CORRAL_DATABASE_URL: url.href });
    expect(output).toMatch(
      /^corral-admin: cannot tell whether other machines use the database: the addresses of \d+ connections of other database users are hidden$/m,
    );
    expect(ringOf(service).keys).toHaveLength(1);
  });
});

const isConnected = async (service: Service, pid: number): Promise<boolean> => {
  const statement = `select pid from pg_stat_activity where pid = ${pid}`;
  return (await runSql(service, { sqlite: '', postgres: statement })).length > 0;
};
