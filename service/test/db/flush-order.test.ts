import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasPart } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { basic, type Client, clientOf } from '../support/http/http-client.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { adminPassword } from '../support/services/service.ts';
import { type Program, startProgram } from '../support/services/service-program.ts';
import { traceProcess } from '../support/services/traced-process.ts';
import { done, eventually } from '../support/services/world.ts';

interface Installation {
  readonly dataDir: string;
  readonly program: Program;
  readonly admin: Client;
  readonly restart: () => Promise<Client>;
}

const installation = async (): Promise<Installation> => {
  const dataDir = await dataDirectory('corral-flush-');
  const env = { CORRAL_DATA_DIR: dataDir, CORRAL_PORT: '0', CORRAL_ADMIN_PASSWORD: adminPassword };
  let program = await startProgram(env);
  onTestFinished(async () => {
    await program.kill('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    dataDir,
    program,
    admin: clientOf(program.url, basic('admin', adminPassword)),
    restart: async () => {
      await program.kill('SIGTERM');
      program = await startProgram(env);
      return clientOf(program.url, basic('admin', adminPassword));
    },
  };
};

/** Where each flush of the log begins and ends in a trace. */
const flushesIn = (trace: readonly string[]): { readonly begin: number; readonly end: number }[] => {
  const flushes: { begin: number; end: number }[] = [];
  const unfinished = new Map<string, number>();
  for (const [index, line] of trace.entries()) {
    const [thread = ''] = line.split(' ');
    if (/fdatasync\(\d+<[^>]*-wal>/.test(line)) {
      if (line.endsWith('= 0')) flushes.push({ begin: index, end: index });
      else unfinished.set(thread, index);
    }
    if (!line.includes('<... fdatasync resumed>')) continue;
    const begin = unfinished.get(thread);
    unfinished.delete(thread);
    if (begin !== undefined && line.endsWith('= 0')) flushes.push({ begin, end: index });
  }
  return flushes;
};

describe.runIf(hasPart('strace'))('a change of the embedded database', () => {
  it('is written, then flushed, then acknowledged', async () => {
    const { dataDir, program, admin } = await installation();
    const labels = Array.from({ length: 12 }, (_, index) => `marked-${index}-project`);
    const traced = await traceProcess(program.pid, ['pwrite64', 'fdatasync', 'write', 'writev'], {
      file: join(dataDir, 'trace'),
    });
    const requests = new Map<string, string>();
    const make = async (label: string): Promise<void> => {
      const { headers } = await done(admin.put(`/project/${label}`));
      requests.set(label, headers.get('x-request-id') ?? '');
    };
    // One by one each is alone; together they share flushes.
    for (const label of labels.slice(0, 4)) await make(label);
    await Promise.all(labels.slice(4).map(make));
    const trace = await traced.end();
    const flushes = flushesIn(trace);
    for (const [label, request] of requests) {
      const written = trace.findIndex((line) => /pwrite64\(\d+<[^>]*-wal>/.test(line) && line.includes(label));
      const answered = trace.findIndex((line) => line.includes('HTTP/1.1 2') && line.includes(request));
      const flushed = flushes.find(({ begin }) => begin > written);
      expect(written).toBeGreaterThan(0);
      expect(answered).toBeGreaterThan(written);
      expect(flushed?.end).toBeLessThan(answered);
    }
    expect(requests.size).toBe(labels.length);
  });

  it('is copied from the log into the file outside the event loop', async () => {
    const { dataDir, program, admin } = await installation();
    const copiedAt = (): number => statSync(join(dataDir, 'corral.db')).mtimeMs;
    const before = copiedAt();
    const traced = await traceProcess(program.pid, ['fsync'], { file: join(dataDir, 'trace') });
    // More than pass between two checkpoints.
    for (let batch = 0; batch < 15; batch += 1)
      await Promise.all(Array.from({ length: 10 }, (_, index) => done(admin.put(`/project/p${10 * batch + index}`))));
    await eventually(() => Promise.resolve(copiedAt() > before ? true : undefined));
    const trace = await traced.end();
    expect(trace.filter((line) => line.startsWith(`${program.pid} `) && line.includes('fsync('))).toEqual([]);
  });

  it('that the disk fails to flush is refused, and so is every later one until the service is restarted', async () => {
    const { dataDir, program, admin, restart } = await installation();
    await done(admin.put('/project/before'));
    const traced = await traceProcess(program.pid, ['fdatasync'], {
      file: join(dataDir, 'trace'),
      inject: 'fdatasync:error=EIO',
    });
    const refusal = {
      status: 503,
      body: { type: 'UnavailableError', msg: expect.stringContaining('failed to flush') as string },
    };
    for (const answer of await Promise.all([1, 2, 3].map((index) => admin.put(`/project/lost-${index}`))))
      expect(answer).toMatchObject(refusal);
    await traced.end();
    // The disk is well again, but what it dropped is not known.
    expect(await admin.put('/project/later')).toMatchObject(refusal);
    expect((await done(admin.get('/projects'))).body).toEqual(['before']);
    const readiness = await fetch(`${program.url}/readyz`);
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toMatchObject({ status: expect.stringContaining('failed to flush') as string });
    const again = await restart();
    await done(again.put('/project/after'));
    expect((await done(again.get('/projects'))).body).toEqual(expect.arrayContaining(['before', 'after']));
  });
});
