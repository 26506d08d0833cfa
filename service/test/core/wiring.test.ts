import { describe, expect, it } from 'vitest';
import type { WiringView } from '../../src/core/wiring.ts';
import { engines } from '../support/services/engines.ts';
import { refusal, sharedService } from '../support/services/shared-service.ts';
import { oddSwitches } from '../support/switches/faulty-switches.ts';
import {
  connect,
  done,
  makeNetwork,
  makeProject,
  makeSwitch,
  makeUser,
  obmd,
  reserve,
} from '../support/services/world.ts';

/** A nic, and where it is recorded: `switch port`; null: nowhere. */
interface Nic {
  readonly macaddr: string;
  readonly at: readonly [onSwitch: string, port: string] | null;
}

describe.each(engines)('the wiring on %s', (engine) => {
  const service = sharedService(engine);
  const wired = async (node: string, nics: Readonly<Record<string, Nic>>): Promise<void> => {
    await done(service().admin.put(`/node/${node}`, { obmd }));
    for (const [nic, { macaddr, at }] of Object.entries(nics)) {
      await done(service().admin.put(`/node/${node}/nic/${nic}`, { macaddr }));
      if (at === null) continue;
      await makeSwitch(service(), at[0]);
      await done(service().admin.put(`/switch/${at[0]}/port/${at[1]}`));
      await done(service().admin.post(`/switch/${at[0]}/port/${at[1]}/connect_nic`, { node, nic }));
    }
  };
  const learned = (onSwitch: string, ...places: readonly (readonly [port: string, mac: string, vlan?: number])[]) => {
    service().simulated(onSwitch).learned = places.map(([port, mac, vlan = 100]) => ({ port, mac, vlan }));
  };
  const ofNode = async (node: string): Promise<WiringView> =>
    (await done(service().admin.get(`/node/${node}/wiring`))).body as WiringView;
  const ofSwitch = async (label: string): Promise<WiringView> =>
    (await done(service().admin.get(`/switch/${label}/wiring`))).body as WiringView;
  /** `nic verdict: places`, for each nic. */
  const short = ({ nics }: WiringView): readonly string[] =>
    nics.map(
      ({ node, nic, verdict, seen }) =>
        `${node} ${nic} ${verdict}${seen.map((at) => ` ${at.switch} ${at.port}${at.nic === null ? '' : ` (${at.node} ${at.nic})`}`).join()}`,
    );

  it('of a node is what is recorded beside what its switches see, however addresses are written', async () => {
    await wired('a1', {
      eth0: { macaddr: '02-00-5E-00-A1-00', at: ['sw-a', 'gi1/0/1'] },
      eth1: { macaddr: '0200.5e00.a101', at: ['sw-a', 'gi1/0/2'] },
      eth2: { macaddr: '02:00:5e:00:a1:02', at: ['sw-a', 'gi1/0/3'] },
    });
    learned(
      'sw-a',
      ['gi1/0/1', '02:00:5e:00:a1:00'],
      ['gi1/0/1', '02:00:5e:00:a1:00', 200],
      ['gi1/0/9', '02:00:5e:00:a1:01'],
    );
    const recorded = { node: 'a1', switch: 'sw-a', reason: null };
    expect(await ofNode('a1')).toEqual({
      nics: [
        {
          ...{ ...recorded, nic: 'eth0', macaddr: '02-00-5E-00-A1-00', port: 'gi1/0/1', verdict: 'right' },
          seen: [{ switch: 'sw-a', port: 'gi1/0/1', node: 'a1', nic: 'eth0' }],
        },
        {
          ...{ ...recorded, nic: 'eth1', macaddr: '0200.5e00.a101', port: 'gi1/0/2', verdict: 'elsewhere' },
          seen: [{ switch: 'sw-a', port: 'gi1/0/9', node: null, nic: null }],
        },
        { ...recorded, nic: 'eth2', macaddr: '02:00:5e:00:a1:02', port: 'gi1/0/3', verdict: 'unseen', seen: [] },
      ],
      switches: [{ switch: 'sw-a', fault: null }],
    });
  });

  it('shows two cables that were swapped, and at which nics they are', async () => {
    await wired('b1', { eth0: { macaddr: '02:00:5e:00:b1:00', at: ['sw-b1', 'p1'] } });
    await wired('b2', { eth0: { macaddr: '02:00:5e:00:b2:00', at: ['sw-b2', 'p1'] } });
    learned('sw-b1', ['p1', '02:00:5e:00:b2:00'], ['uplink', '02:00:5e:00:b1:00']);
    learned('sw-b2', ['p1', '02:00:5e:00:b1:00'], ['uplink', '02:00:5e:00:b2:00']);
    // Of a nic that is recorded elsewhere a switch tells too, if it is at one of its ports.
    expect(short(await ofSwitch('sw-b1'))).toEqual([
      'b1 eth0 elsewhere sw-b1 uplink',
      'b2 eth0 elsewhere sw-b1 p1 (b1 eth0)',
    ]);
    expect(short(await ofSwitch('sw-b2'))).toEqual([
      'b1 eth0 elsewhere sw-b2 p1 (b2 eth0)',
      'b2 eth0 elsewhere sw-b2 uplink',
    ]);
    expect(short(await ofNode('b1'))).toEqual(['b1 eth0 elsewhere sw-b1 uplink']);
  });

  it('takes an address behind an uplink for no sign, unless it is at a port of another nic, too', async () => {
    await wired('c1', {
      eth0: { macaddr: '02:00:5e:00:c1:00', at: ['sw-c1', 'p1'] },
      eth1: { macaddr: '02:00:5e:00:c1:01', at: ['sw-c2', 'p1'] },
    });
    learned('sw-c1', ['p1', '02:00:5e:00:c1:00'], ['uplink', '02:00:5e:00:c1:01']);
    learned('sw-c2', ['p1', '02:00:5e:00:c1:01'], ['uplink', '02:00:5e:00:c1:00']);
    expect(short(await ofNode('c1'))).toEqual([
      'c1 eth0 right sw-c1 p1 (c1 eth0), sw-c2 uplink',
      'c1 eth1 right sw-c1 uplink, sw-c2 p1 (c1 eth1)',
    ]);
    expect(short(await ofSwitch('sw-c1'))).toEqual(['c1 eth0 right sw-c1 p1 (c1 eth0)']);
    learned('sw-c2', ['p1', '02:00:5e:00:c1:01'], ['p1', '02:00:5e:00:c1:00']);
    expect(short(await ofNode('c1'))).toEqual([
      'c1 eth0 elsewhere sw-c1 p1 (c1 eth0), sw-c2 p1 (c1 eth1)',
      'c1 eth1 right sw-c1 uplink, sw-c2 p1 (c1 eth1)',
    ]);
  });

  it('says of a switch that fails, hangs or cannot tell why, and what the others see', async () => {
    await wired('d1', {
      eth0: { macaddr: '02:00:5e:00:d1:00', at: ['sw-d1', 'p1'] },
      eth1: { macaddr: '02:00:5e:00:d1:01', at: ['sw-d2', 'p1'] },
      eth2: { macaddr: '02:00:5e:00:d1:02', at: ['sw-d3', 'p1'] },
    });
    learned('sw-d1', ['p1', '02:00:5e:00:d1:00']);
    service().simulated('sw-d2').faults = { unreachable: true };
    service().simulated('sw-d3').faults = { tellsNothing: true };
    const { nics, switches } = await ofNode('d1');
    expect(switches).toEqual([
      { switch: 'sw-d1', fault: null },
      { switch: 'sw-d2', fault: 'connection refused' },
      { switch: 'sw-d3', fault: 'the simulated switch keeps no table of addresses' },
    ]);
    expect(nics.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ['right', null],
      ['unknown', 'switch sw-d2: connection refused'],
      ['unknown', 'switch sw-d3: the simulated switch keeps no table of addresses'],
    ]);
    // Another switch may know where such a nic is all the same.
    learned('sw-d1', ['p1', '02:00:5e:00:d1:01']);
    expect(short(await ofNode('d1'))).toEqual([
      'd1 eth0 unseen',
      'd1 eth1 elsewhere sw-d1 p1 (d1 eth0)',
      'd1 eth2 unknown',
    ]);
  });

  it('of a nic without a port, or without a MAC address, is unknown, unless it is seen', async () => {
    await wired('e1', {
      eth0: { macaddr: 'what is this', at: ['sw-e', 'p1'] },
      eth1: { macaddr: '02:00:5e:00:e1:01', at: null },
      eth2: { macaddr: '02:00:5e:00:e1:02', at: null },
    });
    learned('sw-e', ['p7', '02:00:5e:00:e1:02']);
    const { nics } = await ofNode('e1');
    expect(nics.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ['unknown', '"what is this" is not a MAC address'],
      ['unknown', 'it is not connected to a port of a switch that was asked'],
      ['elsewhere', null],
    ]);
    await done(service().admin.put('/node/e2', { obmd }));
    expect(await ofNode('e2')).toEqual({ nics: [], switches: [] });
    await makeSwitch(service(), 'sw-e-empty');
    expect(await ofSwitch('sw-e-empty')).toEqual({ nics: [], switches: [{ switch: 'sw-e-empty', fault: null }] });
  });

  it('is looked up for the first addresses of each port: a flood on one hides nothing on another', async () => {
    await wired('f1', { eth0: { macaddr: '02:00:5e:00:f1:00', at: ['sw-f1', 'p1'] } });
    await wired('f2', { eth0: { macaddr: '02:00:5E:00:F2:00', at: ['sw-f2', 'p1'] } });
    await done(service().admin.put('/switch/sw-f1/port/p2'));
    const flood = Array.from({ length: 3_000 }, (_, at): [string, string] => [
      'p1',
      `06:00:00:00:${(at >> 8).toString(16).padStart(2, '0')}:${(at & 255).toString(16).padStart(2, '0')}`,
    ]);
    learned('sw-f1', ...flood, ['p2', '02:00:5e:00:f2:00']);
    expect(short(await ofSwitch('sw-f1'))).toEqual(['f1 eth0 unseen', 'f2 eth0 elsewhere sw-f1 p2']);
  });

  it('changes nothing and records nothing, also while the switch is changed', async () => {
    await wired('g1', { eth0: { macaddr: '02:00:5e:00:9a:00', at: ['sw-g', 'p1'] } });
    await makeProject(service(), 'p-g');
    await makeNetwork(service(), 'net-g', 'p-g');
    await reserve(service(), 'p-g', 'g1');
    service().simulated('sw-g').faults = { delayMs: 300 };
    const changed = connect(service(), 'g1', 'eth0', 'net-g');
    const views = await Promise.all(Array.from({ length: 5 }, () => ofSwitch('sw-g')));
    expect(new Set(views.map((view) => JSON.stringify(view))).size).toBe(1);
    await changed;
    const before = (await done(service().admin.get('/events?limit=1'))).body;
    await ofNode('g1');
    await ofSwitch('sw-g');
    expect((await done(service().admin.get('/events?limit=1'))).body).toEqual(before);
  });

  it('is for administrators, of what exists', async () => {
    await wired('h1', { eth0: { macaddr: '02:00:5e:00:11:00', at: ['sw-h', 'p1'] } });
    const ada = await makeUser(service(), 'ada-h');
    for (const path of ['/node/h1/wiring', '/switch/sw-h/wiring', '/node/none/wiring', '/switch/none/wiring'])
      expect(await refusal(ada.get(path))).toBe('401 AuthorizationError');
    expect(await refusal(service().admin.get('/node/none/wiring'))).toBe('404 NotFoundError');
    expect(await refusal(service().admin.get('/switch/none/wiring'))).toBe('404 NotFoundError');
  });
});

