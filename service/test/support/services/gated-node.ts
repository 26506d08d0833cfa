import type { LabMachine, LabObmd } from '@corral/lab';
import type { EngineName } from './engines.ts';
import type { Client } from '../http/http-client.ts';
import { labObmd, registerNode } from './obm-rack.ts';
import { type Service, serviceForTest } from './service.ts';
import { done, eventually, makeProject, makeSwitch, makeUser, reserve } from './world.ts';

/** A service that cleans nodes that leave a project; project red has alice and node n1, which is on, with nic eth0. */
export interface GatedSite {
  readonly service: Service;
  readonly obmd: LabObmd;
  readonly machine: LabMachine;
  readonly alice: Client;
}

export interface CleaningShown {
  readonly cleaning: string;
  readonly node: string;
  readonly project: string | null;
  readonly state: 'running' | 'maintenance' | 'passed' | 'failed';
  readonly reason: string | null;
  readonly step: string | null;
  readonly steps: readonly {
    readonly name: string;
    readonly kind: string;
    readonly state: string;
    readonly attempts: number;
    readonly sentence: string | null;
    readonly evidence: string | null;
    readonly deadline_at: string | null;
  }[];
}

export const cleans = { CORRAL_CLEANING_ENABLED: 'true', CORRAL_CLEANING_DEADLINE: '120' };

export const makeGatedSite = async (
  engine: EngineName,
  env: Readonly<Record<string, string>> = {},
): Promise<GatedSite> => {
  const obmd = await labObmd();
  const service = await serviceForTest(engine, { ...cleans, ...env });
  await makeProject(service, 'red');
  await makeProject(service, 'blue');
  const alice = await makeUser(service, 'alice', 'red');
  const machine = await addNode({ service, obmd }, 'n1');
  await reserve(service, 'red', 'n1');
  return { service, obmd, machine, alice };
};

/** A free node that is on, with nic eth0 on port `<node>/eth0` of sw0. */
export const addNode = async (
  { service, obmd }: Pick<GatedSite, 'service' | 'obmd'>,
  node: string,
): Promise<LabMachine> => {
  const machine = obmd.add(node);
  machine.powerOn();
  machine.bootDevice = 'pxe';
  await registerNode(service, node, obmd.uri(node));
  await makeSwitch(service, 'sw0');
  await done(service.admin.put(`/node/${node}/nic/eth0`, { macaddr: '52:54:00:00:00:01' }));
  await done(service.admin.put(`/switch/sw0/port/${node}/eth0`));
  await done(service.admin.post(`/switch/sw0/port/${node}/eth0/connect_nic`, { node, nic: 'eth0' }));
  await eventually(async () => {
    const { body } = await done(service.admin.get('/switch/sw0/drift'));
    return (body as { unread: string[] }).unread.length === 0 ? true : undefined;
  });
  return machine;
};

export const leave = (client: Client, node = 'n1', project = 'red') =>
  done(client.post(`/project/${project}/detach_node`, { node }));

/** The newest cleaning of a node, with its steps. */
export const cleaningOf = async (service: Service, node = 'n1'): Promise<CleaningShown> => {
  const { body } = await done(service.admin.get(`/cleanings?node=${node}&limit=1`));
  const [newest] = (body as { cleanings: CleaningShown[] }).cleanings;
  return (await done(service.admin.get(`/cleaning/${newest?.cleaning ?? 'none'}`))).body as CleaningShown;
};

/** Waits until the newest cleaning of a node is as it should be. */
export const cleaningThat = (
  service: Service,
  isSo: (cleaning: CleaningShown) => boolean,
  node = 'n1',
): Promise<CleaningShown> =>
  eventually(async () => {
    const cleaning = await cleaningOf(service, node);
    return isSo(cleaning) ? cleaning : undefined;
  }, 40_000);

export const ended = (state: CleaningShown['state']) => (cleaning: CleaningShown) => cleaning.state === state;

/** A step of a cleaning has been tried without success, and is tried again. */
export const isStuckAt =
  (step: string) =>
  ({ steps }: CleaningShown): boolean =>
    steps.some(({ name, state, attempts }) => name === step && state === 'running' && attempts > 0);

export const stepOf = ({ steps }: CleaningShown, name: string) => steps.find((step) => step.name === name);

export const freeNodes = async ({ anonymous }: Service): Promise<readonly string[]> =>
  (await done(anonymous.get('/nodes/free'))).body as string[];
