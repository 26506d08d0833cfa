import type { Client } from '../http/http-client.ts';
import type { EngineName } from '../services/engines.ts';
import { makeHeadnode } from './headnode-helpers.ts';
import { backstage, oddHypervisor } from './faulty-hypervisor.ts';
import { type Display, startDisplay } from './screen-client.ts';
import { type Service, serviceForTest } from '../services/service.ts';
import { done, makeProject, makeUser } from '../services/world.ts';

/** Alice's project red has a headnode that runs, with a display. */
export interface ScreenFixture {
  readonly service: Service;
  readonly alice: Client;
  readonly display: Display;
}

export const makeScreenFixture = async (engine: EngineName): Promise<ScreenFixture> => {
  backstage.reset();
  const service = await serviceForTest(engine, oddHypervisor);
  const display = await startDisplay();
  backstage.display = { host: '127.0.0.1', port: display.port };
  await makeProject(service, 'red');
  await makeHeadnode(service, 'h', 'red');
  await done(service.admin.post('/headnode/h/start'));
  return { service, display, alice: await makeUser(service, 'alice', 'red') };
};
