import { callDevice, type DeviceGuard } from '@corral/base/guarded-device';
import type { HeldLease } from '@corral/base/db/held-lease';
import { redact } from '@corral/base/secrets/redact';
import type { PortConfig, PortOutcome, SwitchDriver, SwitchTarget } from '../drivers/switches/switch-contract.ts';
import { secretsIn } from '../core/switch-secrets.ts';
import { timeoutFor } from './retry-policy.ts';

/** A device that did not answer in time. */
export class DeviceTimeout extends Error {}

/**
 * A session as workers use it: every call is made under the lease and ends in time, and nothing that it tells contains
 * a secret. `ports`: how many the call is about, because many take longer than one.
 */
export interface GuardedSession {
  apply(ports: readonly PortConfig[]): Promise<readonly PortOutcome[]>;
  read(ports: readonly string[]): Promise<readonly PortConfig[]>;
  readonly readAll?: ((ports: number) => Promise<readonly PortConfig[]>) | undefined;
  readonly drained?: ((ports: number) => Promise<void>) | undefined;
  readonly identity?: (() => Promise<string | null>) | undefined;
  readonly save?: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

/** What the calls to one switch are held to. */
interface SessionGuard {
  readonly held: Pick<HeldLease, 'confirm' | 'lost'>;
  /** For a call about one port. */
  readonly timeoutMs: number;
}

/** Logs in to a switch. */
export const openGuarded = async (
  driver: Pick<SwitchDriver, 'open'>,
  target: SwitchTarget,
  { held, timeoutMs }: SessionGuard,
): Promise<GuardedSession> => {
  const secrets = secretsIn(target.config);
  const guard = (what: string, ports: number): DeviceGuard => {
    const ms = timeoutFor(ports, timeoutMs);
    const late = () => new DeviceTimeout(`it did not ${what} within ${ms / 1000} s`);
    return { ms, late, signals: [held.lost], confirm: () => held.confirm(), secrets };
  };
  const redactState = (state: PortConfig): PortConfig =>
    state.unclear === undefined ? state : { ...state, unclear: redact(state.unclear, secrets) };
  const session = await callDevice(guard('accept the login', 1), (signal) => driver.open(target, signal));
  const readAll = session.readAll?.bind(session);
  const drained = session.drained?.bind(session);
  const identity = session.identity?.bind(session);
  const save = session.save?.bind(session);
  return {
    apply: async (ports) => {
      const call = guard('change its ports', ports.length);
      return (await callDevice(call, (signal) => session.apply(ports, signal))).map((outcome) =>
        outcome.applied ? outcome : { ...outcome, reason: redact(outcome.reason, secrets) },
      );
    },
    read: async (ports) => {
      const call = guard('show its ports', ports.length);
      return (await callDevice(call, (signal) => session.read(ports, signal))).map(redactState);
    },
    readAll: readAll && (async (ports) => (await callDevice(guard('show its ports', ports), readAll)).map(redactState)),
    drained: drained && ((ports) => callDevice(guard('drain its ports', ports), drained)),
    identity: identity && (() => callDevice(guard('report its identity', 1), identity)),
    save: save && (() => callDevice(guard('save its configuration', 1), save)),
    close: () => session.close(),
  };
};
