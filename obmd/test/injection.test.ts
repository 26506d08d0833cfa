import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostile } from '../../service/test/support/fuzz/injection-strings.ts';
import { ipmiInfo, ipmiTargetFrom } from '../src/drivers/ipmi/ipmi-target.ts';
import { startTool } from '../src/drivers/ipmi/ipmitool.ts';
import { bmcDrivers } from '../src/drivers/bmc-drivers.ts';
import { sharedDaemon } from './support/daemon.ts';
import { engines } from './support/obmd-engines.ts';
import { makeNode } from './support/token-holder.ts';
import { fits } from './support/fits.ts';

const oneLine = /^[^\p{Cc}\u2028\u2029]*$/u;

/** A good `info` of every type. */
const good: Readonly<Record<keyof typeof bmcDrivers, Readonly<Record<string, unknown>>>> = {
  ipmi: {
    addr: '127.0.0.1',
    user: 'u',
    pass: 'p',
    port: '6230',
    cipher: '3',
    privilege: 'operator',
    boot_mode: 'bios',
  },
  redfish: { url: 'https://127.0.0.1:9', user: 'u', pass: 'p', system: '1' },
  libvirt: { uri: 'qemu:///system', domain: 'd' },
  mock: { addr: 'm' },
};

describe.each(engines)('hostile texts at the daemon on %s', (engine) => {
  const shared = sharedDaemon(engine);

  it.each(Object.keys(good) as (keyof typeof good)[])(
    'in the info of a BMC of type %s are refused, or inert',
    async (type) => {
      for (const field of Object.keys(good[type])) {
        for (const { what, text } of hostile) {
          const info = { ...good[type], [field]: text };
          const answer = await shared().admin('PUT', '/node/n', { type, info });
          expect([200, 400], `${what} in ${field}: ${answer.text}`).toContain(answer.status);
          expect(answer.text, what).toMatch(oneLine);
          if (answer.status === 400) expect(answer.text, what).toContain(field);
          // What becomes an argument of a program is never an option, and never more than one line.
          if (answer.status === 200 && field !== 'pass') expect(text, `${type}.${field}`).toMatch(oneLine);
          if (answer.status === 200 && type !== 'mock' && ['addr', 'url', 'uri', 'domain'].includes(field)) {
            expect(text, `${type}.${field}`).toMatch(/^[A-Za-z0-9_[]/);
          }
        }
      }
    },
  );

  it('as the id of a node are refused, or only a name', async () => {
    for (const { what, text, isRefused } of hostile) {
      const path = `/node/${encodeURIComponent(text)}`;
      const answer = await shared().admin('PUT', path, { type: 'mock', info: good.mock });
      expect(isRefused === 'always' ? [400] : [200, 400, 404], `${what}: ${answer.text}`).toContain(answer.status);
      expect(answer.text, what).toMatch(oneLine);
    }
  });

  it('as a boot device are refused', async () => {
    const { tenant } = await makeNode(shared(), 'boots');
    for (const { what, text } of hostile) {
      const answer = await tenant.bootFrom(text);
      expect(answer.status, what).toBe(400);
      expect(answer.text, what).toMatch(oneLine);
    }
  });

  it('are in the log one JSON line each', () => {
    expect(shared().log.length).toBeGreaterThan(100);
    for (const line of shared().log) {
      expect(line.slice(0, -1)).toMatch(oneLine);
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) as number });
    }
  });
});

describe('ipmitool', () => {
  it('is given each value as one argument, whatever is in it, and the password as none', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'corral-argv-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const program = join(directory, 'tool');
    await writeFile(program, '#!/bin/sh\nprintf "%s\\0" "$@"\n', { mode: 0o700 });
    const printable = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    });
    const nasty = fc.oneof(printable, fc.constantFrom(...hostile.map(({ text }) => text)));
    const told = fc.asyncProperty(nasty, nasty, async (user, pass) => {
      const info = { addr: 'bmc.example', user, pass };
      fc.pre(fits(ipmiInfo, info));
      const child = startTool({ ...ipmiTargetFrom(info), program }, ['chassis', 'power', 'status']);
      let said = '';
      child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
      await new Promise((resolve) => child.once('close', resolve));
      expect(said.split('\0').slice(0, -1)).toEqual(
        ['-I', 'lanplus', '-C', '3', '-L', 'ADMINISTRATOR', '-H', 'bmc.example', '-p', '623', '-U', user, '-E'].concat([
          '-N',
          '1',
          '-R',
          '3',
          '-v',
          'chassis',
          'power',
          'status',
        ]),
      );
    });
    await fc.assert(told, { seed: 1, numRuns: 40 });
  });
});
