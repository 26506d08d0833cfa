import { labCertificate } from '@corral/lab';
import type { TSchema } from '@sinclair/typebox';
import { switchDrivers } from '../../../src/drivers/switches/switch-drivers.ts';
import type { Canaries } from './canary-secrets.ts';
import { secretName } from './secret-fields.ts';
import { type Echo, openDoorTo } from './echo-devices.ts';
import type { Service } from '../services/service.ts';
import { eventually } from '../services/world.ts';

type Headers = Readonly<Record<string, string>>;
/** Makes a call and keeps all of its answer; `shows` may be in it, and in no other. */
export type Caller = (
  method: string,
  path: string,
  headers: Headers,
  body?: unknown,
  shows?: readonly string[],
) => Promise<{ readonly status: number; readonly text: string; readonly headers: globalThis.Headers }>;

/** A service whose every answer is kept, and devices that say back all that they are sent. */
export interface LeakCheck {
  readonly service: Service;
  readonly canaries: Canaries;
  readonly admin: Headers;
  readonly web: Echo;
  readonly ssh: Echo;
  readonly call: Caller;
  /** The same, and it has to succeed. */
  readonly must: Caller;
}

const secretFieldsOf = ({ properties }: TSchema): string[] =>
  Object.keys((properties ?? {}) as object).filter((name) => secretName.test(name));
const drivers = switchDrivers({ simulatedSwitches: '/nowhere' });
const switchTypes = Object.entries(drivers).filter(([, { config }]) => secretFieldsOf(config).length > 0);
const key = 'private_key';
const overHttp = ['brocade', 'dellnos9', 'arista-eapi'];
const portNames = ['gi1/0/1', 'Gi1/0/1', 'Ethernet1', 'Ethernet1/1', 'ethernet1/1/1', '1/0/1', '0/1', 'ge-0/0/0', '1'];

/** A switch of every type that has a password, and says back all that it is sent; answers how to take them away. */
export const askSwitches = async (visit: LeakCheck): Promise<() => Promise<unknown>> => {
  const { service, canaries, admin, web, ssh, call, must } = visit;
  const others = {
    hostname: '127.0.0.1',
    username: 'operator',
    dummy_vlan: 99,
    interface_type: 'GigabitEthernet',
    ovs_bridge: 'br',
    ca_certificate: labCertificate,
    certificate: labCertificate,
  };
  const doors: Awaited<ReturnType<typeof openDoorTo>>[] = [];
  const secretFor = (name: string, label: string): string => {
    const secret = canaries.make(`${name} of ${label}`);
    return name === key ? `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n` : secret;
  };
  const register = async (label: string, type: string, config: TSchema, secrets: readonly string[]): Promise<void> => {
    const known = Object.keys(config['properties'] as object);
    const door = await openDoorTo(type === 'ovs' || overHttp.includes(type) ? web.port : ssh.port);
    doors.push(door);
    const fields = {
      ...Object.fromEntries(Object.entries(others).filter(([name]) => known.includes(name))),
      ...(known.includes('port') ? { port: door.port } : {}),
      ...(known.includes('ovsdb') ? { ovsdb: `ssl:127.0.0.1:${door.port}` } : {}),
      ...Object.fromEntries(secrets.map((name) => [name, secretFor(name, label)])),
    };
    await must('PUT', `/switch/${label}`, admin, { type, ...fields });
    await call('PUT', `/switch/${label}`, admin, { type, ...fields });
    await call('PUT', `/switch/${label}-bad`, admin, { type, ...fields, unknown: 1, [secrets[0] ?? '']: [fields] });
    await connectPort(visit, label);
  };
  await Promise.all(
    switchTypes.map(async ([type, { config }]) => {
      const secrets = secretFieldsOf(config);
      await register(`sw-${type}`, type, config, type === 'ovs' ? secrets : secrets.filter((name) => name !== key));
      if (['cisco-ios', 'junos'].includes(type)) await register(`key-${type}`, type, config, secrets);
    }),
  );
  await eventually(() => {
    const waiting = switchTypes.filter(
      ([type]) => type !== 'mock' && !service.log.some((line) => line.includes(`"sw-${type}"`)),
    );
    return waiting.length === 0 ? true : undefined;
  });
  for (const [type] of switchTypes) await call('GET', `/switch/sw-${type}/drift`, admin);
  await must('GET', '/drift', admin);
  return () => Promise.all(doors.map((door) => door.stop()));
};

/** Makes the engine look at the switch. */
const connectPort = async ({ admin, web, call, must }: LeakCheck, label: string): Promise<void> => {
  for (const port of portNames) {
    const path = `/switch/${label}/port/${encodeURIComponent(port)}`;
    if ((await call('PUT', path, admin)).status !== 200) continue;
    await must('PUT', `/node/on-${label}`, admin, {
      obmd: { uri: `http://127.0.0.1:${web.port}/x`, admin_token: 'x' },
    });
    await must('PUT', `/node/on-${label}/nic/eth0`, admin, { macaddr: 'm' });
    await must('POST', `${path}/connect_nic`, admin, { node: `on-${label}`, nic: 'eth0' });
    await must('POST', '/project/red/connect_node', admin, { node: `on-${label}` }).catch(() => undefined);
    await call('POST', `/node/on-${label}/nic/eth0/connect_network`, admin, { network: 'net' });
    return;
  }
  throw new Error(`no name of a port suits ${label}`);
};
