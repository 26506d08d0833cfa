import { type LabMachine, type LabObmd, type LabObmdOptions, startLabObmd } from '@corral/lab';
import { expect, onTestFinished } from 'vitest';
import type { Config } from '../../../src/config/service-config.ts';
import type { EngineName } from './engines.ts';
import type { Client } from '../http/http-client.ts';
import { type Service, serviceForTest } from './service.ts';
import { done, makeProject, makeUser, reserve } from './world.ts';

const adminToken = 'a3f9-lab-admin-token';

/** For tests that hold the daemon's answer back. */
export const patient = { CORRAL_OBM_TIMEOUT: '20' };

/** A service and an OBM daemon; alice's project red has node n1, which the daemon has as machine n1. */
export interface Rack {
  readonly service: Service;
  readonly obmd: LabObmd;
  readonly machine: LabMachine;
  readonly alice: Client;
}

interface RackOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly obmd?: Partial<LabObmdOptions>;
  readonly config?: Partial<Config>;
  /** What the daemon is called in the node's address, if not 127.0.0.1. */
  readonly host?: string;
}

/** Builds the rack. When the test is over, no secret may be in the log. */
export const makeRack = async (engine: EngineName, options: RackOptions = {}): Promise<Rack> => {
  const obmd = await labObmd(options.obmd);
  const service = await serviceForTest(engine, options.env, options.config);
  const machine = obmd.add('n1');
  onTestFinished(() => expectNoSecrets(service.log.join('\n'), machine));
  await makeProject(service, 'red');
  const alice = await makeUser(service, 'alice', 'red');
  await registerNode(service, 'n1', obmd.uri('n1').replace('127.0.0.1', options.host ?? '127.0.0.1'));
  await reserve(service, 'red', 'n1');
  return { service, obmd, machine, alice };
};

/** The same with OBM of n1 enabled. */
export const makeEnabledRack = async (engine: EngineName, options: RackOptions = {}): Promise<Rack> => {
  const rack = await makeRack(engine, options);
  await setObm(rack.alice, true);
  return rack;
};

export const labObmd = async (options: Partial<LabObmdOptions> = {}): Promise<LabObmd> => {
  const obmd = await startLabObmd({ adminToken, ...options });
  onTestFinished(() => obmd.close());
  return obmd;
};

export const registerNode = (service: Service, node: string, uri: string) =>
  done(service.admin.put(`/node/${node}`, { obmd: { uri, admin_token: adminToken } }));

export const setObm = (client: Client, enabled: boolean, node = 'n1') =>
  done(client.put(`/node/${node}/obm`, { enabled }));

/** Another process on the same database. */
export const replicaOf = async (service: Service): Promise<Service> => {
  const replica = await service.restart();
  onTestFinished(() => replica.stop());
  return replica;
};

export const expectNoSecrets = (text: string, machine: LabMachine): void => {
  const secrets = [adminToken, Buffer.from(`admin:${adminToken}`).toString('base64'), ...machine.tokens];
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
};

/** A promise, and the way to keep it. */
export const gate = (): { readonly opened: Promise<void>; readonly open: () => void } => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
};

/** Every call that needs OBM enabled, but the console. */
export const orders: readonly (readonly [string, (client: Client, node?: string) => ReturnType<Client['get']>])[] = [
  ['power_on', (client, node = 'n1') => client.post(`/node/${node}/power_on`)],
  ['power_off', (client, node = 'n1') => client.post(`/node/${node}/power_off`)],
  ['power_cycle', (client, node = 'n1') => client.post(`/node/${node}/power_cycle`, { force: true })],
  ['power_status', (client, node = 'n1') => client.get(`/node/${node}/power_status`)],
  ['boot_device', (client, node = 'n1') => client.put(`/node/${node}/boot_device`, { bootdev: 'disk' })],
];
