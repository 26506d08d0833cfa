import { beforeAll, describe, expect, it } from 'vitest';
import { expectBody, expectNothingToSay, expectRefusal } from '../support/http/expect-answers.ts';
import { engines } from '../support/services/engines.ts';
import type { Client } from '../support/http/http-client.ts';
import { pickySwitches } from '../support/switches/refusing-switches.ts';
import type { Service } from '../support/services/service.ts';
import { enc, oddLabels, sharedService } from '../support/services/shared-service.ts';
import { done, makeSwitch, obmd, settled } from '../support/services/world.ts';

/** One name each, in all the ways a client may write it into a path. */
const spellings: readonly { readonly name: string; readonly written: readonly string[] }[] = [
  { name: 'gi1/0/11', written: ['gi1/0/11', 'gi1%2F0%2F11', 'gi1%2f0%2f11', 'gi1/0%2F11'] },
  { name: 'ethernet 1/42', written: ['ethernet%201/42', 'ethernet%201%2F42', 'ethernet 1/42'] },
  { name: 'Te 1 / 2 : 3', written: ['Te%201%20/%202%20:%203', 'Te 1 %2F 2 %3A 3'] },
  { name: 'plain', written: ['plain', 'pl%61in'] },
  { name: '100%/2F', written: ['100%25/2F', '100%25%2F2F'] },
  { name: 'a%2Fb', written: ['a%252Fb'] },
  { name: 'connect_nic', written: ['connect_nic', 'connect%5Fnic'] },
  { name: 'a/revert', written: ['a%2Frevert'] },
  { name: '/revert', written: ['/revert', '%2Frevert'] },
  { name: 'port/detach_nic/1', written: ['port/detach_nic/1', 'port%2Fdetach_nic%2F1'] },
  { name: '/leading/slash', written: ['/leading/slash', '%2Fleading%2Fslash'] },
];

