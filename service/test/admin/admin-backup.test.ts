import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { runAdminSuccessfully, runAdmin } from '../support/services/run-admin.ts';
import { backedUp, projectsOf, installationForTest, whileRunning } from '../support/services/backups.ts';
import { engines } from '../support/services/engines.ts';
import { newest, newestOfDaemon } from '../support/services/versions.ts';
import { done, eventually } from '../support/services/world.ts';

const pairs = engines.flatMap((from) => engines.map((to) => [from, to] as const));

describe.each(pairs)('a backup of %s restored into %s', (from, to) => {
  it('is the whole site again, and the service goes on with it', { timeout: 60_000 }, async () => {
    const { dataDir, env, file } = await backedUp(from);
    const { CORRAL_DATABASE_URL: url } = (await installationForTest(to)).env;
    const place = to === 'sqlite' ? join(dataDir, 'again.db') : (url ?? '');
    const again = { dataDir, env: { ...env, CORRAL_DATABASE_URL: place } };
    const output = await runAdminSuccessfully(again.env, 'restore', file);
    expect(output).toMatch(/^rows {10}\d+, each compared with the file$/m);
    // On a slow machine it also tells how far it is.
    expect(output).toMatch(/^wrote (\d+) of \1 rows\n(?:compared \d+ of \1 rows\n)*?compared \1 of \1 rows$/m);
    expect(output).not.toContain('corral-admin:');
    expect(await runAdminSuccessfully(again.env, 'check')).toContain('database is consistent');
    expect(await projectsOf(again)).toEqual(['red']);
  });
});

describe.each(engines)('backup on %s', (engine) => {
  it('is of one moment, while the service writes', { timeout: 120_000 }, async () => {
    const installation = await installationForTest(engine);
    const file = join(installation.dataDir, 'backup.gz');
    await whileRunning(installation, async (admin) => {
      const writing = { isOver: false, count: 0 };
      const write = async (): Promise<void> => {
        while (!writing.isOver) {
          await done(admin.put(`/project/p${writing.count}`));
          writing.count += 1;
        }
      };
      const backUp = async (): Promise<void> => {
        // On SQLite the service copies its log into the file every 128 changes.
        const atLeast = writing.count + 150;
        await eventually(() => (writing.count >= atLeast ? true : undefined), 30_000);
        const before = writing.count;
        await runAdminSuccessfully(installation.env, 'backup', file, '--force');
        const lines = gunzipSync(readFileSync(file)).toString().split('\n');
        const { counts } = JSON.parse(lines[0] ?? '') as { counts: Record<string, number> };
        expect(counts['projects']).toBeGreaterThanOrEqual(before);
        // Every project has its event, and every event its audience.
        expect(lines.filter((line) => line.includes('"project_create"'))).toHaveLength(counts['projects'] ?? -1);
        expect(counts['event_projects']).toBe(counts['projects']);
      };
      const backUpAgainAndAgain = async (): Promise<void> => {
        try {
          for (let round = 0; round < 3; round += 1) await backUp();
        } finally {
          writing.isOver = true;
        }
      };
      await Promise.all([write(), backUpAgainAndAgain()]);
    });
  });

  it('is for its owner only, and replaces nothing unasked', async () => {
    const installation = await installationForTest(engine);
    await runAdminSuccessfully(installation.env, 'migrate');
    const file = join(installation.dataDir, 'backup.gz');
    writeFileSync(file, 'something else');
    expect(await runAdmin(installation.env, 'backup', file)).toEqual({
      code: 2,
      output: `corral-admin: ${file} already exists; give another name, or use --force to replace it\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('something else');
    await runAdminSuccessfully(installation.env, 'backup', file, '--force');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(installation.dataDir).filter((name) => name.endsWith('.new'))).toEqual([]);
    expect(await runAdmin(installation.env, 'backup', join(installation.dataDir, 'no', 'place'))).toEqual({
      code: 2,
      output: `corral-admin: directory ${join(installation.dataDir, 'no')} does not exist; create it first\n`,
    });
  });

  it('holds the OBM daemon inside the service', { timeout: 60_000 }, async () => {
    const installation = await installationForTest(engine, { CORRAL_OBMD: '127.0.0.1:0' });
    const file = join(installation.dataDir, 'backup.gz');
    await whileRunning(installation, () => runAdminSuccessfully(installation.env, 'backup', file));
    const { databases } = JSON.parse(gunzipSync(readFileSync(file)).toString().split('\n')[0] ?? '') as {
      databases: unknown;
    };
    expect(databases).toEqual({ corral: newest, obmd: newestOfDaemon });
    const other = await installationForTest(engine, { CORRAL_OBMD: '127.0.0.1:0' });
    const sameKey = { CORRAL_KEY_FILE: join(installation.dataDir, 'secret.key') };
    const moved = { ...other.env, ...sameKey };
    expect(await runAdminSuccessfully(moved, 'restore', file)).toMatch(/^OBM daemon {4}\S/m);
    await whileRunning({ ...other, env: moved }, async (admin) => done(admin.get('/nodes/all')));
    const without = await installationForTest(engine);
    expect(await runAdminSuccessfully({ ...without.env, ...sameKey }, 'restore', file)).toContain(
      'corral-admin: skipped the OBM daemon in the backup: this configuration runs none inside the service\n',
    );
  });
});
