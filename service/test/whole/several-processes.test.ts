import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, get, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataDirectory } from '../support/services/data-directory.ts';
import { engines, freshPostgres } from '../support/services/engines.ts';
import { basic, clientOf } from '../support/http/http-client.ts';
import { type Program, runToEnd, startProgram } from '../support/services/service-program.ts';
import { done, eventually } from '../support/services/world.ts';

const count = 2;

describe.runIf(engines.includes('postgres'))(`${count} processes behind one port`, () => {
  let dataDir: string;
  let program: Program;
  let password: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    dataDir = await dataDirectory('corral-processes-');
    env = {
      CORRAL_PORT: '0',
      CORRAL_PROCESSES: String(count),
      CORRAL_DATA_DIR: dataDir,
      CORRAL_DATABASE_URL: await freshPostgres(),
      CORRAL_OBMD: '127.0.0.1:0',
    };
    program = await startProgram(env);
    password = (await readFile(join(dataDir, 'admin-password'), 'utf8')).trim();
  });
  afterAll(async () => {
    await program.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  });

  const admin = () => clientOf(program.url, basic('admin', password));
  const said = (text: string): number => program.output.filter((line) => line.includes(text)).length;
  const metrics = async (): Promise<string> => (await fetch(`${program.url}/metrics`)).text();
  /** The processes, by their number. */
  const pids = async (): Promise<Map<string, number>> =>
    new Map(
      [...(await metrics()).matchAll(/^corral_process_id\{process="(\d)"\} (\d+)$/gm)].map(([, number, pid]) => [
        number ?? '',
        Number(pid),
      ]),
    );
  /** A connection of its own each time: whose turn it is among the processes. */
  const status = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const agent = new Agent({ keepAlive: false });
      get(`${program.url}/readyz`, { agent }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      }).on('error', reject);
    });

  /** Has the BMC of a node tested, over a connection of its own. */
  const bmcTest = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: basic('admin', password) };
      request(`${program.url}/v0/node/n1/bmc/test`, { method: 'POST', headers, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
  const testThroughAll = async (): Promise<void> => {
    for (let turn = 0; turn < 2 * count; turn += 1) expect(await bmcTest()).toBe(200);
  };
  /** How many such tests each process has served. */
  const servedTests = async (): Promise<Map<string, number>> =>
    new Map(
      [
        ...(await metrics()).matchAll(
          /^corral_http_request_seconds_count\{process="(\d)",[^}]*bmc\/test[^}]*\} (\d+)$/gm,
        ),
      ]
        .map(([, number, served]) => [number ?? '', Number(served)] as const)
        .sort(),
    );

  it('are ready together: address and first password are printed once, one has the OBM daemon', async () => {
    const first = ['Corral is ready at', 'First start: user admin', 'The OBM daemon is ready at'];
    // They are lines of several processes, in no order.
    await eventually(() => (first.every((line) => said(line) > 0) ? true : undefined));
    expect(first.map(said)).toEqual([1, 1, 1]);
    expect((await pids()).size).toBe(count);
    await done(admin().put('/project/red'));
    for (let turn = 0; turn < 2 * count; turn += 1)
      expect((await done(admin().get('/projects'))).body).toEqual(['red']);
  });

  it('show in a scrape of any what each has counted, and what the database knows once', async () => {
    for (let turn = 0; turn < 2 * count; turn += 1) expect(await status()).toBe(200);
    const text = await metrics();
    const served = [...text.matchAll(/^corral_http_request_seconds_count\{process="(\d)",[^}]*readyz[^}]*\} \d+$/gm)];
    expect(new Set(served.map(([, number]) => number)).size).toBe(count);
    expect(text.match(/^# TYPE corral_http_request_seconds histogram$/gm)).toHaveLength(1);
    expect(text.match(/^corral_database_up\{process="\d"\} 1$/gm)).toHaveLength(count);
    await done(admin().put('/switch/sw0', { type: 'mock', hostname: 'sw0', username: 'u', password: 'p' }));
    expect((await metrics()).match(/^corral_switch_up\{.*$/gm)).toEqual(['corral_switch_up{switch="sw0"} 1']);
  });

  it('reach the BMCs through any of them, and again after the one that has them was killed with -9', async () => {
    const [victim = 0] = [(await pids()).get('0')];
    const before = await servedTests();
    await done(admin().put('/node/n1', {}));
    await done(admin().put('/node/n1/bmc', { type: 'mock', info: { addr: 'n1' } }));
    await testThroughAll();
    const after = await servedTests();
    expect([...after.keys()].filter((number) => after.get(number) !== before.get(number))).toEqual(['0', '1']);
    process.kill(victim, 'SIGKILL');
    await eventually(async () => ((await pids()).get('0') ?? victim) !== victim || undefined);
    await eventually(async () => ((await bmcTest()) === 200 ? true : undefined));
    await testThroughAll();
  });

  it('lose one to kill -9: the others answer, and it is replaced under its number', async () => {
    const before = await pids();
    const victim = before.get('1') ?? 0;
    const ended = said('a process ended; starting another');
    process.kill(victim, 'SIGKILL');
    await eventually(() => (said('a process ended; starting another') > ended ? true : undefined));
    const answers = await Promise.all(Array.from({ length: 2 * count }, status));
    expect(answers).toEqual(answers.map(() => 200));
    const after = await eventually(async () => {
      const found = await pids();
      return found.size === count ? found : undefined;
    });
    expect(after.get('1')).not.toBe(victim);
    expect(after.get('0')).toBe(before.get('0'));
  });

  it('stop together when the first is asked to', async () => {
    const all = [...(await pids()).values()];
    expect(await program.kill('SIGTERM')).toBe(0);
    expect(all.filter(alive)).toEqual([]);
  });

  it('do not outlive the one that supervises them', async () => {
    program = await startProgram(env);
    expect(said('First start')).toBe(0);
    const all = [...(await pids()).values()];
    expect(all).toHaveLength(count);
    await program.kill('SIGKILL');
    await eventually(() => (all.some(alive) ? undefined : true));
  });

  it('end with the reason why the first could not start', async () => {
    const url = new URL(env['CORRAL_DATABASE_URL'] ?? '');
    url.pathname = '/nowhere';
    const { code, output } = await runToEnd({ ...env, CORRAL_DATABASE_URL: url.href });
    expect(code).toBe(1);
    expect(output.match(/corral: cannot start: /g)).toHaveLength(1);
    expect(output).toContain('database "nowhere" does not exist');
  });
});

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('several processes on the embedded database', () => {
  it.each([
    ['2', /processes: 2 processes require PostgreSQL/],
    ['0', /CORRAL_PROCESSES: "0" is invalid; expected a whole number from 1 to 64, or auto/],
  ])('are refused: %s', async (processes, why) => {
    const { code, output } = await runToEnd({ CORRAL_PROCESSES: processes });
    expect(code).toBe(2);
    expect(output).toMatch(why);
  });
});
