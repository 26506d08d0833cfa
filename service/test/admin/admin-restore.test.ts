import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import Libsql from 'libsql';
import pg from 'pg';
import { newKey } from '@corral/base/secrets/vault-key';
import { formatKeyRing, ringWith } from '@corral/base/secrets/key-ring';
import { describe, expect, it } from 'vitest';
import { programFile } from '../../../test/support/built-program.ts';
import { keys, terminalForTest } from '../../../client/test/support/terminal.ts';
import { runAdminSuccessfully, runAdmin } from '../support/services/run-admin.ts';
import {
  backedUp,
  projectsOf,
  type Installation,
  installationForTest,
  whileProcessRuns,
  whileRunning,
} from '../support/services/backups.ts';
import { bareClient, makeToken, signIn } from '../support/identity/browser.ts';
import { engines } from '../support/services/engines.ts';
import { runToEnd } from '../support/services/service-program.ts';
import { adminPassword } from '../support/services/service.ts';
import { newest } from '../support/services/versions.ts';
import { done } from '../support/services/world.ts';

const restored = async (
  { env }: Pick<Installation, 'env'>,
  ...args: readonly string[]
): Promise<readonly [unknown, string]> => {
  const { code, output } = await runAdmin(env, 'restore', ...args);
  return [code, output.replace(/^corral-admin: /, '').trimEnd()];
};

