import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { makeHeadnode } from '../support/headnodes/headnode-helpers.ts';
import { makeScreenFixture, type ScreenFixture } from '../support/headnodes/screen-fixture.ts';
import { backstage } from '../support/headnodes/faulty-hypervisor.ts';
import { Screen, startDisplay } from '../support/headnodes/screen-client.ts';
import { refusal } from '../support/services/shared-service.ts';
import { done, eventually, makeProject, makeUser } from '../support/services/world.ts';

const banner = 'RFB 003.008\n';
const megabyte = 1024 * 1024;
const within = { timeout: 20_000, interval: 10 };

const opened = async (...args: Parameters<typeof Screen.open>): Promise<Screen> => {
  const screen = await Screen.open(...args);
  if (screen instanceof Screen) return screen;
  throw new Error(`refused: ${screen.status} ${screen.msg}`);
};

const refusedWith = async (...args: Parameters<typeof Screen.open>): Promise<string> => {
  const answer = await Screen.open(...args);
  if (answer instanceof Screen) throw new Error('it was let in');
  expect(answer.msg).toMatch(/\w+ \w+/);
  return `${answer.status} ${answer.type}`;
};

const connectedPair = async ({ service, alice, display }: ScreenFixture): Promise<[Screen, Socket]> =>
  Promise.all([opened(service, alice, 'h'), display.viewer()]);

