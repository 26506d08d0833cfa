import { AddressRefused } from '@corral/base/http/outbound';
import { resetSocket } from '@corral/base/net/reset-socket';
import type { Permit, SessionLimits } from '../switch-contract.ts';
import { oneLine } from '../device-text.ts';
import { type Address, openConnection, type PendingConnection, type TlsCredentials } from './ovs-address.ts';
import { JsonStream } from './json-stream.ts';

/** One operation of a transaction, as RFC 7047 writes it. */
export type Operation = Readonly<Record<string, unknown>> & { readonly op: string };

/** What became of a transaction: every operation's answer, or the first that the database refused. */
export type Transacted =
  | { readonly committed: true; readonly results: readonly Readonly<Record<string, unknown>>[] }
  /** `operation` counts from 0; beyond the last one, the commit as a whole was refused. */
  | { readonly committed: false; readonly operation: number; readonly reason: string };

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Transactions with an OVSDB server. */
export interface OvsdbTransactions {
  transact(operations: readonly Operation[], signal: AbortSignal): Promise<Transacted>;
  close(): Promise<void>;
}

/** A line to an OVSDB server: JSON-RPC 1.0, both ways. */
export class Ovsdb implements OvsdbTransactions {
  readonly #connection: PendingConnection;
  readonly #permit: Permit | undefined;
  readonly #stream = new JsonStream();
  readonly #waiting = new Map<number, Waiting>();
  /** Told when the line ends: every promise that somebody waits for. */
  readonly #ending = new Set<(error: Error) => void>();
  #calls = 0;
  #fault: Error | null = null;

  private constructor(line: PendingConnection, permit: Permit | undefined) {
    this.#connection = line;
    this.#permit = permit;
    const { socket } = line;
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) =>
      this.#fail(
        error instanceof AddressRefused
          ? error
          : new Error(`the connection to the database was lost: ${error.message}`),
      ),
    );
    socket.on('close', () => this.#fail(new Error('the database closed the connection')));
  }

  static async connect(
    address: Address,
    credentials: TlsCredentials,
    signal: AbortSignal,
    { permit, outbound }: SessionLimits = {},
  ): Promise<Ovsdb> {
    signal.throwIfAborted();
    const line = openConnection(address, credentials, outbound ?? null);
    const ovsdb = new Ovsdb(line, permit);
    await ovsdb.#until(signal, 'connecting to the database', ({ resolve }) =>
      line.socket.once(line.ready, () => resolve(undefined)),
    );
    return ovsdb;
  }

  /** All of the operations, or none. */
  async transact(operations: readonly Operation[], signal: AbortSignal): Promise<Transacted> {
    const answer = await this.#call('transact', ['Open_vSwitch', ...operations], signal);
    if (!Array.isArray(answer)) throw unexpected(answer);
    const results = answer.map((result: unknown) => (isRecord(result) ? result : {}));
    const operation = results.findIndex(({ error }) => error !== undefined && error !== null);
    if (operation >= 0) return { committed: false, operation, reason: reasonOf(results[operation] ?? {}) };
    if (results.length !== operations.length) throw unexpected(answer);
    return { committed: true, results };
  }

  close(): Promise<void> {
    this.#fail(new Error('the connection to the database is closed'));
    return Promise.resolve();
  }

  async #call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    const id = this.#calls++;
    this.#permit?.check();
    return this.#until(signal, 'waiting for the database', (waiting) => {
      this.#waiting.set(id, waiting);
      this.#connection.socket.write(JSON.stringify({ id, method, params }));
    });
  }

  /** A line with a call that nobody waits for any more is of no use: giving up ends it. */
  #until(signal: AbortSignal, what: string, begin: (waiting: Waiting) => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#fault) {
        reject(this.#fault);
        return;
      }
      const onAbort = () => this.#fail(new Error(`gave up ${what}`, { cause: signal.reason }));
      const done = () => {
        signal.removeEventListener('abort', onAbort);
        this.#ending.delete(onFault);
      };
      const onFault = (error: Error) => {
        done();
        reject(error);
      };
      this.#ending.add(onFault);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) {
        onAbort();
        return;
      }
      begin({
        resolve: (result) => {
          done();
          resolve(result);
        },
        reject: onFault,
      });
    });
  }

  #fail(error: Error): void {
    this.#fault ??= error;
    this.#waiting.clear();
    for (const end of [...this.#ending]) end(this.#fault);
    resetSocket(this.#connection.beneath);
    this.#connection.socket.destroy();
  }

  #receive(chunk: Buffer): void {
    try {
      for (const message of this.#stream.push(chunk)) this.#take(message);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #take(message: unknown): void {
    if (!isRecord(message)) throw unexpected(message);
    const { id, method, params, result, error } = message;
    // The server drops a line that does not answer its echo.
    if (method === 'echo') this.#connection.socket.write(JSON.stringify({ id, result: params, error: null }));
    if (method !== undefined) return;
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (typeof id !== 'number' || waiting === undefined) throw unexpected(message);
    this.#waiting.delete(id);
    if (error === null || error === undefined) waiting.resolve(result);
    else waiting.reject(new Error(`the database says: ${isRecord(error) ? reasonOf(error) : written(error)}`));
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An answer that is not what the protocol promises. */
export const unexpected = (seen: unknown): Error =>
  new Error(`the database answers something unexpected: ${written(seen)}`);

const written = (value: unknown): string => oneLine(JSON.stringify(value ?? null));

const reasonOf = ({ error, details }: Readonly<Record<string, unknown>>): string =>
  typeof details === 'string' && details !== '' ? `${String(error)}: ${details}` : String(error);
