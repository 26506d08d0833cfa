import { describe, expect, it } from 'vitest';
import { inNaturalOrder } from '../../src/core/natural-order.ts';
import type { Client } from '../support/http/http-client.ts';
import { makeToken, scriptWith } from '../support/identity/browser.ts';
import { engines } from '../support/services/engines.ts';
import { runSql } from '../support/services/run-sql.ts';
import { refusal, sharedService } from '../support/services/shared-service.ts';
import {
  connect,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeSwitch,
  makeUser,
  reserve,
  settled,
} from '../support/services/world.ts';
import { aTime, driftOf, sweep, tamper } from '../support/switches/drift-helpers.ts';

interface Port {
  readonly port: string;
  readonly registered: boolean;
  readonly node: string | null;
  readonly nic: string | null;
  readonly project: string | null;
  readonly networks: Readonly<Record<string, string>>;
  readonly recorded: unknown;
  readonly seen: unknown;
  readonly absent: boolean;
  readonly read_at: string | null;
  readonly state: string;
  readonly since: string | null;
  readonly why: string | null;
  readonly pending: (Readonly<Record<string, unknown>> & { readonly status_id: string }) | null;
}
type Details = Readonly<Record<string, unknown>> & {
  readonly event: number;
  readonly fault_since: string | null;
  readonly probe_at: string | null;
  readonly port_list: readonly Port[];
};

