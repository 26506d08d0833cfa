import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasPart, type LabIpmiSim } from '@corral/lab';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BmcError } from '../../src/drivers/bmc-contract.ts';
import type { IpmiTarget } from '../../src/drivers/ipmi/ipmi-target.ts';
import { startTool } from '../../src/drivers/ipmi/ipmitool.ts';
import { terminalOn } from '../support/console.ts';
import { deferred } from '../support/deferred.ts';
import { bmcOf, failureOf, openConsoleOf, scratch, simWith, targetOf } from '../support/ipmi-fixture.ts';

describe.skipIf(!hasPart('ipmi_sim'))('the console of a BMC by IPMI', () => {
  it('types everything as it is, also what ipmitool would take for an order', async () => {
    const sim = await simWith();
    const terminal = await openConsoleOf(sim);
    const lines = ['~.', '~?', '~~', '~B', '\x1e.', '\x1e?', '\x1e\x1e', '\x1eB', '\x1e\x1a', 'x\x1e.', '\x1e'];
    const typed = `${lines.join('\r')}\n${lines.join('\n')}\r\r`;
    // In pieces as they come: an order in two pieces is one, too.
    for (const character of typed) terminal.type(character);
    await vi.waitFor(() => expect(sim.typed().toString('latin1')).toBe(typed), { timeout: 20_000 });
    terminal.type(typed);
    await vi.waitFor(() => expect(sim.typed().toString('latin1')).toBe(typed + typed), { timeout: 20_000 });
    expect(terminal.isClosed).toBe(false);
    expect(terminal.heard()).toBe('');
  });

  it('carries every byte, both ways, and nothing else', async () => {
    const sim = await simWith();
    const terminal = await openConsoleOf(sim);
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    terminal.stream.write(all);
    await vi.waitFor(() => expect(sim.typed()).toEqual(all), { timeout: 20_000 });
    await sim.say(all);
    await vi.waitFor(() => expect(terminal.heard()).toBe(all.toString('latin1')), { timeout: 20_000 });
  });

  it('carries 64 KiB, and takes 8 KiB, without losing a byte', async () => {
    const sim = await simWith();
    const terminal = await openConsoleOf(sim);
    const much = Buffer.from(Array.from({ length: 65_536 }, (_, at) => (at * 7 + (at >> 8)) & 0xff));
    await sim.say(much);
    await vi.waitFor(() => expect(terminal.heard().length).toBe(much.length), { timeout: 20_000 });
    expect(terminal.heard() === much.toString('latin1')).toBe(true);
    terminal.stream.write(much.subarray(0, 8_192));
    await vi.waitFor(() => expect(sim.typed().length).toBe(8_192), { timeout: 20_000 });
    expect(sim.typed().equals(much.subarray(0, 8_192))).toBe(true);
  });

  it('may be read on when nothing more is typed', async () => {
    const sim = await simWith();
    const terminal = await openConsoleOf(sim);
    terminal.stream.end('last words\r');
    await vi.waitFor(() => expect(sim.typed().toString()).toBe('last words\r'));
    await sim.say('still here');
    await terminal.hears('still here');
  });

  it('leaves no session on the BMC and no process when it is let go', async () => {
    const sim = await simWith();
    const terminal = await openConsoleOf(sim);
    expect(await tools()).toHaveLength(1);
    await terminal.close();
    expect(await tools()).toEqual([]);
    expect(await sessionOn(sim)).toBe('none');
  });

  it('is closed in a few seconds if the BMC hangs', async () => {
    const sim = await simWith();
    const terminal = await openConsoleOf(sim);
    await sim.hang();
    const begun = Date.now();
    await terminal.close();
    expect(Date.now() - begun).toBeLessThan(12_000);
    expect(await tools()).toEqual([]);
  });

  it('ends with the reason when the BMC dies and something is typed', async () => {
    const sim = await simWith();
    const terminal = await openConsoleOf(sim);
    const ended = failureOf(new Promise((_, reject) => terminal.stream.once('error', reject)));
    await sim.say('last words');
    await terminal.hears('last words');
    await sim.kill();
    terminal.type('anybody there?\r');
    expect(await ended).toMatchObject({
      fault: 'unreachable',
      message: expect.stringMatching(/stopped answering/) as string,
    });
    await vi.waitFor(() => expect(terminal.isClosed).toBe(true));
    expect(terminal.heard()).toBe('last words');
    expect(await tools()).toEqual([]);
    await sim.restart();
    const again = await openConsoleOf(sim);
    await sim.say('back');
    await again.hears('back');
  });

  it('is taken by the second who opens it, who keeps it', async () => {
    const sim = await simWith();
    const first = await openConsoleOf(sim);
    const lost = failureOf(new Promise((_, reject) => first.stream.once('error', reject)));
    const second = await openConsoleOf(sim);
    expect(await lost).toMatchObject({ message: expect.stringMatching(/another client opened the console/) as string });
    await vi.waitFor(() => expect(first.isClosed).toBe(true));
    await sim.say('for the second');
    await second.hears('for the second');
    expect(first.heard()).toBe('');
    expect(await tools()).toHaveLength(1);
  });

  it('stays with its holder if the next client has left', async () => {
    const sim = await simWith();
    const terminal = await openConsoleOf(sim);
    expect(await failureOf(bmcOf(sim).openConsole?.(AbortSignal.abort()))).toBeInstanceOf(BmcError);
    await sim.say('still yours');
    await terminal.hears('still yours');
  });

  it('belongs to the last of many who open it at once', async () => {
    const sim = await simWith();
    const opened = await Promise.allSettled([1, 2, 3, 4].map(() => openConsoleOf(sim)));
    expect(opened.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled']);
    const [last] = opened.slice(-1).map((one) => (one.status === 'fulfilled' ? one.value : undefined));
    await sim.say('for the last');
    await last?.hears('for the last');
    expect(await tools()).toHaveLength(1);
  });

  it('is taken from a session that somebody left open on the BMC', async () => {
    const sim = await simWith();
    const stranger = startTool(targetOf(sim), ['sol', 'activate']);
    onTestFinished(() => void stranger.kill('SIGKILL'));
    // It says this once it has the session. (To look with a session of our own could be quicker, and take it first.)
    let said = '';
    stranger.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
    await vi.waitFor(() => expect(said).toContain('tcgetattr'), { timeout: 20_000 });
    const terminal = await openConsoleOf(sim);
    await sim.say('ours');
    await terminal.hears('ours');
  });

  it('leaves nothing behind wherever its opening is stopped', async () => {
    const sim = await simWith();
    for (let after = 0; after <= 240; after += 30) {
      const ended = new AbortController();
      const opening = failureOf(
        bmcOf(sim)
          .openConsole?.(ended.signal)
          .then((stream) => terminalOn(stream).close()),
      );
      setTimeout(() => ended.abort(), after);
      const failure = await opening;
      expect(failure === 'it did not fail' || failure instanceof BmcError).toBe(true);
      expect(await tools()).toEqual([]);
    }
    const terminal = await openConsoleOf(sim);
    await sim.say('works');
    await terminal.hears('works');
  });

  it('does not outlive its daemon, nor does its session', async () => {
    const sim = await simWith();
    const directory = await scratch();
    // Another process that opens a console as the driver does, and then dies of SIGKILL.
    const program = join(directory, 'tool');
    await writeFile(program, `#!/bin/sh\necho $$ > ${join(directory, 'pid')}\nexec ipmitool "$@"\n`, { mode: 0o700 });
    const daemon = spawn(
      process.execPath,
      [
        '-e',
        `const { program, args, env } = JSON.parse(process.argv[1]);
         const tool = require('node:child_process').spawn(program, args, { env });
         tool.stderr.on('data', (bytes) => String(bytes).includes('tcgetattr') && process.kill(process.pid, 'SIGKILL'));`,
        JSON.stringify({ program, ...(await toldBy(targetOf(sim), directory)) }),
      ],
      { stdio: 'ignore' },
    );
    await new Promise((resolve) => daemon.once('close', resolve));
    expect(daemon.signalCode).toBe('SIGKILL');
    const pid = (await readFile(join(directory, 'pid'), 'utf8')).trim();
    await vi.waitFor(async () => expect(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).toBe(''));
    expect(await sessionOn(sim)).toBe('none');
  });
});

const tools = async (): Promise<readonly number[]> => {
  const { children } = await deferred();
  const lines = await Promise.all(children.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return children.filter((_, at) => lines[at]?.startsWith('ipmitool') === true);
};

/** Is there a session for the console on the BMC? Asking ends it. */
const sessionOn = async (sim: LabIpmiSim): Promise<'there' | 'none'> => {
  const tool = startTool(targetOf(sim), ['sol', 'deactivate']);
  let said = '';
  tool.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  tool.stdin.end();
  const code = await new Promise<number | null>((resolve) => tool.once('close', resolve));
  if (said.includes('already de-activated')) return 'none';
  if (code === 0) return 'there';
  throw new Error(said);
};

/** The arguments and the environment that the driver starts ipmitool with for a console. */
const toldBy = async (target: IpmiTarget, directory: string) => {
  const program = join(directory, 'recorder');
  const record = join(directory, 'arguments');
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > ${record}\n`, { mode: 0o700 });
  const tool = startTool({ ...target, program }, ['sol', 'activate']);
  await new Promise((resolve) => tool.once('close', resolve));
  const args = (await readFile(record, 'utf8')).split('\n').slice(0, -1);
  return { args, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', IPMITOOL_PASSWORD: target.pass } };
};
