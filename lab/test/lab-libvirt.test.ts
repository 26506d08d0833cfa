import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineParrot, hasPart, type LabLibvirt, startLibvirt } from '../src/index.ts';

/** The command lines of all processes that mention this. */
const processesOf = async (text: string): Promise<readonly string[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(text));
};

describe.skipIf(!hasPart('libvirt'))('a libvirt of the lab', () => {
  const started: LabLibvirt[] = [];
  const start = async (): Promise<LabLibvirt> => {
    const libvirt = await startLibvirt();
    started.push(libvirt);
    return libvirt;
  };
  afterEach(async () => {
    await Promise.all(started.splice(0).map((libvirt) => libvirt.stop()));
  });

  it('meets no other: both may have a domain of the same name', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    const machine = await defineParrot(one, 'n1');
    expect((await other.virsh('list', '--all', '--name')).trim()).toBe('');
    const twin = await defineParrot(other, 'n1');
    await machine.setPower('on');
    expect([await machine.power(), await twin.power()]).toEqual(['on', 'off']);
    await twin.setPower('on');
    await other.stop();
    expect(await machine.power()).toBe('on');
  });

  it('is gone when it is stopped, with its domains, also while it hangs', async () => {
    const libvirt = await start();
    await (await defineParrot(libvirt, 'n1')).setPower('on');
    expect((await processesOf(libvirt.directory)).length).toBeGreaterThan(1);
    await libvirt.hang();
    await libvirt.stop();
    expect(await processesOf(libvirt.directory)).toEqual([]);
    expect(existsSync(libvirt.directory)).toBe(false);
  });

  it('has machines that count their starts, and turn themselves off when they are asked to', async () => {
    const libvirt = await start();
    const machine = await defineParrot(libvirt, 'n1');
    expect(await machine.boots()).toBe(0);
    await machine.setPower('on');
    await libvirt.virsh('shutdown', 'n1');
    await vi.waitFor(async () => expect(await machine.power()).toBe('off'), { timeout: 10_000 });
    await machine.setPower('on');
    expect(await machine.boots()).toBe(2);
  });

  it('answers nobody while it hangs, and everybody afterwards', async () => {
    const libvirt = await start();
    await libvirt.hang();
    let isAnswered = false;
    const answer = libvirt.virsh('list', '--all').then(() => (isAnswered = true));
    // Long enough for an answer, twenty times over.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(isAnswered).toBe(false);
    await libvirt.recover();
    await answer;
  });
});
