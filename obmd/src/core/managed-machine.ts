import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import { callDevice, type DeviceGuard } from '@corral/base/guarded-device';
import { redact } from '@corral/base/secrets/redact';
import { type Bmc, BmcError, type BmcIdentity, type BmcPermit } from '../drivers/bmc-contract.ts';
import { CallAborted, type CallLimits, CallQueue } from './call-queue.ts';
import { ConsoleHub } from './console-hub.ts';
import { bmcFailed, busy, ObmdError, unsupported } from './obmd-error.ts';

/** The time for which one token is good. Everything done with it ends with it. */
export interface TokenGrant {
  readonly hash: string;
  readonly ended: AbortSignal;
  readonly end: () => void;
}

export const newTokenGrant = (hash: string): TokenGrant => {
  const controller = new AbortController();
  // As many as there are calls waiting.
  setMaxListeners(0, controller.signal);
  return { hash, ended: controller.signal, end: () => controller.abort(new CallAborted('unwanted')) };
};

/** What became of a call to a BMC, for the log and the metrics. */
export interface CallReport {
  readonly node: string;
  readonly type: string;
  readonly call: string;
  readonly seconds: number;
  /** null: it went well. */
  readonly error: Error | null;
}

/** What became of a test of a BMC. */
export interface BmcTest extends BmcIdentity {
  /** From asking to the answer, the wait in the queue included. */
  readonly seconds: number;
}

export interface MachineParts {
  readonly id: string;
  readonly type: string;
  /** What a caller with the admin token is shown of `info`. */
  readonly shown: Readonly<Record<string, unknown>>;
  readonly bmc: Bmc;
  /** What the BMC is sent and may repeat. */
  readonly secrets: readonly string[];
  readonly limits: CallLimits & { readonly lingerMs: number };
  readonly report: (call: CallReport) => void;
  readonly permit: BmcPermit;
}

/** One node as the daemon works with it: its BMC behind a queue, its console, and the holder of its token. */
export class Machine {
  readonly id: string;
  readonly type: string;
  readonly shown: Readonly<Record<string, unknown>>;
  readonly bootDevices: readonly string[];
  readonly console: ConsoleHub;
  readonly #bmc: Bmc;
  readonly #secrets: readonly string[];
  readonly #queue: CallQueue;
  readonly #timeoutMs: number;
  readonly #report: (call: CallReport) => void;
  readonly #permit: BmcPermit;
  grant: TokenGrant | null = null;
  /** Why the last call failed; null if it did not. */
  fault: string | null = null;
  #statusRequest: Promise<string> | null = null;
  /** Tests need no token; they end with the registration. */
  readonly #tests = newTokenGrant('');

