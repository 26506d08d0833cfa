import { describe, expect, it } from 'vitest';
import { engines } from '../../service/test/support/services/engines.ts';
import { adminPassword, type Service, serviceForTest } from '../../service/test/support/services/service.ts';
import { done, makeSwitch, obmd } from '../../service/test/support/services/world.ts';
import { mergedWiring } from '../src/cli/merged-wiring.ts';
import { shellForTest } from './support/shell.ts';

const asAdmin = ({ url }: Service) => ({
  CORRAL_ENDPOINT: url,
  CORRAL_USERNAME: 'admin',
  CORRAL_PASSWORD: adminPassword,
});
const macOf = (number: number): string => `02:00:5e:00:53:0${number}`;

/** The nodes n1 to n4, each with a nic on port p of its own, two on each of two switches. */
const fourNodes = async (service: Service): Promise<void> => {
  for (const number of [1, 2, 3, 4]) {
    const node = `n${number}`;
    const port = `/switch/${number < 3 ? 'tor-1' : 'tor-2'}/port/gi1/0/${number}`;
    await makeSwitch(service, number < 3 ? 'tor-1' : 'tor-2');
    await done(service.admin.put(`/node/${node}`, { obmd }));
    await done(service.admin.put(`/node/${node}/nic/eth0`, { macaddr: macOf(number) }));
    await done(service.admin.put(port));
    await done(service.admin.post(`${port}/connect_nic`, { node, nic: 'eth0' }));
  }
};

describe.each(engines)('corral wiring check, on %s', (engine) => {
  it('fails if a nic is elsewhere, shows where, and nothing more of those that are right', async () => {
    const service = await serviceForTest(engine);
    await fourNodes(service);
    const shell = await shellForTest(asAdmin(service));
    const learn = (onSwitch: string, ...places: readonly (readonly [port: number, number: number])[]) => {
      service.simulated(onSwitch).learned = places.map(([port, number]) => ({
        ...{ port: `gi1/0/${port}`, mac: macOf(number), vlan: 100 },
      }));
    };
    learn('tor-1', [1, 1], [2, 2]);
    learn('tor-2', [3, 3], [4, 4]);
    const right = await shell('wiring check');
    expect(right).toMatchObject({ code: 0, err: '' });
    expect(right.out).toContain('every nic is where it is recorded');
    expect(right.out).toContain('4 right, 0 elsewhere, 0 unseen, 0 unknown');
    expect((await shell('wiring check --all')).out).toMatch(
      /^n4 eth0 +right +tor-2 gi1\/0\/4 +tor-2 gi1\/0\/4 \(n4 eth0\)$/m,
    );

    // Two cables are swapped between the switches, and one node is off.
    learn('tor-1', [1, 1], [2, 3]);
    learn('tor-2', [3, 2]);
    const wrong = await shell('wiring check');
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain('2 nics were not seen where recorded');
    expect(wrong.out).toMatch(/^n2 eth0 +elsewhere +tor-1 gi1\/0\/2 +tor-2 gi1\/0\/3 \(n3 eth0\)$/m);
    expect(wrong.out).toMatch(/^n3 eth0 +elsewhere +tor-2 gi1\/0\/3 +tor-1 gi1\/0\/2 \(n2 eth0\)$/m);
    expect(wrong.out).toMatch(/^n4 eth0 +unseen +tor-2 gi1\/0\/4$/m);
    expect(wrong.out).not.toContain('n1 eth0');
    const json = JSON.parse((await shell('wiring check --json')).out) as ReturnType<typeof mergedWiring>;
    expect(json.nics.map(({ node, verdict }) => `${node} ${verdict}`)).toEqual([
      'n1 right',
      'n2 elsewhere',
      'n3 elsewhere',
      'n4 unseen',
    ]);
    expect(json.switches).toEqual([
      { switch: 'tor-1', fault: null },
      { switch: 'tor-2', fault: null },
    ]);
  });

  it('of a node or a switch asks only that, and fails for what was not seen if it is to be strict', async () => {
    const service = await serviceForTest(engine);
    await fourNodes(service);
    const shell = await shellForTest(asAdmin(service));
    service.simulated('tor-1').learned = [{ port: 'gi1/0/1', mac: macOf(1), vlan: null }];
    service.simulated('tor-2').faults = { unreachable: true };
    expect(await shell('wiring check n1 --strict')).toMatchObject({ code: 0, err: '' });
    const unseen = await shell('wiring check n2');
    expect(unseen.code).toBe(0);
    expect(unseen.out).toMatch(/^n2 eth0 +unseen +tor-1 gi1\/0\/2$/m);
    expect(await shell('wiring check n2 --strict')).toMatchObject({ code: 1 });
    const failed = await shell('wiring check --switch tor-2');
    expect(failed.code).toBe(0);
    expect(failed.out).toMatch(/^n3 eth0 +unknown +tor-2 gi1\/0\/3$/m);
    expect(failed.out).toContain('switch tor-2 cannot tell: connection refused');
    expect(failed.out).not.toContain('n1 eth0');
    // One that cannot tell keeps nobody from the others.
    const all = await shell('wiring check --strict');
    expect(all.out).toContain('1 right, 0 elsewhere, 1 unseen, 2 unknown');
    expect(all.err).toContain('3 nics were not seen where recorded');
    expect(await shell('wiring check n1 --switch tor-1')).toMatchObject({ code: 2 });
    expect(await shell('wiring check none')).toMatchObject({ code: 1 });
    expect(await shell('wiring check --switch none')).toMatchObject({ code: 1 });
  });
});

describe('what two switches tell of a nic', () => {
  const recorded = { node: 'n', nic: 'eth0', macaddr: macOf(1), switch: 'a', port: '1', reason: null };
  const at = (label: string, port: string, nic: string | null) => ({ switch: label, port, node: nic && 'n', nic });
  const home = { ...recorded, seen: [at('a', '1', 'eth0')], verdict: 'right' };
  const view = (label: string, nic: typeof home) => ({ nics: [nic], switches: [{ switch: label, fault: null }] });
  const verdicts = (one: typeof home, other: typeof home) =>
    [mergedWiring([view('a', one), view('b', other)]), mergedWiring([view('b', other), view('a', one)])].map(
      ({ nics }) => nics.map(({ verdict }) => verdict).join(),
    );

  it('is right if it is at home, and at no port of another nic', () => {
    expect(verdicts(home, { ...home, seen: [at('b', '7', null)], verdict: 'elsewhere' })).toEqual(['right', 'right']);
    expect(verdicts(home, { ...home, seen: [at('b', '7', 'eth1')], verdict: 'elsewhere' })).toEqual([
      'elsewhere',
      'elsewhere',
    ]);
  });

  it('is elsewhere if its own switch does not see it, or cannot tell', () => {
    const away = { ...home, seen: [at('b', '7', null)], verdict: 'elsewhere' };
    expect(verdicts({ ...home, seen: [], verdict: 'unseen' }, away)).toEqual(['elsewhere', 'elsewhere']);
    expect(verdicts({ ...home, seen: [], verdict: 'unknown' }, away)).toEqual(['elsewhere', 'elsewhere']);
  });
});
