import { aboutLine, aristaIdentity, serialOf, serviceTagIn } from '../serial-numbers.ts';
import { type CliDevice, errorIn } from './cli-device.ts';

/** What a device is asked to learn which one it is. */
export interface IdentityQuestions {
  readonly ask: readonly string[];
  /** Out of the answers, joined in order; null: they do not say. */
  readonly parse: (text: string) => string | null;
  /** The model and the software, out of the same answers. */
  readonly about: (text: string) => string | null;
}

export const identityOf = async (
  device: CliDevice,
  questions: IdentityQuestions,
  signal: AbortSignal,
): Promise<string | null> => questions.parse(await answersTo(device, questions, signal));

export const aboutOf = async (
  device: CliDevice,
  questions: IdentityQuestions,
  signal: AbortSignal,
): Promise<string | null> => questions.about(await answersTo(device, questions, signal));

/** A device that does not know a question says nothing about itself by it. */
const answersTo = async (
  { dialect, session: line }: CliDevice,
  { ask }: IdentityQuestions,
  signal: AbortSignal,
): Promise<string> => {
  const texts: string[] = [];
  for (const command of ask) {
    const { text } = await line.run(command, signal);
    if (text.split('\n').length > 6 || errorIn(text, dialect.syntax) === null) texts.push(text);
  }
  return texts.join('\n');
};

const first = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';

export const aristaQuestions: IdentityQuestions = {
  ask: ['show version'],
  parse: (text) =>
    aristaIdentity(first(text, /^Serial number: *(\S+)/im), first(text, /^System MAC address: *([0-9a-f.:]+)/im)),
  about: (text) =>
    aboutLine('Arista', first(text, /^Arista +(\S+)/m), 'EOS', first(text, /^Software image version: *(\S+)/m)),
};

/** In a stack the first is the one that answers for all. */
export const iosQuestions: IdentityQuestions = {
  ask: ['show version'],
  parse: (text) => serialOf('cisco', first(text, /^ *Processor board ID +(\S+)/im)),
  about: (text) =>
    aboutLine('Cisco', first(text, /^cisco +(\S+) .*processor/im), 'IOS', first(text, /\bVersion +([^,\s]+)/)),
};

/** A chassis can be divided into devices (VDCs), each with ports and an address of its own. */
export const nxosQuestions: IdentityQuestions = {
  ask: ['show version', 'show vdc current-vdc'],
  parse: (text) => {
    const serial = serialOf('cisco', first(text, /^ *Processor Board ID +(\S+)/im));
    const vdc = first(text, /^Current vdc is (\d+)/im);
    return serial === null || vdc === '' || vdc === '1' ? serial : `${serial} vdc ${vdc}`;
  },
  about: (text) =>
    aboutLine(
      'Cisco',
      first(text, /^ *cisco +(Nexus.*?) +Chassis/im),
      'NX-OS',
      first(text, /^ *(?:system|NXOS): +version +(\S+)/im),
    ),
};

/** The unit that answers is marked with a star. */
export const os10Questions: IdentityQuestions = {
  ask: ['show inventory'],
  parse: (text) => serialOf('dell', serviceTagIn(text)),
  about: (text) =>
    aboutLine('Dell', first(text, /^Product +: *(\S+)/m), 'OS10', first(text, /^Software version +: *(\S+)/m)),
};

export const dellNQuestions: IdentityQuestions = {
  ask: ['show version'],
  parse: (text) => serialOf('dell', first(text, /^Serial Number\.* *(\S+)/im)),
  about: (text) =>
    aboutLine(
      'Dell',
      first(text, /^System Model ID\.* *(\S+)/im),
      'OS6',
      first(text, /^\d+ +[\d.]+ +[\d.]+ +([\d.]+) +[\d.]+/m),
    ),
};

/** Of a stack the serial numbers are in a table whose form is not certain; its MAC address has a name. */
export const powerconnectQuestions: IdentityQuestions = {
  ask: ['show system id', 'show system unit 1'],
  parse: (text) =>
    serialOf('dell', first(text, /^System MAC Address: *([0-9a-f.:]+)/im).replaceAll(/[^0-9A-Fa-f]/g, '')) ??
    serialOf('dell', first(text, /^(?:Serial number|Service tag) *: *(\S+)/im)),
  // Neither answer has the version of its software.
  about: (text) => aboutLine('Dell', first(text, /^Type: *(\S.*)/m), '', ''),
};
