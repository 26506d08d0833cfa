import { describe, expect, it, vi } from 'vitest';
import { amply, changesAsked, expectFault, machineOf, ofSystem, startTrial } from '../support/redfish-fixture.ts';

const without =
  (...names: readonly string[]) =>
  (document: Record<string, unknown>): unknown =>
    Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));

describe('the power of a machine behind Redfish', () => {
  it.each([
    { offered: ['On', 'ForceOff', 'ForceRestart'], used: ['On', 'ForceRestart', 'ForceOff'] },
    { offered: ['ForceOn', 'ForceOff', 'PowerCycle'], used: ['ForceOn', 'PowerCycle', 'ForceOff'] },
    { offered: ['On', 'ForceOn', 'ForceOff', 'ForceRestart', 'PowerCycle'], used: ['On', 'ForceRestart', 'ForceOff'] },
    { offered: ['On', 'ForceOff', 'Nmi'], used: ['On', 'ForceOff', 'On', 'ForceOff'] },
  ])('is changed by the reset types that it offers: $offered', async ({ offered, used }) => {
    const { service, bmc } = await startTrial({ oddities: { resetTypes: offered }, powerMs: 20 });
    await bmc.powerOn(amply());
    await bmc.powerCycle(amply());
    await vi.waitFor(() => expect(machineOf(service)).toMatchObject({ power: 'on', boots: 2 }));
    await bmc.powerOff(amply());
    expect(service.machine.power).toBe('off');
    expect(service.machine.resets).toEqual(used);
  });

  it.each(['action', 'actionInfo', 'nowhere'] as const)(
    'is changed whether the types are listed in %s',
    async (place) => {
      const { service, bmc } = await startTrial({ oddities: { resetTypesIn: place, resetTypes: ['On', 'ForceOff'] } });
      await bmc.powerOn(amply());
      await bmc.powerCycle(amply());
      expect(service.machine.boots).toBe(2);
      await bmc.powerOff(amply());
      expect(service.machine.power).toBe('off');
    },
  );

  it('is left alone when it is as wanted already', async () => {
    const { service, bmc } = await startTrial({ flavour: 'dell' });
    await bmc.powerOff(amply());
    service.machine.setPower('on');
    await bmc.powerOn(amply());
    expect(changesAsked(service)).toEqual([]);
  });

  it.each([400, 409] as const)('is as wanted when the BMC refuses (%i) because it is so already', async (noChange) => {
    const { service, bmc } = await startTrial({ oddities: { noChange } });
    const shows = (PowerState: string) =>
      service.fault({
        kind: 'edit',
        on: { method: 'GET', path: ofSystem },
        times: 1,
        edit: (document) => ({ ...document, PowerState }),
      });
    shows('On');
    await bmc.powerOff(amply());
    service.machine.setPower('on');
    shows('Off');
    await bmc.powerOn(amply());
    expect(service.machine.resets).toEqual(['ForceOff', 'On']);
  });

  it('is reported as refused when it is not as wanted afterwards, with the error of the BMC in the log', async () => {
    const { service, bmc } = await startTrial();
    const body = JSON.stringify({ error: { '@Message.ExtendedInfo': [{ Message: 'The lid is open.' }] } });
    service.fault({ kind: 'status', status: 400, body, on: { method: 'POST', path: /Reset$/ } });
    const error = await expectFault(bmc.powerOn(amply()), 'failed', /refused to turn the machine on/);
    expect(error.cause).toMatchObject({ message: 'HTTP 400: The lid is open.' });
  });

  it('is on while it turns off, and is turned on again only when it is off', async () => {
    const { service, bmc } = await startTrial({ flavour: 'openbmc', powerMs: 150 });
    service.machine.setPower('on');
    await bmc.askToShutDown?.(amply());
    expect(await bmc.powerStatus(amply())).toBe('on');
    await bmc.powerOn(amply());
    expect(machineOf(service)).toMatchObject({ power: 'on', boots: 2, resets: ['GracefulShutdown', 'On'] });
  });

  it('is on while it turns on, and is not turned on twice', async () => {
    const { service, bmc } = await startTrial({ flavour: 'openbmc', powerMs: 150 });
    await Promise.all([bmc.powerOn(amply()), bmc.powerOn(amply())]);
    expect(machineOf(service)).toMatchObject({ power: 'on', boots: 1 });
  });

  it('is not waited for beyond some seconds once the BMC has accepted', async () => {
    const { service, bmc } = await startTrial({ powerMs: 60_000 });
    await bmc.powerOn(amply());
    expect(machineOf(service)).toMatchObject({ power: 'off', resets: ['On'] });
  });

  it('is unknown where the BMC does not report it, but can be changed', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'edit', on: { path: ofSystem }, edit: without('PowerState') });
    await expectFault(bmc.powerStatus(amply()), 'unsupported', /does not report whether the machine is on/);
    await bmc.powerCycle(amply());
    expect(service.machine.power).toBe('on');
    await bmc.powerOff(amply());
    expect(service.machine.power).toBe('off');
    await bmc.powerOn(amply());
    expect(service.machine.power).toBe('on');
  });

  it('cannot be changed where the BMC offers nothing for it', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'edit', on: { path: ofSystem }, edit: without('Actions') });
    for (const call of [bmc.powerOn(amply()), bmc.powerCycle(amply())])
      await expectFault(call, 'unsupported', /offers no way to change the power/);
  });

  it('ends softly only where the BMC offers it', async () => {
    const { service, bmc } = await startTrial({ oddities: { resetTypes: ['On', 'ForceOff', 'ForceRestart'] } });
    await bmc.askToShutDown?.(amply());
    service.machine.setPower('on');
    await expectFault(
      Promise.resolve(bmc.askToShutDown?.(amply())),
      'unsupported',
      /offers no way to ask the operating system/,
    );
    expect(service.machine.power).toBe('on');
  });
});

