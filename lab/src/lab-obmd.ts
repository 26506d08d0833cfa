import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type LabCallName, misbehave } from './lab-faults.ts';
import { listen } from './listen-loopback.ts';
import { bootDevices, LabMachine } from './lab-machine.ts';

export interface LabObmdOptions {
  readonly adminToken: string;
  /** A free one if left out. */
  readonly port?: number;
  /** How often a machine that is on says something on its console. */
  readonly tickMs?: number;
  /** What becomes of a second console client: the first is disconnected, or the second is refused. */
  readonly secondConsole?: 'replace' | 'refuse';
  /**
   * What it makes of a boot device for one boot: a field that it does not know and passes over (the usual), one that it
   * refuses to know, what it is meant to be; or it has no boot device `pxe` at all, or no call for boot devices.
   */
  readonly nextBoot?: 'ignored' | 'refused' | 'understood' | 'without pxe' | 'absent';
}

/** One call as it arrived. */
export interface LabCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly body: unknown;
  readonly credentials: 'none' | 'basic' | 'token';
}

/** A running OBM daemon with simulated machines. */
export interface LabObmd {
  readonly origin: string;
  readonly adminToken: string;
  /** Everything it was asked, in order. */
  readonly calls: readonly LabCall[];
  /** Adds a machine, as `PUT /node/<id>` does. */
  add(id: string): LabMachine;
  machine(id: string): LabMachine;
  /** Where a machine is, as `node_register` takes it. */
  uri(id: string): string;
  close(): Promise<void>;
}

interface Outcome {
  readonly status: number;
  readonly body?: object;
}

const ok: Outcome = { status: 200 };
const largestBody = 64 * 1024;
const refuse = (status: number, msg: string): Outcome => ({ status, body: { type: 'error', msg } });

const callNames: Readonly<Record<string, LabCallName>> = {
  'PUT ': 'register',
  'GET ': 'show',
  'DELETE ': 'delete',
  'POST test': 'test',
  'POST token': 'create_token',
  'DELETE token': 'destroy_token',
  'POST power_on': 'power_on',
  'POST power_off': 'power_off',
  'POST power_cycle': 'power_cycle',
  'PUT boot_device': 'boot_device',
  'GET power_status': 'power_status',
  'GET console': 'console',
};
const adminCalls: readonly LabCallName[] = ['register', 'show', 'delete', 'test', 'create_token', 'destroy_token'];

/** Starts an OBM daemon on the loopback address. */
export const startLabObmd = async (options: LabObmdOptions): Promise<LabObmd> => {
  const machines = new Map<string, LabMachine>();
  const calls: LabCall[] = [];
  const basic = `Basic ${Buffer.from(`admin:${options.adminToken}`).toString('base64')}`;

  const add = (id: string): LabMachine => {
    const machine = machines.get(id) ?? new LabMachine(id);
    machines.set(id, machine);
    return machine;
  };

  /** What to answer; null: the answer is given, or there is none. */
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<Outcome | null> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://lab');
    const token = searchParams.get('token');
    const { authorization } = request.headers;
    const body = await bodyOf(request);
    const credentials = authorization !== undefined ? 'basic' : token !== null ? 'token' : 'none';
    calls.push({ method: request.method ?? '', path: pathname, body, credentials });

    const [, id, name = ''] = /^\/node\/([^/]+)(?:\/(\w+))?$/.exec(pathname) ?? [];
    const call = callNames[`${request.method ?? ''} ${name}`];
    if (id === undefined || call === undefined) return refuse(404, 'there is no such call');
    if (!isObject(body)) return refuse(400, 'the body is not a JSON object');
    if (adminCalls.includes(call) && authorization !== basic) return refuse(401, 'bad admin token');
    if (call === 'register') add(decodeURIComponent(id));
    const machine = machines.get(decodeURIComponent(id));
    if (machine === undefined) return refuse(404, `there is no node ${id}`);

    const fault = machine.faultOn(call);
    if (fault !== null && fault.after === undefined && (await misbehave(fault, response))) return null;
    if (!adminCalls.includes(call) && (token === null || token !== machine.token)) return refuse(401, 'bad token');
    if (call === 'console') return openConsole(machine, response);
    const outcome = perform(machine, call, body, options.nextBoot ?? 'ignored');
    if (call === 'delete') machines.delete(machine.id);
    return fault?.after === true && (await misbehave(fault, response)) ? null : outcome;
  };

  const openConsole = (machine: LabMachine, response: ServerResponse): Outcome | null => {
    if (machine.isWatched && options.secondConsole === 'refuse') return refuse(409, 'somebody else has the console');
    machine.watch(response, options.tickMs ?? 1_000);
    return null;
  };

  const server = createServer((request, response) => {
    serve(request, response).then(
      (outcome) => outcome && answer(response, outcome),
      () => response.destroy(),
    );
  });
  const origin = `http://127.0.0.1:${await listen(server, options.port)}`;

  return {
    origin,
    adminToken: options.adminToken,
    calls,
    add,
    machine: (id) => {
      const machine = machines.get(id);
      if (machine === undefined) throw new Error(`the lab has no machine ${id}`);
      return machine;
    },
    uri: (id) => `${origin}/node/${encodeURIComponent(id)}`,
    close: () =>
      new Promise((resolve) => {
        for (const machine of machines.values()) machine.disconnect();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** What a call does to the machine. The console is not here: it has no end. */
const perform = (
  machine: LabMachine,
  call: LabCallName,
  body: Readonly<Record<string, unknown>>,
  nextBoot: NonNullable<LabObmdOptions['nextBoot']>,
): Outcome => {
  switch (call) {
    case 'create_token':
      return { status: 200, body: { token: machine.newToken() } };
    case 'destroy_token':
    case 'delete':
      machine.voidToken();
      return ok;
    case 'power_on':
      machine.powerOn();
      return ok;
    case 'power_off':
      machine.powerOff();
      return ok;
    case 'power_cycle':
      // Those that know no better do it for good.
      if (nextBoot === 'ignored' || nextBoot === 'refused') machine.bootDevice = 'pxe';
      machine.powerCycle();
      return ok;
    case 'boot_device': {
      if (nextBoot === 'absent') return refuse(404, 'there is no such call');
      const known = bootDevices.filter((candidate) => nextBoot !== 'without pxe' || candidate !== 'pxe');
      const device = known.find((candidate) => candidate === body['bootdev']);
      if (device === undefined) return refuse(400, `bootdev must be one of ${known.join(', ')}`);
      if (nextBoot === 'refused' && 'once' in body) return refuse(400, 'there is no field once');
      if (nextBoot !== 'understood' || body['once'] !== true) machine.bootDevice = device;
      else {
        machine.nextBoot = device;
        return { status: 200, body: { once: true } };
      }
      return ok;
    }
    case 'power_status':
      return { status: 200, body: { power_status: machine.power } };
    case 'show':
      return { status: 200, body: { id: machine.id, type: 'mock', info: { addr: machine.id } } };
    case 'test':
      return { status: 200, body: { answered: 'a machine of the lab', privileges: 'all', seconds: 0 } };
    case 'register':
    case 'console':
      return ok;
  }
};

const answer = (response: ServerResponse, { status, body }: Outcome): void => {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(body === undefined ? '' : JSON.stringify(body));
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The body as JSON; `{}` if there is none, undefined if it is none. */
const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > largestBody) return undefined;
  }
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
};
