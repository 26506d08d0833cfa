import { randomUUID } from 'node:crypto';
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
import type { Answer, Client } from '../support/http/http-client.ts';
import type { Service } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import {
  connect,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  reserve,
  settled,
} from '../support/services/world.ts';

describe.each(engines)('networking actions on %s', (engine) => {
  const shared = sharedService(engine, patient);
  let service: Service;
  let alice: Client;
  let bob: Client;

  beforeAll(async () => {
    service = shared();
    for (const project of ['red', 'blue']) await makeProject(service, project);
    alice = await makeUser(service, 'alice', 'red');
    bob = await makeUser(service, 'bob', 'blue');
    await done(service.admin.put('/network/one', { owner: 'red', access: 'red', net_id: '2001' }));
    await done(service.admin.put('/network/two', { owner: 'red', access: 'red', net_id: '2002' }));
  });

  /** A node of red, on a switch of its own that may be made to hang or to refuse. */
  const makeOwn = async (node: string, nics: readonly string[] = ['eth0']): Promise<void> => {
    await makeNode(service, node, nics, `switch-of-${node}`);
    await reserve(service, 'red', node);
  };
  const connecting = (node: string, network: string, nic = 'eth0', channel?: string): Promise<Answer> =>
    alice.post(`/node/${node}/nic/${nic}/connect_network`, { network, channel });
  const detaching = (node: string, network: string, nic = 'eth0'): Promise<Answer> =>
    alice.post(`/node/${node}/nic/${nic}/detach_network`, { network });
  const reverting = (node: string, nic = 'eth0'): Promise<Answer> =>
    service.admin.post(`/switch/switch-of-${node}/port/${node}/${nic}/revert`);
  const show = (queued: Answer, client = alice): Promise<Answer> =>
    client.get(`/networking_action/${statusIdOf(queued)}`);
  const waiting = expect.objectContaining({ ahead: 0 }) as object;
  const whileQueued = (node: string, work: () => Promise<Answer>): Promise<Answer> =>
    whileHanging(service, `switch-of-${node}`, work);

  describe('show_networking_action', () => {
    it('a connection is PENDING until the switch has it, then DONE', async () => {
      await makeOwn('c1');
      const view = {
        type: 'modify_port',
        new_network: 'one',
        channel: 'vlan/2001',
        node: 'c1',
        nic: 'eth0',
        error: null,
      };
      const queued = await whileQueued('c1', async () => {
        const answer = await connecting('c1', 'one', 'eth0', 'vlan/2001');
        expectBody(await show(answer), { status: 'PENDING', ...view, queue: waiting });
        expect((await alice.get('/node/c1')).body).toMatchObject({ nics: [{ networks: {} }] });
        return answer;
      });
      await settled(service, queued);
      expectBody(await show(queued), { status: 'DONE', ...view });
    });

    it('a connection without a channel shows the one that was chosen', async () => {
      await makeOwn('c2');
      const action = await settled(service, await connecting('c2', 'one'));
      expect(action).toMatchObject({ status: 'DONE', channel: 'vlan/native' });
    });

    it('a detachment has no new network', async () => {
      await makeOwn('d1');
      await connect(service, 'd1', 'eth0', 'one');
      const view = {
        type: 'modify_port',
        new_network: null,
        channel: 'vlan/native',
        node: 'd1',
        nic: 'eth0',
        error: null,
      };
      const queued = await whileQueued('d1', async () => {
        const answer = await detaching('d1', 'one');
        expectBody(await show(answer), { status: 'PENDING', ...view, queue: waiting });
        expect((await alice.get('/node/d1')).body).toMatchObject({ nics: [{ networks: { 'vlan/native': 'one' } }] });
        return answer;
      });
      await settled(service, queued);
      expectBody(await show(queued), { status: 'DONE', ...view });
    });

    it('a revert has no new network and no channel', async () => {
      await makeOwn('v1');
      await connect(service, 'v1', 'eth0', 'one');
      const view = { type: 'revert_port', new_network: null, channel: '', node: 'v1', nic: 'eth0', error: null };
      const queued = await whileQueued('v1', async () => {
        const answer = await reverting('v1');
        expectBody(await show(answer), { status: 'PENDING', ...view, queue: waiting });
        return answer;
      });
      await settled(service, queued);
      expectBody(await show(queued), { status: 'DONE', ...view });
    });

    it('a change that the switch refuses ends in ERROR with a sentence, and all is as before', async () => {
      await makeOwn('e1');
      await makeNetwork(service, 'unlucky', 'red');
      const device = service.simulated('switch-of-e1');
      device.faults = { refuse: ['e1/eth0'] };
      const queued = await connecting('e1', 'unlucky');
      expect(await settled(service, queued)).toEqual({
        status: 'ERROR',
        type: 'modify_port',
        new_network: 'unlucky',
        channel: 'vlan/native',
        node: 'e1',
        nic: 'eth0',
        error: expect.stringMatching(/switch.* refused/) as string,
      });
      expect((await alice.get('/node/e1')).body).toMatchObject({ nics: [{ networks: {} }] });
      expect(device.read(['e1/eth0'])).toEqual([{ port: 'e1/eth0', native: null, tagged: [] }]);
      expectNothingToSay(await alice.del('/network/unlucky'));
      expect((await show(queued)).body).toMatchObject({ status: 'ERROR', new_network: 'unlucky' });
    });

    it('a detachment that fails leaves the network on the nic', async () => {
      await makeOwn('e2');
      await connect(service, 'e2', 'eth0', 'one');
      const device = service.simulated('switch-of-e2');
      device.faults = { refuse: ['*'] };
      expect(await settled(service, await detaching('e2', 'one'))).toMatchObject({
        status: 'ERROR',
        new_network: null,
      });
      expect((await alice.get('/node/e2')).body).toMatchObject({ nics: [{ networks: { 'vlan/native': 'one' } }] });
      device.faults = {};
      expect((await settled(service, await detaching('e2', 'one'))).status).toBe('DONE');
    });

    it('is shown to the project of the node and to administrators, to nobody else', async () => {
      await makeOwn('p1');
      const queued = await connecting('p1', 'one');
      await settled(service, queued);
      expectBody(await show(queued, service.admin), (await show(queued)).body);
      expectRefusal(await show(queued, bob), 'AuthorizationError', 'bob', 'access to the project');
      expectRefusal(await show(queued, service.anonymous), 'AuthorizationError');
    });

    it('goes with the node: once it is free only administrators see it', async () => {
      await makeOwn('p2');
      await connect(service, 'p2', 'eth0', 'one');
      const queued = await detaching('p2', 'one');
      await settled(service, queued);
      await done(alice.post('/project/red/detach_node', { node: 'p2' }));
      expectRefusal(await show(queued), 'AuthorizationError', 'alice');
      expect((await show(queued, service.admin)).status).toBe(200);
      await reserve(service, 'blue', 'p2');
      expect((await show(queued, bob)).status).toBe(200);
    });

    it.each([randomUUID(), 'nonsense', '__proto__'])('an unknown id is not found: %s', async (id) => {
      expectRefusal(await alice.get(`/networking_action/${id}`), 'NotFoundError', id);
      expectRefusal(await service.admin.get(`/networking_action/${id}`), 'NotFoundError', id);
      expectRefusal(await service.anonymous.get(`/networking_action/${id}`), 'AuthorizationError');
    });
  });

  describe('the queue of a pending action', () => {
    const queueOf = async (queued: Answer, client = alice): Promise<unknown> =>
      ((await show(queued, client)).body as { queue?: unknown }).queue;

    it('counts the changes on the same switch that came before, from any caller, and forgets them with the switch’s answer', async () => {
      await makeOwn('w1', ['eth0', 'eth1']);
      await makeNode(service, 'w2', ['eth0'], 'switch-of-w1');
      await reserve(service, 'blue', 'w2');
      await makeNetwork(service, 'sea', 'blue');
      await makeOwn('w3');
      const all = await whileHanging(service, 'switch-of-w1', async () => {
        const first = await bob.post('/node/w2/nic/eth0/connect_network', { network: 'sea' });
        const second = await connecting('w1', 'one');
        const third = await connecting('w1', 'one', 'eth1');
        expect(await queueOf(first, bob)).toMatchObject({ ahead: 0 });
        expect(await queueOf(second)).toMatchObject({ ahead: 1 });
        expect(await queueOf(third)).toMatchObject({ ahead: 2 });
        const elsewhere = await whileHanging(service, 'switch-of-w3', async () => {
          const queued = await connecting('w3', 'one');
          expect(await queueOf(queued)).toMatchObject({ ahead: 0 });
          return queued;
        });
        return [first, second, third, elsewhere];
      });
      for (const queued of all) {
        await settled(service, queued);
        expect(await queueOf(queued, service.admin)).toBeUndefined();
      }
    });

    it('names the switch and the port to administrators only', async () => {
      await makeOwn('w4');
      const queued = await whileQueued('w4', async () => {
        const answer = await connecting('w4', 'one');
        expect(await queueOf(answer, service.admin)).toMatchObject({ switch: 'switch-of-w4', port: 'w4/eth0' });
        expect((await show(answer)).text).not.toMatch(/switch-of|w4\/eth0/);
        return answer;
      });
      await settled(service, queued);
    });

    it('says how often it was tried, and that the switch does not answer', async () => {
      await makeOwn('w5');
      service.simulated('switch-of-w5').faults = { unreachable: true };
      const queued = await connecting('w5', 'one');
      const queue = await eventually(async () => {
        const shown = (await queueOf(queued)) as { attempts: number; switch_answers: boolean };
        return shown.attempts > 1 && !shown.switch_answers ? shown : undefined;
      });
      expect(Object.keys(queue)).toEqual(['ahead', 'attempts', 'switch_answers']);
      service.simulated('switch-of-w5').faults = {};
      expect((await settled(service, queued)).status).toBe('DONE');
    });
  });

  describe('the record of an action', () => {
    it('is kept until the next action on its nic is queued', async () => {
      await makeOwn('k1', ['eth0', 'eth1']);
      const first = await connecting('k1', 'one');
      await settled(service, first);
      const second = await detaching('k1', 'one');
      expect(statusIdOf(second)).not.toBe(statusIdOf(first));
      expectRefusal(await show(first), 'NotFoundError', statusIdOf(first));
      await settled(service, second);
      const third = await reverting('k1');
      expectRefusal(await show(second), 'NotFoundError', statusIdOf(second));
      await settled(service, third);
      expect((await show(third)).status).toBe(200);
    });

    it('outlives actions on other nics, and ones that are refused', async () => {
      await makeOwn('k2', ['eth0', 'eth1']);
      const first = await connecting('k2', 'one', 'eth0');
      await settled(service, first);
      await settled(service, await connecting('k2', 'two', 'eth1'));
      expectRefusal(await connecting('k2', 'one', 'eth0'), 'DuplicateError', 'one');
      expectRefusal(await detaching('k2', 'two', 'eth0'), 'BlockedError', 'two');
      expect((await show(first)).body).toMatchObject({ status: 'DONE', new_network: 'one', nic: 'eth0' });
    });

    it('of a failed action goes the same way', async () => {
      await makeOwn('k3');
      const device = service.simulated('switch-of-k3');
      device.faults = { refuse: ['*'] };
      const failed = await connecting('k3', 'one');
      expect((await settled(service, failed)).status).toBe('ERROR');
      device.faults = {};
      await settled(service, await connecting('k3', 'one'));
      expectRefusal(await show(failed), 'NotFoundError', statusIdOf(failed));
    });
  });

  describe('one pending action for each nic', () => {
    it('while one is pending every other on that nic is refused, and it goes on', async () => {
      await makeOwn('q1', ['eth0', 'eth1']);
      const queued = await whileQueued('q1', async () => {
        const first = await connecting('q1', 'one');
        const id = statusIdOf(first);
        expectRefusal(await connecting('q1', 'two', 'eth0', 'vlan/2002'), 'BlockedError', id, 'eth0', 'q1');
        expectRefusal(await detaching('q1', 'one'), 'BlockedError', id, 'eth0', 'q1');
        expectRefusal(await reverting('q1'), 'BlockedError', id, 'eth0', 'q1');
        statusIdOf(await connecting('q1', 'one', 'eth1'));
        expect((await show(first)).body).toMatchObject({ status: 'PENDING' });
        return first;
      });
      expect((await settled(service, queued)).status).toBe('DONE');
    });

    it('of many calls at once one is accepted', async () => {
      await makeOwn('q2');
      await whileQueued('q2', async () => {
        const answers = await Promise.all(
          ['one', 'two', 'one', 'two', 'one', 'two'].map((network) => connecting('q2', network)),
        );
        const accepted = answers.filter(({ status }) => status === 202);
        expect(accepted).toHaveLength(1);
        for (const answer of answers.filter(({ status }) => status !== 202)) expectRefusal(answer, 'BlockedError');
        return answers[0] ?? connecting('q2', 'one');
      });
    });
  });
});
