import { labelOf, labelRule } from '@corral/base/schema/label';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { NodeRegistry } from '../core/node-registry.ts';
import type { Machine, TokenGrant } from '../core/managed-machine.ts';
import { hardCycle, powerOff, powerOn, setBootDevice, setNextBoot } from '../core/power-operations.ts';

/** Which machine a token opened, and for how long. */
export interface GrantedMachine {
  readonly machine: Machine;
  readonly grant: TokenGrant;
}

interface RouteBase {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body: TSchema;
}

/** One call of the daemon, as a value. */
export type ObmdRoute =
  /** With Basic `admin:<admin token>`. */
  | (RouteBase & {
      readonly access: 'admin';
      readonly handle: (nodeRegistry: NodeRegistry, id: string, body: unknown) => unknown;
    })
  /** With `?token=`. */
  | (RouteBase & {
      readonly access: 'token';
      readonly handle: (nodeRegistry: NodeRegistry, held: GrantedMachine, body: unknown) => unknown;
    });

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
  handle: (nodeRegistry: NodeRegistry, id: string, body: Static<B>) => unknown,
): ObmdRoute => ({ access: 'admin', method, path, body, handle });

const order = <B extends TSchema>(
  method: RouteBase['method'],
  name: string,
  body: B,
  handle: (nodeRegistry: NodeRegistry, held: GrantedMachine, body: Static<B>) => unknown,
): ObmdRoute => ({ access: 'token', method, path: `/node/:id/${name}`, body, handle });

/** Every call but the console, which has no end. */
export const routes: readonly ObmdRoute[] = [
  admin('GET', '/nodes', nothing, (nodeRegistry) => nodeRegistry.list()),
  admin('GET', '/node/:id', nothing, (nodeRegistry, id) => nodeRegistry.show(id)),
  admin('PUT', '/node/:id', Registration, (nodeRegistry, id, { type, info }) => nodeRegistry.put(id, type, info)),
  admin('DELETE', '/node/:id', nothing, (nodeRegistry, id) => nodeRegistry.remove(id)),
  admin('POST', '/node/:id/test', nothing, (nodeRegistry, id) => nodeRegistry.test(id)),
  admin('POST', '/node/:id/token', nothing, async (nodeRegistry, id) => ({
    token: await nodeRegistry.createToken(id),
  })),
  admin('DELETE', '/node/:id/token', nothing, (nodeRegistry, id) => nodeRegistry.destroyToken(id)),
  order('GET', 'power_status', nothing, async (_nodeRegistry, { machine, grant }) => ({
    power_status: await machine.powerStatus(grant),
  })),
  order('POST', 'power_on', nothing, (_nodeRegistry, { machine, grant }) => powerOn(machine, grant)),
  order('POST', 'power_off', nothing, async (nodeRegistry, { machine, grant }) => {
    await nodeRegistry.cycles.cancel(machine, grant);
    await powerOff(machine, grant);
  }),
  order('POST', 'power_cycle', Force, async (nodeRegistry, { machine, grant }, { force }) => {
    await nodeRegistry.cycles.cancel(machine, grant);
    if (force === true) return hardCycle(machine, grant, nodeRegistry.boots);
    await nodeRegistry.cycles.begin(machine, grant);
  }),
  order('PUT', 'boot_device', BootDevice, async ({ boots }, { machine, grant }, { bootdev, once }) => {
    if (once !== true) return setBootDevice(machine, grant, boots, bootdev);
    return { once: await setNextBoot(machine, grant, boots, bootdev) };
  }),
];
