import type { LabFault } from '@corral/lab';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import {
  expectNoSecrets,
  labObmd,
  makeEnabledRack,
  makeRack,
  orders,
  registerNode,
  setObm,
} from '../support/services/obm-rack.ts';
import { done } from '../support/services/world.ts';

const faults: readonly (readonly [string, LabFault])[] = [
  ['fails', { kind: 'status', status: 500 }],
  ['does not know the node', { kind: 'status', status: 404 }],
  ['answers what nobody expects', { kind: 'status', status: 418 }],
  ['drops the connection', { kind: 'drop' }],
  ['speaks no HTTP', { kind: 'noise' }],
  ['answers far too much', { kind: 'huge' }],
  ['hangs', { kind: 'hang' }],
];

describe.each(engines)('a bad OBM daemon on %s', (engine) => {
  it.each(faults)('one that %s is a 502 in good time, and the next call works', async (_name, fault) => {
    const { alice, machine, obmd } = await makeEnabledRack(engine, { env: { CORRAL_OBM_TIMEOUT: '0.4' } });
    for (const [, order] of orders) {
      machine.fault = fault;
      const began = Date.now();
      const answer = await order(alice);
      expect(answer, answer.text).toMatchObject({ status: 502, body: { type: 'OBMError' } });
      expect(answer.text).toContain(obmd.origin);
      expect(Date.now() - began).toBeLessThan(5_000);
      expectNoSecrets(answer.text, machine);
      machine.fault = null;
      await done(order(alice));
    }
    machine.fault = fault;
    expect((await alice.put('/node/n1/obm', { enabled: false })).status).toBe(502);
    machine.fault = null;
    await setObm(alice, false);
    machine.fault = fault;
    expect((await alice.put('/node/n1/obm', { enabled: true })).status).toBe(502);
    machine.fault = null;
    await setObm(alice, true);
  });

  it('one that is not there at all is a 502', async () => {
    const { alice, obmd } = await makeEnabledRack(engine);
    await obmd.close();
    for (const [, order] of orders) expect((await order(alice)).status).toBe(502);
    expect((await alice.put('/node/n1/obm', { enabled: false })).status).toBe(502);
  });

  it('a redirect is not followed, and credentials go nowhere else', async () => {
    const { alice, machine } = await makeEnabledRack(engine);
    const elsewhere = await labObmd();
    elsewhere.add('n1');
    machine.fault = { kind: 'redirect', to: `${elsewhere.uri('n1')}/power_status` };
    for (const [, order] of orders) expect((await order(alice)).status).toBe(502);
    expect((await alice.put('/node/n1/obm', { enabled: false })).status).toBe(502);
    expect(elsewhere.calls).toEqual([]);
  });

  it('a power status that is none is a 502', async () => {
    const { alice, machine } = await makeEnabledRack(engine);
    const novel = JSON.stringify({ power_status: 'x'.repeat(65) });
    for (const body of ['on', '["on"]', '{"power_status": 1}', '{}', novel, '{"power_status": "on\\r\\noff"}']) {
      machine.fault = { kind: 'status', status: 200, body };
      expect((await alice.get('/node/n1/power_status')).status, body).toBe(502);
    }
  });

  it('a token that is none is a 502 and leaves OBM disabled', async () => {
    const { alice, machine } = await makeRack(engine);
    for (const body of ['{}', '{"token": ""}', '{"token": 7}', '{"token": "two words"}', '']) {
      machine.fault = { kind: 'status', status: 200, body };
      expect((await alice.put('/node/n1/obm', { enabled: true })).status).toBe(502);
    }
    expect((await alice.post('/node/n1/power_on')).status).toBe(409);
  });

  it('a wrong admin token is a 502 that says so', async () => {
    const { service } = await makeRack(engine);
    const stranger = await labObmd({ adminToken: 'another token' });
    stranger.add('n2');
    await registerNode(service, 'n2', stranger.uri('n2'));
    const answer = await service.admin.put('/node/n2/obm', { enabled: true });
    expect(answer.status).toBe(502);
    expect(answer.text).toContain('rejected the admin token');
  });

  it('a token that the daemon forgot is a 502, and disabling and enabling fixes it', async () => {
    const { alice, machine } = await makeEnabledRack(engine);
    machine.voidToken();
    const answer = await alice.post('/node/n1/power_on');
    expect(answer).toMatchObject({ status: 502, body: { type: 'OBMError' } });
    expect(answer.text).toContain('disable OBM of the node and enable it again');
    await setObm(alice, false);
    await setObm(alice, true);
    await done(alice.post('/node/n1/power_on'));
  });

  it('one slow machine does not keep the others waiting', async () => {
    const { service, alice, machine, obmd } = await makeEnabledRack(engine);
    obmd.add('n2');
    await registerNode(service, 'n2', obmd.uri('n2'));
    await setObm(service.admin, true, 'n2');
    machine.fault = { kind: 'hang' };
    const slow = Promise.all(Array.from({ length: 5 }, () => alice.get('/node/n1/power_status')));
    await done(service.admin.get('/node/n2/power_status'));
    for (const { status } of await slow) expect(status).toBe(502);
  });
});
