import { beforeAll, describe, expect, it } from 'vitest';
import {
  expectBody,
  expectNothingToSay,
  expectRefusal,
  patient,
  statusIdOf,
  whileHanging,
} from '../support/http/expect-answers.ts';
import { engines } from '../support/services/engines.ts';
import type { Client } from '../support/http/http-client.ts';
import type { Service } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import {
  connect,
  done,
  makeNode,
  makeProject,
  makeSwitch,
  makeUser,
  obmd,
  reserve,
  settled,
} from '../support/services/world.ts';

describe.each(engines)('ports on %s', (engine) => {
  const shared = sharedService(engine, patient);
  let service: Service;
  let admin: Client;
  let alice: Client;

  beforeAll(async () => {
    service = shared();
    ({ admin } = service);
    await makeProject(service, 'red');
    alice = await makeUser(service, 'alice', 'red');
    await makeSwitch(service, 'sw0');
    await done(admin.put('/network/one', { owner: 'red', access: 'red', net_id: '2001' }));
    await done(admin.put('/network/two', { owner: 'red', access: 'red', net_id: '2002' }));
  });

  /** A free node with one nic that is on no port. */
  const makeUnplugged = async (node: string): Promise<void> => {
    await done(admin.put(`/node/${node}`, { obmd }));
    await done(admin.put(`/node/${node}/nic/eth0`, { macaddr: '52:54:00:00:00:04' }));
  };
  const makePort = (port: string) => done(admin.put(`/switch/sw0/port/${port}`));

  describe('switch_register_port', () => {
    it('adds a port with no nic on it, and says nothing', async () => {
      expectNothingToSay(await admin.put('/switch/sw0/port/gi1/0/1'));
      expectBody(await admin.get('/switch/sw0/port/gi1/0/1'), {});
    });

    it('a port that exists is refused; another switch may have one of the same name', async () => {
      await makePort('gi1/0/2');
      expectRefusal(await admin.put('/switch/sw0/port/gi1/0/2'), 'DuplicateError', 'sw0', 'gi1/0/2');
      await makeSwitch(service, 'sw1');
      expectNothingToSay(await admin.put('/switch/sw1/port/gi1/0/2'));
    });

    it('the switch has to exist', async () => {
      expectRefusal(await admin.put('/switch/nowhere/port/gi1/0/1'), 'NotFoundError', 'switch nowhere');
    });

    it('takes no body', async () => {
      expectRefusal(await admin.put('/switch/sw0/port/gi1/0/3', { port: 'gi1' }), 'ValidationError', '"port"');
    });
  });

  describe('switch_delete_port', () => {
    it('a port goes, and can come again', async () => {
      await makePort('brief');
      expectNothingToSay(await admin.del('/switch/sw0/port/brief'));
      expectRefusal(await admin.get('/switch/sw0/port/brief'), 'NotFoundError', 'brief', 'sw0');
      expectRefusal(await admin.del('/switch/sw0/port/brief'), 'NotFoundError', 'brief', 'sw0');
      expectNothingToSay(await admin.put('/switch/sw0/port/brief'));
    });

    it('a port with a nic stays until the nic is detached', async () => {
      await makeNode(service, 'd1', ['eth0']);
      expectRefusal(await admin.del('/switch/sw0/port/d1/eth0'), 'BlockedError', 'eth0', 'd1');
      await done(admin.post('/switch/sw0/port/d1/eth0/detach_nic'));
      expectNothingToSay(await admin.del('/switch/sw0/port/d1/eth0'));
    });

    it('the switch has to exist', async () => {
      expectRefusal(await admin.del('/switch/nowhere/port/gi1/0/1'), 'NotFoundError', 'switch nowhere');
    });
  });

  describe('port_connect_nic', () => {
    it('puts a nic on a port, and both sides show it', async () => {
      await makeUnplugged('c1');
      await makePort('c1');
      expectNothingToSay(await admin.post('/switch/sw0/port/c1/connect_nic', { node: 'c1', nic: 'eth0' }));
      expectBody(await admin.get('/switch/sw0/port/c1'), { node: 'c1', nic: 'eth0', networks: {} });
      expect((await admin.get('/node/c1')).body).toMatchObject({ nics: [{ port: 'c1', switch: 'sw0' }] });
    });

    it('a nic that is on a port is refused, on the same one too', async () => {
      await makeNode(service, 'c2', ['eth0']);
      await makePort('c2-other');
      for (const port of ['c2-other', 'c2/eth0']) {
        const answer = await admin.post(`/switch/sw0/port/${port}/connect_nic`, { node: 'c2', nic: 'eth0' });
        expectRefusal(answer, 'DuplicateError', 'eth0', 'c2');
      }
      expectBody(await admin.get('/switch/sw0/port/c2-other'), {});
    });

    it('a port that has a nic is refused', async () => {
      await makeNode(service, 'c3', ['eth0']);
      await makeUnplugged('c4');
      expectRefusal(
        await admin.post('/switch/sw0/port/c3/eth0/connect_nic', { node: 'c4', nic: 'eth0' }),
        'DuplicateError',
        'c3/eth0',
        'node c3',
      );
      expectBody(await admin.get('/switch/sw0/port/c3/eth0'), { node: 'c3', nic: 'eth0', networks: {} });
    });

    it('switch, port, node and nic have to exist', async () => {
      await makeUnplugged('c5');
      await makePort('c5');
      const connectNic = (path: string, node: string, nic: string) =>
        admin.post(`/switch/${path}/connect_nic`, { node, nic });
      expectRefusal(await connectNic('nowhere/port/c5', 'c5', 'eth0'), 'NotFoundError', 'switch nowhere');
      expectRefusal(await connectNic('sw0/port/c5/none', 'c5', 'eth0'), 'NotFoundError', 'port c5/none', 'sw0');
      expectRefusal(await connectNic('sw0/port/c5', 'nobody', 'eth0'), 'NotFoundError', 'node nobody');
      expectRefusal(await connectNic('sw0/port/c5', 'c5', 'eth9'), 'NotFoundError', 'nic eth9', 'c5');
    });

    it.each([
      ['node', { nic: 'eth0' }],
      ['nic', { node: 'c1' }],
      ['nic', { node: 'c1', nic: 0 }],
      ['port', { node: 'c1', nic: 'eth0', port: 'c1' }],
      ['switch', { node: 'c1', nic: 'eth0', switch: 'sw0' }],
    ])('a malformed body is refused with the name of the field %s: %j', async (field, body) => {
      expectRefusal(await admin.post('/switch/sw0/port/c1/connect_nic', body), 'ValidationError', `"${field}"`);
    });
  });

  describe('port_detach_nic', () => {
    it('takes the nic of a free node off the port, and it can be put on another', async () => {
      await makeNode(service, 't1', ['eth0']);
      await makePort('t1-other');
      expectNothingToSay(await admin.post('/switch/sw0/port/t1/eth0/detach_nic'));
      expectBody(await admin.get('/switch/sw0/port/t1/eth0'), {});
      expect((await admin.get('/node/t1')).body).toMatchObject({ nics: [{ port: null, switch: null }] });
      expectNothingToSay(await admin.post('/switch/sw0/port/t1-other/connect_nic', { node: 't1', nic: 'eth0' }));
    });

    it('a port without a nic, a missing port and a missing switch are not found', async () => {
      await makePort('t2');
      expectRefusal(await admin.post('/switch/sw0/port/t2/detach_nic'), 'NotFoundError', 'nic', 'port t2', 'sw0');
      expectRefusal(await admin.post('/switch/sw0/port/t2/none/detach_nic'), 'NotFoundError', 'port t2/none');
      expectRefusal(await admin.post('/switch/nowhere/port/t2/detach_nic'), 'NotFoundError', 'switch nowhere');
    });

    it('the nic of a node that is not free stays', async () => {
      await makeNode(service, 't3', ['eth0']);
      await reserve(service, 'red', 't3');
      expectRefusal(await admin.post('/switch/sw0/port/t3/eth0/detach_nic'), 'BlockedError', 't3', 'red');
      expectBody(await admin.get('/switch/sw0/port/t3/eth0'), { node: 't3', nic: 'eth0', networks: {} });
    });

    it('a nic with a pending action stays, or the action would never end', async () => {
      await makeNode(service, 't4', ['eth0'], 'slow');
      const queued = await whileHanging(service, 'slow', async () => {
        const answer = await admin.post('/switch/slow/port/t4/eth0/revert');
        expectRefusal(
          await admin.post('/switch/slow/port/t4/eth0/detach_nic'),
          'BlockedError',
          'eth0',
          statusIdOf(answer),
        );
        return answer;
      });
      expect((await settled(service, queued)).status).toBe('DONE');
      expectNothingToSay(await admin.post('/switch/slow/port/t4/eth0/detach_nic'));
    });
  });

  describe('port_revert', () => {
    it('detaches the port from all networks', async () => {
      await makeNode(service, 'v1', ['eth0', 'eth1']);
      await reserve(service, 'red', 'v1');
      await connect(service, 'v1', 'eth0', 'one');
      await connect(service, 'v1', 'eth0', 'two', 'vlan/2002');
      await connect(service, 'v1', 'eth1', 'one');
      const queued = await admin.post('/switch/sw0/port/v1/eth0/revert');
      statusIdOf(queued);
      expect((await settled(service, queued)).status).toBe('DONE');
      expectBody(await admin.get('/switch/sw0/port/v1/eth0'), { node: 'v1', nic: 'eth0', networks: {} });
      expect(service.simulated('sw0').read(['v1/eth0', 'v1/eth1'])).toEqual([
        { port: 'v1/eth0', native: null, tagged: [] },
        { port: 'v1/eth1', native: 2001, tagged: [] },
      ]);
    });

    it('clears a port of what nobody recorded, of a free node too', async () => {
      await makeNode(service, 'v2', ['eth0']);
      service.simulated('sw0').write([{ port: 'v2/eth0', native: 7, tagged: [8] }]);
      await settled(service, await admin.post('/switch/sw0/port/v2/eth0/revert'));
      expect(service.simulated('sw0').read(['v2/eth0'])).toEqual([{ port: 'v2/eth0', native: null, tagged: [] }]);
    });

    it('a port without a nic, a missing port and a missing switch are not found', async () => {
      await makePort('v3');
      expectRefusal(await admin.post('/switch/sw0/port/v3/revert'), 'NotFoundError', 'nic', 'port v3', 'sw0');
      expectRefusal(await admin.post('/switch/sw0/port/v3/none/revert'), 'NotFoundError', 'port v3/none');
      expectRefusal(await admin.post('/switch/nowhere/port/v3/revert'), 'NotFoundError', 'switch nowhere');
    });

    it('is refused while an action is pending on the port', async () => {
      await makeNode(service, 'v4', ['eth0'], 'slow');
      await reserve(service, 'red', 'v4');
      const queued = await whileHanging(service, 'slow', async () => {
        const answer = await alice.post('/node/v4/nic/eth0/connect_network', { network: 'one' });
        expectRefusal(await admin.post('/switch/slow/port/v4/eth0/revert'), 'BlockedError', statusIdOf(answer), 'v4');
        return answer;
      });
      await settled(service, queued);
    });
  });

  describe('show_port', () => {
    it('shows node, nic and networks', async () => {
      await makeNode(service, 's1', ['eth0']);
      await reserve(service, 'red', 's1');
      await connect(service, 's1', 'eth0', 'one');
      await connect(service, 's1', 'eth0', 'two', 'vlan/2002');
      expectBody(await admin.get('/switch/sw0/port/s1/eth0'), {
        node: 's1',
        nic: 'eth0',
        networks: { 'vlan/native': 'one', 'vlan/2002': 'two' },
      });
    });

    it('a missing switch and a missing port are not found', async () => {
      expectRefusal(await admin.get('/switch/nowhere/port/gi1'), 'NotFoundError', 'switch nowhere');
      expectRefusal(await admin.get('/switch/sw0/port/gi9/9/9'), 'NotFoundError', 'port gi9/9/9', 'sw0');
    });
  });

  it('all of it is for administrators, whether a thing exists or not', async () => {
    await makeNode(service, 'closed', ['eth0']);
    for (const client of [alice, service.anonymous]) {
      for (const path of ['/switch/sw0/port/closed/eth0', '/switch/sw0/port/none', '/switch/nowhere/port/none']) {
        expectRefusal(await client.get(path), 'AuthorizationError');
        expectRefusal(await client.put(path), 'AuthorizationError');
        expectRefusal(await client.del(path), 'AuthorizationError');
        expectRefusal(await client.post(`${path}/connect_nic`, { nonsense: true }), 'AuthorizationError');
        expectRefusal(await client.post(`${path}/detach_nic`), 'AuthorizationError');
        expectRefusal(await client.post(`${path}/revert`), 'AuthorizationError');
      }
    }
    expectBody(await admin.get('/switch/sw0/port/closed/eth0'), { node: 'closed', nic: 'eth0', networks: {} });
  });
});
