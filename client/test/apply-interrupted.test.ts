import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { programFile } from '../../test/support/built-program.ts';
import { engines } from '../../service/test/support/services/engines.ts';
import { adminPassword, type Service, serviceForTest } from '../../service/test/support/services/service.ts';
import { eventually } from '../../service/test/support/services/world.ts';
import { siteShell } from './support/cli-service.ts';

const nodes = 60;

/** A rack of nodes with two nics each. */
const rack = [
  'switches:',
  '  sw: { type: mock, hostname: h, username: u, password_file: pw }',
  'nodes:',
  ...Array.from({ length: nodes }, (_, index) =>
    [
      `  n${index}:`,
      `    obmd: { uri: 'http://127.0.0.1:9/node/n${index}', admin_token_file: pw }`,
      '    nics:',
      `      eth0: { macaddr: '52:54:00:00:00:${index}', switch: sw, port: a${index} }`,
      `      eth1: { macaddr: '52:54:00:00:01:${index}', switch: sw, port: b${index} }`,
    ].join('\n'),
  ),
  '',
].join('\n');

const calls = 1 + 2 * nodes + nodes + 2 * nodes + 2 * nodes;

const registered = async (service: Service): Promise<number> =>
  ((await service.admin.get('/nodes/all')).body as unknown[]).length;

/** Waits until so many nodes are registered. */
const until = (service: Service, count: number): Promise<true> =>
  eventually(async () => ((await registered(service)) >= count ? true : undefined));

/** The command as a process that can be killed. */
const startApply = (service: Service, path: string): ChildProcess => {
  const child = spawn(process.execPath, [programFile('corral'), 'apply', path, '--yes'], {
    env: {
      PATH: process.env['PATH'],
      CORRAL_ENDPOINT: service.url,
      CORRAL_USERNAME: 'admin',
      CORRAL_PASSWORD: adminPassword,
    },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

describe.each(engines)('corral apply that is stopped, on %s', (engine) => {
  it('is complete after it was killed in the middle and run again', async () => {
    const service = await serviceForTest(engine);
    const { apply, path } = await siteShell(service, rack);
    for (const atLeast of [5, 30]) {
      const child = startApply(service, path);
      await until(service, atLeast);
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const again = await apply('--yes', '--json');
    expect(again.code).toBe(0);
    const { done, left } = JSON.parse(again.out) as { done: number; left: unknown[] };
    expect(left).toEqual([]);
    expect(done).toBeLessThan(calls);
    expect((await apply('--yes')).out).toContain('nothing to do');
    expect(await registered(service)).toBe(nodes);
  });

  it('finishes what it has begun when it is interrupted, and says how far it came', async () => {
    const service = await serviceForTest(engine);
    const { shell, path, apply } = await siteShell(service, rack);
    const stop = new AbortController();
    const running = shell(`apply ${path} --yes`, { signal: stop.signal });
    await until(service, 5);
    stop.abort();
    const { code, err } = await running;
    expect(code).toBe(130);
    const [, made = 0, all = 0, left = 0] = (/(\d+) of (\d+) calls were made, (\d+) were not/.exec(err) ?? []).map(
      Number,
    );
    expect([made + left, all]).toEqual([calls, calls]);
    expect(made).toBeGreaterThanOrEqual(5);
    const again = JSON.parse((await apply('--yes', '--json')).out) as { done: number };
    expect(again.done).toBe(left);
  });
});
