import { callDevice } from '@corral/base/guarded-device';
import { redact } from '@corral/base/secrets/redact';
import {
  isRefusal,
  isSameWire,
  nameOrNull,
  type Neighbour,
  type SwitchDriver,
  type SwitchTarget,
} from '../drivers/switches/switch-contract.ts';
import { macAddress } from '../schema/mac-address.ts';
import type { Switch } from './find-objects.ts';
import type { FreshRights } from './fresh-rights.ts';
import type { RequestContext } from './request-context.ts';
import { secretsIn } from './switch-secrets.ts';
import { fieldsOf } from './switches.ts';

/** A switch that is asked for the addresses that it has learned. */
export interface AskedSwitch {
  readonly id: number;
  readonly label: string;
  /** Why nobody asks it; null: it is asked. */
  readonly notAsked: string | null;
  readonly driver: SwitchDriver | null;
  readonly target: SwitchTarget;
}

/** What it answered: what it has learned, or why nobody knows. */
export type LearnedAddresses =
  | { readonly addresses: readonly Neighbour[]; readonly fault: null }
  | { readonly addresses: null; readonly fault: string };

/** Less than a client waits for an answer. */
const longestMs = 50_000;

/** A registered switch, with what a session needs. */
export const askedSwitch = (context: RequestContext, found: Switch): AskedSwitch => {
  const { outbound, vault, switches } = context.dependencies;
  const driver = Object.hasOwn(switches, found.type) ? (switches[found.type] ?? null) : null;
  const noDriver = driver === null ? `no driver for switches of type ${found.type} is configured` : null;
  return {
    id: found.id,
    label: found.label,
    notAsked:
      found.duplicate_of === null ? noDriver : 'another switch record has the same device; delete one of the two',
    driver,
    target: { label: found.label, config: fieldsOf({ vault }, found), outbound },
  };
};

/**
 * Asks a switch, by a session of its own that changes nothing. Those who ask at the same time share the answer; a switch
 * that does not answer costs them no more than the time limit of one.
 */
export const learnedBy = (
  context: RequestContext,
  asked: AskedSwitch,
  rights: FreshRights,
): Promise<LearnedAddresses> => {
  const { label, target, notAsked, driver } = asked;
  if (notAsked !== null || driver === null)
    return Promise.resolve({ addresses: null, fault: notAsked ?? 'it has no driver' });
  return context.devices.query(
    `learned addresses ${JSON.stringify([label, target.config])}`,
    { project: null, at: label },
    () => {
      rights.check();
      return ask(driver, target, Math.min(2 * context.dependencies.switchTimeout(1), longestMs));
    },
  );
};

/** One limit for all of it. A session that is opened too late is closed, too. */
const ask = async (driver: SwitchDriver, target: SwitchTarget, ms: number): Promise<LearnedAddresses> => {
  const secrets = secretsIn(target.config);
  const fault = (why: string): LearnedAddresses => ({ addresses: null, fault: redact(why, secrets) });
  const late = (): Error => new Error(`it did not tell the addresses that it has learned within ${ms / 1000} s`);
  try {
    return await callDevice({ ms, late, signals: [], secrets }, async (signal) => {
      const session = await (driver.openDry
        ? driver.openDry(target, () => undefined, signal)
        : driver.open(target, signal));
      try {
        if (!session.neighbours) return fault('its driver cannot ask for the addresses that it has learned');
        const told = await session.neighbours(signal);
        if (isRefusal(told)) return fault(told.refused);
        return { addresses: told.map((one) => checked(one, secrets)), fault: null };
      } finally {
        await session.close().catch(() => undefined);
      }
    });
  } catch (error) {
    return fault(error instanceof Error ? error.message : String(error));
  }
};

/** Names of ports come from the device: they are not trusted to be short, nor to be names. */
const checked = ({ port, mac, vlan }: Neighbour, secrets: readonly string[]): Neighbour => {
  const normal = macAddress(mac);
  if (normal === null) throw new Error(`its driver takes ${JSON.stringify(mac.slice(0, 60))} for a MAC address`);
  return { port: redact(port, secrets).slice(0, longestName), mac: normal, vlan };
};

const longestName = 200;

/** Are these two names of one port, or of a socket and one of its lanes? */
export const isSamePort = (driver: SwitchDriver | null, one: string, other: string): boolean => {
  if (one === other) return true;
  const wireOf = (name: string): string | undefined => {
    const port = driver === null ? null : nameOrNull(driver.portName(name));
    return port === null ? undefined : driver?.wire?.(port);
  };
  const [first, second] = [wireOf(one), wireOf(other)];
  return first !== undefined && second !== undefined && isSameWire(first, second);
};