describe.each(engines)('the overview of one switch on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_VLANS: '100-120', CORRAL_ENGINE_BUDGET: '60' });
  const detailsOf = async (label: string, caller: Client = service().admin): Promise<Details> =>
    (await done(caller.get(`/overview/switch/${label}`))).body as Details;
  const portOf = async (label: string, port: string): Promise<Port | undefined> =>
    (await detailsOf(label)).port_list.find((one) => one.port === port);
  const sql = (text: string) => runSql(service(), { sqlite: text, postgres: text });

  it('is the row of all switches, what show_switch shows, and every port as show_port and show_switch_drift', async () => {
    const { admin } = service();
    await makeProject(service(), 'red');
    await makeNetwork(service(), 'red-net', 'red');
    await makeNetwork(service(), 'red-tag', 'red');
    await makeNode(service(), 'n1', ['eth0', 'eth1'], 'sw1');
    for (const port of ['gi10', 'gi9']) await done(admin.put(`/switch/sw1/port/${port}`));
    await sweep(service(), 'sw1');
    await reserve(service(), 'red', 'n1');
    await connect(service(), 'n1', 'eth0', 'red-net');
    const { network_id } = ((await done(admin.get('/networks'))).body as Record<string, { network_id: string }>)[
      'red-tag'
    ] ?? { network_id: '' };
    await connect(service(), 'n1', 'eth0', 'red-tag', `vlan/${network_id}`);
    tamper(service(), 'sw1', 'n1/eth1', { native: 9, tagged: [7, 8] });
    tamper(service(), 'sw1', 'gi9', { native: 3 });
    await sweep(service(), 'sw1');

    // The engine goes on by itself, saving the switch for example: what is compared was read while it did nothing.
    const { details, events, switches, shown, drift } = await eventually(async () => {
      const before = await detailsOf('sw1');
      const read = {
        details: before,
        ...((await done(admin.get('/events?limit=1'))).body as { events: { id: number }[] }),
        ...((await done(admin.get('/overview/switches'))).body as { switches: { name: string }[] }),
        shown: (await done(admin.get('/switch/sw1'))).body as { ports: string[] },
        drift: await driftOf(service(), 'sw1'),
      };
      return JSON.stringify(await detailsOf('sw1')) === JSON.stringify(before) ? read : undefined;
    });
    const { event, port_list, fault_since, probe_at, ...rest } = details;
    expect(event).toBe(events[0]?.id);
    expect({ fault_since, probe_at }).toEqual({ fault_since: null, probe_at: null });
    const row = switches.find(({ name }) => name === 'sw1');
    expect(rest).toEqual({ ...shown, ...row });
    expect(JSON.stringify(rest)).not.toContain('switch password');

    expect(port_list.map(({ port }) => port)).toEqual(['gi9', 'gi10', 'n1/eth0', 'n1/eth1']);
    expect(port_list.map(({ port }) => port).sort()).toEqual(shown.ports);
    expect(drift.ports.map(({ port }) => port)).toEqual(['gi9', 'n1/eth1']);
    for (const port of port_list) {
      const single = (await done(admin.get(`/switch/sw1/port/${port.port}`))).body as Record<string, unknown>;
      expect({ node: port.node ?? undefined, nic: port.nic ?? undefined }, port.port).toEqual({
        node: single['node'],
        nic: single['nic'],
      });
      expect(port.networks).toEqual(single['networks'] ?? {});
      const differing = drift.ports.find((one) => one.port === port.port);
      expect(port.state, port.port).toBe(differing === undefined ? 'ok' : 'drift');
      if (differing !== undefined) expect(port).toMatchObject({ ...differing, why: expect.any(String) as string });
      else expect(port).toMatchObject({ seen: port.recorded, since: null, why: null });
      expect(port).toMatchObject({ registered: true, absent: false, read_at: aTime(), pending: null });
    }
    const { recorded, networks, project } = port_list[2] ?? {};
    const channels = ['vlan/native', `vlan/${network_id}`];
    expect(Object.keys(networks ?? {}).sort()).toEqual(channels.sort());
    expect(recorded).toEqual({ native: expect.any(Number) as number, tagged: network_id });
    expect(project).toBe('red');
  });

  it('says of each port why it is not to be trusted, the most serious first', async () => {
    const { admin } = service();
    await makeNode(service(), 'n2', ['a', 'b', 'c', 'd', 'e'], 'sw2');
    await sweep(service(), 'sw2');
    await done(admin.put('/switch/sw2/port/never'));
    tamper(service(), 'sw2', 'n2/a', { native: 5 });
    await sweep(service(), 'sw2');
    await done(admin.put('/switch/sw2/port/new'));
    await sql(`update ports set suspect = 'the switch went away' where label = 'n2/b'`);
    await sql(`update ports set unread = 1 where label = 'n2/c'`);
    await sql(`update ports set late_until = 1 where label = 'n2/d'`);
    const drifting = `drift_since = 1000, reading = 'null'`;
    await sql(`update ports set ${drifting}, late_until = 1 where label = 'n2/e'`);
    const states = new Map((await detailsOf('sw2')).port_list.map((port) => [port.port, port]));
    const { blocked } = (await done(admin.get('/overview/node/n2'))).body as {
      blocked: { nic: string; message: string }[];
    };
    for (const [nic, state] of [
      ['a', 'drift'],
      ['b', 'suspect'],
      ['c', 'unread'],
      ['d', 'in doubt'],
      ['e', 'drift'],
    ] as const) {
      // The sentence of the refusals.
      const why = blocked.find((one) => one.nic === nic)?.message;
      expect(why).toContain(`port n2/${nic} on switch sw2`);
      expect(states.get(`n2/${nic}`)).toMatchObject({ state, why });
    }
    expect(states.get('n2/e')).toMatchObject({ seen: null, absent: true, since: '1970-01-01T00:00:01.000Z' });
    expect(states.get('never')).toMatchObject({ state: 'ok', seen: { native: null, tagged: '' } });
    expect(states.get('new')).toMatchObject({ state: 'unread', seen: null, absent: false, read_at: null });
    expect(states.get('new')?.why).toContain('port new on switch sw2 has never been read');
    await sql(`update ports set suspect = null, unread = 0, late_until = null where label like 'n2/%'`);
  });

  it('has ports that nobody registered, as the last sweep saw them, and each port once', async () => {
    await makeSwitch(service(), 'sw3');
    await done(service().admin.put('/switch/sw3/port/gi2'));
    tamper(service(), 'sw3', 'gi10', { tagged: [100, 101, 102] });
    tamper(service(), 'sw3', 'gi1', { native: 4 });
    await sweep(service(), 'sw3');
    expect((await detailsOf('sw3')).port_list.map(({ port, registered }) => [port, registered])).toEqual([
      ['gi1', false],
      ['gi2', true],
      ['gi10', false],
    ]);
    expect(await portOf('sw3', 'gi10')).toEqual({
      port: 'gi10',
      registered: false,
      node: null,
      nic: null,
      project: null,
      networks: {},
      recorded: null,
      seen: { native: null, tagged: '100-102' },
      absent: false,
      read_at: aTime(),
      state: 'ok',
      since: null,
      why: null,
      pending: null,
    });
    await done(service().admin.put('/switch/sw3/port/gi10'));
    expect((await detailsOf('sw3')).port_list.map(({ port, registered }) => [port, registered])).toEqual([
      ['gi1', false],
      ['gi2', true],
      ['gi10', true],
    ]);
  });

  it('has the change that waits on each port, as show_networking_action tells of it', async () => {
    const { admin } = service();
    await makeProject(service(), 'blue');
    await makeNetwork(service(), 'blue-net', 'blue');
    await makeNode(service(), 'n4', ['eth0', 'eth1', 'eth2'], 'sw4');
    await sweep(service(), 'sw4');
    await reserve(service(), 'blue', 'n4');
    await connect(service(), 'n4', 'eth1', 'blue-net');
    service().simulated('sw4').faults = { unreachable: true };
    const queued = [
      await admin.post('/node/n4/nic/eth0/connect_network', { network: 'blue-net' }),
      await admin.post('/node/n4/nic/eth1/detach_network', { network: 'blue-net' }),
      await admin.post('/switch/sw4/port/n4/eth2/revert'),
    ];
    // After the third failure in a row it is left alone until its next probe.
    const details = await eventually(async () => {
      const now = await detailsOf('sw4');
      return now.probe_at === null ? undefined : now;
    });
    expect(details).toMatchObject({ state: 'unreachable', fault: expect.any(String) as string, fault_since: aTime() });
    expect(Date.parse(details.probe_at ?? '') - Date.now()).toBeLessThan(20_000);
    const { port_list } = await detailsOf('sw4');
    expect(port_list.map(({ port }) => port)).toEqual(['n4/eth0', 'n4/eth1', 'n4/eth2']);
    for (const [index, { body }] of queued.entries()) {
      const { status_id } = body as { status_id: string };
      const { pending, nic } = port_list[index] ?? {};
      const action = (await done(admin.get(`/networking_action/${status_id}`))).body as Record<string, unknown>;
      expect(pending).toEqual({
        status_id,
        type: action['type'],
        network: action['new_network'],
        channel: action['channel'],
        since: aTime(),
        attempts: expect.any(Number) as number,
      });
      expect(action['nic']).toBe(nic);
      expect(Math.abs(Date.parse(String(pending?.['since'])) - Date.now())).toBeLessThan(60_000);
    }
    expect(port_list.map(({ pending }) => [pending?.['type'], pending?.['network']])).toEqual([
      ['modify_port', 'blue-net'],
      ['modify_port', null],
      ['revert_port', null],
    ]);
    service().simulated('sw4').faults = {};
    for (const answer of queued) expect((await settled(service(), answer)).status).toBe('DONE');
    expect((await detailsOf('sw4')).port_list.map(({ pending }) => pending)).toEqual([null, null, null]);
    await eventually(async () => ((await detailsOf('sw4')).fault_since === null ? true : undefined));
  });

  it('is for administrators, also with a token that may only look', async () => {
    await makeSwitch(service(), 'sw5');
    const ada = await makeUser(service(), 'ada');
    for (const caller of [ada, service().anonymous])
      for (const label of ['sw5', 'nowhere'])
        expect(await refusal(caller.get(`/overview/switch/${label}`))).toBe('401 AuthorizationError');
    const looker = scriptWith(service(), await makeToken(service().admin, 'looker', { read_only: true }));
    expect(await detailsOf('sw5', looker)).toEqual(await detailsOf('sw5'));
    expect(await refusal(service().admin.get('/overview/switch/nowhere'))).toBe('404 NotFoundError');
  });
});

it('names are sorted by the numbers in them, however long', () => {
  const long = '9'.repeat(400);
  const names = ['gi1/0/10', 'gi1/0/2', 'te2', 'gi1/0/2.1', '10', `p1${long}`, `p${long}`, '9', 'gi01/0/3', 'gi'];
  expect(inNaturalOrder(names, (name) => name)).toEqual([
    '9',
    '10',
    'gi',
    'gi01/0/3',
    'gi1/0/2',
    'gi1/0/2.1',
    'gi1/0/10',
    `p${long}`,
    `p1${long}`,
    'te2',
  ]);
});
