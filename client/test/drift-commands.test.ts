import { describe, expect, it } from 'vitest';
import { makeLeftover } from '../../service/test/support/headnodes/headnode-helpers.ts';
import { engines } from '../../service/test/support/services/engines.ts';
import { adminPassword, type Service, serviceForTest } from '../../service/test/support/services/service.ts';
import {
  connect,
  done,
  makeNetwork,
  makeNode,
  makeProject,
  reserve,
} from '../../service/test/support/services/world.ts';
import { tamper } from '../../service/test/support/switches/drift-helpers.ts';
import { age } from '../src/cli/age.ts';
import { shellForTest } from './support/shell.ts';
import { terminalForTest } from './support/terminal.ts';

const asAdmin = ({ url }: Service) => ({
  CORRAL_ENDPOINT: url,
  CORRAL_USERNAME: 'admin',
  CORRAL_PASSWORD: adminPassword,
});

/** Two switches, each with a node of project red that is on a network; both have just been read. */
const twoSwitches = async (service: Service): Promise<readonly [string, string]> => {
  await makeProject(service, 'red');
  await makeNetwork(service, 'lab', 'red');
  for (const node of ['n1', 'n2']) {
    await makeNode(service, node, ['eth0'], `sw-${node}`);
    await reserve(service, 'red', node);
    await connect(service, node, 'eth0', 'lab');
    await done(service.admin.post(`/switch/sw-${node}/sweep`));
  }
  return ['sw-n1', 'sw-n2'];
};

describe.each(engines)('corral drift, on %s', (engine) => {
  it('says of each switch as of when, and reads before it answers if it is to', async () => {
    const service = await serviceForTest(engine, { CORRAL_ENGINE_SWEEP: '0' });
    const [first, second] = await twoSwitches(service);
    const shell = await shellForTest(asAdmin(service));
    tamper(service, first, 'n1/eth0', { native: 666 });
    const last = await shell('drift --last');
    expect(last).toMatchObject({ code: 0 });
    for (const label of [first, second])
      expect(last.out).toMatch(new RegExp(`^${label} +(now|\\d+ s ago) +as recorded$`, 'm'));
    // In a script nothing is read that nobody asked for.
    expect((await shell('drift')).out).not.toContain('666');
    const now = await shell('drift --now');
    expect(now.out).toMatch(new RegExp(`^${first} +\\S.* n1/eth0 +n1 eth0 +VLAN 666 instead of VLAN \\d+$`, 'm'));
    expect(now.out).toMatch(new RegExp(`^${second} +(now|\\d+ s ago) +as recorded$`, 'm'));
    expect((await shell(`drift ${second}`)).out).not.toContain(first);
    expect((await shell(`drift ${first} --now --json`)).out).toContain('"native": 666');
    expect(await shell('drift --now --last')).toMatchObject({ code: 2 });
  });

  it('names a switch that cannot be read, with its last reading, and reads the others', async () => {
    const service = await serviceForTest(engine, { CORRAL_ENGINE_SWEEP: '0' });
    const [first, second] = await twoSwitches(service);
    const shell = await shellForTest(asAdmin(service));
    service.simulated(first).faults = { unreachable: true };
    tamper(service, second, 'n2/eth0', { native: 666 });
    const { code, out } = await shell('drift --now');
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    // The least certain statement comes first.
    expect(lines[1]).toMatch(new RegExp(`^${first} +(now|\\d+ s ago) +cannot be read: `));
    expect(lines[2]).toMatch(new RegExp(`^${second} .*VLAN 666 instead of`));
    expect((await shell(`switch sweep ${first}`)).err).toContain('could not be read');
    expect((await shell('reach lab')).out).toMatch(/may be incomplete\nswitch sw-n1 \(as of .*\): /);
  });

  it('reads first on a terminal, and shows which switches it waits for', async () => {
    const service = await serviceForTest(engine, { CORRAL_ENGINE_SWEEP: '0', CORRAL_ENGINE_DEVICE_TIMEOUT: '5' });
    const [first, second] = await twoSwitches(service);
    const terminal = await terminalForTest(asAdmin(service));
    tamper(service, first, 'n1/eth0', { native: 666 });
    service.simulated(second).faults = { hang: true };
    const session = terminal.corral('drift', { columns: 100 });
    await session.shows(/reading switches, 1 of 2: sw-n2/);
    expect(await session.exit()).toBe(0);
    expect(session.screen()).toMatch(/^sw-n1 .*VLAN 666 instead of/m);
    expect(session.screen()).toMatch(/^sw-n2 .*cannot be read/m);
    expect(session.screen()).not.toContain('reading');
  });

  it('lists machines without a headnode, which can be removed', async () => {
    const service = await serviceForTest(engine);
    const shell = await shellForTest(asAdmin(service));
    const uuid = await makeLeftover(service);
    expect((await shell('drift')).out).toMatch(new RegExp(`^hypervisor +now +machine ${uuid} has no headnode$`, 'm'));
    expect(await shell(`headnode leftover delete ${uuid}`)).toMatchObject({ code: 0 });
    expect((await shell('drift')).out).toContain('there are no switches');
  });
});

describe('how long ago', () => {
  it.each([
    [-5_000, 'now'],
    [400, 'now'],
    [1_000, '1 s ago'],
    [59_000, '59 s ago'],
    [60_000, '1 min ago'],
    [3_599_000, '59 min ago'],
    [7_200_000, '2 h ago'],
    [86_400_000 * 400, '400 d ago'],
  ])('%d ms is %s', (ms, text) => {
    expect(age(new Date(1e12).toISOString(), 1e12 + ms)).toBe(text);
  });
});
