import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hasPart, startIpmiSim } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type DaemonLocation,
  type ServiceWithDaemon,
  startServiceWithDaemon,
} from '../support/obm/service-with-daemon.ts';
import { engines } from '../support/services/engines.ts';
import { labObmd } from '../support/services/obm-rack.ts';
import { serviceForTest } from '../support/services/service.ts';
import { done, makeProject, makeUser, reserve } from '../support/services/world.ts';

const mock = (addr: string) => ({ type: 'mock', info: { addr } });
const secret = 'hush-bmc-password';
const redfish = { type: 'redfish', info: { url: 'http://127.0.0.1:9', user: 'operator', pass: secret } };

const household = async (
  engine: (typeof engines)[number],
  place: DaemonLocation,
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceWithDaemon> => {
  const made = await startServiceWithDaemon(engine, place, {
    CORRAL_OBMD_CALL_GAP: '0',
    CORRAL_OBM_TIMEOUT: '10',
    ...env,
  });
  onTestFinished(() => made.stop());
  return made;
};

/** A node whose daemon is the one there is. */
const addNode = ({ service, daemonUrl, adminToken }: ServiceWithDaemon, place: DaemonLocation, node: string) =>
  done(
    service.admin.put(
      `/node/${node}`,
      place === 'inside' ? {} : { obmd: { uri: `${daemonUrl}/node/${node}`, admin_token: adminToken } },
    ),
  );

/** Passes requests on to a daemon, and tells which. */
const relayTo = async (daemon: string, seen: (path: string) => void): Promise<string> => {
  const server = createServer((incoming, outgoing) => {
    seen(incoming.url ?? '');
    const { method = 'GET', headers } = incoming;
    const passed = httpRequest(`${daemon}${incoming.url ?? ''}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe.each(engines)('BMCs, on %s', (engine) => {
  it.each(['inside', 'beside'] as const)('are registered with the daemon %s by the service', async (place) => {
    const home = await household(engine, place);
    const { service } = home;
    const { admin } = service;
    await addNode(home, place, 'n1');
    expect((await admin.get('/node/n1/obmd')).body).toEqual({
      uri: `${home.daemonUrl}/node/n1`,
      inside: place === 'inside',
    });
    expect(await admin.get('/node/n1/bmc')).toMatchObject({
      status: 404,
      text: expect.stringContaining('corral bmc register') as string,
    });
    const registered = await admin.put('/node/n1/bmc', mock('n1'));
    expect([registered.status, registered.text]).toEqual([200, '']);
    expect((await admin.get('/node/n1/bmc')).body).toEqual(mock('n1'));
    expect((await admin.post('/node/n1/bmc/test')).body).toEqual({
      answered: 'mock BMC of machine n1',
      privileges: 'all',
      seconds: expect.any(Number) as number,
    });
    expect((await admin.get('/events?node=n1')).body).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({ type: 'bmc_register', caller: 'admin', detail: { type: 'mock' } }) as object,
      ]) as object,
    });

    await makeProject(service, 'red');
    const ada = await makeUser(service, 'ada', 'red');
    await reserve(service, 'red', 'n1');
    await done(ada.put('/node/n1/obm', { enabled: true }));
    await done(ada.post('/node/n1/power_on'));
    // It would take the node from those who use it.
    for (const refused of [admin.put('/node/n1/bmc', mock('n2')), admin.del('/node/n1/bmc')]) {
      expect(await refused).toMatchObject({ status: 409, text: expect.stringContaining('disable it first') as string });
    }
    await done(admin.post('/node/n1/bmc/test'));
    expect((await ada.get('/node/n1/power_status')).body).toEqual({ power_status: 'on' });
    await done(ada.put('/node/n1/obm', { enabled: false }));

    await done(admin.put('/node/n1/bmc', redfish));
    await done(admin.del('/node/n1/bmc'));
    for (const answer of [admin.del('/node/n1/bmc'), admin.get('/node/n1/bmc'), admin.post('/node/n1/bmc/test')]) {
      expect((await answer).status).toBe(404);
    }
  });

  it('keep their passwords: in no answer, log or event, also where the daemon repeats them', async () => {
    const home = await household(engine, 'inside');
    const { admin } = home.service;
    await addNode(home, 'inside', 'n1');
    await done(admin.put('/node/n1/bmc', redfish));
    const { url, user } = redfish.info;
    const shown = { url, user };
    const said = [
      await admin.get('/node/n1/bmc'),
      await admin.put('/node/n1/bmc', { ...redfish, info: { ...redfish.info, url: secret } }),
      await admin.put('/node/n1/bmc', { ...redfish, info: { ...redfish.info, [secret]: 1 } }),
      await admin.post('/node/n1/bmc/test'),
      await admin.get('/events'),
    ];
    expect(said.map(({ status }) => status)).toEqual([200, 400, 400, 502, 200]);
    expect(said[0]?.body).toEqual({ type: 'redfish', info: shown });
    expect(said.map(({ text }) => text).join('') + home.log()).not.toContain(secret);

    const foreign = await labObmd();
    const machine = foreign.add('n2');
    await done(admin.put('/node/n2', { obmd: { uri: foreign.uri('n2'), admin_token: foreign.adminToken } }));
    machine.fault = { kind: 'status', status: 200, body: JSON.stringify(redfish) };
    expect((await admin.get('/node/n2/bmc')).body).toEqual({ type: 'redfish', info: shown });
    machine.fault = { kind: 'status', status: 500, body: JSON.stringify({ msg: `cannot take ${secret}` }) };
    expect(await admin.put('/node/n2/bmc', redfish)).toMatchObject({
      status: 502,
      text: expect.not.stringContaining(secret) as string,
    });
  });

  it('are refused in the words of the daemon, and one machine is not two nodes', async () => {
    const home = await household(engine, 'inside');
    const { admin } = home.service;
    await addNode(home, 'inside', 'n1');
    await addNode(home, 'inside', 'n2');
    expect(await admin.put('/node/n1/bmc', { type: 'impi', info: {} })).toMatchObject({
      status: 400,
      text: expect.stringContaining('expected one of ipmi, libvirt, mock, redfish') as string,
    });
    expect(await admin.put('/node/n1/bmc', { type: 'ipmi', info: { addr: '192.0.2.1' } })).toMatchObject({
      status: 400,
      text: expect.stringContaining('info.user') as string,
    });
    await done(admin.put('/node/n1/bmc', redfish));
    expect(await admin.put('/node/n2/bmc', redfish)).toMatchObject({
      status: 409,
      text: expect.stringContaining('same machine as node n1') as string,
    });
    expect((await admin.put('/node/missing/bmc', redfish)).status).toBe(404);
    // Nobody could delete it any more.
    await done(admin.del('/node/n1'));
    await done(admin.put('/node/n2/bmc', redfish));
  });

  it('are listed by one question to each daemon, whichever they are', async () => {
    const { service, daemonUrl, adminToken } = await household(engine, 'beside');
    const { admin } = service;
    const asked: string[] = [];
    const near = await relayTo(daemonUrl, (path) => asked.push(path));
    for (const node of ['n1', 'n2', 'n 3']) {
      const uri = `${near}/node/${encodeURIComponent(node)}`;
      await done(admin.put(`/node/${encodeURIComponent(node)}`, { obmd: { uri, admin_token: adminToken } }));
    }
    await done(admin.put('/node/n1/bmc', redfish));
    await done(admin.put('/node/n%203/bmc', mock('three')));
    // One that has no list, one that does not answer, and one whose token is wrong.
    const foreign = await labObmd();
    for (const node of ['f1', 'f2']) {
      foreign.add(node).fault = { kind: 'status', status: 200, body: JSON.stringify(redfish) };
      await done(admin.put(`/node/${node}`, { obmd: { uri: foreign.uri(node), admin_token: foreign.adminToken } }));
    }
    const away = 'http://127.0.0.1:9';
    for (const node of ['a1', 'a2']) {
      await done(admin.put(`/node/${node}`, { obmd: { uri: `${away}/node/${node}`, admin_token: 't' } }));
    }
    await done(admin.put('/node/w1', { obmd: { uri: `${daemonUrl}/node/n1`, admin_token: 'wrong' } }));
    asked.splice(0);
    const listed = await done(admin.get('/bmcs'));
    expect(asked).toEqual(['/nodes']);
    const shown = { type: 'redfish', info: { url: redfish.info.url, user: redfish.info.user } };
    const entry = (node: string, uri: string, bmc: object | null) => ({ node, uri, inside: false, bmc });
    expect(listed.body).toEqual({
      bmcs: [
        ...['a1', 'a2'].map((node) => entry(node, `${away}/node/${node}`, null)),
        ...['f1', 'f2'].map((node) => entry(node, foreign.uri(node), shown)),
        entry('n 3', `${near}/node/n%203`, mock('three')),
        entry('n1', `${near}/node/n1`, shown),
        entry('n2', `${near}/node/n2`, null),
        entry('w1', `${daemonUrl}/node/n1`, null),
      ],
      unread: {
        [away]: expect.stringContaining('cannot be reached') as string,
        [daemonUrl]: expect.stringContaining('rejected the admin token') as string,
      },
    });
    expect(listed.text).not.toContain(secret);
    expect((await service.anonymous.get('/bmcs')).status).toBe(401);
  });

  it('that hang are tested for as long as a call may take', async () => {
    const home = await household(engine, 'inside', { CORRAL_OBMD_CALL_TIMEOUT: '0.5' });
    const { admin } = home.service;
    await addNode(home, 'inside', 'n1');
    await done(admin.put('/node/n1/bmc', mock('mock://n1?hang=identify')));
    expect(await admin.post('/node/n1/bmc/test')).toMatchObject({
      status: 502,
      text: expect.stringContaining('did not answer within 0.5 s') as string,
    });
  });

  it('need a daemon: without one inside, a node has to name its own', async () => {
    const { admin } = await serviceForTest(engine);
    expect(await admin.put('/node/n1', {})).toMatchObject({
      status: 400,
      text: expect.stringContaining('CORRAL_OBMD') as string,
    });
    expect((await admin.get('/bmc_types')).body).toMatchObject({ inside: false });
    await done(admin.put('/node/n1', { obmd: { uri: 'http://127.0.0.1:9/node/n1', admin_token: 'x' } }));
    expect(await admin.put('/node/n1/bmc', mock('n1'))).toMatchObject({
      status: 502,
      text: expect.stringContaining('http://127.0.0.1:9 cannot be reached') as string,
    });
  });

  it('have kinds, whose fields are listed and whose secrets are marked', async () => {
    const { service } = await household(engine, 'inside');
    expect((await service.admin.get('/bmc_types')).body).toMatchObject({
      inside: true,
      types: {
        ipmi: { fields: { required: ['addr', 'user', 'pass'], properties: { pass: { writeOnly: true } } } },
        libvirt: {},
        mock: { fields: { properties: { addr: expect.not.objectContaining({ writeOnly: true }) as object } } },
        redfish: {},
      },
    });
  });
});

describe.skipIf(!hasPart('ipmi_sim'))('a BMC that nobody here wrote', () => {
  it('is registered, and tested with the right password and with a wrong one', async () => {
    const sim = await startIpmiSim({ pass: secret });
    onTestFinished(() => sim.stop());
    const home = await household('sqlite', 'inside');
    const { admin } = home.service;
    await addNode(home, 'inside', 'n1');
    const info = { addr: sim.addr, port: sim.port, user: sim.user, pass: sim.pass };
    await done(admin.put('/node/n1/bmc', { type: 'ipmi', info }));
    expect((await admin.post('/node/n1/bmc/test')).body).toMatchObject({
      answered: expect.stringMatching(/^IPMI 2\.0, /) as string,
      privileges: 'administrator',
    });
    await done(admin.put('/node/n1/bmc', { type: 'ipmi', info: { ...info, pass: 'another' } }));
    expect(await admin.post('/node/n1/bmc/test')).toMatchObject({
      status: 502,
      text: expect.stringContaining('rejects the registered user name and password') as string,
    });
    expect(home.log()).not.toContain(secret);
  });
});
