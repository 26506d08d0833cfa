import { fileURLToPath } from 'node:url';
import { Type } from '@sinclair/typebox';
import type { PortConfig, SwitchDriver, SwitchSession } from '../../../src/drivers/switches/switch-contract.ts';
import { shown } from '../../../src/schema/shown-fields.ts';

/*
 * An extension, named in the configuration like any other: a type of switch whose fields lead to a device. The devices
 * are there for as long as the process lives, and do what the test wants.
 */

/** The setting that plugs it in. */
export const housedSwitches = { CORRAL_EXTENSIONS: fileURLToPath(import.meta.url) };

/** What a session is about to do. */
type Verb = 'open' | 'identity' | 'apply' | 'read' | 'save';

/** A device at an address. */
class Device {
  readonly ports = new Map<string, PortConfig>();
  password = 'first password';
  serial: string | null = null;
  isUp = true;
  /** Everything that it was asked. */
  readonly calls: string[] = [];
  /** Comes after a call was carried out and before it is answered. */
  after: (verb: Verb) => Promise<void> | void = () => undefined;

  async run<T>(verb: Verb, work: () => T): Promise<T> {
    this.calls.push(verb);
    if (!this.isUp) throw new Error('connection refused');
    const result = work();
    await this.after(verb);
    return result;
  }

  state(port: string): PortConfig {
    return this.ports.get(port) ?? { port, native: null, tagged: [] };
  }
}

const devices = new Map<string, Device>();

/** The device at an address; it is made when it is first asked for. */
export const deviceAt = (hostname: string): Device => {
  const found = devices.get(hostname) ?? new Device();
  devices.set(hostname, found);
  return found;
};

const sessionWith = (device: Device): SwitchSession => ({
  apply: (ports) =>
    device.run('apply', () => {
      for (const state of ports) device.ports.set(state.port, state);
      return ports.map(({ port }) => ({ port, applied: true as const }));
    }),
  read: (ports) => device.run('read', () => ports.map((port) => device.state(port))),
  identity: () => device.run('identity', () => device.serial),
  save: () => device.run('save', () => undefined),
  close: () => Promise.resolve(),
});

/** @public The service takes it from the module that the setting names. */
export const switches: Readonly<Record<string, SwitchDriver>> = {
  housed: {
    config: Type.Object(
      {
        hostname: shown(Type.String()),
        username: shown(Type.String()),
        password: Type.String(),
        enable_password: Type.Optional(Type.String()),
        comment: Type.Optional(shown(Type.String({ maxLength: 10 }))),
      },
      { additionalProperties: false },
    ),
    capabilities: [],
    refusesLateWrites: true,
    portName: (name) => name,
    places: ({ hostname }) => Promise.resolve([String(hostname)]),
    open: ({ config }) => {
      const device = deviceAt(String(config['hostname']));
      return device.run('open', () => {
        if (config['password'] !== device.password) throw new Error('permission denied');
        return sessionWith(device);
      });
    },
  },
};
