import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { administered, canRunHere } from './admin.ts';
import { type EngineName, freshPostgres } from './engines.ts';
import { basic, type Client, clientOf } from './http.ts';
import { startProgram } from './program.ts';
import { adminPassword, startWith } from './service.ts';
import { done } from './world.ts';

/** An installation on one database. */
export interface Site {
  readonly env: Readonly<Record<string, string>>;
  readonly dataDir: string;
}

/** An installation; its service has never run. */
export const siteForTest = async (engine: EngineName, more: Site['env'] = {}): Promise<Site> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'corral-backup-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const env = {
    CORRAL_DATA_DIR: dataDir,
    CORRAL_PORT: '0',
    CORRAL_ADMIN_PASSWORD: adminPassword,
    CORRAL_LOG_LEVEL: 'warn',
    ...(engine === 'postgres' ? { CORRAL_DATABASE_URL: await freshPostgres() } : {}),
    ...more,
  };
  return { env, dataDir };
};

type Work<T> = (admin: Client, url: string) => Promise<T>;

/** Runs the service for as long as the work takes. */
export const whileRunning = async <T>(site: Pick<Site, 'env'>, work: Work<T>): Promise<T> => {
  if (!canRunHere(site.env)) return whileProcessRuns(site, work);
  const service = await startWith(site.env);
  try {
    return await work(service.admin, service.url);
  } finally {
    await service.stop();
  }
};

/** The same, always as a process of its own. */
export const whileProcessRuns = async <T>({ env }: Pick<Site, 'env'>, work: Work<T>): Promise<T> => {
  const program = await startProgram(env);
  try {
    return await work(clientOf(program.url, basic('admin', adminPassword)), program.url);
  } finally {
    await program.kill('SIGTERM');
  }
};

/** The projects that its service knows. */
export const projectsOf = (site: Site): Promise<unknown> =>
  whileRunning(site, async (admin) => (await done(admin.get('/projects'))).body);

/** A site with one project, and a backup of it. */
export const backedUp = async (engine: EngineName): Promise<Site & { readonly file: string }> => {
  const site = await siteForTest(engine);
  const file = join(site.dataDir, 'backup.gz');
  await whileRunning(site, async (admin) => {
    await done(admin.put('/project/red'));
    const output = await administered(site.env, 'backup', file);
    expect(output).toContain(`backup        ${file}\n`);
    expect(output).toContain(`The key file (${join(site.dataDir, 'secret.key')}) is not included`);
  });
  return { ...site, file };
};
