import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { runAdminSuccessfully, canRunHere } from './run-admin.ts';
import { type EngineName, freshPostgres } from './engines.ts';
import { basic, type Client, clientOf } from '../http/http-client.ts';
import { startProgram } from './service-program.ts';
import { adminPassword, startWith } from './service.ts';
import { done } from './world.ts';

/** An installation on one database. */
export interface Installation {
  readonly env: Readonly<Record<string, string>>;
  readonly dataDir: string;
}

/** An installation; its service has never run. */
export const installationForTest = async (
  engine: EngineName,
  more: Installation['env'] = {},
): Promise<Installation> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'corral-backup-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const env = {
    CORRAL_DATA_DIR: dataDir,
    CORRAL_PORT: '0',
    CORRAL_ADMIN_PASSWORD: adminPassword,
    CORRAL_LOG_LEVEL: 'warn',
    CORRAL_HYPERVISOR: 'mock',
    ...(engine === 'postgres' ? { CORRAL_DATABASE_URL: await freshPostgres() } : {}),
    ...more,
  };
  return { env, dataDir };
};

type Work<T> = (admin: Client, url: string) => Promise<T>;

/** Runs the service for as long as the work takes. */
export const whileRunning = async <T>(installation: Pick<Installation, 'env'>, work: Work<T>): Promise<T> => {
  if (!canRunHere(installation.env)) return whileProcessRuns(installation, work);
  const service = await startWith(installation.env);
  try {
    return await work(service.admin, service.url);
  } finally {
    await service.stop();
  }
};

/** The same, always as a process of its own. */
export const whileProcessRuns = async <T>({ env }: Pick<Installation, 'env'>, work: Work<T>): Promise<T> => {
  const program = await startProgram(env);
  try {
    return await work(clientOf(program.url, basic('admin', adminPassword)), program.url);
  } finally {
    await program.kill('SIGTERM');
  }
};

/** The projects that its service knows. */
export const projectsOf = (installation: Installation): Promise<unknown> =>
  whileRunning(installation, async (admin) => (await done(admin.get('/projects'))).body);

/** An installation with one project, and a backup of it. */
export const backedUp = async (engine: EngineName): Promise<Installation & { readonly file: string }> => {
  const installation = await installationForTest(engine);
  const file = join(installation.dataDir, 'backup.gz');
  await whileRunning(installation, async (admin) => {
    await done(admin.put('/project/red'));
    const output = await runAdminSuccessfully(installation.env, 'backup', file);
    expect(output).toContain(`backup        ${file}\n`);
    expect(output).toContain(`The key file (${join(installation.dataDir, 'secret.key')}) is not included`);
  });
  return { ...installation, file };
};
