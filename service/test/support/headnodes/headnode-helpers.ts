import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { mockHypervisor } from '../../../src/drivers/hypervisors/mock-hypervisor.ts';
import type { Hypervisor } from '../../../src/drivers/hypervisors/hypervisor-contract.ts';
import type { EngineName } from '../services/engines.ts';
import { type Service, serviceForTest } from '../services/service.ts';
import { done, makeProject } from '../services/world.ts';

/** A service with a project red, for one test. */
export const redService = async (engine: EngineName, env: Readonly<Record<string, string>> = {}): Promise<Service> => {
  const service = await serviceForTest(engine, env);
  await makeProject(service, 'red');
  return service;
};

export interface ShownHeadnode {
  readonly name: string;
  readonly uuid: string;
  readonly hnics: readonly string[];
  readonly vncport: number | null;
}

export const showHeadnode = async ({ admin }: Service, headnode: string): Promise<ShownHeadnode> =>
  (await done(admin.get(`/headnode/${headnode}`))).body as ShownHeadnode;

/** Makes a headnode, with hnics, and tells its uuid. */
export const makeHeadnode = async (
  service: Service,
  headnode: string,
  project: string,
  hnics: readonly string[] = [],
  base_img = 'base',
): Promise<string> => {
  await done(service.admin.put(`/headnode/${headnode}`, { project, base_img }));
  for (const hnic of hnics) await done(service.admin.put(`/headnode/${headnode}/hnic/${hnic}`));
  return (await showHeadnode(service, headnode)).uuid;
};

/** The mock hypervisor behind a service, by hand: past the service. */
export const mockBehind = ({ dataDir }: Service): Hypervisor =>
  mockHypervisor([], join(dataDir, 'mock-hypervisor.json'));

/** A machine on the mock hypervisor that no headnode is recorded for. */
export const makeLeftover = async (service: Service): Promise<string> => {
  const uuid = randomUUID();
  await mockBehind(service).start({ uuid, image: 'base', hnics: [] });
  return uuid;
};

interface Leftovers {
  readonly leftovers: readonly string[];
  readonly fault: string | null;
}

/** A hypervisor without leftovers. */
export const nothingLeft: Leftovers = { leftovers: [], fault: null };

/** How many starts of headnodes were recorded. */
export const startsOf = async ({ admin }: Service): Promise<number> =>
  ((await done(admin.get('/events?type=headnode_start'))).body as { events: unknown[] }).events.length;

/** What the hypervisor has that is not recorded. */
export const leftoversOf = async ({ admin }: Service): Promise<Leftovers> =>
  ((await done(admin.get('/drift'))).body as { headnodes: Leftovers }).headnodes;
