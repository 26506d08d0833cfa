import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type EngineName, engines } from '../support/services/engines.ts';
import {
  heard,
  letGo,
  mockScene,
  recorded,
  type ConsoleFixture,
  scenes,
  soon,
  talking,
  watching,
} from '../support/obm/console-fixture.ts';
import { setObm } from '../support/services/obm-rack.ts';
import type { Service } from '../support/services/service.ts';
import { handshake, Talker } from '../support/obm/console-talker.ts';
import { Watcher } from '../support/obm/console-watcher.ts';
import { done, eventually, makeUser } from '../support/services/world.ts';

const takenOver = 'another client has taken over this console';

describe.each(engines.flatMap((engine) => scenes.map(([name, make]) => [name, engine, make] as const)))(
  'a console by WebSocket behind %s, on %s',
  (_name, engine: EngineName, make) => {
    it('says what the machine says, as it comes', async () => {
      const scene = await make(engine);
      const talker = await talking(scene);
      expect(talker.text.startsWith(scene.note)).toBe(true);
      const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      scene.say(every);
      await soon(() => talker.bytes.includes(every)).toBe(true);
    });

    it('is taken over by another, by a stream, and from a stream', async () => {
      const scene = await make(engine);
      const first = await talking(scene);
      const second = await talking(scene);
      await soon(() => first.end).toEqual({ code: 4000, reason: takenOver });
      const third = await watching(scene);
      await soon(() => second.end).toEqual({ code: 4000, reason: takenOver });
      const fourth = await talking(scene);
      await soon(() => third.end).toBe('clean');
      expect(third.text).toContain(`[console: ${takenOver}]`);
      expect(fourth.isOpen).toBe(true);
      expect(await recorded(scene)).toBe(1);
    });

    it('goes to exactly one of many', async () => {
      const scene = await make(engine);
      const clients = Array.from({ length: 12 }, (_, index) =>
        index % 3 === 0 ? new Watcher(scene.service, scene.alice) : new Talker(scene.service, scene.alice),
      );
      const isOpen = (client: Talker | Watcher): boolean =>
        client instanceof Talker ? client.end === null : client.end === 'open';
      const winner = await eventually(() => {
        const open = clients.filter(isOpen);
        return open.length === 1 && scene.isWatched() ? open[0] : undefined;
      });
      scene.say('for one only');
      await soon(() => winner.text).toContain('for one only');
      for (const loser of clients) if (loser !== winner) expect(loser.text).not.toContain('for one only');
      expect(await recorded(scene)).toBe(1);
    });

    it('is cut off when OBM is disabled, with the reason', async () => {
      const scene = await make(engine);
      const talker = await talking(scene);
      await setObm(scene.alice, false);
      expect(scene.isWatched()).toBe(false);
      await soon(() => talker.end).not.toBeNull();
      // A daemon that only hangs up may do so before we know why.
      const told = { code: 4000, reason: 'access to this node was disabled' };
      const hungUp = { code: 4000, reason: 'the OBM daemon closed the connection; open the console again' };
      const ended = { code: 1000, reason: 'the console has ended' };
      expect(scene.note === '' ? [told] : [told, hungUp, ended]).toContainEqual(talker.end);
      await letGo(scene);
    });

    it('ends when the daemon ends', async () => {
      const scene = await make(engine);
      const talker = await talking(scene);
      await scene.stopDaemon();
      await soon(() => talker.end).toEqual(
        scene.note === ''
          ? { code: 4000, reason: 'the daemon is stopping' }
          : { code: 4000, reason: 'the OBM daemon closed the connection; open the console again' },
      );
      await letGo(scene);
    });

    it('ends with the service', async () => {
      const scene = await make(engine);
      const talker = await talking(scene);
      await scene.service.stop();
      await soon(() => talker.end).toEqual({ code: 4000, reason: 'the service is stopping' });
      await soon(() => scene.isWatched()).toBe(false);
    });

    it.each(['says goodbye', 'vanishes'])('is let go of when its client %s', async (how) => {
      const scene = await make(engine);
      const talker = await talking(scene);
      if (how === 'vanishes') talker.vanish();
      else talker.leave();
      await letGo(scene);
      await talking(scene);
    });

    it.each(['a stream', 'a WebSocket'])('is let go of when its client left before it was known: %s', async (kind) => {
      const scene = await make(engine);
      const { service } = scene;
      const shown = async (): Promise<number> => {
        const { body } = await done(service.admin.get('/events?type=show_console&node=n1'));
        return (body as { events: unknown[] }).events.length;
      };
      for (const [count, delayMs] of [4, 16].entries()) {
        // A password that was not seen before takes a while to check.
        const stranger = await makeUser(service, `stranger-${count}`, 'red');
        const before = await shown();
        await leave(service, { ...stranger.headers, ...(kind === 'a stream' ? {} : handshake) }, delayMs);
        // Whoever leaves so early that nothing was begun leaves no trace.
        const since = performance.now();
        await eventually(async () => ((await shown()) > before || performance.now() - since > 1000 ? true : undefined));
        await letGo(scene);
      }
    });

    it('is taken from a client that says nothing any more', async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      onTestFinished(() => void vi.useRealTimers());
      const scene = await make(engine);
      const talker = await talking(scene);
      await vi.advanceTimersByTimeAsync(30_000);
      // It answers by itself, so it stays.
      await heard(scene, talker);
      talker.stall();
      await vi.advanceTimersByTimeAsync(30_000);
      expect(scene.isWatched()).toBe(true);
      await vi.advanceTimersByTimeAsync(30_000);
      await letGo(scene);
    });

    it('is taken even from a client that does not read', async () => {
      const scene = await make(engine);
      const first = await talking(scene);
      first.stall();
      await filled(scene);
      const second = await talking(scene);
      expect(second.isOpen).toBe(true);
      await eventually(async () => ((await recorded(scene)) === 1 ? true : undefined));
      first.read();
      await soon(() => first.end).not.toBeNull();
      expect(second.isOpen).toBe(true);
    });

    it('does not keep the service from stopping, even if its client does not read', async () => {
      const scene = await make(engine);
      const talker = await talking(scene);
      talker.stall();
      await filled(scene);
      const began = Date.now();
      await scene.service.stop();
      expect(Date.now() - began).toBeLessThan(8_000);
      await soon(() => scene.isWatched()).toBe(false);
    });
  },
);

