import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adminToken, basic, type Daemon, daemonForTest, done, refusal } from './support/daemon.ts';
import { inDatabaseOf } from './support/database.ts';
import { engines } from './support/obmd-engines.ts';
import { newTenant } from './support/token-holder.ts';
import { watch } from './support/console-watchers.ts';

const password = 'canary-password-of-the-bmc';

/** A Redfish service that nobody answers for: its errors tell all that they would ever tell. */
const redfish = { type: 'redfish', info: { url: 'https://127.0.0.1:9', user: 'operator', pass: password } };

/** Everything that the daemon has stored. */
const stored = async (daemon: Daemon): Promise<string> => {
  if (daemon.env['CORRAL_DATABASE_URL'] === undefined) {
    const files = (await readdir(daemon.dataDir)).filter((name) => name.startsWith('obmd.db'));
    expect(files).toContain('obmd.db');
    const texts = await Promise.all(files.map((name) => readFile(join(daemon.dataDir, name), 'latin1')));
    return texts.join('\n');
  }
  return inDatabaseOf(daemon, async (db) => {
    const nodes = await db.read((tx) => tx.selectFrom('obmd_nodes').selectAll().execute());
    const settings = await db.read((tx) => tx.selectFrom('obmd_settings').selectAll().execute());
    return JSON.stringify([nodes, settings]);
  });
};

describe.each(engines)('secrets on %s', (engine) => {
  it('are in no answer, no line of the log, and not to be read in the database', async () => {
    const daemon = await daemonForTest(engine);
    await done(daemon.admin('PUT', '/node/n1', redfish));
    const tenant = await newTenant(daemon, 'n1');
    const asked = daemon.answers.length;
    expect(await refusal(tenant.status())).toBe('502 BmcError');
    expect(await refusal(tenant.bootFrom('floppy'))).toBe('400 BadArgumentError');
    expect(await refusal(daemon.send('GET', tenant.path('console')))).toMatch(/^50/);
    expect(await refusal(tenant.order('power_cycle', { force: 1 }))).toBe('400 ValidationError');
    expect(await refusal(daemon.admin('PUT', '/node/n1', { ...redfish, info: { ...redfish.info, port: 1 } }))).toMatch(
      /^400/,
    );
    expect((await done(daemon.admin('GET', '/node/n1'))).body).toMatchObject({ info: { user: 'operator' } });
    expect((await done(daemon.admin('GET', '/nodes'))).status).toBe(200);
    expect(await refusal(daemon.send('DELETE', `/nowhere?token=${tenant.token}`))).toBe('404 NotFoundError');
    await daemon.send('GET', '/metrics');

    const told = [...daemon.answers.slice(asked), ...daemon.log].join('\n');
    expect(daemon.log.join('')).toContain('"node":"n1"');
    for (const secret of [password, tenant.token, adminToken, basic('admin', adminToken).slice(6)]) {
      expect(told).not.toContain(secret);
    }
    const kept = await stored(daemon);
    expect(kept).toContain('redfish');
    for (const secret of [password, tenant.token, adminToken]) expect(kept).not.toContain(secret);
  });

  it('are not opened with another key: the daemon does not start', async () => {
    const daemon = await daemonForTest(engine);
    await done(daemon.admin('PUT', '/node/n1', redfish));
    await daemon.stop();
    const file = join(daemon.dataDir, 'secret.key');
    const key = await readFile(file, 'utf8');
    await rm(file);
    await expect(daemon.again()).rejects.toThrow(/secret\.key is missing/);
    await writeFile(file, Buffer.alloc(32).toString('base64'), { mode: 0o600 });
    await expect(daemon.again()).rejects.toThrow(/secret\.key is not the key/);
    await writeFile(file, 'nonsense', { mode: 0o600 });
    await expect(daemon.again()).rejects.toThrow(/secret\.key does not contain/);
    await writeFile(file, key, { mode: 0o600 });
    const again = await daemon.again();
    expect((await done(again.admin('GET', '/nodes'))).body).toMatchObject([{ id: 'n1', type: 'redfish' }]);
    await again.stop();
  });
});

it('a console does not put its token into the log', async () => {
  const daemon = await daemonForTest('sqlite');
  await done(daemon.admin('PUT', '/node/n1', { type: 'mock', info: { addr: 'quiet-console' } }));
  const tenant = await newTenant(daemon, 'n1');
  const watcher = await watch(tenant);
  await done(daemon.admin('DELETE', '/node/n1/token'));
  await expect.poll(() => watcher.isOver).toBe(true);
  await daemon.stop();
  expect(daemon.log.join('')).toContain('/node/:id/console');
  expect(daemon.log.join('')).not.toContain(tenant.token);
});
