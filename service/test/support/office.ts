import type { Client } from './http.ts';
import type { EngineName } from './engines.ts';
import { makeHeadnode } from './headnodes.ts';
import { backstage, oddHypervisor } from './odd-hypervisor.ts';
import { type Display, startDisplay } from './screen.ts';
import { type Service, serviceForTest } from './service.ts';
import { done, makeProject, makeUser } from './world.ts';

/** Alice's project red has a headnode that runs, with a display. */
export interface Office {
  readonly service: Service;
  readonly alice: Client;
  readonly display: Display;
}

export const makeOffice = async (engine: EngineName): Promise<Office> => {
  backstage.reset();
  const service = await serviceForTest(engine, oddHypervisor);
  const display = await startDisplay();
  backstage.display = { host: '127.0.0.1', port: display.port };
  await makeProject(service, 'red');
  await makeHeadnode(service, 'h', 'red');
  await done(service.admin.post('/headnode/h/start'));
  return { service, display, alice: await makeUser(service, 'alice', 'red') };
};
