import { rm } from 'node:fs/promises';
import { Writable } from 'node:stream';
import type { Outbound } from '@corral/base/http/outbound';
import { logHooks } from '@corral/base/log-hooks';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load-obmd-config.ts';
import { openDatabase } from '../../src/db/open-obmd-database.ts';
import type { BmcDriver } from '../../src/drivers/bmc-contract.ts';
import { startObmd } from '../../src/start.ts';
import { dataDirectory } from '../../../service/test/support/services/data-directory.ts';
import { requestTo } from '../../../service/test/support/http/http-client.ts';
import { type EngineName, migratedPostgres } from './obmd-engines.ts';

export const adminToken = 'the-admin-token-of-the-tests';

/** An answer, taken apart. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  readonly headers: Headers;
}

/** What a request has beside its path. */
interface Request {
  /** Sent as JSON, unless it is text or bytes already. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A daemon that listens on a port of its own. */
export interface Daemon {
  readonly url: string;
  /** Everything it logged. */
  readonly log: readonly string[];
  /** Every answer it gave to `send` and `admin`, headers included. */
  readonly answers: readonly string[];
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  send(method: string, path: string, request?: Request): Promise<Answer>;
  /** The same with the admin token. */
  admin(method: string, path: string, body?: unknown): Promise<Answer>;
  readonly stop: () => Promise<void>;
  /** Another one on the same data. */
  again(env?: Readonly<Record<string, string>>): Promise<Daemon>;
}

interface Setup {
  readonly env?: Readonly<Record<string, string>>;
  readonly drivers?: Readonly<Record<string, BmcDriver>>;
  readonly outbound?: Outbound;
}

/** Settings that make tests quick; each test may say otherwise. */
const impatient = {
  CORRAL_OBMD: '127.0.0.1:0',
  CORRAL_OBMD_ADMIN_TOKEN: adminToken,
  CORRAL_OBMD_CALL_TIMEOUT: '1',
  CORRAL_OBMD_CALL_GAP: '0',
};

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** Starts a daemon on an empty database. The caller stops it. */
export const startDaemon = async (engine: EngineName, { env = {}, ...rest }: Setup = {}): Promise<Daemon> => {
  const dataDir = await dataDirectory('corral-obmd-test-');
  const database: Record<string, string> =
    engine === 'postgres' ? { CORRAL_DATABASE_URL: await migratedPostgres('obmd', openDatabase) } : {};
  return startWith({ ...impatient, CORRAL_DATA_DIR: dataDir, ...database, ...env }, rest);
};

/** The same, stopped and removed when the test is over. */
export const daemonForTest = async (engine: EngineName, setup: Setup = {}): Promise<Daemon> => {
  const daemon = await startDaemon(engine, setup);
  onTestFinished(async () => {
    await daemon.stop();
    await rm(daemon.dataDir, { recursive: true, force: true });
  });
  return daemon;
};

/** One daemon for a whole suite, because starting takes time; its tests use nodes of their own. */
export const sharedDaemon = (engine: EngineName, setup: Setup = {}): (() => Daemon) => {
  let daemon: Daemon | null = null;
  beforeAll(async () => {
    daemon = await startDaemon(engine, setup);
  });
  afterAll(async () => {
    if (daemon === null) return;
    await daemon.stop();
    await rm(daemon.dataDir, { recursive: true, force: true });
  });
  return () => {
    if (daemon === null) throw new Error('the daemon is started before the first test');
    return daemon;
  };
};

const startWith = async (env: Readonly<Record<string, string>>, setup: Omit<Setup, 'env'>): Promise<Daemon> => {
  const log: string[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      log.push(chunk.toString());
      done();
    },
  });
  const config = loadConfig(env);
  const { drivers, outbound = config.outbound } = setup;
  const running = await startObmd({ ...config, outbound }, pino({ level: 'trace', hooks: logHooks() }, sink), drivers);
  const answers: string[] = [];
  const send: Daemon['send'] = async (method, path, request = {}) => {
    const answer = await sendTo(running.url, method, path, request);
    answers.push(JSON.stringify([answer.status, answer.text, [...answer.headers]]));
    return answer;
  };
  const authorization = basic('admin', adminToken);
  let stopped: Promise<void> | null = null;
  return {
    url: running.url,
    log,
    answers,
    dataDir: env['CORRAL_DATA_DIR'] ?? '',
    env,
    send,
    admin: (method, path, body) => send(method, path, { body, headers: { authorization } }),
    stop: () => (stopped ??= running.stop()),
    again: (changes = {}) => startWith({ ...env, ...changes }, setup),
  };
};

const sendTo = async (url: string, method: string, path: string, { body, headers = {} }: Request): Promise<Answer> => {
  const sent = typeof body === 'string' || Buffer.isBuffer(body) ? body : written(body);
  const answer = await requestTo(`${url}${path}`, method, { headers, ...(sent === undefined ? {} : { body: sent }) });
  const text = await answer.body.text();
  return { status: answer.status, text, body: parsed(text), headers: answer.headers };
};

const written = (body: unknown): string | undefined => (body === undefined ? undefined : JSON.stringify(body));

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The answer of a call that has to succeed. */
export const done = async (answer: Promise<Answer>): Promise<Answer> => {
  const got = await answer;
  expect(got.status, got.text).toBe(200);
  return got;
};

/** How a call was refused, as `401 AuthorizationError`; the answer must have the shape that every error has. */
export const refusal = async (answer: Promise<Answer>): Promise<string> => {
  const { status, text, body, headers } = await answer;
  expect(body, text).toEqual({ type: expect.any(String) as string, msg: expect.stringMatching(/\w+ \w+/) as string });
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  return `${status} ${(body as { type: string }).type}`;
};

/** The sentence of an error. */
export const message = async (answer: Promise<Answer>): Promise<string> => {
  const { text, body } = await answer;
  expect(body, text).toHaveProperty('msg');
  return (body as { msg: string }).msg;
};
