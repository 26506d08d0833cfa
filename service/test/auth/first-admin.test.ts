import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load-service-config.ts';
import { type Running, start } from '../../src/start.ts';
import { type EngineName, engines, freshPostgres } from '../support/services/engines.ts';
import { basic, clientOf } from '../support/http/http-client.ts';

interface Place {
  readonly directory: string;
  readonly dataDir: string;
  /** Starts a service here; the log is what it wrote. */
  start(env?: Readonly<Record<string, string>>): Promise<Running & { readonly log: string[] }>;
}

/** An empty database, and a data directory that does not exist yet; the key file is elsewhere. */
const emptyPlace = async (engine: EngineName): Promise<Place> => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const dataDir = join(directory, 'data');
  const database = engine === 'postgres' ? await freshPostgres() : join(directory, 'corral.db');
  const base = {
    CORRAL_PORT: '0',
    CORRAL_DATA_DIR: dataDir,
    CORRAL_DATABASE_URL: database,
    CORRAL_KEY_FILE: join(directory, 'key'),
  };
  return {
    directory,
    dataDir,
    start: async (env = {}) => {
      const log: string[] = [];
      const write: ConstructorParameters<typeof Writable>[0] = {
        write: (chunk: Buffer, _encoding, done) => {
          log.push(chunk.toString());
          done();
        },
      };
      const running = await start(loadConfig({ ...base, ...env }), pino({ level: 'trace' }, new Writable(write)));
      let stopped: Promise<void> | null = null;
      const stop = () => (stopped ??= running.stop());
      onTestFinished(stop);
      return { ...running, stop, log };
    },
  };
};

const mayEnter = async ({ url }: Running, password: string): Promise<boolean> =>
  (await clientOf(url, basic('admin', password)).get('/projects')).status === 200;

describe.each(engines)('the first administrator on %s', (engine) => {
  it('has the password that the operator gives, and no file has it', async () => {
    const place = await emptyPlace(engine);
    const running = await place.start({ CORRAL_ADMIN_PASSWORD: 'given' });
    expect(running.firstAdmin).toEqual({ kind: 'given' });
    expect(await mayEnter(running, 'given')).toBe(true);
    await expect(stat(join(place.dataDir, 'admin-password'))).rejects.toThrow('ENOENT');
    expect(running.log.join()).not.toContain('"given"');
  });

  it('otherwise has a generated password: printed at the start, kept in a file that its owner alone can read', async () => {
    const place = await emptyPlace(engine);
    const running = await place.start();
    const file = join(place.dataDir, 'admin-password');
    expect(running.firstAdmin).toEqual({
      kind: 'generated',
      password: expect.stringMatching(/^[\w-]{20,}$/) as string,
      file,
    });
    const password = (await readFile(file, 'utf8')).trimEnd();
    expect(running.firstAdmin).toMatchObject({ password });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(place.dataDir)).mode & 0o077).toBe(0);
    expect(await mayEnter(running, password)).toBe(true);
    expect(running.log.join()).not.toContain(password);
  });

  it('has another generated password in every installation', async () => {
    const passwords = new Set<string>();
    for (const place of [await emptyPlace(engine), await emptyPlace(engine)]) {
      const { firstAdmin } = await place.start();
      if (firstAdmin.kind === 'generated') passwords.add(firstAdmin.password);
    }
    expect(passwords.size).toBe(2);
  });

  it('is made once: later starts show nothing and change nothing, whatever password they are given', async () => {
    const place = await emptyPlace(engine);
    const first = await place.start({ CORRAL_ADMIN_PASSWORD: 'first' });
    await first.stop();
    for (const env of [{}, { CORRAL_ADMIN_PASSWORD: 'second' }]) {
      const again = await place.start(env);
      expect(again.firstAdmin).toEqual({ kind: 'exists', file: null });
      expect([await mayEnter(again, 'first'), await mayEnter(again, 'second')]).toEqual([true, false]);
      await expect(stat(join(place.dataDir, 'admin-password'))).rejects.toThrow('ENOENT');
    }
  });

  it('does not come back when another administrator deleted it', async () => {
    const place = await emptyPlace(engine);
    const running = await place.start({ CORRAL_ADMIN_PASSWORD: 'given' });
    const admin = clientOf(running.url, basic('admin', 'given'));
    await admin.put('/auth/basic/user/boss', { password: 'p', is_admin: true });
    expect((await clientOf(running.url, basic('boss', 'p')).del('/auth/basic/user/admin')).status).toBe(200);
    await running.stop();
    const again = await place.start({ CORRAL_ADMIN_PASSWORD: 'given' });
    expect(again.firstAdmin).toEqual({ kind: 'exists', file: null });
    expect(await mayEnter(again, 'given')).toBe(false);
  });

  it('has its password in a file of its own even where a file for everybody was', async () => {
    const place = await emptyPlace(engine);
    const file = join(place.dataDir, 'admin-password');
    await mkdir(place.dataDir);
    await writeFile(file, 'left behind');
    await chmod(file, 0o644);
    const running = await place.start();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await mayEnter(running, (await readFile(file, 'utf8')).trimEnd())).toBe(true);
  });

  it('is not made when its password cannot be kept, so that the next start can make it', async () => {
    const place = await emptyPlace(engine);
    await writeFile(place.dataDir, 'a file where the directory should be');
    await expect(place.start()).rejects.toThrow();
    await rm(place.dataDir);
    expect((await place.start()).firstAdmin.kind).toBe('generated');
  });
});
