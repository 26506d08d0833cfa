import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshHome } from '../src/demo/demo-directory.ts';
import { eachOf } from '../src/demo/run-parallel-demo.ts';
import { choosePort } from '../src/demo/demo-port.ts';
import { Progress } from '../src/demo/demo-progress.ts';
import { demoRack } from '../src/demo/demo-rack.ts';
import { tenants } from '../src/demo/demo-tenants.ts';

const place = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-lab-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return join(directory, 'demo-data');
};

describe('the rack of the demo', () => {
  const { switches, nodes } = demoRack();
  const nics = nodes.flatMap((node) => node.nics);

  it('has three switches and forty machines with two to four nics', () => {
    expect(switches).toHaveLength(3);
    expect(nodes).toHaveLength(40);
    expect(new Set(nodes.map((node) => node.nics.length))).toEqual(new Set([2, 3, 4]));
  });

  it('has every nic in a port of its own, with an address of its own', () => {
    expect(new Set(nics.map(({ switch: on, port }) => `${on} ${port}`)).size).toBe(nics.length);
    expect(new Set(nics.map(({ macaddr }) => macaddr)).size).toBe(nics.length);
    expect(nics.every(({ switch: on, port }) => switches.includes(on) && /^(gi|te)1\/0\/\d+$/.test(port))).toBe(true);
    expect(nics.every(({ macaddr }) => /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(macaddr))).toBe(true);
  });

  it('has every machine and nic that the tenants use', () => {
    const known = new Map(nodes.map((node) => [node.label, node.nics.map(({ label }) => label)]));
    for (const { node, nic } of tenants.flatMap(({ connections }) => connections)) {
      expect(known.get(node)).toContain(nic);
    }
  });
});

describe('the directory of the demo', () => {
  it('is created again where an earlier demo was', async () => {
    const directory = await place();
    const first = await freshHome(directory);
    await writeFile(join(directory, 'left'), 'something');
    await first.occupy([]);
    await freshHome(directory);
    expect(existsSync(join(directory, 'left'))).toBe(false);
  });

  it('is not touched if no demo left it', async () => {
    const directory = await place();
    await mkdir(directory);
    await writeFile(join(directory, 'mine'), 'precious');
    await expect(freshHome(directory)).rejects.toThrow(/was not left by an earlier demo/);
    expect(existsSync(join(directory, 'mine'))).toBe(true);
  });

  it('is not touched while a process of another demo lives in it', async () => {
    const directory = await place();
    await freshHome(directory);
    await expect(freshHome(directory)).rejects.toThrow(`kill ${process.pid}`);
  });
});

describe('the port of the demo', () => {
  it('must be free if it was asked for', async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    const taken = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    await expect(choosePort(taken)).rejects.toThrow(`port ${taken} is taken`);
    expect(await choosePort(0)).toBe(0);
    expect([0, 5000]).toContain(await choosePort(null));
  });
});

describe('work on many things', () => {
  it('is done on a few at once, and on all in the end', async () => {
    let underWay = 0;
    let most = 0;
    const done: number[] = [];
    await eachOf([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      most = Math.max(most, (underWay += 1));
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      done.push(item);
    });
    expect(most).toBe(3);
    expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('begins nothing new after a failure', async () => {
    const begun: number[] = [];
    const failing = eachOf([1, 2, 3, 4, 5, 6], 2, async (item) => {
      begun.push(item);
      await new Promise((resolve) => setImmediate(resolve));
      if (item === 1) throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(begun.length).toBeLessThan(6);
  });
});

describe('progress', () => {
  const shownOn = async (isTTY: boolean): Promise<string> => {
    let text = '';
    const progress = new Progress({ isTTY, write: (more) => (text += more) });
    await progress.step('nodes', 2, (tick) => {
      tick();
      tick();
      return Promise.resolve('2 of them');
    });
    return text;
  };

  it('is drawn over on a terminal, and whole lines elsewhere', async () => {
    expect(await shownOn(true)).toContain('\r');
    expect(await shownOn(false)).toMatch(/^ {2}nodes +2 of them +\d+\.\d s\n$/);
  });

  it('tells how far a step came that failed', async () => {
    let text = '';
    const progress = new Progress({ write: (more) => (text += more) });
    const failing = progress.step('nodes', 3, (tick) => {
      tick();
      return Promise.reject(new Error('no'));
    });
    await expect(failing).rejects.toThrow('no');
    expect(text).toContain('stopped at 1 of 3');
  });
});