describe('a switch that hangs', () => {
  const service = sharedService('sqlite', { CORRAL_ENGINE_DEVICE_TIMEOUT: '1' });

  it('is given up after the time limit of two calls, and the others tell', async () => {
    for (const [index, label] of ['fine', 'hangs'].entries()) {
      await makeSwitch(service(), label);
      if (index === 0) await done(service().admin.put('/node/n', { obmd }));
      await done(service().admin.put(`/node/n/nic/eth${index}`, { macaddr: `02:00:5e:00:53:0${index}` }));
      await done(service().admin.put(`/switch/${label}/port/p`));
      await done(service().admin.post(`/switch/${label}/port/p/connect_nic`, { node: 'n', nic: `eth${index}` }));
    }
    service().simulated('fine').learned = [{ port: 'p', mac: '02:00:5e:00:53:00', vlan: 1 }];
    service().simulated('hangs').faults = { hang: true };
    const { nics, switches } = (await done(service().admin.get('/node/n/wiring'))).body as WiringView;
    expect(nics.map(({ verdict }) => verdict)).toEqual(['right', 'unknown']);
    expect(switches).toEqual([
      { switch: 'fine', fault: null },
      { switch: 'hangs', fault: 'it did not tell the addresses that it has learned within 2 s' },
    ]);
  });
});