  constructor({ id, type, shown, bmc, secrets, limits, report, permit }: MachineParts) {
    this.id = id;
    this.type = type;
    this.shown = shown;
    this.bootDevices = bmc.bootDevices;
    this.#bmc = bmc;
    this.#secrets = secrets;
    this.#queue = new CallQueue(limits);
    this.#timeoutMs = limits.timeoutMs;
    this.#report = report;
    this.#permit = permit;
    this.console = new ConsoleHub(
      () => this.call('console', this.#requireGrant(), (bmc, signal) => this.#openConsole(bmc, signal)),
      { lingerMs: limits.lingerMs, isOurs: () => isPermitted(permit) },
    );
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Has one call done by the BMC when its turn comes. */
  async call<T>(call: string, grant: TokenGrant, work: (bmc: Bmc, signal: AbortSignal) => Promise<T>): Promise<T> {
    const begun = performance.now();
    const report = (error: Error | null): void => {
      this.fault = error?.message ?? null;
      const seconds = (performance.now() - begun) / 1000;
      this.#report({ node: this.id, type: this.type, call, seconds, error });
    };
    try {
      const result = await callDevice(this.#guard(grant), (signal) => work(this.#bmc, signal));
      report(null);
      return result;
    } catch (error) {
      // Any error that it was converted to.
      this.#permit.check();
      const failure = this.#errorFor(error);
      // That somebody else has the node now, or asks for too much, is nothing the BMC can help.
      if (failure instanceof ObmdError && failure.type !== 'AuthorizationError' && failure.type !== 'BusyError')
        report(failure);
      throw failure;
    }
  }

  /** Asked by many at once, the BMC is asked once: all of them get an answer that was given after they asked. */
  powerStatus(grant: TokenGrant): Promise<string> {
    if (this.#statusRequest !== null) return this.#statusRequest;
    const asking = this.call('power_status', grant, (bmc, signal) => {
      // Later callers do not share this answer.
      this.#statusRequest = null;
      return bmc.powerStatus(signal);
    }).finally(() => {
      if (this.#statusRequest === asking) this.#statusRequest = null;
    });
    this.#statusRequest = asking;
    return asking;
  }

  /** Asks the BMC what it is, for an operator, with or without a token. */
  async test(): Promise<BmcTest> {
    const begun = performance.now();
    const identify = this.call('test', this.#tests, (bmc, signal) => bmc.identify(signal));
    const { answered, privileges } = await identify.catch((error: unknown) => {
      // No token is to blame here.
      if (this.#tests.ended.aborted) throw busy(`node ${this.id} was registered again or deleted; test it again`);
      throw error;
    });
    const seconds = Math.round(performance.now() - begun) / 1000;
    const told = (text: string): string => oneLine(redact(text, this.#secrets));
    return { answered: told(answered), privileges: told(privileges), seconds };
  }

  /** Ends the present token grant. When it resolves, nothing that was asked under it will still be done. */
  async endGrant(next: TokenGrant | null, why: string): Promise<void> {
    const before = this.grant;
    this.grant = next;
    before?.end();
    this.#statusRequest = null;
    await Promise.all([this.console.reset(why), this.#queue.quiet()]);
  }

  async close(why: string): Promise<void> {
    this.#tests.end();
    await this.endGrant(null, why);
    await this.#bmc.close?.().catch(() => undefined);
  }

  #guard({ ended }: TokenGrant): DeviceGuard {
    return {
      ...{ ms: this.#timeoutMs, signals: [ended], late: () => new CallAborted('late'), secrets: this.#secrets },
      inTurn: (signal, call) =>
        this.#queue.run(signal, () => {
          this.#permit.check();
          return call(signal);
        }),
    };
  }

  #requireGrant(): TokenGrant {
    if (this.grant === null) throw new CallAborted('unwanted');
    return this.grant;
  }

  async #openConsole(bmc: Bmc, signal: AbortSignal): Promise<Duplex> {
    if (bmc.openConsole === undefined) {
      throw unsupported(
        `nodes of type ${this.type} have no console; register node ${this.id} with a type that has one`,
      );
    }
    const connection = await bmc.openConsole(signal);
    if (!signal.aborted) return connection;
    // It came too late, and nobody is there to take it.
    connection.on('error', () => undefined).destroy();
    throw new CallAborted('unwanted');
  }

  #errorFor(error: unknown): unknown {
    if (error instanceof CallAborted) {
      return error.reason === 'late'
        ? bmcFailed(`the BMC of node ${this.id} did not answer within ${this.#timeoutMs / 1000} s; try again later`)
        : new ObmdError('AuthorizationError', `the token for node ${this.id} is no longer valid; request a new one`);
    }
    if (!(error instanceof BmcError)) return error;
    const message = `node ${this.id}: ${error.message}`;
    return error.fault === 'unsupported'
      ? unsupported(message, { cause: error.cause })
      : bmcFailed(message, { cause: error.cause });
  }
}

const longestLine = 200;

/** Words of a device, as they can stand in an answer. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, longestLine);

const isPermitted = (permit: BmcPermit): boolean => {
  try {
    permit.check();
    return true;
  } catch {
    return false;
  }
};
