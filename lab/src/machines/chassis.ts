import { writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A machine as its BMC sees it. */
export interface Chassis {
  readonly power: 'on' | 'off';
  /** In the BMC's words: `none`, `pxe`, `default` for the disk, and more. */
  bootDevice: string;
  powerOn(): Promise<void>;
  powerOff(): Promise<void>;
  reset(): Promise<void>;
  askToShutDown(): Promise<void>;
}

/** A program by which a BMC drives a machine. */
export interface ChassisProgram {
  /** Called as ipmi_sim does it: `PROGRAM MC get|set|check PARAMETER [VALUE] ...`. */
  readonly path: string;
  stop(): Promise<void>;
}

// The script is not compiled, so it stays in src: this finds it from src and from dist.
const script = fileURLToPath(new URL('./chassis.py', import.meta.url));

/** Makes the program, in this directory. It can be called as long as this process is there to answer. */
export const startChassisProgram = async (directory: string, chassis: Chassis): Promise<ChassisProgram> => {
  const [path, socketPath] = [join(directory, 'chassis'), join(directory, 'chassis.sock')];
  const callers = new Set<Socket>();
  const server = createServer((caller) => {
    callers.add(caller);
    caller.on('error', () => undefined).on('close', () => callers.delete(caller));
    createInterface({ input: caller }).once('line', (line) => {
      void carriedOut(chassis, JSON.parse(line) as readonly string[]).then((answer) =>
        caller.end(`${JSON.stringify(answer)}\n`),
      );
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socketPath, resolve));
  await writeFile(path, `#!/bin/sh\nexec /usr/bin/python3 -I '${script}' '${socketPath}' "$@"\n`, { mode: 0o700 });
  return {
    path,
    stop: async () => {
      for (const caller of callers) caller.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

interface Answer {
  readonly done: boolean;
  readonly text: string;
}

const carriedOut = async (chassis: Chassis, [verb, ...words]: readonly string[]): Promise<Answer> => {
  try {
    if (verb === 'get')
      return { done: true, text: words.map((word) => `${word}:${valueOf(chassis, word)}`).join('\n') };
    if (verb === 'set')
      for (let at = 0; at < words.length; at += 2) await set(chassis, words[at] ?? '', words[at + 1] ?? '');
    return { done: true, text: '' };
  } catch (error) {
    return { done: false, text: String(error) };
  }
};

const valueOf = ({ power, bootDevice }: Chassis, parameter: string): string => {
  if (parameter === 'power') return power === 'on' ? '1' : '0';
  return parameter === 'boot' ? bootDevice : '0';
};

const set = async (chassis: Chassis, parameter: string, value: string): Promise<void> => {
  if (parameter === 'power') await (value === '1' ? chassis.powerOn() : chassis.powerOff());
  if (parameter === 'reset' && value === '1') await chassis.reset();
  if (parameter === 'shutdown' && value === '1') await chassis.askToShutDown();
  if (parameter === 'boot') chassis.bootDevice = value;
};
