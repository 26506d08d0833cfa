import type { Console, Dialect, ShownPort } from './dialect.ts';
import type { Answer, CommandLine } from './session.ts';

/** A switch at the other end of a command line. */
export interface CliDevice {
  readonly dialect: Dialect;
  readonly line: CommandLine;
  readonly deadVlan: number | null;
}

/** What a device said instead of doing it. */
export interface Objection {
  readonly words: string;
}

/** Asked for more than this, it is quicker to be shown all ports at once. */
const fewPorts = 4;

/** Sends lines one after the other until one is refused. */
export const runAll = async (
  { dialect, line }: CliDevice,
  lines: readonly string[],
  signal: AbortSignal,
): Promise<Objection | null> => {
  for (const command of lines) {
    const words = objectionIn((await line.run(command, signal)).text, dialect.console);
    if (words !== null) return { words: `the switch says to "${command}": ${words}` };
  }
  return null;
};

/** As `runAll`, for what has to work: if it does not, the device is not in the state we think. */
export const runOrFail = async (device: CliDevice, lines: readonly string[], signal: AbortSignal): Promise<void> => {
  const objection = await runAll(device, lines, signal);
  if (objection) throw new Error(objection.words);
};

/** The device's own words if the answer says no; else null. */
export const objectionIn = (text: string, { errors, remarks = [] }: Console): string | null => {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^[\s^]+$/.test(line));
  const objects = (line: string): boolean =>
    errors.some((error) => error.test(line)) && !remarks.some((remark) => remark.test(line));
  if (!lines.some(objects)) return null;
  return lines
    .filter((line) => !remarks.some((remark) => remark.test(line)))
    .map((line) => line.trim())
    .join(' ')
    .slice(0, 300);
};

/** What these ports carry; those that the device does not have are left out. */
export const readPorts = async (
  device: CliDevice,
  ports: readonly string[],
  signal: AbortSignal,
): Promise<readonly ShownPort[]> => {
  if (ports.length > fewPorts) {
    const wanted = new Set(ports);
    return (await readAllPorts(device, signal)).filter(({ port }) => wanted.has(port));
  }
  const states: ShownPort[] = [];
  for (const port of ports) {
    const text = await ask(device, device.dialect.read.one(port), signal);
    if (typeof text !== 'string') continue;
    const state = device.dialect.read.parse(text, device.deadVlan).find((found) => found.port === port);
    if (!state) throw new Error(`the switch was asked for port ${port} and says "${text.trim().slice(0, 120)}"`);
    states.push(state);
  }
  return states;
};

/** What every port carries. */
export const readAllPorts = async (device: CliDevice, signal: AbortSignal): Promise<readonly ShownPort[]> => {
  const text = await ask(device, device.dialect.read.all, signal);
  if (typeof text !== 'string') throw new Error(text.words);
  return device.dialect.read.parse(text, device.deadVlan);
};

const ask = async (device: CliDevice, lines: readonly string[], signal: AbortSignal): Promise<string | Objection> => {
  const texts: string[] = [];
  for (const command of lines) {
    const { text }: Answer = await device.line.run(command, signal);
    // A long answer is no objection, whatever a banner or a description in it looks like.
    const words = text.split('\n').length > 6 ? null : objectionIn(text, device.dialect.console);
    if (words !== null) return { words: `the switch says to "${command}": ${words}` };
    texts.push(text);
  }
  return texts.join('\n');
};
