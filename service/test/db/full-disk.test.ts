import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { basic, clientOf } from '../support/http/http-client.ts';
import { canMount, smallDisk } from '../support/services/small-disk.ts';
import { startProgram } from '../support/services/service-program.ts';
import { adminPassword } from '../support/services/service.ts';
import { done, eventually, obmd } from '../support/services/world.ts';

/** How long it is left on the full disk. What spins writes hundreds of entries in that time. */
const watchedMs = 3_000;

/** What a process has in memory, in MiB. */
const memoryOf = async (pid: number): Promise<number> =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

describe.runIf(canMount)('a service as a process on a full disk', () => {
  it('neither spins nor grows, continues when there is room, and ends when it is stopped', async () => {
    const disk = await smallDisk(8);
    onTestFinished(disk.remove);
    const program = await startProgram({
      CORRAL_PORT: '0',
      CORRAL_DATA_DIR: disk.directory,
      CORRAL_ADMIN_PASSWORD: adminPassword,
      CORRAL_OBMD: '127.0.0.1:0',
      CORRAL_ENGINE_LEASE: '1',
      CORRAL_ENGINE_POLL: '0.2',
      CORRAL_ENGINE_SWEEP: '0.5',
    });
    onTestFinished(async () => {
      await program.kill('SIGKILL');
    });
    const admin = clientOf(program.url, basic('admin', adminPassword));
    const statusAt = async (path: string): Promise<number> => (await fetch(`${program.url}${path}`)).status;
    await done(admin.put('/project/before'));
    // Sweeps are due all the time: the engine has something to write.
    await done(admin.put('/switch/sw0', { type: 'mock', hostname: 'sw0', username: 'u', password: 'p' }));
    await done(admin.put('/node/n1', { obmd }));
    await done(admin.put('/node/n1/nic/eth0', { macaddr: '52:54:00:00:00:01' }));
    await done(admin.put('/switch/sw0/port/p1'));
    await done(admin.post('/switch/sw0/port/p1/connect_nic', { node: 'n1', nic: 'eth0' }));

    disk.fill();
    const refused = await eventually(async () => {
      const answer = await admin.put('/project/refused');
      return answer.status === 503 ? answer : undefined;
    });
    expect(refused.body).toMatchObject({ type: 'UnavailableError' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const [entries, memory] = [program.output.length, await memoryOf(program.pid)];
    for (let part = 0; part < 6; part += 1) {
      await sleep(watchedMs / 6);
      expect(await statusAt('/healthz')).toBe(200);
      expect((await done(admin.get('/projects'))).body).toContain('before');
    }
    expect(await statusAt('/readyz')).toBe(503);
    expect(program.output.length - entries).toBeLessThan(60);
    expect((await memoryOf(program.pid)) - memory).toBeLessThan(60);

    disk.makeRoom();
    await eventually(async () => ((await statusAt('/readyz')) === 200 ? true : undefined));
    await done(admin.put('/project/after'));
    expect((await done(admin.get('/projects'))).body).toEqual(['after', 'before']);

    disk.fill();
    await eventually(async () => ((await admin.put('/project/refused')).status === 503 ? true : undefined));
    const told = performance.now();
    expect(await program.kill('SIGTERM')).toBe(0);
    expect(performance.now() - told).toBeLessThan(8_000);
  });
});
