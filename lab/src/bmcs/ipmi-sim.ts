import type { ChildProcess } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSerialLine, type SerialLine } from '../machines/serial-line.ts';
import { end, startDaemon, untilReady } from '../switches/child-processes.ts';
import { built, temporaryDirectory, type Undo } from '../switches/undo.ts';
import { type ChassisHabits, IpmiChassis, makeChassis, toldChassis } from './ipmi-chassis.ts';
import { answersRmcp, freeUdpPort } from './rmcp.ts';

export interface IpmiSimOptions extends Partial<ChassisHabits> {
  /** At most 16 characters, without quotes and spaces; `admin` if left out. */
  readonly user?: string;
  /** At most 20 characters, without quotes and spaces; `secret` if left out. */
  readonly pass?: string;
  /** What the user may do at most; `admin` if left out. ipmi_sim does not insist. */
  readonly privilege?: 'admin' | 'operator';
  /**
   * A program that drives a machine, called as `PROGRAM MC get|set|check PARAMETER [VALUE] ...`; no spaces in its path.
   */
  readonly chassis?: string;
  /** A TCP port on loopback where the machine's serial line is. */
  readonly serialPort?: number;
}

/** A BMC that nobody here wrote: a real ipmi_sim on loopback, with a machine that only has power and a serial line. */
export interface LabIpmiSim {
  readonly addr: string;
  /** UDP. */
  readonly port: number;
  readonly user: string;
  readonly pass: string;
  power(): Promise<'on' | 'off'>;
  setPower(power: 'on' | 'off'): Promise<void>;
  /** `none`, `pxe`, `disk` and so on. */
  bootDevice(): Promise<string>;
  /**
   * All commands that the chassis received, as `power 1`, `boot pxe`, `shutdown 1`; not there with a `chassis` from
   * outside.
   */
  told(): Promise<readonly string[]>;
  /** How often the operating system was asked to shut down. */
  shutdowns(): Promise<number>;
  /** How often the machine went from off to on. */
  boots(): Promise<number>;
  /** The machine writes to its serial line. */
  say(said: string | Buffer): Promise<void>;
  /**
   * All that was typed to it. ipmi_sim has a flaw here: it compares packet numbers, which start again with every
   * session, with those of the session before. After one that typed a single packet, the next loses what it types
   * first.
   */
  typed(): Buffer;
  /** It answers nobody from now on. */
  hang(): Promise<void>;
  recover(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const addr = '127.0.0.1';

/** Starts one in a directory of its own, in about 20 ms. */
export const startIpmiSim = (options: IpmiSimOptions = {}): Promise<LabIpmiSim> =>
  built('the ipmi_sim', (undo, stop) => build(options, undo, stop));

const build = async (options: IpmiSimOptions, undo: Undo, stop: () => Promise<void>): Promise<LabIpmiSim> => {
  const {
    user = 'admin',
    pass = 'secret',
    privilege = 'admin',
    obeysShutdown = true,
    refusesRepeats = false,
  } = options;
  const directory = await temporaryDirectory('ipmi', undo);
  const chassis =
    options.chassis === undefined
      ? await makeChassis(directory, { obeysShutdown, refusesRepeats })
      : new IpmiChassis(options.chassis);
  const typed: Buffer[] = [];
  const line = options.serialPort === undefined ? await openSerialLine((bytes) => typed.push(bytes)) : null;
  if (line) undo.push(() => line.stop());

  const port = await freeUdpPort();
  const serialPort = line?.port ?? options.serialPort ?? 0;
  await writeConfiguration(directory, { port, serialPort, user, pass, privilege, chassis: chassis.program });
  let child = await startIn(directory, port, line);
  // Not SIGTERM: one that hangs would not end.
  undo.push(() => end(child, 'SIGKILL'));
  const told = () => toldChassis(directory);

  return {
    ...{ addr, port, user, pass },
    power: async () => ((await chassis.get('power')) === '1' ? 'on' : 'off'),
    setPower: async (power) => {
      const value = power === 'on' ? '1' : '0';
      if ((await chassis.get('power')) !== value) await chassis.set('power', value);
    },
    bootDevice: async () => {
      const device = await chassis.get('boot');
      return device === 'default' ? 'disk' : device;
    },
    told,
    shutdowns: async () => (await told()).filter((one) => one === 'shutdown 1').length,
    boots: async () => {
      const powers = (await told()).filter((one) => one.startsWith('power '));
      return powers.filter((one, at) => one === 'power 1' && powers[at - 1] !== 'power 1').length;
    },
    say: async (said) => {
      if (!line) throw new Error('the machine has a serial line of its own');
      await untilReady(child, 'the serial line', () => line.connected > 0);
      line.say(Buffer.from(said));
    },
    typed: () => Buffer.concat(typed),
    hang: async () => {
      child.kill('SIGSTOP');
      await untilReady(child, 'the standstill', async () => (await stateOf(child)) === 'T');
    },
    recover: async () => {
      child.kill('SIGCONT');
      await untilReady(child, 'ipmi_sim', async () => (await stateOf(child)) !== 'T');
    },
    kill: () => end(child, 'SIGKILL'),
    restart: async () => {
      await end(child, 'SIGKILL');
      child = await startIn(directory, port, line);
    },
    stop,
  };
};

/** The third word of `/proc/PID/stat`; nothing if the process has ended. */
const stateOf = async ({ pid }: ChildProcess): Promise<string | undefined> =>
  (await readFile(`/proc/${pid ?? 0}/stat`, 'utf8').catch(() => '')).split(' ')[2];

const startIn = (directory: string, port: number, line: SerialLine | null): Promise<ChildProcess> => {
  const args = ['-n', '-c', 'lan.conf', '-f', 'bmc.emu', '-s', 'state'];
  const isReady = async (): Promise<boolean> => (await answersRmcp(port)) && (!line || line.connected > 0);
  return startDaemon('ipmi_sim', args, isReady, { cwd: directory });
};

interface Configuration {
  readonly port: number;
  readonly serialPort: number;
  readonly user: string;
  readonly pass: string;
  readonly privilege: string;
  readonly chassis: string;
}

const writeConfiguration = async (directory: string, one: Configuration): Promise<void> => {
  const ways = 'none md2 md5 straight';
  const levels = ['callback', 'user', 'operator', 'admin'];
  await mkdir(join(directory, 'state'));
  await writeFile(
    join(directory, 'lan.conf'),
    [
      'name "lab"',
      'set_working_mc 0x20',
      'startlan 1',
      `addr ${addr} ${one.port}`,
      'priv_limit admin',
      ...levels.map((level) => `allowed_auths_${level} ${ways}`),
      'guid a123456789abcdefa123456789abcdef',
      'endlan',
      `chassis_control "${one.chassis} 0x20"`,
      `sol "tcp:${addr}:${one.serialPort}" 115200`,
      `user 1 true "" "test" user 10 ${ways}`,
      `user 2 true "${one.user}" "${one.pass}" ${one.privilege} 10 ${ways}`,
      '',
    ].join('\n'),
    { mode: 0o600 },
  );
  await writeFile(
    join(directory, 'bmc.emu'),
    [
      'mc_setbmc 0x20',
      'mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr',
      'sel_enable 0x20 1000 0x0a',
      'mc_enable 0x20',
      '',
    ].join('\n'),
  );
};