/** Statements past the service, which does not run. */
const changed = async ({ env, dataDir }: Installation, text: string): Promise<void> => {
  const { CORRAL_DATABASE_URL: url } = env;
  if (url === undefined) {
    const db = new Libsql(join(dataDir, 'corral.db'));
    db.exec(text);
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
};

const isInUse = [2, expect.stringMatching(/^the database \(.*\) is in use: stop the service on every machine/)];

describe.each(engines)('restore on %s', (engine) => {
  it('takes an empty database, or one that is to be replaced', { timeout: 60_000 }, async () => {
    const installation = await backedUp(engine);
    const place = engine === 'sqlite' ? join(installation.dataDir, 'corral.db') : 'PostgreSQL';
    await whileRunning(installation, (admin) => done(admin.put('/project/later')));
    expect(await restored(installation, installation.file)).toEqual([
      2,
      `the database (${place}) is not empty: table projects has rows; use --replace to overwrite it`,
    ]);
    expect(await restored(installation, installation.file, '--yes')).toEqual([2, 'restore: --yes requires --replace']);
    expect(await restored(installation, installation.file, '--replace')).toEqual([
      2,
      expect.stringMatching(/^there is no terminal to ask "Everything in .* Continue\?"; use --yes$/),
    ]);
    const terminal = await terminalForTest(installation.env);
    const asked = terminal.run(
      process.execPath,
      [programFile('corral-admin'), 'restore', installation.file, '--replace'],
      {
        columns: 200,
      },
    );
    await asked.shows('Continue? [y/N]');
    asked.type(`no${keys.enter}`);
    expect(await asked.exit()).toBe(2);
    expect(asked.screen()).toContain('corral-admin: nothing was changed');
    expect(await projectsOf(installation)).toEqual(['later', 'red']);

    const sure = terminal.run(
      process.execPath,
      [programFile('corral-admin'), 'restore', installation.file, '--replace'],
      {
        columns: 200,
      },
    );
    await sure.shows('Continue? [y/N]');
    sure.type(`yes${keys.enter}`);
    expect(await sure.exit()).toBe(0);
    expect(await projectsOf(installation)).toEqual(['red']);
  });

  it('refuses while the service runs', async () => {
    const installation = await backedUp(engine);
    await whileProcessRuns(installation, async () => {
      expect(await restored(installation, installation.file, '--replace', '--yes')).toEqual(isInUse);
    });
  });

  it('has nothing to do with a service that is started at its question', { timeout: 60_000 }, async () => {
    const installation = await backedUp(engine);
    await whileRunning(installation, (admin) => done(admin.put('/project/later')));
    const terminal = await terminalForTest(installation.env);
    const asked = terminal.run(
      process.execPath,
      [programFile('corral-admin'), 'restore', installation.file, '--replace'],
      {
        columns: 300,
      },
    );
    await asked.shows('Continue? [y/N]');
    if (engine === 'sqlite') {
      const { code, output } = await runToEnd(installation.env);
      expect([code, output]).toEqual([expect.any(Number), expect.stringContaining('locked')]);
      expect(code).not.toBe(0);
      asked.type(`yes${keys.enter}`);
      expect(await asked.exit()).toBe(0);
      expect(await projectsOf(installation)).toEqual(['red']);
      return;
    }
    await whileProcessRuns(installation, async (admin) => {
      asked.type(`yes${keys.enter}`);
      expect(await asked.exit()).toBe(2);
      expect(asked.screen()).toContain('corral-admin: the database (PostgreSQL) is in use');
      expect((await done(admin.get('/projects'))).body).toEqual(['later', 'red']);
    });
  });

  it(
    'leaves everything as it was when it fails in the middle, also what ids are free',
    { timeout: 60_000 },
    async () => {
      const installation = await backedUp(engine);
      const labels = ['p1', 'p2', 'p3', 'p4'];
      await whileRunning(installation, async (admin) => {
        for (const label of labels) await done(admin.put(`/project/${label}`));
      });
      await changed(
        installation,
        engine === 'sqlite'
          ? `create trigger stop before insert on users begin select raise(abort, 'stopped here'); end`
          : `create function stop() returns trigger language plpgsql as 'begin raise ''stopped here''; end';
          create trigger stop before insert on users for each row execute function stop()`,
      );
      expect(await restored(installation, installation.file, '--replace', '--yes')).toEqual([
        1,
        expect.stringContaining('stopped here'),
      ]);
      await changed(installation, engine === 'sqlite' ? 'drop trigger stop' : 'drop trigger stop on users');
      await whileRunning(installation, async (admin) => {
        await done(admin.put('/project/p5'));
        expect((await done(admin.get('/projects'))).body).toEqual([...labels, 'p5', 'red']);
      });
    },
  );

  it('ends sessions, and says of what time users, passwords and tokens are', { timeout: 60_000 }, async () => {
    const installation = await installationForTest(engine);
    const file = join(installation.dataDir, 'backup.gz');
    const token = await whileRunning(installation, async (admin, url) => {
      await signIn({ url }, 'admin', adminPassword);
      const made = await makeToken(admin, 'script');
      await runAdminSuccessfully(installation.env, 'backup', file);
      await done(admin.del('/auth/token/script'));
      return made;
    });
    const { madeAt } = JSON.parse(gunzipSync(readFileSync(file)).toString().split('\n')[0] ?? '') as { madeAt: string };
    const restoredTo = (...more: readonly string[]) =>
      runAdminSuccessfully(installation.env, 'restore', file, '--replace', '--yes', ...more);
    const logins = () =>
      whileRunning(installation, async (admin, url) => ({
        sessions: (await done(admin.get('/auth/sessions'))).body,
        script: (await bareClient(url, { authorization: `Bearer ${token}` }).get('/auth/whoami')).status,
      }));
    const output = await restoredTo();
    expect(output).toContain('Sessions are not restored (1 session): all users must sign in again.\n');
    expect(output).toContain(`Users, passwords and API tokens are those of ${madeAt}: what was deleted`);
    expect(await logins()).toEqual({ sessions: [], script: 200 });
    const without = await restoredTo('--revoke-tokens');
    expect(without).toContain('All API tokens are revoked (1 token): scripts need new ones.\n');
    expect(without).toContain(`Users and passwords are those of ${madeAt}: what was deleted or changed`);
    expect((await logins()).script).toBe(401);
  });

  it('refuses what is not a whole backup, before anything is touched', { timeout: 60_000 }, async () => {
    const { dataDir, file } = await backedUp(engine);
    const whole = readFileSync(file);
    const text = gunzipSync(whole).toString();
    const target = await installationForTest(engine);
    const bad = join(dataDir, 'bad.gz');
    const tried = async (content: Buffer | string) => {
      writeFileSync(bad, content);
      return restored(target, bad);
    };
    const altered = `${bad} is truncated or was modified`;
    const flipped = Buffer.from(whole);
    flipped[200] = (flipped[200] ?? 0) ^ 1;
    const isAltered = [2, expect.stringContaining(altered)];
    expect(await tried(whole.subarray(0, whole.length - 20))).toEqual(isAltered);
    expect(await tried(flipped)).toEqual(isAltered);
    expect(await tried(gzipSync(text.replace('"red"', '"rad"')))).toEqual([
      2,
      `${altered} (checksum mismatch); use another backup`,
    ]);
    expect(await tried(gzipSync(text.slice(0, text.indexOf('{"table":"nodes"'))))).toEqual(isAltered);
    expect(await tried('not at all')).toEqual(isAltered);
    expect(await tried(gzipSync('{"some":"json"}\n{}\n'))).toEqual([
      2,
      `${bad} is not a Corral backup; use a file written by corral-admin backup`,
    ]);
    expect(await restored(target, '/nowhere')).toEqual([
      2,
      '/nowhere cannot be read: no such file; give the path of a backup',
    ]);
    expect(existsSync(join(target.dataDir, 'corral.db'))).toBe(false);
    expect((await runAdmin(target.env, 'check')).output).toContain('there is no database yet');
  });

  it('refuses a backup of another version', async () => {
    const { dataDir, file } = await backedUp(engine);
    const target = await installationForTest(engine);
    const [first = '', ...rest] = gunzipSync(readFileSync(file)).toString().split('\n').slice(0, -2);
    const ofVersion = async (version: number) => {
      const lines = [first.replace(`"corral":${newest}`, `"corral":${version}`), ...rest]
        .map((line) => `${line}\n`)
        .join('');
      const sha256 = createHash('sha256').update(lines).digest('hex');
      const other = join(dataDir, `v${version}.gz`);
      writeFileSync(other, gzipSync(`${lines}${JSON.stringify({ sha256 })}\n`));
      return (await restored(target, other))[1].replace(other, 'FILE');
    };
    expect(await ofVersion(3)).toBe(
      `FILE has version 3, this program requires version ${newest}: restore it with the version of Corral that wrote it, then run corral-admin migrate`,
    );
    expect(await ofVersion(newest + 1)).toBe(
      `FILE has version ${newest + 1}, this program requires version ${newest}: restore it with a newer Corral`,
    );
    expect(await ofVersion(newest)).toContain('each compared with the file');
  });

  it('says when the key file is not the one of the backup', async () => {
    const { file } = await backedUp(engine);
    const target = await installationForTest(engine);
    writeFileSync(join(target.dataDir, 'secret.key'), formatKeyRing(ringWith(newKey())));
    chmodSync(join(target.dataDir, 'secret.key'), 0o600);
    const { code, output } = await runAdmin(target.env, 'restore', file);
    expect(code, output).toBe(1);
    expect(output).toMatch(
      /^corral-admin: key_file: .* is not the key that this database's secrets were sealed with; .* put your copy of it back$/m,
    );
    expect(output).toContain('the backup is restored, but the service cannot start');
  });
});

describe.runIf(engines.includes('postgres'))('restore on PostgreSQL', () => {
  it('knows a service whose URL has another name for it', { timeout: 60_000 }, async () => {
    const installation = await backedUp('postgres');
    const url = `${installation.env['CORRAL_DATABASE_URL'] ?? ''}?application_name=mine`;
    await whileProcessRuns({ env: { ...installation.env, CORRAL_DATABASE_URL: url } }, async () => {
      expect(await restored(installation, installation.file, '--replace', '--yes')).toEqual(isInUse);
    });
  });

  it('waits a moment for the connection of a service that has just ended', { timeout: 60_000 }, async () => {
    const installation = await backedUp('postgres');
    const connectionString = installation.env['CORRAL_DATABASE_URL'];
    const left = new pg.Client({ connectionString, application_name: 'corral' });
    await left.connect();
    const restoring = restored(installation, installation.file, '--replace', '--yes');
    await sleep(500);
    await left.end();
    expect(await restoring).toEqual([0, expect.stringContaining('each compared with the file')]);
  });

  it('takes longer than a statement may otherwise', { timeout: 60_000 }, async () => {
    const installation = await backedUp('postgres');
    await changed(
      installation,
      `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(3); return null; end';
      create trigger slow after delete on events for each statement execute function slow()`,
    );
    const url = `${installation.env['CORRAL_DATABASE_URL'] ?? ''}?statement_timeout=2000`;
    const hurried = { env: { ...installation.env, CORRAL_DATABASE_URL: url } };
    expect(await restored(hurried, installation.file, '--replace', '--yes')).toEqual([
      0,
      expect.stringContaining('each compared with the file'),
    ]);
  });
});
