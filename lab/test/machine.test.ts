import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Capture,
  hasPart,
  type LabHost,
  type LabOvs,
  type LabQemu,
  startIpmiSim,
  startMachine,
  startOvs,
} from '../src/index.ts';

const run = promisify(execFile);
const patient = { timeout: 50_000, interval: 50 };

/*
 * The tests are chapters of one story: booting costs seconds, so each boot is looked at from all sides.
 */
describe.skipIf(!hasPart('QEMU') || !hasPart('Open vSwitch'))('a machine on a switch', () => {
  let ovs: LabOvs;
  let machine: LabQemu;
  let hosts: readonly [LabHost, LabHost];
  let captures: readonly Capture[];

  beforeAll(async () => {
    ovs = await startOvs({ hosts: 2 });
    machine = await startMachine({ ovs });
    hosts = ovs.hosts as readonly [LabHost, LabHost];
    const [same, other] = hosts;
    await ovs.tamper(machine.port, { native: 100, tagged: [] });
    await ovs.tamper(same.port, { native: 100, tagged: [] });
    await ovs.tamper(other.port, { native: 200, tagged: [] });
    captures = await Promise.all(hosts.map((host) => host.capture({ machine: machine.mac })));
  });
  afterAll(async () => {
    await machine.stop();
    await ovs.stop();
  });

  /** Drives it as a BMC does. */
  const chassis = async (...order: readonly string[]): Promise<string> => {
    const { stdout } = await run(machine.chassis, ['0x20', ...order]);
    return stdout.trim();
  };
  const asks = ({ marker }: { readonly marker: string }): boolean => marker === 'dhcp discover';

  it('is off at first', async () => {
    expect(await chassis('get', 'power', 'boot')).toBe('power:0\nboot:none');
    expect(machine.pid).toBeNull();
  });

  it('turned on, it asks for an address on its network and on no other', async () => {
    const serial = connect({ port: machine.serialPort, host: '127.0.0.1' });
    let heard = '';
    serial.on('data', (bytes) => (heard += bytes.toString()));
    await chassis('set', 'boot', 'pxe');
    await chassis('set', 'power', '1');
    expect(await chassis('get', 'power', 'boot')).toBe('power:1\nboot:pxe');
    expect(await captures[0]?.until(asks, 50_000)).toMatchObject({ source: machine.mac, tags: [] });
    expect(captures[1]?.frames).toEqual([]);
    await expect.poll(() => heard, patient).toMatch(/PXE/);
    expect(machine.said).toContain(heard);
    serial.destroy();
  });

  it('turned off, it is gone', async () => {
    const { pid } = machine;
    await chassis('set', 'power', '0');
    expect(await chassis('get', 'power')).toBe('power:0');
    expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH');
  });

  it('told to boot from its disk, which is empty, it asks nobody', async () => {
    const left = await machine.capture();
    await chassis('set', 'boot', 'default');
    await chassis('set', 'power', '1');
    await expect.poll(() => machine.said, patient).toMatch(/startup\.nsh|No bootable device/);
    expect(left.frames).toEqual([]);
  });

  it('asked to shut down, it stays on: firmware does not care', async () => {
    await chassis('set', 'shutdown', '1');
    expect(await chassis('get', 'power')).toBe('power:1');
  });

  // The firmware of other processors has no shell.
  it.runIf(process.arch === 'arm64')('takes what is typed, and may turn itself off', async () => {
    const serial = connect({ port: machine.serialPort, host: '127.0.0.1' });
    serial.write('\u001b');
    await expect.poll(() => machine.said, patient).toContain('Shell>');
    serial.write('reset -s\r');
    await expect.poll(() => machine.power, patient).toBe('off');
    serial.destroy();
  });

  it.runIf(hasPart('ipmi_sim'))('a BMC turns it on, resets it and turns it off', async () => {
    const bmc = await startIpmiSim({ chassis: machine.chassis, serialPort: machine.serialPort });
    const call = ['-I', 'lanplus', '-C', '3', '-H', bmc.addr, '-p', String(bmc.port), '-U', bmc.user, '-E', 'chassis'];
    const env = { PATH: process.env['PATH'], IPMITOOL_PASSWORD: bmc.pass };
    const order = (...words: readonly string[]) => run('ipmitool', [...call, ...words], { env });
    try {
      await order('power', 'off');
      await order('bootdev', 'disk');
      await order('power', 'on');
      expect([machine.power, machine.bootDevice]).toEqual(['on', 'default']);
      const { pid } = machine;
      await order('power', 'reset');
      expect(machine.power).toBe('on');
      expect(machine.pid).not.toBe(pid);
      await order('power', 'off');
      expect((await order('power', 'status')).stdout).toContain('is off');
      expect(machine.power).toBe('off');
    } finally {
      await bmc.stop();
    }
  });

  it('in the whole story nothing of it was seen on the other network', async () => {
    const [same, other] = hosts;
    await ovs.tamper(other.port, { native: 100, tagged: [] });
    await same.send({ marker: 'the end' });
    await captures[1]?.until(({ marker }) => marker === 'the end');
    expect(captures[1]?.frames.map(({ marker }) => marker)).toEqual(['the end']);
  });

  it('stopped while it is on, it leaves nothing behind', async () => {
    await machine.powerOn();
    const { pid } = machine;
    expect(await ovs.vsctl('list-ports', ovs.bridge)).toContain(machine.port);
    await machine.stop();
    expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH');
    expect(existsSync(machine.chassis)).toBe(false);
    expect(await ovs.vsctl('list-ports', ovs.bridge)).not.toContain(machine.port);
    expect((await run('ip', ['-n', ovs.namespace, '-brief', 'link'])).stdout).not.toContain(machine.port);
  });
});