describe('a reset', () => {
  it('is not sent twice when the line breaks after it', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'drop', after: true, on: { method: 'POST', path: /Reset$/ } });
    await expectFault(bmc.powerOn(amply()), 'unreachable', /connection to the BMC failed/);
    expect(machineOf(service)).toMatchObject({ power: 'on', resets: ['On'] });
  });

  it.each([503, 429])('is sent again when the BMC says that it was too busy (%i)', async (status) => {
    const { service, bmc } = await startTrial();
    const headers = { 'retry-after': '1' };
    service.fault({ kind: 'status', status, headers, times: 1, on: { method: 'POST', path: /Reset$/ } });
    const before = performance.now();
    await bmc.powerOn(amply());
    expect(performance.now() - before).toBeGreaterThan(990);
    expect(machineOf(service)).toMatchObject({ power: 'on', resets: ['On'] });
  });

  it('that becomes a task is seen through', async () => {
    const { service, bmc } = await startTrial({ oddities: { resetsAreTasks: true } });
    const on = { path: /TaskMonitors/ };
    service.fault({ kind: 'edit', on, times: 1, edit: (task) => ({ ...task, TaskState: 'Running' }) });
    service.machine.setPower('on');
    await bmc.powerCycle(amply());
    expect(service.asked().filter(({ path }) => path.includes('TaskMonitors'))).toHaveLength(2);
  });

  it('that becomes a task which fails has failed', async () => {
    const { service, bmc } = await startTrial({ oddities: { resetsAreTasks: true } });
    service.fault({
      kind: 'edit',
      on: { path: /TaskMonitors/ },
      edit: (task) => ({ ...task, TaskState: 'Exception' }),
    });
    await expectFault(bmc.powerOn(amply()), 'failed', /refused to turn the machine on/);
  });

  it('that becomes a task which is forgotten at once is done', async () => {
    const { service, bmc } = await startTrial({ oddities: { resetsAreTasks: true } });
    service.fault({ kind: 'status', status: 404, on: { path: /TaskMonitors/ } });
    await bmc.powerOn(amply());
    expect(service.machine.power).toBe('on');
  });

  it('that becomes a task which cannot be read is accepted all the same', async () => {
    const { service, bmc } = await startTrial({ oddities: { resetsAreTasks: true } });
    service.fault({ kind: 'drop', on: { path: /TaskMonitors/ } });
    await bmc.powerOn(amply());
    expect(machineOf(service)).toMatchObject({ power: 'on', resets: ['On'] });
  });
});