describe.each(engines)('names of ports on %s', (engine) => {
  const shared = sharedService(engine, pickySwitches);
  let service: Service;
  let admin: Client;
  let count = 0;

  beforeAll(() => {
    service = shared();
    ({ admin } = service);
  });

  /** A switch of its own for each test, so that every name is new. */
  const freshSwitch = async (): Promise<string> => {
    const label = `switch ${(count += 1)}`;
    await makeSwitch(service, label);
    return `/switch/${enc(label)}`;
  };
  const freshNode = async (): Promise<string> => {
    const node = `node ${(count += 1)}`;
    await done(admin.put(`/node/${node}`, { obmd }));
    await done(admin.put(`/node/${node}/nic/eth0`, { macaddr: '52:54:00:00:00:05' }));
    return node;
  };
  /** Every call there is on a port, written this way. */
  const tryEveryCall = async (onSwitch: string, name: string, written: string): Promise<void> => {
    const path = `${onSwitch}/port/${written}`;
    const node = await freshNode();
    expectNothingToSay(await admin.put(path));
    expect((await admin.get(onSwitch)).body).toMatchObject({ ports: [name] });
    expectBody(await admin.get(path), {});
    expectNothingToSay(await admin.post(`${path}/connect_nic`, { node, nic: 'eth0' }));
    expectBody(await admin.get(path), { node, nic: 'eth0', networks: {} });
    expect((await admin.get(`/node/${node}`)).body).toMatchObject({ nics: [{ port: name }] });
    const reverted = await settled(service, await admin.post(`${path}/revert`));
    expect(reverted).toMatchObject({ status: 'DONE', node, nic: 'eth0' });
    expectNothingToSay(await admin.post(`${path}/detach_nic`));
    expectBody(await admin.get(path), {});
    expectNothingToSay(await admin.del(path));
    expectRefusal(await admin.get(path), 'NotFoundError', `port ${name} `);
  };

  it.each(spellings.flatMap(({ name, written }) => written.map((way) => ({ name, way }))))(
    'port $name may be written $way, in every call',
    async ({ name, way }) => {
      await tryEveryCall(await freshSwitch(), name, way);
    },
  );

  it.each(spellings)('all spellings of $name are one port', async ({ name, written }) => {
    const onSwitch = await freshSwitch();
    await done(admin.put(`${onSwitch}/port/${enc(name)}`));
    for (const way of written) {
      expectBody(await admin.get(`${onSwitch}/port/${way}`), {});
      expectRefusal(await admin.put(`${onSwitch}/port/${way}`), 'DuplicateError', name);
    }
  });

  it.each(oddLabels)('a port may be called $what', async ({ label }) => {
    await tryEveryCall(await freshSwitch(), label, enc(label));
  });

  it('a port named like a call can be connected, detached and reverted', async () => {
    const onSwitch = await freshSwitch();
    await tryEveryCall(onSwitch, 'revert', 'revert');
    await tryEveryCall(onSwitch, 'detach_nic', 'detach_nic');
  });

  it.each(['%20gi1', 'gi1%20', 'gi1%0Aconf t', 'gi1%00', 'gi%7F1', 'x'.repeat(256)])(
    '%j is no name for a port, in any call',
    async (name) => {
      const path = `${await freshSwitch()}/port/${name}`;
      expectRefusal(await admin.put(path), 'ValidationError', '"port"');
      expectRefusal(await admin.get(path), 'ValidationError', '"port"');
      expectRefusal(await admin.del(path), 'ValidationError', '"port"');
      for (const call of ['detach_nic', 'revert']) {
        expectRefusal(await admin.post(`${path}/${call}`), 'ValidationError', '"port"');
      }
    },
  );

  describe('on a switch with rules for them', () => {
    it('a name that its driver cannot take is refused when it is registered, and not found later', async () => {
      await done(admin.put('/switch/strict-1', { type: 'gigabit', hostname: 'h' }));
      const path = '/switch/strict-1/port/ethernet%201/42';
      expectRefusal(await admin.put(path), 'BadArgumentError', '"port"', 'ethernet 1/42', 'gi1/0/11');
      expectRefusal(await admin.get(path), 'NotFoundError', 'ethernet 1/42', 'strict-1');
    });

    it('the driver’s own spelling is kept, and any other finds it', async () => {
      await done(admin.put('/switch/strict-2', { type: 'gigabit', hostname: 'h' }));
      expectNothingToSay(await admin.put('/switch/strict-2/port/GI1/0/11'));
      expect((await admin.get('/switch/strict-2')).body).toMatchObject({ ports: ['gi1/0/11'] });
      expectRefusal(await admin.put('/switch/strict-2/port/Gi1/0/11'), 'DuplicateError', 'gi1/0/11');
      const path = '/switch/strict-2/port/gI1/0/11';
      const node = await freshNode();
      expectNothingToSay(await admin.post(`${path}/connect_nic`, { node, nic: 'eth0' }));
      expectBody(await admin.get(path), { node, nic: 'eth0', networks: {} });
      expect((await settled(service, await admin.post(`${path}/revert`))).status).toBe('DONE');
      expectNothingToSay(await admin.post(`${path}/detach_nic`));
      expectNothingToSay(await admin.del(path));
    });
  });

  it('the wrong method gets the list of allowed ones', async () => {
    const onSwitch = await freshSwitch();
    const port = await admin.post(`${onSwitch}/port/gi1/0/11`);
    expect([port.status, port.headers.get('allow')]).toEqual([405, 'DELETE, GET, PUT']);
    const revert = await admin.get(`${onSwitch}/port/gi1/0/11/revert`);
    expect([revert.status, revert.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('a query is no part of a name', async () => {
    const onSwitch = await freshSwitch();
    await done(admin.put(`${onSwitch}/port/gi1/0/1`));
    expectRefusal(await admin.get(`${onSwitch}/port/gi1/0/1?x=/revert`), 'ValidationError', '"x"');
    expectBody(await admin.get(`${onSwitch}/port/gi1/0/1?`), {});
  });
});
