import { AddressRefused } from '@corral/base/http/outbound';
import { steadyNow } from '@corral/base/steady-clock';
import type { HeldLease } from '@corral/base/db/held-lease';
import { LeaseLost, requireLease } from '../core/leases.ts';
import type { WriteOp } from '../core/request-context.ts';
import { recordDevice } from '../core/switch-identity.ts';
import { driverOf } from '../core/switches.ts';
import { OldSession } from '../drivers/switches/switch-contract.ts';
import { DeviceTimeout, type GuardedSession, openGuarded } from './guarded-session.ts';
import { recordFault, recordRecovery } from './switch-health.ts';
import { lateWriteMsOf } from './late-writes.ts';
import { probeAt } from './retry-policy.ts';
import { nextSession, SwitchUpdated, underSession } from './session-numbers.ts';
import type { EngineContext } from './engine-context.ts';

/** How an exchange with a switch ended; dead: the login failed, or nothing answered in time. */
export type Outcome = 'ok' | 'fault' | 'dead';

/** Why an exchange failed. */
export interface ConnectionFault {
  readonly reason: string;
  /** The setting that keeps us from connecting to the switch; null: that is not why. */
  readonly refusedBy: string | null;
}

type ExchangeResult<T> =
  | { readonly isFault: false; readonly value: T; readonly outcome: Outcome }
  | { readonly isFault: true; readonly fault: ConnectionFault; readonly outcome: Outcome };

/** A connection that was idle for this long is probed before it is used. */
const probeAfterMs = 1_000;

/**
 * The connection to one switch, for as long as a lease lasts. Everything that is said to the switch is said through
 * it: over the session that is open, or a new one; what goes wrong is written down, and the next attempt waits longer.
 */
export class SwitchConnection {
  readonly #engine: EngineContext;
  readonly #target: { readonly id: number; readonly label: string };
  readonly #held: HeldLease;
  #session: GuardedSession | null = null;
  #lastUsedAt = 0;
  /** Attempts in a row that failed, as the database has it. */
  faults = 0;
  /** The sweep that is asked for: not getting through answers it too. */
  sweepWanted: number | null = null;
  /** The number of the session that is open. */
  number = 0;
  /** The newest session that the database knew when the work was planned, or that was opened for it since. */
  #newest = 0;
  /** How long something of a session that broke off may still arrive; 0: the device refuses it. */
  lateMs: number;

  constructor(engine: EngineContext, target: { readonly id: number; readonly label: string }, held: HeldLease) {
    this.#engine = engine;
    this.#target = target;
    this.#held = held;
    this.lateMs = engine.config.lateWriteMs;
  }

  /** Prepares for work that was planned when this was the newest session: one that is open and older has old fields. */
  async follow(newest: number): Promise<void> {
    if (this.#session !== null && this.number !== newest) await this.disconnect();
    this.#newest = newest;
  }

  /** Writes down what the connection was used for, unless the switch was updated since the work was planned. */
  record<T>(work: (op: WriteOp) => Promise<T>): Promise<T> {
    return this.#engine.context.write((op) => underSession(op, this.#target.id, this.#newest, work));
  }

  /** `answered` is the sweep that the work itself is for. */
  async exchange<T>(
    work: (session: GuardedSession) => Promise<T>,
    answered: number | null = null,
  ): Promise<ExchangeResult<T>> {
    const { step } = this.#engine;
    for (;;) {
      const isReused = this.#session !== null;
      let isOpen = false;
      try {
        const session = await this.#open();
        isOpen = true;
        if (!isReused) this.#lastUsedAt = performance.now();
        step('session opened');
        const value = await work(session);
        this.#lastUsedAt = performance.now();
        if (this.faults > 0) {
          const kind = answered === null ? 'other' : 'sweep';
          await this.record((op) => recordRecovery(op, this.#held.lease, this.#target, this.faults, kind));
        }
        this.faults = 0;
        return { isFault: false, value, outcome: 'ok' };
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        await this.disconnect();
        if (error instanceof SwitchUpdated) throw error;
        // A line that died while nobody used it says nothing about the switch: it gets one more chance at once.
        if (isReused && !(error instanceof DeviceTimeout)) continue;
        const reason = error instanceof Error ? error.message : String(error);
        const isDead = !isOpen || error instanceof DeviceTimeout;
        await this.#failed(reason, isDead ? this.sweepWanted : answered);
        const refusedBy = error instanceof AddressRefused ? error.setting : null;
        return { isFault: true, fault: { reason, refusedBy }, outcome: isDead ? 'dead' : 'fault' };
      }
    }
  }

  /**
   * A line that nobody used for a while may be dead. It is tried with a question first: what fails before the
   * first word of a change leaves the port as it was, and nobody in doubt.
   */
  async probe(session: GuardedSession, port: string): Promise<void> {
    if (performance.now() - this.#lastUsedAt >= probeAfterMs) await session.read([port]);
  }

  async disconnect(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    await session?.close().catch(() => undefined);
  }

  async #failed(reason: string, answered: number | null): Promise<void> {
    const { config, log } = this.#engine;
    this.faults += 1;
    const { faults } = this;
    log.warn({ switch: this.#target.label, faults, reason }, 'switch communication failed; will retry');
    const fault = { reason, faults, answered, probeAt: probeAt(faults, steadyNow(), config.budgetMs) };
    await this.record((op) => recordFault(op, this.#held.lease, this.#target, fault));
  }

  async #open(): Promise<GuardedSession> {
    this.#session ??= await this.#openNewest(0).catch((error: unknown) => {
      if (!(error instanceof OldSession)) throw error;
      // A database that was restored from a backup counts from there; only the holder of the lease may go beyond.
      return this.#openNewest(error.seen);
    });
    return this.#session;
  }

  async #openNewest(seen: number): Promise<GuardedSession> {
    const { context, config } = this.#engine;
    const { lease, check } = this.#held;
    const newest = this.#newest;
    const opening = await context.write((op) => nextSession(op, lease, this.#target.id, { newest, seen }));
    const { label, session: number, installation } = opening;
    this.#newest = number;
    const fields = JSON.parse(context.dependencies.vault.open(opening.config)) as Record<string, unknown>;
    const driver = driverOf(context.dependencies, opening.type);
    this.number = number;
    this.lateMs = lateWriteMsOf(driver, config);
    const limits = { permit: { number, installation, check }, outbound: context.dependencies.outbound };
    const guard = { held: this.#held, timeoutMs: config.deviceTimeoutMs };
    const session = await openGuarded(driver, { label, config: fields, ...limits }, guard);
    try {
      await this.#identify(session, (await driver.places?.(fields)) ?? []);
    } catch (error) {
      await session.close().catch(() => undefined);
      throw error;
    }
    return session;
  }

  /** Which device is this? Before anything else is said to it. */
  async #identify(session: GuardedSession, places: readonly string[]): Promise<void> {
    const identity = (await session.identity?.()) ?? null;
    const other = await this.record(async (op) => {
      await requireLease(op, this.#held.lease);
      return recordDevice(op, this.#target.id, { identity, places });
    });
    if (other !== null) throw new Error(`it is the same device as switch ${other}; delete one of the two records`);
  }
}
