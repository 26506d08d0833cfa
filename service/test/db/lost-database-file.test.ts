import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { installationForTest, type Installation } from '../support/services/backups.ts';
import { basic, clientOf, type Client } from '../support/http/http-client.ts';
import { runAdminSuccessfully } from '../support/services/run-admin.ts';
import { type Program, startProgram } from '../support/services/service-program.ts';
import { adminPassword } from '../support/services/service.ts';
import { done } from '../support/services/world.ts';

const running = async ({ env }: Installation): Promise<{ program: Program; admin: Client }> => {
  const program = await startProgram(env);
  onTestFinished(async () => {
    await program.kill('SIGKILL');
  });
  return { program, admin: clientOf(program.url, basic('admin', adminPassword)) };
};

const expectEnd = async (program: Program, why: string): Promise<void> => {
  expect(await program.exitCode()).toBe(1);
  const advice = 'put it back or restore a backup, and start the service again';
  expect(program.output).toContain(`corral: ${why} while it was in use: ${advice}`);
  expect(program.output).toContainEqual(expect.stringContaining('"msg":"stopping: the program cannot go on"'));
};

describe('a database file under a running service', () => {
  it('that is removed ends it, and everything is there when it is put back', async () => {
    const installation = await installationForTest('sqlite');
    const { program, admin } = await running(installation);
    await done(admin.put('/project/before'));
    // What happens to it in ordinary use is no reason.
    await runAdminSuccessfully(installation.env, 'backup', join(installation.dataDir, 'backup.gz'));
    const file = join(installation.dataDir, 'corral.db');
    await rename(file, `${file}.elsewhere`);
    await expectEnd(program, `${file} was removed`);

    await rename(`${file}.elsewhere`, file);
    const again = await running(installation);
    expect((await done(again.admin.get('/projects'))).body).toEqual(['before']);
  });

  it('that is replaced ends it, and nothing of it gets into the other one', async () => {
    const installation = await installationForTest('sqlite');
    const file = join(installation.dataDir, 'corral.db');
    const first = await running(installation);
    await done(first.admin.put('/project/old'));
    expect(await first.program.kill('SIGTERM')).toBe(0);
    await copyFile(file, `${file}.other`);

    const { program, admin } = await running(installation);
    await done(admin.put('/project/new'));
    await rename(`${file}.other`, file);
    await expectEnd(program, `${file} was replaced`);

    expect(await runAdminSuccessfully(installation.env, 'check')).toContain('consistent');
    const again = await running(installation);
    expect((await done(again.admin.get('/projects'))).body).toEqual(['old']);
  });

  it('of the OBM daemon inside ends it too', async () => {
    const installation = await installationForTest('sqlite', { CORRAL_OBMD: '127.0.0.1:0' });
    const { program } = await running(installation);
    const file = join(installation.dataDir, 'obmd.db');
    await rename(file, `${file}.elsewhere`);
    await expectEnd(program, `${file} was removed`);
  });
});
