import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { rawBytes } from '../support/http/raw-request.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import {
  done,
  leftAlone,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
} from '../support/services/world.ts';

const attempts = (service: Service, onSwitch: string): number =>
  service.log.filter((line) => line.includes('switch communication failed') && line.includes(onSwitch)).length;

describe.each(engines)('what a tenant can have the service do on %s', (engine) => {
  const makeWorld = async (env: Readonly<Record<string, string>> = {}): Promise<Service> => {
    const service = await serviceForTest(engine, env);
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
    await makeUser(service, 'alice', 'red');
    await makeNode(service, 'n1', ['eth0'], 'sw0');
    return service;
  };

  it('by asking for the reach again and again: it does not have a switch tried that is left alone', async () => {
    const service = await makeWorld();
    await leftAlone(service, 'sw0');
    service.simulated('sw0').faults = { unreachable: true };
    for (let count = 0; count < 3; count += 1) await service.admin.post('/switch/sw0/sweep', {});
    const before = await eventually(() => (attempts(service, 'sw0') >= 3 ? attempts(service, 'sw0') : undefined));
    const alice = service.as('alice');
    for (let count = 0; count < 20; count += 1) {
      const { body } = await done(alice.get('/network/net/reach'));
      expect(body).toMatchObject({ complete: false });
    }
    // Its own probes go on.
    expect(attempts(service, 'sw0') - before).toBeLessThan(10);
  });

  it('by many asking at once: they share few sweeps', async () => {
    const service = await makeWorld();
    await leftAlone(service, 'sw0');
    const alice = service.as('alice');
    const statement = `select sweep_wanted from switches where label = 'sw0'`;
    const sweeps = async (): Promise<number> => {
      const [row] = (await runSql(service, { sqlite: statement, postgres: statement })) as { sweep_wanted: number }[];
      return Number(row?.sweep_wanted);
    };
    const before = await sweeps();
    const answers = await Promise.all(Array.from({ length: 20 }, () => done(alice.get('/network/net/reach'))));
    for (const { body } of answers) expect(body).toMatchObject({ complete: true });
    expect((await sweeps()) - before).toBeLessThanOrEqual(5);

    // Nor is a switch read again that was just read.
    const [began, asked] = [performance.now(), await sweeps()];
    for (let count = 0; count < 20; count += 1) await done(alice.get('/network/net/reach'));
    const seconds = (performance.now() - began) / 1_000;
    expect((await sweeps()) - asked).toBeLessThanOrEqual(2 + seconds);
  });

  it('sees no metrics through a proxy: they are for administrators', async () => {
    const service = await makeWorld({ CORRAL_METRICS: 'nobody' });
    const { host } = new URL(service.url);
    const ask = (headers: string): Promise<string> =>
      rawBytes(service.url, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`);
    expect(await ask('')).toMatch(/^HTTP\/1.1 401 /);
    const credentials = Buffer.from('alice:no').toString('base64');
    expect(await ask(`Authorization: Basic ${credentials}\r\n`)).toMatch(/^HTTP\/1.1 401 /);
    const admin = service.admin.headers['authorization'] ?? '';
    expect(await ask(`Authorization: ${admin}\r\n`)).toMatch(/^HTTP\/1.1 200 [^]*corral_database_up 1/);
  });

  it('sees metrics without credentials only on the machine itself, not through a proxy there', async () => {
    const service = await makeWorld();
    const { host } = new URL(service.url);
    const ask = (headers: string): Promise<string> =>
      rawBytes(service.url, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`);
    expect(await ask('')).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask('X-Forwarded-For: 192.0.2.7\r\n')).toMatch(/^HTTP\/1.1 401 /);
  });
});