describe('a switch of an extension', () => {
  const service = sharedService('sqlite', oddSwitches);
  const password = 'Vx7-quite-a-secret';
  const wiringOf = async (label: string, fields: object): Promise<WiringView> => {
    await done(service().admin.put(`/switch/${label}`, fields));
    await done(service().admin.put(`/node/${label}`, { obmd }));
    await done(service().admin.put(`/node/${label}/nic/eth0`, { macaddr: '02:00:5e:00:53:01' }));
    await done(service().admin.put(`/switch/${label}/port/p`));
    await done(service().admin.post(`/switch/${label}/port/p/connect_nic`, { node: label, nic: 'eth0' }));
    const { body, text } = await done(service().admin.get(`/switch/${label}/wiring`));
    expect(text).not.toContain(password);
    return body as WiringView;
  };

  it.each([
    ['throws', 'no, '],
    ['refuses', 'not with '],
    ['lies', 'its driver takes "none" for a MAC address'],
  ])('that %s says so, and no secret', async (label, words) => {
    const { switches, nics } = await wiringOf(label, { type: 'repeating', password });
    expect(switches[0]?.fault).toContain(words);
    expect(nics[0]).toMatchObject({ verdict: 'unknown', seen: [] });
  });

  it('that has a secret for a port shows none', async () => {
    const { nics } = await wiringOf('talks', { type: 'repeating', password });
    expect(nics[0]).toMatchObject({
      verdict: 'elsewhere',
      seen: [{ port: expect.stringMatching(/^port /) as string }],
    });
  });

  it('whose driver cannot ask says so', async () => {
    const { switches } = await wiringOf('mute', { type: 'gappy', hostname: 'h' });
    expect(switches).toEqual([
      { switch: 'mute', fault: 'its driver cannot ask for the addresses that it has learned' },
    ]);
  });
});
