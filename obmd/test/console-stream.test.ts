import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { daemonForTest, done } from './support/daemon.ts';
import { consoleOf, makeScriptedNode } from './support/scripted-bmc-node.ts';
import { makeNode, newTenant } from './support/token-holder.ts';
import { soon, type Watcher, ways } from './support/console-watchers.ts';

const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

describe.each(ways)('a console as a $way', ({ open }) => {
  it('shows what the machine says, byte for byte', async () => {
    const daemon = await daemonForTest('sqlite');
    const { tenant, machine } = await makeNode(daemon, 'n1', 'tick_ms=60000');
    machine.powerOn();
    const watcher = await open(tenant);
    machine.say(every);
    await soon(() => watcher.bytes.equals(every)).toBe(true);
    await consoleOf(daemon).toBe('watched');
    expect(watcher.isOver).toBe(false);
  });

  it.each(ways)(
    'goes to the next client, a $way: the first is notified and disconnected',
    async ({ open: openNext }) => {
      const daemon = await daemonForTest('sqlite');
      const { tenant, machine } = await makeNode(daemon, 'n1', 'tick_ms=60000');
      machine.powerOn();
      const first = await open(tenant);
      const second = await openNext(tenant);
      await soon(() => first.isOver).toBe(true);
      expect(first.text + (first.ending?.why ?? '')).toContain('another client has taken over this console');
      if (first.ending) expect(first.ending.code).toBe(4000);
      machine.say('for the second');
      await soon(() => second.text).toContain('for the second');
      expect(first.text).not.toContain('for the second');
      expect(machine.isWatched).toBe(true);
    },
  );

  it('shows a newcomer the last 64 KiB, and all that comes after', async () => {
    const { bmc, tenant } = await makeScriptedNode();
    const first = await open(tenant);
    const much = randomBytes(100 * 1024);
    for (let at = 0; at < much.length; at += 1000) bmc.line?.write(much.subarray(at, at + 1000));
    await soon(() => first.bytes.length).toBe(much.length);
    expect(first.bytes.equals(much)).toBe(true);
    first.leave();
    const second = await open(tenant);
    await soon(() => second.bytes.equals(much.subarray(-64 * 1024))).toBe(true);
    bmc.line?.write('more');
    await soon(() => second.text.endsWith('more')).toBe(true);
    expect(second.bytes.length).toBe(64 * 1024 + 4);
    expect(bmc.done).toEqual(['console']);
  });

  it.each([
    ['a new token', 'POST', '/node/n1/token', 'a new token was issued'],
    ['the end of the token', 'DELETE', '/node/n1/token', 'access to this node was disabled'],
  ])('ends with %s, and nothing of it is shown to the next client', async (_by, method, path, why) => {
    const { bmc, daemon, tenant } = await makeScriptedNode();
    const first = await open(tenant);
    bmc.line?.write('the secret of the first');
    await soon(() => first.text).toContain('secret');
    const before = bmc.line;
    await done(daemon.admin(method, path));
    // The line is closed before the answer comes.
    expect([bmc.lines, before?.destroyed]).toEqual([0, true]);
    await soon(() => first.isOver).toBe(true);
    expect(first.text + (first.ending?.why ?? '')).toContain(why);
    const next = await open(await newTenant(daemon, 'n1'));
    bmc.line?.write('hello');
    await soon(() => next.text).toBe('hello');
  });

  it('that was left is kept for a while, then closed on the BMC', async () => {
    const { bmc, daemon, tenant } = await makeScriptedNode({ env: { CORRAL_OBMD_CONSOLE_LINGER: '0.5' } });
    const first = await open(tenant);
    first.leave();
    await consoleOf(daemon).toBe('open');
    bmc.line?.write('said to nobody');
    const second = await open(tenant);
    await soon(() => second.text).toBe('said to nobody');
    second.leave();
    await soon(() => bmc.lines).toBe(0);
    await consoleOf(daemon).toBe('idle');
    const third = await open(tenant);
    bmc.line?.write('!');
    await soon(() => third.text).toBe('said to nobody!');
    expect(bmc.done).toEqual(['console', 'console']);
  });

  it('that the BMC drops is opened again while somebody watches', async () => {
    const { bmc, daemon, tenant } = await makeScriptedNode();
    const watcher = await open(tenant);
    bmc.line?.write('before ');
    await soon(() => watcher.text).toBe('before ');
    bmc.line?.destroy(new Error('dropped'));
    await soon(() => bmc.lines).toBe(0);
    await soon(() => bmc.lines).toBe(1);
    bmc.line?.write('after');
    await soon(() => watcher.text).toBe('before \r\n[console: the BMC closed the connection; reconnecting]\r\nafter');
    watcher.leave();
    await consoleOf(daemon).toBe('open');
    bmc.line?.destroy();
    await consoleOf(daemon).toBe('idle');
    expect(bmc.done).toEqual(['console', 'console']);
  });

  it('ends when the daemon stops', async () => {
    const daemon = await daemonForTest('sqlite');
    const { tenant, machine } = await makeNode(daemon, 'n1');
    const watcher = await open(tenant);
    const begun = performance.now();
    await daemon.stop();
    expect(performance.now() - begun).toBeLessThan(12_000);
    await soon(() => watcher.isOver).toBe(true);
    expect(watcher.text + (watcher.ending?.why ?? '')).toContain('the daemon is stopping');
    expect(machine.isWatched).toBe(false);
  });

  it('is taken by the last of many concurrent clients, and each of the others is notified', async () => {
    const { bmc, tenant } = await makeScriptedNode();
    const watchers = await Promise.all(Array.from({ length: 12 }, () => open(tenant)));
    await soon(() => watchers.filter(({ isOver }) => !isOver).length).toBe(1);
    const [last] = watchers.filter(({ isOver }) => !isOver);
    bmc.line?.write('for one');
    await soon(() => last?.text ?? '').toContain('for one');
    const told = (one: Watcher) => one.text + (one.ending?.why ?? '');
    expect(watchers.filter((one) => told(one).includes('taken over'))).toHaveLength(11);
    expect([bmc.lines, bmc.done.length]).toEqual([1, 1]);
  });
});
