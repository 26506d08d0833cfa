import { setTimeout as sleep } from 'node:timers/promises';
import { UnusableAnswer } from './config-sections.ts';
import type { CliSyntax, Dialect, ShownPort } from './dialect.ts';
import { isLogLine } from './switch-log-lines.ts';
import type { CliSession } from './cli-session.ts';

/** A switch at the other end of a command line. */
export interface CliDevice {
  readonly dialect: Dialect;
  readonly session: Pick<CliSession, 'run' | 'prompt'>;
  readonly deadVlan: number | null;
}

/** What a device said instead of doing it. */
export interface Objection {
  readonly words: string;
}

/** Asked for more than this, it is quicker to be shown all ports at once. */
const fewPorts = 4;

/** How often an answer that a log message fell into is asked for, and how long apart: messages come in bursts. */
const readings = { most: 4, pauseMs: 150 };

/** Sends lines one after the other until one is refused, or is followed by another prompt than this. */
export const runAll = async (
  { dialect, session: line }: CliDevice,
  lines: readonly string[],
  prompt: RegExp | undefined,
  signal: AbortSignal,
): Promise<Objection | null> => {
  for (const command of lines) {
    const answer = await line.run(command, signal);
    const words = objectionTo(answer.text, dialect.syntax);
    if (words !== null) return { words: `the switch answers "${command}" with: ${words}` };
    if (prompt && !prompt.test(answer.prompt)) return { words: strayed(command, answer.prompt) };
  }
  return null;
};

/** As `runAll`, for what has to work: if it does not, the device is not in the state we think. */
const runOrFail = async (
  device: CliDevice,
  lines: readonly string[],
  prompt: RegExp | undefined,
  signal: AbortSignal,
): Promise<void> => {
  const objection = await runAll(device, lines, prompt, signal);
  if (objection) throw new Error(objection.words);
};

/** Into the mode in which everything is changed. */
export const enterConfig = (device: CliDevice, signal: AbortSignal): Promise<void> =>
  runOrFail(device, device.dialect.enter, device.dialect.modes?.config, signal);

/** Out of it, from wherever it stands; some refusals have left it already. */
export const leaveConfig = async (device: CliDevice, signal: AbortSignal): Promise<void> => {
  const { leave, modes } = device.dialect;
  if (modes?.exec.test(device.session.prompt)) return;
  await runOrFail(device, leave, modes?.exec, signal);
};

/** What the user may not do that is needed: into the mode in which everything is changed, and out again. */
export const lackedBy = async (device: CliDevice, signal: AbortSignal): Promise<readonly string[]> => {
  const { enter, modes } = device.dialect;
  const objection = await runAll(device, enter, modes?.config, signal);
  await leaveConfig(device, signal);
  return objection === null ? [] : [objection.words];
};

/** Saves the configuration. What is said to that differs a lot; only an error counts. */
export const saveConfig = async (device: CliDevice, lines: readonly string[], signal: AbortSignal): Promise<void> => {
  for (const command of lines) {
    const { text } = await device.session.run(command, signal);
    const words = errorIn(text, device.dialect.syntax);
    if (words !== null) throw new Error(`the switch answers "${command}" with: ${words}`);
  }
};

export const strayed = (command: string, prompt: string): string =>
  `after "${command}" the switch is waiting at "${prompt.slice(0, 60)}"`;

/** The device's own words if a command printed anything that is not known to be harmless; else null. */
export const objectionTo = (text: string, { remarks = [] }: CliSyntax): string | null => {
  const words = linesIn(text).filter((line) => !isLogLine(line) && !remarks.some((remark) => remark.test(line)));
  return words.length === 0 ? null : quoted(words);
};

/** The device's own words if an answer says no; else null. */
export const errorIn = (text: string, { errors, remarks = [] }: CliSyntax): string | null => {
  const words = linesIn(text).filter((line) => !isLogLine(line) && !remarks.some((remark) => remark.test(line)));
  return words.some((line) => errors.some((error) => error.test(line))) ? quoted(words) : null;
};

const linesIn = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.trim() !== '' && !/^[\s^]+$/.test(line));

const quoted = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trim())
    .join(' ')
    .slice(0, 300);

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
    const state = await untilUsable(signal, async () => {
      const answers = await ask(device, device.dialect.read.one(port), signal);
      if ('words' in answers) return null;
      const found = device.dialect.read.parse(answers, device.deadVlan).find((each) => each.port === port);
      if (found) return found;
      throw new Error(
        `the switch answers the request for port ${port} with "${answers.join('\n').trim().slice(0, 120)}"`,
      );
    });
    if (state) states.push(state);
  }
  return states;
};

/** What every port carries. */
export const readAllPorts = (device: CliDevice, signal: AbortSignal): Promise<readonly ShownPort[]> =>
  untilUsable(signal, async () => {
    const answers = await ask(device, device.dialect.read.all, signal);
    if ('words' in answers) throw new Error(answers.words);
    return device.dialect.read.parse(answers, device.deadVlan);
  });

/** Reads again what a log message fell into, a few times. */
export const untilUsable = async <T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof UnusableAnswer) || attempt === readings.most) throw error;
      await sleep(readings.pauseMs * attempt, undefined, { signal });
    }
  }
};

/** The answers to all of these; words instead if the first is refused: that it cannot show what it was asked for. */
export const ask = async (
  device: CliDevice,
  [first, ...more]: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[] | Objection> => {
  if (first === undefined) return [];
  const { text } = await device.session.run(first, signal);
  // A long answer is no objection, whatever a banner or a description in it looks like.
  const words = text.split('\n').length > 6 ? null : errorIn(text, device.dialect.syntax);
  if (words !== null) return { words: `the switch answers "${first}" with: ${words}` };
  const rest = await ask(device, more, signal);
  if ('words' in rest) throw new Error(rest.words);
  return [text, ...rest];
};
