import { randomBytes } from 'node:crypto';
import { mockMachine } from '@corral/obmd/drivers/mock/mock-machine';
import { expect, onTestFinished } from 'vitest';
import type { EngineName } from '../services/engines.ts';
import type { Client } from '../http/http-client.ts';
import { startServiceWithDaemon } from './service-with-daemon.ts';
import { makeEnabledRack, patient, setObm } from '../services/obm-rack.ts';
import type { Service } from '../services/service.ts';
import { runSql } from '../services/run-sql.ts';
import { Talker } from './console-talker.ts';
import { Watcher } from './console-watcher.ts';
import { eventually, makeProject, makeUser, reserve } from '../services/world.ts';

/** Alice's node n1 with a console, whatever daemon it is behind. */
export interface ConsoleFixture {
  readonly service: Service;
  readonly alice: Client;
  /** The machine writes to its console. */
  say(text: string | Buffer): void;
  /** Is the console open on the machine? */
  isWatched(): boolean;
  /** What was typed to it. */
  typed(): string;
  /** What one who wants to type is told first. */
  readonly note: string;
  stopDaemon(): Promise<void>;
}

export const noInput = '[console: the OBM daemon of this node does not accept input]\r\n';

/** The lab's daemon, which knows no WebSockets: who wants to type only watches. */
export const labScene = async (
  engine: EngineName,
  secondConsole: 'replace' | 'refuse' = 'replace',
): Promise<ConsoleFixture> => {
  const { service, alice, machine, obmd } = await makeEnabledRack(engine, { env: patient, obmd: { secondConsole } });
  return {
    service,
    alice,
    say: (text) => machine.print(text),
    isWatched: () => machine.isWatched,
    typed: () => '',
    note: noInput,
    stopDaemon: () => obmd.close(),
  };
};

/** The real daemon with an imagined machine; `fields` is what comes after the `?` of its address. */
export const mockScene = async (engine: EngineName, fields = 'tick_ms=99999999'): Promise<ConsoleFixture> => {
  const env = { ...patient, CORRAL_OBMD_CONSOLE_LINGER: '0' };
  const serviceWithDaemon = await startServiceWithDaemon(engine, 'beside', env);
  onTestFinished(() => serviceWithDaemon.stop());
  const { service } = serviceWithDaemon;
  onTestFinished(() => expect(serviceWithDaemon.log()).not.toContain(serviceWithDaemon.adminToken));
  await makeProject(service, 'red');
  const alice = await makeUser(service, 'alice', 'red');
  const machine = mockMachine(`scene-${randomBytes(4).toString('hex')}`);
  machine.powerOn();
  await serviceWithDaemon.addNode('n1', 'mock', { addr: `mock://${machine.name}?${fields}` });
  await reserve(service, 'red', 'n1');
  await setObm(alice, true);
  return {
    service,
    alice,
    say: (text) => machine.say(text),
    isWatched: () => machine.isWatched,
    typed: () => machine.lastTyped,
    note: '',
    stopDaemon: () => serviceWithDaemon.stopDaemon(),
  };
};

/** Every daemon that a console is tried with. */
export const scenes: readonly (readonly [string, (engine: EngineName) => Promise<ConsoleFixture>])[] = [
  ['a daemon without WebSockets', labScene],
  ['the real daemon', mockScene],
];

const within = { timeout: 15_000, interval: 10 };

/** Waits for what comes soon. */
export const soon = <T>(read: () => T) => expect.poll(read, within);

let words = 0;

/** Waits until a client has the console: what the machine says arrives. */
export const heard = async (scene: ConsoleFixture, client: Talker | Watcher): Promise<void> => {
  await soon(() => client.status).toBe(client instanceof Talker ? 101 : 200);
  const word = `word ${(words += 1)}\r\n`;
  scene.say(word);
  await soon(() => client.text).toContain(word);
};

/** A client that has the console, and can type. */
export const talking = async (scene: ConsoleFixture): Promise<Talker> => {
  const talker = new Talker(scene.service, scene.alice);
  await heard(scene, talker);
  return talker;
};

/** A client that has the console, and only reads. */
export const watching = async (scene: ConsoleFixture): Promise<Watcher> => {
  const watcher = new Watcher(scene.service, scene.alice);
  await heard(scene, watcher);
  return watcher;
};

/** How many consoles are on record. */
export const recorded = async ({ service }: ConsoleFixture): Promise<number> =>
  (await runSql(service, { sqlite: 'select * from consoles', postgres: 'select * from consoles' })).length;

/** Waits until nobody has the console, nobody is on record, and the machine has been let go of. */
export const letGo = async (scene: ConsoleFixture): Promise<void> => {
  await soon(() => scene.isWatched()).toBe(false);
  await eventually(async () => ((await recorded(scene)) === 0 ? true : undefined));
};
