import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { LabHttpSwitch, LabJunos, LabOvs, LabSwitch, ScriptedSwitch } from '@corral/lab';
import { startTrial, type Trial } from '../switches/switch-devices.ts';

/** A device of some kind, with all that it is told. */
export interface Recorded extends Trial {
  /** The fields of switch_register that reach it through the record. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Everything that it was told since this was last asked, in lines. */
  told(): readonly string[];
}

const isScripted = (device: LabSwitch): device is ScriptedSwitch => 'console' in device;
const isHttp = (device: LabSwitch): device is LabHttpSwitch => 'asked' in device;
const isJunos = (device: LabSwitch): device is LabJunos => 'operations' in device;
const isOvs = (device: LabSwitch): device is LabOvs => 'vsctl' in device;

/** Starts the device of a driver and writes down what it is told; a real one behind SSH cannot be listened in on. */
export const startRecorded = async (type: string): Promise<Recorded> => {
  const trial = await startTrial(type);
  const { device } = trial;
  if (isScripted(device)) return { ...trial, fields: device.fields, told: () => device.console.transcript.splice(0) };
  if (isHttp(device)) {
    const said = (): readonly string[] =>
      device.asked().flatMap(({ method, path, body }) => [`${method} ${path}`, ...commandsIn(body)]);
    return { ...trial, fields: device.fields, told: said };
  }
  // What it was told is what it has: an edit that was refused is in neither.
  if (isJunos(device)) return { ...trial, fields: device.fields, told: () => tagsIn(device.configuration()) };
  if (isOvs(device)) {
    const relay = await startRelay(device.socket);
    return {
      ...trial,
      fields: { ...device.fields, ovsdb: `tcp:127.0.0.1:${relay.port}` },
      told: () => relay.told().flatMap(tokensIn),
      stop: async () => {
        relay.stop();
        await trial.stop();
      },
    };
  }
  return { ...trial, fields: device.fields, told: () => [] };
};

/** The commands in a request to eAPI or to OS9, or its whole body. */
const commandsIn = (body: string): readonly string[] => {
  if (body === '') return [];
  if (!body.startsWith('{')) return body.split(/\r?\n/);
  const { params } = JSON.parse(body) as { params: { cmds: readonly unknown[] } };
  return params.cmds.map((command) => (typeof command === 'string' ? command : JSON.stringify(command)));
};

const tagsIn = (xml: string): readonly string[] => xml.split(/(?=<)/).map((part) => part.trim());

/** The pieces of JSON; a port is only ever looked for by its name, which is a text among others. */
const tokensIn = (json: string): readonly string[] =>
  json.replaceAll(/"name","==","[A-Za-z0-9_][\w.:@+-]*"/g, '"name","==","#"').split(/(?<=[,{}[\]])/);

/** What passes through to a database of Open vSwitch. */
const startRelay = async (socket: string): Promise<{ port: number; told(): readonly string[]; stop(): void }> => {
  let said = '';
  const lines = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect(socket);
    for (const line of [from, to]) lines.add(line.on('error', () => undefined));
    from.on('data', (bytes) => (said += bytes.toString()));
    from.pipe(to).pipe(from);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    told: () => {
      const all = said;
      said = '';
      return [all];
    },
    stop: () => {
      server.close();
      for (const line of lines) line.destroy();
    },
  };
};

/** A line without what is different every time: numbers of ports and VLANs, names of sessions, ids of rows. */
export const shapeOf = (line: string): string =>
  line
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '#')
    .replaceAll(/\bcorral-[0-9a-f]{8}-[0-9a-f]{8}\b/g, 'corral-#')
    .replaceAll(/\d+(?:[-,/:. ]\d+)*/g, '#');
