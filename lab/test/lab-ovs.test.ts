import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hasPart, startOvs } from '../src/index.ts';

const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8' });
const ours = `corral-${process.pid}-`;
const namespaces = () =>
  ip('netns', 'list')
    .split('\n')
    .filter((name) => name.startsWith(ours));
/** The processes that we started with something like this in their arguments. */
const processesWith = (text: string): string[] =>
  readdirSync('/proc').filter((id) => {
    try {
      const isOurs = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(process.pid);
      return isOurs && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });

describe.runIf(hasPart('Open vSwitch'))('the Open vSwitch of the lab', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('forwards between its hosts, keeps the namespace it was started in clean, and leaves nothing behind', async () => {
    const ovs = await startOvs({ hosts: 2, emptyPorts: 3 });
    const [a, b] = ovs.hosts;
    const home = dirname(ovs.socket);
    try {
      expect(ip('-brief', 'link')).not.toMatch(/^(p0|p1|d0|sw0|ovs-netdev)\b/m);
      expect(namespaces()).toHaveLength(3);
      expect(processesWith(home)).toHaveLength(2);
      expect(ovs.ports).toEqual(['p0', 'p1', 'd0', 'd1', 'd2']);
      if (!a || !b) throw new Error('there are no hosts');
      expect(await a.ping(b)).toBe(true);
      // Left running on purpose: stopping the switch ends them.
      await b.capture();
      a.stream({ marker: 'endless', tags: '7' });
      expect(processesWith('frames.py')).toHaveLength(2);
    } finally {
      await ovs.stop();
    }
    expect(namespaces()).toEqual([]);
    expect(processesWith(home)).toEqual([]);
    expect(processesWith('frames.py')).toEqual([]);
    expect(existsSync(home)).toBe(false);
  });

  it('carries frames with every tag from one host to the other', async () => {
    const ovs = await startOvs({ hosts: 2 });
    try {
      const [a, b] = ovs.hosts;
      const capture = await b?.capture();
      const missing = new Set(['', ...Array.from({ length: 4094 }, (_, index) => String(index + 1)), '20.30']);
      // A busy machine may lose some: those are sent again.
      for (let round = 0; missing.size > 0 && round < 4; round += 1) {
        const tags = [...missing].map((stack) => stack || 'untagged').join(',');
        await a?.send({ marker: 'probe', tags });
        await a?.send({ marker: `end ${round}` });
        await capture?.until(({ marker }) => marker === `end ${round}`);
        for (const frame of capture?.frames ?? []) missing.delete(frame.tags.join('.'));
      }
      expect([...missing]).toEqual([]);
      expect(capture?.frames[0]).toMatchObject({ tags: [], source: a?.mac, destination: 'ff:ff:ff:ff:ff:ff' });
      await capture?.stop();
    } finally {
      await ovs.stop();
    }
  });

  it('leaves nothing behind when it cannot start', async () => {
    const home = mkdtempSync(join(tmpdir(), 'corral-lab-'));
    vi.stubEnv('TMPDIR', home);
    // The tools are there, the daemons are not.
    vi.stubEnv('PATH', '/usr/bin:/bin');
    await expect(startOvs({ hosts: 1 })).rejects.toThrow('ovsdb-server cannot be started');
    expect(namespaces()).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
    rmdirSync(home);
  });
});