describe.each(engines)('the screen of a headnode on %s', (engine) => {
  it('is carried both ways, byte for byte, from the first one on', async () => {
    const { service, alice, display } = await makeScreenFixture(engine);
    // It speaks first, as VNC does, and maybe before the client is ready.
    const spoken = display.viewer().then((viewer) => {
      viewer.write(banner);
      return viewer;
    });
    const screen = await opened(service, alice, 'h');
    const viewer = await spoken;
    await expect.poll(() => screen.bytes.toString(), within).toBe(banner);
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    let heard = Buffer.alloc(0);
    viewer.on('data', (data) => (heard = Buffer.concat([heard, data])));
    screen.socket.send(every);
    await expect.poll(() => heard.equals(every), within).toBe(true);
    viewer.write(every);
    await expect.poll(() => screen.bytes.subarray(banner.length).equals(every), within).toBe(true);
  });

  it('is open to several at once, each with a line of its own', async () => {
    const office = await makeScreenFixture(engine);
    const [first, firstViewer] = await connectedPair(office);
    const [second, secondViewer] = await connectedPair(office);
    firstViewer.write('one');
    secondViewer.write('two');
    await expect.poll(() => [first.bytes.toString(), second.bytes.toString()], within).toEqual(['one', 'two']);
  });

  it('ends when either side closes', async () => {
    const office = await makeScreenFixture(engine);
    const [first, firstViewer] = await connectedPair(office);
    firstViewer.end('the last words');
    expect(await first.ended).toEqual({ code: 1000, why: expect.stringMatching(/\w+ \w+/) as string });
    expect(first.bytes.toString()).toBe('the last words');

    const [second, secondViewer] = await connectedPair(office);
    const gone = once(secondViewer, 'close');
    secondViewer.resume();
    second.socket.close();
    await gone;

    const [third, thirdViewer] = await connectedPair(office);
    thirdViewer.resetAndDestroy();
    expect((await third.ended).code).toBe(1000);

    const [fourth, fourthViewer] = await connectedPair(office);
    const cut = once(fourthViewer, 'close');
    fourthViewer.resume();
    fourth.socket.terminate();
    await cut;
  });

  it('is for members of the project and administrators', async () => {
    const { service, alice, display } = await makeScreenFixture(engine);
    await makeProject(service, 'blue');
    const bob = await makeUser(service, 'bob', 'blue');
    expect(await refusedWith(service, bob, 'h')).toBe('401 AuthorizationError');
    expect(await refusedWith(service, service.anonymous, 'h')).toBe('401 AuthorizationError');
    expect(await refusedWith(service, service.as('alice', 'wrong'), 'h')).toBe('401 AuthorizationError');
    expect(await refusedWith(service, bob, 'none')).toBe('404 NotFoundError');
    expect(await refusedWith(service, service.anonymous, 'none')).toBe('401 AuthorizationError');
    expect(display.viewers).toEqual([]);
    await opened(service, alice, 'h');
    await opened(service, service.admin, 'h');
  });

  it('is refused to pages of another origin', async () => {
    const { service, alice, display } = await makeScreenFixture(engine);
    for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:1', '//']) {
      expect(await refusedWith(service, alice, 'h', { origin })).toBe('401 AuthorizationError');
    }
    expect(display.viewers).toEqual([]);
    await opened(service, alice, 'h', { origin: service.url });
  });

  it('is a WebSocket and nothing else', async () => {
    const { service, alice, display } = await makeScreenFixture(engine);
    expect(await refusal(alice.get('/headnode/h/vnc'))).toBe('400 ValidationError');
    expect(await refusal(alice.post('/headnode/h/vnc'))).toBe('405 MethodNotAllowedError');
    expect(display.viewers).toEqual([]);
    expect((await service.admin.get('/headnode/h')).status).toBe(200);
  });

  it('is there only while the headnode runs', async () => {
    const { service, alice } = await makeScreenFixture(engine);
    await makeHeadnode(service, 'new', 'red');
    expect(await refusedWith(service, alice, 'new')).toBe('409 IllegalStateError');
    await done(alice.post('/headnode/h/stop'));
    expect(await refusedWith(service, alice, 'h')).toBe('409 IllegalStateError');
    await done(alice.del('/headnode/h'));
    expect(await refusedWith(service, alice, 'h')).toBe('404 NotFoundError');
  });

  it('that nobody shows is a 502, and that can be tried again', async () => {
    const { service, alice, display } = await makeScreenFixture(engine);
    await display.stop();
    const answer = await Screen.open(service, alice, 'h');
    expect(answer).toMatchObject({ status: 502, type: 'HypervisorError' });
    expect(JSON.stringify(answer)).not.toMatch(/127\.0\.0\.1|ECONN/);
    const another = await startDisplay();
    backstage.display = { host: '127.0.0.1', port: another.port };
    await opened(service, alice, 'h');
  });

  it('that moved while it was being connected is not shown: its port may be another headnode’s', async () => {
    const { service, alice, display } = await makeScreenFixture(engine);
    const another = await startDisplay();
    backstage.after = (verb) => {
      if (verb === 'vnc') backstage.display = { host: '127.0.0.1', port: another.port };
    };
    const closed = display.viewer().then((viewer) => {
      viewer.on('error', () => undefined).write(banner);
      return new Promise((resolve) => viewer.resume().once('close', resolve));
    });
    const answer = await Screen.open(service, alice, 'h');
    expect(answer).toMatchObject({ status: 502, type: 'HypervisorError' });
    await closed;
    await opened(service, alice, 'h');
  });

  it('that closes before it was read takes nothing down', async () => {
    const { service, alice, display } = await makeScreenFixture(engine);
    for (let time = 0; time < 10; time += 1) {
      const rude = display.viewer().then((viewer) => viewer.resetAndDestroy());
      const answer = await Screen.open(service, alice, 'h');
      await rude;
      if (answer instanceof Screen) expect((await answer.ended).code).toBe(1000);
      else expect(answer.status).toBe(502);
    }
    expect((await service.admin.get('/headnode/h')).status).toBe(200);
  });

  it('is closed with a word when the service stops, which does not take long', async () => {
    const office = await makeScreenFixture(engine);
    const [screen, viewer] = await connectedPair(office);
    const gone = once(viewer, 'close');
    viewer.resume();
    const before = Date.now();
    await office.service.stop();
    expect(await screen.ended).toEqual({ code: 1001, why: expect.stringContaining('stopping') as string });
    await gone;
    expect(Date.now() - before).toBeLessThan(5_000);
  });

  it('is closed when the service stops, although the client does not listen', async () => {
    const office = await makeScreenFixture(engine);
    const [screen, viewer] = await connectedPair(office);
    const gone = once(viewer, 'close');
    viewer.resume();
    screen.socket.pause();
    await office.service.stop();
    await gone;
  });

  it('waits for a client that does not read, and loses nothing', async () => {
    const office = await makeScreenFixture(engine);
    const [screen, viewer] = await connectedPair(office);
    screen.socket.pause();
    const total = 64 * megabyte;
    let written = 0;
    const chunk = Buffer.alloc(megabyte, 7);
    const write = (): void => {
      while (written < total) {
        written += chunk.length;
        if (!viewer.write(chunk)) return;
      }
    };
    viewer.on('drain', write);
    write();
    const held = await stalled(() => written);
    expect(held).toBeLessThan(total / 2);
    screen.socket.resume();
    await expect.poll(() => screen.count, within).toBe(total);
    viewer.end();
    expect((await screen.ended).code).toBe(1000);
  });

  it('waits for a headnode that does not read, and loses nothing', async () => {
    const office = await makeScreenFixture(engine);
    const [screen, viewer] = await connectedPair(office);
    viewer.pause();
    const total = 64 * megabyte;
    const chunk = Buffer.alloc(megabyte / 2, 7);
    let sent = 0;
    const send = (): void => {
      if (sent >= total) return;
      sent += chunk.length;
      screen.socket.send(chunk, send);
    };
    send();
    const held = await stalled(() => sent);
    expect(held).toBeLessThan(total / 2);
    let heard = 0;
    viewer.on('data', (data) => (heard += data.length));
    viewer.resume();
    await expect.poll(() => heard, within).toBe(total);
    viewer.write('still there');
    await expect.poll(() => screen.bytes.toString(), within).toBe('still there');
  });

  it('takes no message that is too long', async () => {
    const office = await makeScreenFixture(engine);
    const [screen, viewer] = await connectedPair(office);
    const gone = once(viewer, 'close');
    viewer.resume();
    screen.socket.send(Buffer.alloc(2 * megabyte));
    expect((await screen.ended).code).toBe(1009);
    await gone;
    expect((await office.service.admin.get('/headnode/h')).status).toBe(200);
  });
});

/** Waits until a number has stopped growing. */
const stalled = async (read: () => number): Promise<number> => {
  let last = -1;
  let times = 0;
  return eventually(() => {
    times = read() === last ? times + 1 : 0;
    last = read();
    return times > 30 ? last : undefined;
  });
};