const chunk = Buffer.alloc(64 * 1024, 'a console that has a lot to say\r\n');

/** The machine talks until there is no room left on the way to a client that does not read. */
const filled = async (scene: ConsoleFixture): Promise<void> => {
  for (let count = 0; count < 256 && scene.isWatched(); count += 1) {
    scene.say(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
};

/** Asks for the console of n1 and hangs up after a while, without waiting for an answer. */
const leave = async ({ url }: Service, headers: Readonly<Record<string, string>>, afterMs: number): Promise<void> => {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined).resume();
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const text = ['GET /v0/node/n1/console HTTP/1.1', ...lines, '', ''].join('\r\n');
  await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  await sleep(afterMs);
  socket.resetAndDestroy();
};

describe.each(engines)('a console by WebSocket that is not read, on %s', (engine) => {
  it('costs no memory', async () => {
    const scene = await mockScene(engine, 'tick_ms=99999999&stream_bytes_s=50000000');
    const before = process.memoryUsage().arrayBuffers;
    const talker = new Talker(scene.service, scene.alice, { reading: 'stalls' });
    await soon(() => talker.status).toBe(101);
    // The daemon loses patience when a megabyte waits for it.
    await soon(() => scene.isWatched()).toBe(false);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(24 * 1024 * 1024);
    talker.read();
    await soon(() => talker.end).toEqual({
      code: 4000,
      reason: 'this client reads too slowly; reconnect to see the latest output',
    });
  });
});
