import { createServer as createPlain, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTls } from 'node:https';
import { listen } from '../listen-loopback.ts';
import { labCertificate, labFingerprint, labKey } from '../switches/certificates.ts';
import type { LineFault } from '../switches/lab-switch.ts';
import { startFaultRelay } from '../switches/fault-relay.ts';
import { built } from '../switches/undo.ts';
import { misbehave, type RedfishFault, RedfishFaults } from './redfish-faults.ts';
import { type RedfishFlavour, type RedfishFlavourName, redfishFlavours } from './redfish-flavours.ts';
import { RedfishMachine } from './redfish-machine.ts';
import { RedfishService, type RedfishTold } from './redfish-service.ts';
import { RedfishSessions } from './redfish-sessions.ts';

export interface LabRedfishOptions {
  /** HTTPS, with the lab's certificate, if left out. */
  readonly scheme?: 'http' | 'https';
  /** `plain` if left out. */
  readonly flavour?: RedfishFlavourName;
  /** Where it differs from its flavour. */
  readonly oddities?: Partial<RedfishFlavour>;
  /** The ids of its systems; the vendor's usual one if left out. */
  readonly systems?: readonly string[];
  /** How long a machine takes to go on or off; no time if left out. */
  readonly powerMs?: number;
  /** Most sessions at a time, 4 if left out; 0: it has no session service at all. */
  readonly maxSessions?: number;
  /** After how long a session that nobody uses ends. */
  readonly sessionSeconds?: number;
}

/** One request as it arrived. */
interface RedfishCall {
  readonly method: string;
  readonly path: string;
  readonly credentials: 'none' | 'basic' | 'session';
  readonly ifMatch: string | undefined;
  /** Without the password of a login. */
  readonly body: unknown;
}

/** A BMC with a Redfish service, and the machines behind it. */
export interface LabRedfish {
  readonly origin: string;
  /** What reaches it, without `system`. */
  readonly info: Readonly<Record<string, string>>;
  readonly machines: readonly RedfishMachine[];
  /** The only machine, or the first. */
  readonly machine: RedfishMachine;
  readonly sessions: RedfishSessions;
  /** What was asked since this was last called. */
  asked(): readonly RedfishCall[];
  fault(fault: RedfishFault): void;
  /** Ends the faults, and repairs the connection. */
  mend(): void;
  breakLine(fault: LineFault | null): void;
  stop(): Promise<void>;
}

const user = 'operator';
const password = 'calvin-and-hobbes';

/** Starts a Redfish service on loopback. */
export const startRedfish = (options: LabRedfishOptions = {}): Promise<LabRedfish> =>
  built('the Redfish service', async (undo, stop) => {
    const scheme = options.scheme ?? 'https';
    const flavour: RedfishFlavour = { ...redfishFlavours[options.flavour ?? 'plain'], ...options.oddities };
    const ids = options.systems ?? [flavour.systemId];
    const machines = ids.map((id) => new RedfishMachine(id, flavour, options.powerMs ?? 0));
    undo.push(() => {
      for (const machine of machines) machine.stop();
      return Promise.resolve();
    });
    const [machine] = machines;
    if (machine === undefined) throw new Error('a Redfish service needs a system');
    const { maxSessions = 4, sessionSeconds = 1800 } = options;
    const sessions = new RedfishSessions(maxSessions, sessionSeconds);
    const hasSessions = maxSessions > 0;
    const world = { flavour, machines, sessions, sessionSeconds, hasSessions, user, password };
    const service = new RedfishService(world);
    const faults = new RedfishFaults();
    const log: RedfishCall[] = [];

    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const body = await bodyOf(request);
      const { pathname: path } = new URL(request.url ?? '/', 'http://lab');
      const method = request.method ?? '';
      const header = (name: string): string | undefined => [request.headers[name]].flat()[0];
      const [authorization, token, ifMatch] = [header('authorization'), header('x-auth-token'), header('if-match')];
      const credentials = token !== undefined ? 'session' : authorization !== undefined ? 'basic' : 'none';
      log.push({ method, path, credentials, ifMatch, body: withoutPassword(body) });
      const hits = faults.take(method, path);
      if (hits.some(({ kind }) => kind === 'touch')) for (const one of machines) one.touch();
      for (const fault of hits) if (await misbehave(fault, response)) return;
      const told = service.answer({ method, path, authorization, token, ifMatch, body });
      if (hits.some(({ kind }) => kind === 'drop')) response.destroy();
      else send(response, told, hits);
    };

    const server: Server =
      scheme === 'https' ? createTls({ cert: labCertificate, key: labKey }) : (createPlain() satisfies Server);
    server.on('request', (request, response) => void serve(request, response).catch(() => response.destroy()));
    const port = await listen(server);
    undo.push(() => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    });
    const line = await startFaultRelay({ port });
    undo.push(() => line.stop());
    const origin = `${scheme}://127.0.0.1:${line.port}`;
    const pinned = scheme === 'https' ? { fingerprint: labFingerprint } : {};
    return {
      origin,
      info: { url: origin, user, pass: password, ...pinned },
      machines,
      machine,
      sessions,
      asked: () => log.splice(0),
      fault: (fault) => faults.add(fault),
      mend: () => {
        faults.clear();
        line.breakLine(null);
      },
      breakLine: (fault) => line.breakLine(fault),
      stop,
    };
  });

/** Sends an answer, changed by the faults that concern what is sent. */
const send = (response: ServerResponse, told: RedfishTold, faults: readonly RedfishFault[]): void => {
  let document: unknown = told.document;
  const headers: Record<string, string | undefined> = { 'odata-version': '4.0', ...told.headers };
  for (const fault of faults) {
    if (fault.kind === 'edit' && told.document !== undefined) document = fault.edit(structuredClone(told.document));
    if (fault.kind === 'headers') Object.assign(headers, fault.headers);
  }
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
  if (document !== undefined) response.setHeader('content-type', 'application/json');
  response.writeHead(told.status).end(document === undefined ? '' : JSON.stringify(document));
};

const withoutPassword = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'Password' in body ? { ...body, Password: '…' } : body;

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  if (text === '') return undefined;
  try {
    const body: unknown = JSON.parse(text);
    return body;
  } catch {
    return undefined;
  }
};
