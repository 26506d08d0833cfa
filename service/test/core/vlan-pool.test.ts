import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load-service-config.ts';
import { expectNothingToSay, expectRefusal } from '../support/http/expect-answers.ts';
import { engines } from '../support/services/engines.ts';
import type { Answer } from '../support/http/http-client.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import {
  connect,
  detach,
  done,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  reserve,
} from '../support/services/world.ts';

describe.each(engines)('the VLAN pool on %s', (engine) => {
  const withPool = async (vlans: string): Promise<Service> => {
    const service = await serviceForTest(engine, { CORRAL_VLANS: vlans });
    await makeProject(service, 'red');
    return service;
  };
  const create = (service: Service, network: string, net_id = ''): Promise<Answer> =>
    service.admin.put(`/network/${network}`, { owner: 'red', access: 'red', net_id });
  const idsOf = async (service: Service): Promise<Record<string, string>> => {
    const networks = (await done(service.admin.get('/networks'))).body as Record<string, { network_id: string }>;
    return Object.fromEntries(Object.entries(networks).map(([label, { network_id }]) => [label, network_id]));
  };

  it('hands out the ids of its ranges, each once, until it is empty', async () => {
    const service = await withPool('100-101, 500');
    for (const network of ['a', 'b', 'c']) await done(create(service, network));
    expect(Object.values(await idsOf(service)).sort()).toEqual(['100', '101', '500']);
    expectRefusal(await create(service, 'd'), 'AllocationError', 'VLAN pool');
    const alice = await makeUser(service, 'alice', 'red');
    expectRefusal(
      await alice.put('/network/d', { owner: 'red', access: 'red', net_id: '' }),
      'AllocationError',
      'VLAN pool',
    );
    expectRefusal(await service.admin.get('/network/d'), 'NotFoundError', 'd');
    expectNothingToSay(await create(service, 'outside the pool', '3000'));
  });

  it('an id is free again when its network is deleted', async () => {
    const service = await withPool('100-101');
    await done(create(service, 'a'));
    await done(create(service, 'b'));
    const { a } = await idsOf(service);
    expectRefusal(await create(service, 'c'), 'AllocationError');
    await done(service.admin.del('/network/a'));
    expectNothingToSay(await create(service, 'c'));
    expect(await idsOf(service)).toMatchObject({ c: a });
  });

  it('an id that an administrator assigned is not handed out, before or after', async () => {
    const service = await withPool('100-102');
    await done(create(service, 'assigned', '100'));
    await done(create(service, 'a'));
    await done(create(service, 'b'));
    expect(await idsOf(service)).toEqual({ assigned: '100', a: '101', b: '102' });
    expectRefusal(await create(service, 'c'), 'AllocationError');
    await done(service.admin.del('/network/assigned'));
    expectNothingToSay(await create(service, 'c'));
  });

  it('ranges may overlap', async () => {
    const service = await withPool('100-101,101-102 , 101');
    for (const network of ['a', 'b', 'c']) await done(create(service, network));
    expect(Object.values(await idsOf(service)).sort()).toEqual(['100', '101', '102']);
    expectRefusal(await create(service, 'd'), 'AllocationError');
  });

  it('of more callers at once than there are ids, as many succeed as there are ids', async () => {
    const service = await withPool('100-103');
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((network) => create(service, network)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefusal(answer, 'AllocationError');
    expect(Object.values(await idsOf(service)).sort()).toEqual(['100', '101', '102', '103']);
  });

  it('of many callers who ask for one id, one gets it', async () => {
    const service = await withPool('100-103');
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((network) => create(service, network, '3000')),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefusal(answer, 'BlockedError', '3000');
  });

  describe('changed between two starts', () => {
    /** A stopped installation whose pool of 100 to 103 has a network on 100, one on 102 and an assigned one. */
    const stopped = async (): Promise<Service> => {
      const service = await withPool('100-103');
      await makeNetwork(service, 'first', 'red');
      await makeNetwork(service, 'second', 'red');
      await makeNetwork(service, 'third', 'red');
      await done(service.admin.del('/network/second'));
      await done(create(service, 'assigned', '3000'));
      await makeNode(service, 'n1', ['eth0']);
      await reserve(service, 'red', 'n1');
      await connect(service, 'n1', 'eth0', 'third');
      await service.stop();
      return service;
    };
    const startAgain = async (service: Service, vlans: string): Promise<Service> => {
      const again = await service.restart({ CORRAL_VLANS: vlans });
      onTestFinished(() => again.stop());
      return again;
    };

    it('a pool that misses ids in use is an error at start that names their networks', async () => {
      const service = await stopped();
      await expect(service.restart({ CORRAL_VLANS: '101-103' })).rejects.toThrow(/vlans.*first \(VLAN 100\)$/);
      await expect(service.restart({ CORRAL_VLANS: '200-300' })).rejects.toThrow(
        /vlans.*first \(VLAN 100\), third \(VLAN 102\)$/,
      );
    });

    it('a pool that still holds them is not, and the networks go on', async () => {
      const service = await stopped();
      const again = await startAgain(service, '100, 102, 700');
      expect(await idsOf(again)).toEqual({ first: '100', third: '102', assigned: '3000' });
      await done(create(again, 'fourth'));
      expect(await idsOf(again)).toMatchObject({ fourth: '700' });
      expectRefusal(await create(again, 'fifth'), 'AllocationError');
      await detach(again, 'n1', 'eth0', 'third');
      await done(again.admin.del('/network/third'));
      await again.stop();
      const smaller = await startAgain(again, '100,700');
      expectRefusal(await create(smaller, 'fifth'), 'AllocationError');
    });

    it('a pool that grew over an assigned id does not hand it out', async () => {
      const service = await stopped();
      const again = await startAgain(service, '100, 102, 3000-3001');
      await done(create(again, 'fourth'));
      expect(await idsOf(again)).toMatchObject({ assigned: '3000', fourth: '3001' });
    });
  });
});

describe('the setting of the VLAN pool', () => {
  it.each(['0-100', '4000-4095', '300-100', 'abc', '100-', '100,,200', '1.5', '-5', '100-200-300', '99999'])(
    '%j is an error at start that shows the value and an example',
    (vlans) => {
      expect(() => loadConfig({ CORRAL_VLANS: vlans })).toThrow(
        new RegExp(`CORRAL_VLANS.*"${vlans}".*4094.*100-300, 500`),
      );
    },
  );

  it('is a list of ids and ranges', () => {
    expect(loadConfig({ CORRAL_VLANS: ' 100 - 300 , 500,1-4094 ' }).vlans).toEqual([
      { first: 100, last: 300 },
      { first: 500, last: 500 },
      { first: 1, last: 4094 },
    ]);
  });
});
