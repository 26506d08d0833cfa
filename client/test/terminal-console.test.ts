import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { hasPart, startIpmiSim } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import {
  type ConsoleFixture,
  labScene,
  letGo,
  mockScene,
  noInput,
  soon,
  talking,
} from '../../service/test/support/obm/console-fixture.ts';
import { startServiceWithDaemon } from '../../service/test/support/obm/service-with-daemon.ts';
import { patient, setObm } from '../../service/test/support/services/obm-rack.ts';
import { passwordOf } from '../../service/test/support/services/service.ts';
import { done, makeProject, makeUser, reserve } from '../../service/test/support/services/world.ts';
import { programFile } from '../../test/support/built-program.ts';
import { blocks, textOf } from './support/blocks.ts';
import { shellForTest } from './support/shell.ts';
import { keys, type Session, terminalForTest } from './support/terminal.ts';

const asAlice = ({ service }: Pick<ConsoleFixture, 'service'>) => ({
  CORRAL_ENDPOINT: service.url,
  CORRAL_USERNAME: 'alice',
  CORRAL_PASSWORD: passwordOf('alice'),
});

const leave = '\r~.';

/** A terminal that is connected with the console. */
const attached = async (
  scene: ConsoleFixture,
  { options = '', env = asAlice(scene) }: { options?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Session> => {
  const terminal = await terminalForTest(env);
  const session = terminal.corral(`node console n1 ${options}`);
  await session.shows('Connected to the console of n1');
  await soon(() => scene.isWatched()).toBe(true);
  return session;
};

describe('corral node console', () => {
  it('carries keys to the machine and its words to the screen, until ~.', async () => {
    const scene = await mockScene('sqlite');
    const session = await attached(scene);
    scene.say('login:');
    await session.shows('login:');
    // Also what a terminal would otherwise take for itself.
    const typed = `root${keys.interrupt}${keys.end}\u001a\u0013\u00e9`;
    session.type(typed);
    await soon(() => Buffer.from(scene.typed(), 'latin1').toString()).toContain(typed);
    session.type('\r~?');
    await session.shows('~.  close the console');
    session.type('~w');
    await soon(() => scene.typed()).toContain('stty rows 50 columns 80\r');
    session.type(leave);
    expect(await session.exit()).toBe(0);
    expect(session.screen()).toMatch(/\nThe console of n1 is closed\.$/);
    expect(scene.typed()).not.toContain('~');
    await letGo(scene);
  });

  it('looks as docs/tenant-guide.md shows it', async () => {
    const [shown = ''] = blocks(await textOf('docs/tenant-guide.md'), 'console');
    const scene = await mockScene('sqlite');
    const session = await attached(scene);
    scene.say('tick 1\r\ntick 2\r\n');
    await session.shows('tick 2');
    session.type('~.');
    expect(await session.exit()).toBe(0);
    expect(`$ corral node console n1\n${session.screen()}\n`).toBe(shown.replaceAll('node-12', 'n1'));
  });

  it('shows what the machine said before, and a paste arrives as it is', async () => {
    const scene = await mockScene('sqlite');
    const first = await talking(scene);
    scene.say('panic: out of coffee\r\n');
    await soon(() => first.text).toContain('coffee');
    const session = await attached(scene);
    await session.shows('panic: out of coffee');
    const paste = Array.from({ length: 3_000 }, (_, line) => `line ${line}\r`).join('');
    session.type(paste);
    await soon(() => scene.typed().endsWith('line 2998\rline 2999\r')).toBe(true);
  });

  it('types nothing with --read-only, and keeps what it shows with --log', async () => {
    const scene = await mockScene('sqlite');
    const terminal = await terminalForTest(asAlice(scene));
    const file = join(terminal.home, 'n1.log');
    for (const [count, text] of ['it boots\r\n', 'again\r\n'].entries()) {
      const session = terminal.corral(`node console n1 --read-only --log ${file}`);
      await session.shows('Connected to the console of n1, read only');
      scene.say(text);
      await session.shows(text.trim());
      session.type('rm -rf /\r~w');
      session.type(leave);
      expect(await session.exit()).toBe(0);
      expect(scene.typed()).toBe('');
      expect((await readFile(file, 'utf8')).split('it boots\r\n')).toHaveLength(count + 2);
    }
    expect(await readFile(file, 'utf8')).toMatch(/again\r\n$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('passes on that the OBM daemon of a node takes no input', async () => {
    const session = await attached(await labScene('sqlite'));
    await session.shows(noInput.trim());
  });
});

describe.skipIf(!hasPart('ipmi_sim'))('the console of a real BMC', () => {
  it('is typed to at a terminal', { timeout: 90_000 }, async () => {
    const sim = await startIpmiSim({ pass: 'hush' });
    onTestFinished(() => sim.stop());
    const household = await startServiceWithDaemon('sqlite', 'inside', patient);
    onTestFinished(() => household.stop());
    const { service } = household;
    await makeProject(service, 'red');
    const alice = await makeUser(service, 'alice', 'red');
    const { addr, port, user, pass } = sim;
    await household.addNode('n1', 'ipmi', { addr, port, user, pass });
    await reserve(service, 'red', 'n1');
    await setObm(alice, true);
    const terminal = await terminalForTest(asAlice({ service }));
    const session = terminal.corral('node console n1');
    await session.shows('Connected to the console of n1');
    await sim.say('login:');
    await session.shows('login:');
    session.type(`root${keys.interrupt}\r~~.`);
    await soon(() => sim.typed().toString()).toContain(`root${keys.interrupt}\r~.`);
    session.type(leave);
    expect(await session.exit()).toBe(0);
  });
});

describe('a console that ends under its user', () => {
  it('was taken by another client', async () => {
    const scene = await mockScene('sqlite');
    const session = await attached(scene);
    const other = await talking(scene);
    expect(await session.exit()).toBe(1);
    expect(session.screen()).toContain('corral: node n1: another client has taken over this console');
    expect(session.screen()).toContain('the same command takes it back');
    const again = await attached(scene);
    expect(again.screen().replaceAll(/\s+/g, ' ')).toMatch(/console of n1, taken over from alice \(opened \S+/);
    expect(session.screen()).not.toContain('taken over from');
    await soon(() => other.end).toMatchObject({ code: 4000 });
    again.type(leave);
    expect(await again.exit()).toBe(0);
  });

  it('is no longer the user’s', async () => {
    const scene = await mockScene('sqlite');
    const { body } = await done(scene.alice.put('/auth/token/laptop', {}));
    const { token } = body as { token: string };
    const session = await attached(scene, { env: { CORRAL_ENDPOINT: scene.service.url, CORRAL_TOKEN: token } });
    await done(scene.alice.del('/auth/token/laptop'));
    expect(await session.exit()).toBe(1);
    expect(session.screen()).toMatch(/^corral: node n1: you no longer have access to this$/m);
    expect(session.written()).not.toContain(token);
    const disabled = await attached(scene);
    await setObm(scene.alice, false);
    expect(await disabled.exit()).toBe(1);
    expect(disabled.screen()).toMatch(/corral: node n1: access to this node was disabled$/);
  });

  it('has no OBM daemon any more', async () => {
    const scene = await mockScene('sqlite');
    const session = await attached(scene);
    await scene.stopDaemon();
    expect(await session.exit()).toBe(1);
    expect(session.screen()).toContain('corral: node n1: the daemon is stopping');
  });

  it('ended by itself, after words that are shown and kept', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => server.close());
    // In one go, so that all of it can arrive with the answer.
    server.on('connection', (socket) => {
      for (const word of ['the ', 'last ', 'words']) socket.send(Buffer.from(word));
      socket.close(1000, 'the console has ended');
    });
    await once(server, 'listening');
    const terminal = await terminalForTest();
    const { port } = server.address() as AddressInfo;
    const log = join(terminal.home, 'n1.log');
    const session = terminal.corral(`node console n1 --endpoint http://127.0.0.1:${port} --log ${log}`);
    expect(await session.exit()).toBe(1);
    expect(await readFile(log, 'utf8')).toBe('the last words');
    expect(session.screen().split('\n').slice(1)).toEqual([
      'the last words',
      'corral: the console of node n1 has ended',
      'the same command opens it again',
    ]);
  });

  it('has no service any more', async () => {
    const scene = await mockScene('sqlite');
    const session = await attached(scene);
    await scene.service.stop();
    expect(await session.exit()).toBe(1);
    expect(session.screen()).toContain('corral: node n1: the service is stopping');
  });

  it('has no connection to the service any more', async () => {
    const scene = await mockScene('sqlite');
    const proxy = await breakingProxy(Number(new URL(scene.service.url).port));
    const session = await attached(scene, { env: { ...asAlice(scene), CORRAL_ENDPOINT: proxy.url } });
    proxy.breakAll();
    expect(await session.exit()).toBe(3);
    expect(session.screen()).toMatch(/^corral: the connection to http:\S+ was lost/m);
    expect(session.screen()).toContain('the same command opens it again');
    await letGo(scene);
  });
});

/** A way to the service that can break. */
const breakingProxy = async (port: number) => {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined));
    near.pipe(far).pipe(near);
  });
  const breakAll = (): void => sockets.forEach((socket) => socket.resetAndDestroy());
  onTestFinished(() => {
    breakAll();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, breakAll };
};

/** A shell in a terminal that runs `corral node console`, and shows how the terminal is set before and after. */
const shellAttached = async (scene: ConsoleFixture): Promise<{ session: Session; pid: number }> => {
  const terminal = await terminalForTest(asAlice(scene));
  const corral = `"${process.execPath}" "${programFile('corral')}" node console n1`;
  const script = `stty -g; sh -c 'echo "process $$"; exec ${corral}'; echo "code $?"; stty -g`;
  const session = terminal.run('/bin/sh', ['-c', script], { columns: 200 });
  await session.shows('Connected to the console of n1');
  session.type('x');
  await soon(() => scene.typed()).toBe('x');
  return { session, pid: Number(/process (\d+)/.exec(session.screen())?.[1]) };
};

describe('the terminal of a console', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)('is as it was before after %s', async (signal) => {
    const scene = await mockScene('sqlite');
    const { session, pid } = await shellAttached(scene);
    scene.say('\u001b[7m\u001b[?25lSetup');
    await session.shows('Setup');
    process.kill(pid, signal);
    expect(await session.exit()).toBe(0);
    const [before, ...lines] = session.screen().split('\n');
    expect(lines.slice(-3)).toEqual(['The console of n1 is closed.', 'code 130', before]);
    expect(session.written().split('Setup')[1]).toContain('\u001b[0m\u001b[?25h');
    await letGo(scene);
  });

  it('can go away', async () => {
    const scene = await mockScene('sqlite');
    const { session, pid } = await shellAttached(scene);
    session.kill();
    await session.exit();
    await soon(() => isRunning(pid)).toBe(false);
    await letGo(scene);
  });
});

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a console that is not opened', () => {
  it('says why', async () => {
    const scene = await mockScene('sqlite');
    const shell = await shellForTest(asAlice(scene));
    expect(await shell('node console n1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('corral node console show NODE') as string,
    });
    const terminal = await terminalForTest(asAlice(scene));
    const said = async (line: string, env = {}): Promise<unknown> => {
      const session = terminal.corral(line, { env, columns: 200 });
      return { code: await session.exit(), said: session.screen() };
    };
    const log = join(terminal.home, 'missing', 'n1.log');
    expect(await said(`node console n1 --log ${log}`)).toEqual({
      code: 2,
      said: `corral: ${log} cannot be written: its directory does not exist`,
    });
    expect(await said('node console missing')).toMatchObject({
      code: 1,
      said: expect.stringContaining('missing') as string,
    });
    expect(await said('node console n1', { CORRAL_PASSWORD: 'wrong' })).toMatchObject({ code: 1 });
    expect(await said('node console n1', { CORRAL_ENDPOINT: 'http://127.0.0.1:1' })).toMatchObject({
      code: 3,
      said: expect.stringMatching(/^corral: \S+ cannot be reached: .*\nis it running/) as string,
    });
    expect(scene.isWatched()).toBe(false);
    await setObm(scene.alice, false);
    expect(await said('node console n1')).toMatchObject({
      code: 1,
      said: expect.stringMatching(/^corral: .*OBM/) as string,
    });
  });

  it('does not wait for ever for a service that does not answer, or opens no WebSocket', async () => {
    const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
    onTestFinished(() => void silent.close());
    const plain = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\ntick'));
    });
    onTestFinished(() => void plain.close());
    const urls = await Promise.all(
      [silent, plain].map(async (server) => {
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      }),
    );
    const terminal = await terminalForTest();
    const [late, stream] = urls.map((url) => terminal.corral(`node console n1 --timeout 1.5 --endpoint ${url}`));
    expect(await late?.exit()).toBe(4);
    expect(late?.screen()).toMatch(/^corral: \S+ did not answer within 1\.5 s$/);
    expect(await stream?.exit()).toBe(3);
    expect(stream?.screen()).toContain('opens no WebSocket');
    const interrupted = terminal.corral(`node console n1 --endpoint ${urls[0] ?? ''}`);
    await interrupted.shows('connecting to the console of n1');
    interrupted.type(keys.interrupt);
    expect(await interrupted.exit()).toBe(130);
  });

  it('and one whose log cannot be written goes on, and says so twice', async () => {
    const scene = await mockScene('sqlite');
    const session = await attached(scene, { options: '--log /dev/full' });
    scene.say('one\r\n');
    await session.shows('[corral: /dev/full cannot be written: no space is left; the log ends here]');
    scene.say('two\r\n');
    await session.shows('two');
    session.type(leave);
    expect(await session.exit()).toBe(1);
    expect(session.screen()).toMatch(/\ncorral: \/dev\/full cannot be written: no space is left$/);
  });
});
