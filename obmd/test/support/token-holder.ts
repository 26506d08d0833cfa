import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { mockMachine } from '../../src/drivers/mock/mock-machine.ts';
import { type Answer, type Daemon, done } from './daemon.ts';

type MockMachine = ReturnType<typeof mockMachine>;

/** Whoever holds a token for a node. */
export class Tenant {
  readonly daemon: Daemon;
  readonly id: string;
  readonly token: string;

  constructor(daemon: Daemon, id: string, token: string) {
    this.daemon = daemon;
    this.id = id;
    this.token = token;
  }

  /** Where a call is, with the token. */
  path(call: string): string {
    return `/node/${encodeURIComponent(this.id)}/${call}?token=${this.token}`;
  }

  order(call: string, body?: unknown): Promise<Answer> {
    return this.daemon.send('POST', this.path(call), { body });
  }

  bootFrom(bootdev: unknown): Promise<Answer> {
    return this.daemon.send('PUT', this.path('boot_device'), { body: { bootdev } });
  }

  status(): Promise<Answer> {
    return this.daemon.send('GET', this.path('power_status'));
  }

  /** The same caller after the daemon was started again. */
  at(daemon: Daemon): Tenant {
    return new Tenant(daemon, this.id, this.token);
  }
}

/** A new token for a node that is registered. */
export const newTenant = async (daemon: Daemon, id: string): Promise<Tenant> => {
  const { body } = await done(daemon.admin('POST', `/node/${encodeURIComponent(id)}/token`));
  expect(body).toEqual({ token: expect.stringMatching(/^[0-9a-f]{32}$/) as string });
  return new Tenant(daemon, id, (body as { token: string }).token);
};

/** A machine of its own that is registered, and whoever holds its token. */
export interface Held {
  readonly machine: MockMachine;
  readonly tenant: Tenant;
}

/** Registers a mock machine that nobody else has; `fields` is what comes after the `?` of its address. */
export const makeNode = async (daemon: Daemon, id: string, fields = ''): Promise<Held> => {
  const machine = mockMachine(`${id}-${randomBytes(4).toString('hex')}`);
  await register(daemon, id, machine, fields);
  return { machine, tenant: await newTenant(daemon, id) };
};

export const register = (daemon: Daemon, id: string, machine: MockMachine, fields = ''): Promise<Answer> => {
  const addr = `mock://${machine.name}${fields === '' ? '' : `?${fields}`}`;
  return done(daemon.admin('PUT', `/node/${id}`, { type: 'mock', info: { addr } }));
};

/** What the daemon says of a node. */
export const shown = async (daemon: Daemon, id: string): Promise<Record<string, unknown>> =>
  (await done(daemon.admin('GET', `/node/${id}`))).body as Record<string, unknown>;
