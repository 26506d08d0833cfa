import { describe, expect, it, onTestFinished } from 'vitest';
import { behind } from '../../../service/test/support/switches/silent-relay.ts';
import { amply, bmcWith, expectFault, ofSystem, startTrial } from '../support/redfish-fixture.ts';

const get = { method: 'GET', path: ofSystem };

it('an order that is given up ends its connection by a reset: what was queued never arrives', async () => {
  const { service } = await startTrial();
  const { relay, fields } = await behind(service.info);
  onTestFinished(relay.stop);
  const bmc = bmcWith(fields);
  expect(await bmc.powerStatus(amply())).toBe('off');
  relay.fallSilent();
  const patience = new AbortController();
  const order = expectFault(bmc.powerOn(patience.signal), 'unreachable', /did not answer/);
  await relay.sentInVain;
  patience.abort(new Error('it took too long'));
  await order;
  expect(await relay.ending).toBe('reset');
});

describe('a Redfish service that is busy', () => {
  it.each([
    ['after a second', () => '1'],
    ['at a time of day', () => new Date(Date.now() + 2_000).toUTCString()],
    ['at once', () => '0'],
    ['without saying when', () => undefined],
    ['in words of its own', () => 'soon'],
  ])('is asked again %s', async (_, when) => {
    const { service, bmc } = await startTrial();
    const told = when();
    const headers = told === undefined ? {} : { 'retry-after': told };
    service.fault({ kind: 'status', status: 503, headers, times: 1, on: get });
    expect(await bmc.powerStatus(amply())).toBe('off');
  });

  it('is not waited for beyond the deadline', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'status', status: 503, headers: { 'retry-after': '30' }, on: get });
    const before = performance.now();
    await expectFault(bmc.powerStatus(AbortSignal.timeout(300)), 'unreachable', /too busy to answer/);
    expect(performance.now() - before).toBeLessThan(8_000);
  });

  it('is not waited for when it asks for an hour', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'status', status: 503, headers: { 'retry-after': '3600' }, on: get });
    const before = performance.now();
    await expectFault(bmc.powerStatus(amply()), 'unreachable', /too busy to answer; try again in some minutes/);
    expect(performance.now() - before).toBeLessThan(8_000);
  });
});

describe('a Redfish service that is slow', () => {
  it('is waited for', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'delay', ms: 200 });
    expect(await bmc.powerStatus(amply())).toBe('off');
  });

  it.each([/v1\/$/, /Sessions$/, /Systems$/, ofSystem, /Reset$/])('is let go when it hangs in %s', async (path) => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'hang', on: { path }, times: 1 });
    const before = performance.now();
    await expectFault(bmc.powerOn(AbortSignal.timeout(300)), 'unreachable', /did not answer in time/);
    expect(performance.now() - before).toBeLessThan(8_000);
    await bmc.powerOn(amply());
    expect(service.machine.power).toBe('on');
  });

  it('is asked nothing when there is no time at all', async () => {
    const { service, bmc } = await startTrial();
    await expectFault(bmc.powerOn(AbortSignal.abort()), 'unreachable', /did not answer in time/);
    expect(service.asked()).toEqual([]);
  });
});

describe('a line to a Redfish service', () => {
  it('that breaks is opened again for a question', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'drop', on: { method: 'GET' }, times: 2 });
    expect(await bmc.powerStatus(amply())).toBe('off');
  });

  it('that keeps breaking is given up', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'drop', on: get });
    await expectFault(bmc.powerStatus(amply()), 'unreachable', /connection to the BMC failed/);
    expect(service.asked().filter(({ path }) => ofSystem.test(path))).toHaveLength(3);
  });

  it('that nobody answers is a fault', async () => {
    const { service, bmc } = await startTrial();
    service.breakLine({ kind: 'refuse' });
    await expectFault(bmc.powerStatus(amply()), 'unreachable', /connection to the BMC failed/);
  });

  it('that speaks without TLS where it should speak with it is no Redfish service', async () => {
    const { service } = await startTrial();
    const bmc = bmcWith({ ...service.info, url: service.origin.replace('http:', 'https:') });
    await expectFault(bmc.powerStatus(amply()), 'failed', /is not that of a Redfish service/);
  });
});

describe('an answer that makes no sense', () => {
  const nonsense = /is not that of a Redfish service; .* check its "url"/;

  it.each(['garbage', 'huge', 'nested'] as const)('is a fault: %s', async (kind) => {
    for (const path of [/v1\/$/, /Systems$/, ofSystem]) {
      const { service, bmc } = await startTrial();
      service.fault({ kind, on: { path } });
      const error = await bmc.powerStatus(amply()).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'BmcError', message: expect.stringMatching(/BMC/) as string });
    }
  });

  it.each(['garbage', 'huge'] as const)('is reported as such: %s', async (kind) => {
    const { service, bmc } = await startTrial();
    service.fault({ kind, on: get });
    await expectFault(bmc.powerStatus(amply()), 'failed', nonsense);
  });

  it.each([null, 7, 'On', [], [{ PowerState: 'On' }]])('is one with JSON that is no object: %j', async (value) => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'edit', on: get, edit: () => value });
    await expectFault(bmc.powerStatus(amply()), 'failed', nonsense);
  });

  it.each<Record<string, unknown>>([
    { PowerState: { On: true } },
    { PowerState: ['On'] },
    { PowerState: 'on' },
    { PowerState: '' },
    { PowerState: null },
  ])('is no state of the power: %j', async (fields) => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'edit', on: get, edit: (document) => ({ ...document, ...fields }) });
    await expectFault(bmc.powerStatus(amply()), 'unsupported', /does not report whether the machine is on/);
  });

  it.each<Record<string, unknown>>([
    { Actions: [] },
    { Actions: { '#ComputerSystem.Reset': 'yes' } },
    { Actions: { '#ComputerSystem.Reset': { target: 7 } } },
    { Actions: { '#ComputerSystem.Reset': { target: '' } } },
  ])('is no reset: %j', async (fields) => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'edit', on: get, edit: (document) => ({ ...document, ...fields }) });
    await expectFault(bmc.powerOn(amply()), 'unsupported', /offers no way to change the power/);
  });

  it.each<Record<string, unknown>>([
    { Members: { '0': {} } },
    { Members: [null, 7, 'x', {}, { '@odata.id': 7 }] },
    { Members: undefined },
  ])('is no list of machines: %j', async (fields) => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'edit', on: { path: /Systems$/ }, edit: (document) => ({ ...document, ...fields }) });
    await expectFault(bmc.powerStatus(amply()), 'unsupported', /lists no machines/);
  });

  it('is none for good: a service that fails inside once is asked again', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'status', status: 500, on: get, times: 2 });
    expect(await bmc.powerStatus(amply())).toBe('off');
  });

  it('is one that always fails inside', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'status', status: 500, body: 'oops', on: get });
    const error = await expectFault(bmc.powerStatus(amply()), 'failed', /refused to show the machine/);
    expect(error.cause).toMatchObject({ message: 'HTTP 500: oops' });
  });

  it('is a list of machines without end, which is not read to it', async () => {
    const { service, bmc } = await startTrial();
    const edit = (document: Record<string, unknown>) => ({
      ...document,
      'Members@odata.nextLink': '/redfish/v1/Systems',
    });
    service.fault({ kind: 'edit', on: { path: /Systems$/ }, edit });
    expect(await bmc.powerStatus(amply())).toBe('off');
    expect(service.asked().length).toBeLessThan(30);
  });
});
