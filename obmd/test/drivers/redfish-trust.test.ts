import { createServer } from 'node:http';
import { connect, createServer as createRelay } from 'node:net';
import { labCertificate, labFingerprint, startRedfish } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { redfishBmc } from '../../src/drivers/redfish-driver.ts';
import { amply, bmcWith, expectFault, ofSystem, startTrial } from '../support/redfish-fixture.ts';
import { fits } from '../support/fits.ts';

/** Somebody who would like to know our password. */
const startStranger = async (): Promise<{ readonly origin: string; readonly visits: () => number }> => {
  let visits = 0;
  const server = createServer((_, response) => {
    visits += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the stranger has no port');
  return { origin: `http://127.0.0.1:${address.port}`, visits: () => visits };
};

describe('the certificate of a Redfish service', () => {
  const start = async (certificate: Readonly<Record<string, string>>) => {
    const service = await startRedfish();
    onTestFinished(() => service.stop());
    const { url, user, pass } = service.info;
    return { service, bmc: bmcWith({ url, user, pass, ...certificate }) };
  };
  const plainDigits = labFingerprint.replaceAll(':', '');

  it.each([
    ['its fingerprint', { fingerprint: labFingerprint }],
    ['its fingerprint in small digits', { fingerprint: labFingerprint.toLowerCase() }],
    ['its fingerprint without colons', { fingerprint: plainDigits }],
    ['who vouches for it', { ca: labCertificate }],
  ])('is accepted by %s', async (_, certificate) => {
    const { bmc } = await start(certificate);
    expect(await bmc.powerStatus(amply())).toBe('off');
  });

  it('is refused if no authority signed it, and the message says what to register', async () => {
    const { service, bmc } = await start({});
    await expectFault(bmc.powerStatus(amply()), 'failed', /not trusted; .* "fingerprint", or with the "ca"/);
    expect(service.asked()).toEqual([]);
  });

  it('is refused if it is not the pinned one, even where the authority is right', async () => {
    const fingerprint = `${plainDigits.slice(0, -1)}0`;
    const { service, bmc } = await start({ fingerprint, ca: labCertificate });
    await expectFault(
      bmc.powerStatus(amply()),
      'failed',
      /another certificate than the registered one.* new "fingerprint"/,
    );
    expect(service.asked()).toEqual([]);
  });

  it('is refused if it is for another name, whichever authority signed it', async () => {
    const { service } = await start({});
    const url = new URL(service.origin);
    const relay = createRelay((caller) => {
      const callee = connect(Number(url.port), url.hostname);
      caller
        .on('error', () => undefined)
        .pipe(callee.on('error', () => undefined))
        .pipe(caller);
    });
    await new Promise<void>((resolve) => relay.listen(Number(url.port), '127.0.0.2', resolve));
    onTestFinished(() => void relay.close());
    const { user, pass } = service.info;
    const there = { url: service.origin.replace('127.0.0.1', '127.0.0.2'), user, pass };
    await expectFault(bmcWith({ ...there, ca: labCertificate }).powerStatus(amply()), 'failed', /is not trusted/);
    expect(service.asked()).toEqual([]);
    expect(await bmcWith({ ...there, fingerprint: labFingerprint }).powerStatus(amply())).toBe('off');
  });

  it('cannot be checked over plain HTTP, and nothing is sent then', async () => {
    const { service, bmc } = await startTrial({}, { fingerprint: labFingerprint });
    await expectFault(bmc.powerStatus(amply()), 'unsupported', /"url" is not https; .* https:/);
    expect(service.asked()).toEqual([]);
  });
});

describe('another host', () => {
  const notFollowed = /refers to another host .* not followed/;

  it.each<[string, RegExp, (origin: string) => Record<string, unknown>]>([
    ['the list of machines', /v1\/$/, (origin) => ({ Systems: { '@odata.id': `${origin}/redfish/v1/Systems` } })],
    ['a machine', /Systems$/, (origin) => ({ Members: [{ '@odata.id': `${origin}/redfish/v1/Systems/1` }] })],
    ['a machine, without a scheme', /Systems$/, () => ({ Members: [{ '@odata.id': '//127.0.0.1:1/redfish' }] })],
    ['a machine, with the slashes turned', /Systems$/, () => ({ Members: [{ '@odata.id': '/\\127.0.0.1:1/x' }] })],
    ['the sessions', /v1\/$/, (origin) => ({ Links: { Sessions: { '@odata.id': `${origin}/Sessions` } } })],
    ['the reset', ofSystem, (origin) => ({ Actions: { '#ComputerSystem.Reset': { target: `${origin}/reset` } } })],
    [
      'what a reset takes',
      ofSystem,
      (origin) => ({
        Actions: { '#ComputerSystem.Reset': { target: '/reset', '@Redfish.ActionInfo': `${origin}/i` } },
      }),
    ],
    [
      'the settings',
      ofSystem,
      (origin) => ({ '@Redfish.Settings': { SettingsObject: { '@odata.id': `${origin}/settings` } } }),
    ],
  ])('is not followed as the place of %s', async (_, path, fields) => {
    const stranger = await startStranger();
    const { service, bmc } = await startTrial();
    const lie = fields(stranger.origin);
    service.fault({ kind: 'edit', on: { path }, edit: (document) => ({ ...document, ...lie }) });
    await expectFault(bmc.powerOn(amply()), 'failed', notFollowed);
    expect(stranger.visits()).toBe(0);
    expect(service.machine.resets).toEqual([]);
  });

  it('is not asked how a task goes on', async () => {
    const stranger = await startStranger();
    const { service, bmc } = await startTrial({ oddities: { resetsAreTasks: true } });
    service.fault({ kind: 'headers', headers: { location: `${stranger.origin}/task` }, on: { path: /Reset$/ } });
    await bmc.powerOn(amply());
    expect(stranger.visits()).toBe(0);
    expect(service.machine.power).toBe('on');
  });

  it.each([/v1\/$/, /Sessions$/, /Systems$/, ofSystem, /Reset$/])(
    'is not gone to by a redirect from %s',
    async (path) => {
      const stranger = await startStranger();
      for (const location of [`${stranger.origin}/redfish/v1/`, '/redfish/v1/elsewhere']) {
        const { service, bmc } = await startTrial();
        service.fault({ kind: 'status', status: 307, headers: { location }, on: { path } });
        await expectFault(bmc.powerOn(amply()), 'failed', /another address, which is not followed/);
      }
      expect(stranger.visits()).toBe(0);
    },
  );
});

describe('the info of a Redfish node', () => {
  const info = { url: 'https://bmc-7.example.org', user: 'operator', pass: 'x' };

  it.each([
    'http://10.0.0.7',
    'https://bmc-7.example.org/',
    'https://bmc-7:8443/redfish',
    'https://[fe80::7]:443/redfish/v1/',
    'https://10.0.0.7/redfish/v1',
  ])('takes %s', (url) => expect(fits(redfishBmc.info, { ...info, url })).toBe(true));

  it.each([
    '10.0.0.7',
    'ftp://10.0.0.7',
    'https://user:pass@10.0.0.7',
    'https://10.0.0.7/redfish/v1/Systems/1',
    'https://10.0.0.7/?a=b',
    'https://10.0.0.7#x',
    'https:///redfish',
    'https://bmc 7',
  ])('does not take "%s"', (url) => expect(fits(redfishBmc.info, { ...info, url })).toBe(false));

  it.each([
    { user: 'a:b' },
    { user: '' },
    { system: 'two words' },
    { fingerprint: 'AB:CD' },
    { ca: '/etc/ssl/ca.pem' },
    { insecure: true },
  ])('does not take %j', (fields) => expect(fits(redfishBmc.info, { ...info, ...fields })).toBe(false));
});
