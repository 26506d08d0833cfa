import { AddressRefused } from '@corral/base/http/outbound';
import { steadyNow } from '@corral/base/steady-clock';
import { hush } from '@corral/base/secrets/hush';
import type { HeldLease } from '../core/held-lease.ts';
import { LeaseLost, requireLease } from '../core/leases.ts';
import { meetDevice } from '../core/switch-identity.ts';
import { driverOf } from '../core/switches.ts';
import { OldSession, type SwitchSession } from '../drivers/switches/contract.ts';
import { callDevice, DeviceTimeout } from './device.ts';
import { hushedSession, secretsIn } from './hushed-session.ts';
import { recordFault, recordRecovery } from './health.ts';
import { lateWriteMsOf } from './late-writes.ts';
import type { DeviceCall } from './pass.ts';
import { probeAt, timeoutFor } from './patience.ts';
import { nextSession } from './sessions.ts';
import type { Workshop } from './workshop.ts';

/** How a talk with a switch went; dead: nobody let us in, or nobody answered in time. */
export type Outcome = 'ok' | 'fault' | 'dead';

/** Why nothing came of a talk. */
export interface LineFault {
  readonly reason: string;
  /** The setting that keeps us from connecting to the switch; null: that is not why. */
  readonly refusedBy: string | null;
}

type Talk<T> =
  | { readonly isFault: false; readonly value: T; readonly outcome: Outcome }
  | { readonly isFault: true; readonly fault: LineFault; readonly outcome: Outcome };

/** A line that was silent for this long is tried before it is trusted. */
const silenceMs = 1_000;

/**
 * The line to one switch, for as long as a lease lasts. Everything that is said to the switch is said through
 * it: over the session that is open, or a new one; what goes wrong is written down, and the next attempt waits longer.
 */
export class SwitchLine {
  readonly #shop: Workshop;
  readonly #target: { readonly id: number; readonly label: string };
  readonly #held: HeldLease;
  #session: SwitchSession | null = null;
  #spokeAt = 0;
  /** Attempts in a row that failed, as the database has it. */
  faults = 0;
  /** The sweep that is asked for: not getting through answers it too. */
  sweepWanted: number | null = null;
  /** The number of the session that is open. */
  number = 0;
  /** How long something of a session that broke off may still arrive; 0: the device refuses it. */
  lateMs: number;

  constructor(shop: Workshop, target: { readonly id: number; readonly label: string }, held: HeldLease) {
    this.#shop = shop;
    this.#target = target;
    this.#held = held;
    this.lateMs = shop.config.lateWriteMs;
  }

  /** `answered` is the sweep that the work itself is for. */
  async talk<T>(
    work: (session: SwitchSession, device: DeviceCall) => Promise<T>,
    answered: number | null = null,
  ): Promise<Talk<T>> {
    const { desk, config, step } = this.#shop;
    const device: DeviceCall = async (what, ports, call) => {
      await this.#held.confirm();
      return callDevice(call, what, timeoutFor(ports, config.deviceTimeoutMs), this.#held.lost);
    };
    for (;;) {
      const isReused = this.#session !== null;
      let isOpen = false;
      try {
        const session = await this.#open(device);
        isOpen = true;
        if (!isReused) this.#spokeAt = performance.now();
        step('session opened');
        const value = await work(session, device);
        this.#spokeAt = performance.now();
        if (this.faults > 0) {
          const kind = answered === null ? 'other' : 'sweep';
          await desk.write((op) => recordRecovery(op, this.#held.lease, this.#target, this.faults, kind));
        }
        this.faults = 0;
        return { isFault: false, value, outcome: 'ok' };
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        await this.hangUp();
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
  async knock(session: SwitchSession, port: string, device: DeviceCall): Promise<void> {
    if (performance.now() - this.#spokeAt < silenceMs) return;
    await device('show its ports', 1, (signal) => session.read([port], signal));
  }

  async hangUp(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    await session?.close().catch(() => undefined);
  }

  async #failed(reason: string, answered: number | null): Promise<void> {
    const { desk, config, log } = this.#shop;
    this.faults += 1;
    const { faults } = this;
    log.warn({ switch: this.#target.label, faults, reason }, 'switch communication failed; will retry');
    const fault = { reason, faults, answered, probeAt: probeAt(faults, steadyNow(), config.budgetMs) };
    await desk.write((op) => recordFault(op, this.#held.lease, this.#target, fault));
  }

  async #open(device: DeviceCall): Promise<SwitchSession> {
    this.#session ??= await this.#openNewest(device, 0).catch((error: unknown) => {
      if (!(error instanceof OldSession)) throw error;
      // A database that was restored from a backup counts from there; only the holder of the lease may go beyond.
      return this.#openNewest(device, error.seen);
    });
    return this.#session;
  }

  async #openNewest(device: DeviceCall, seen: number): Promise<SwitchSession> {
    const { desk, config } = this.#shop;
    const { lease, check } = this.#held;
    const opening = await desk.write((op) => nextSession(op, lease, this.#target.id, seen));
    const { label, session: number, installation } = opening;
    const fields = JSON.parse(desk.site.vault.open(opening.config)) as Record<string, unknown>;
    const driver = driverOf(desk.site, opening.type);
    this.number = number;
    this.lateMs = lateWriteMsOf(driver, config);
    const secrets = secretsIn(fields);
    const limits = { permit: { number, installation, check }, outbound: desk.site.outbound };
    const open = (signal: AbortSignal) => driver.open({ label, config: fields, ...limits }, signal);
    const session = await device('accept the login', 1, open).catch((error: unknown) => {
      throw hush(error, secrets);
    });
    const hushed = hushedSession(session, secrets);
    try {
      await this.#meet(hushed, device, (await driver.places?.(fields)) ?? []);
    } catch (error) {
      await hushed.close().catch(() => undefined);
      throw error;
    }
    return hushed;
  }

  /** Which device is this? Before anything else is said to it. */
  async #meet(session: SwitchSession, device: DeviceCall, places: readonly string[]): Promise<void> {
    const identity = session.identity
      ? await device('report its identity', 1, (signal) => session.identity?.(signal) ?? Promise.resolve(null))
      : null;
    const other = await this.#shop.desk.write(async (op) => {
      await requireLease(op, this.#held.lease);
      return meetDevice(op, this.#target.id, { identity, places });
    });
    if (other !== null) throw new Error(`it is the same device as switch ${other}; delete one of the two records`);
  }
}
