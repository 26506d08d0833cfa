import { labelOf, labelRule } from '@corral/base/schema/label';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { Fleet } from '../core/fleet.ts';
import type { Machine, Tenure } from '../core/machine.ts';
import { hardCycle, powerOff, powerOn, setBootDevice, setNextBoot } from '../core/power.ts';

/** Which machine a token opened, and for how long. */
export interface Held {
  readonly machine: Machine;
  readonly tenure: Tenure;
}

interface RouteBase {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body: TSchema;
}

/** One call of the daemon, as a value. */
export type ObmdRoute =
  /** With Basic `admin:<admin token>`. */
  | (RouteBase & { readonly access: 'admin'; readonly handle: (fleet: Fleet, id: string, body: unknown) => unknown })
  /** With `?token=`. */
  | (RouteBase & { readonly access: 'token'; readonly handle: (fleet: Fleet, held: Held, body: unknown) => unknown });

const nothing = Type.Object({}, { additionalProperties: false });

const Registration = Type.Object(
  {
    type: Type.String({ minLength: 1, maxLength: 64, description: 'a kind of BMC, such as "ipmi"' }),
    info: Type.Record(Type.String(), Type.Unknown(), { description: 'a JSON object with the fields of that kind' }),
  },
  { additionalProperties: false },
);
const Force = Type.Object({ force: Type.Optional(Type.Boolean()) }, { additionalProperties: false });
const BootDevice = Type.Object(
  {
    bootdev: Type.String({ minLength: 1, maxLength: 64, description: 'a boot device, such as "pxe"' }),
    once: Type.Optional(Type.Boolean({ description: 'true: for the next boot only' })),
  },
  { additionalProperties: false },
);

/** The path argument of every call about one node. Addresses do without `.` and `..`, so no node has such a name. */
export const NodeParams = Type.Object(
  { id: labelOf('/', `${labelRule}; not "." or ".."`, '(?!\\.{1,2}$)') },
  { additionalProperties: false },
);
export const NoParams = nothing;

const admin = <B extends TSchema>(
  method: RouteBase['method'],
  path: string,
  body: B,
  handle: (fleet: Fleet, id: string, body: Static<B>) => unknown,
): ObmdRoute => ({ access: 'admin', method, path, body, handle });

const order = <B extends TSchema>(
  method: RouteBase['method'],
  name: string,
  body: B,
  handle: (fleet: Fleet, held: Held, body: Static<B>) => unknown,
): ObmdRoute => ({ access: 'token', method, path: `/node/:id/${name}`, body, handle });

/** Every call but the console, which has no end. */
export const routes: readonly ObmdRoute[] = [
  admin('GET', '/nodes', nothing, (fleet) => fleet.list()),
  admin('GET', '/node/:id', nothing, (fleet, id) => fleet.show(id)),
  admin('PUT', '/node/:id', Registration, (fleet, id, { type, info }) => fleet.put(id, type, info)),
  admin('DELETE', '/node/:id', nothing, (fleet, id) => fleet.remove(id)),
  admin('POST', '/node/:id/token', nothing, async (fleet, id) => ({ token: await fleet.createToken(id) })),
  admin('DELETE', '/node/:id/token', nothing, (fleet, id) => fleet.destroyToken(id)),
  order('GET', 'power_status', nothing, async (_fleet, { machine, tenure }) => ({
    power_status: await machine.powerStatus(tenure),
  })),
  order('POST', 'power_on', nothing, (_fleet, { machine, tenure }) => powerOn(machine, tenure)),
  order('POST', 'power_off', nothing, async (fleet, { machine, tenure }) => {
    await fleet.cycles.cancel(machine, tenure);
    await powerOff(machine, tenure);
  }),
  order('POST', 'power_cycle', Force, async (fleet, { machine, tenure }, { force }) => {
    await fleet.cycles.cancel(machine, tenure);
    if (force === true) return hardCycle(machine, tenure, fleet.boots);
    await fleet.cycles.begin(machine, tenure);
  }),
  order('PUT', 'boot_device', BootDevice, async ({ boots }, { machine, tenure }, { bootdev, once }) => {
    if (once !== true) return setBootDevice(machine, tenure, boots, bootdev);
    return { once: await setNextBoot(machine, tenure, boots, bootdev) };
  }),
];
