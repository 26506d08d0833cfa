import { rm } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { type Service, startService } from '../support/services/service.ts';
import { done, eventually, makeProject } from '../support/services/world.ts';

/** Far less than the time for which an idle connection is kept, or a process is given to stop. */
const soonMs = 5_000;

const started = async (engine: (typeof engines)[number]): Promise<Service> => {
  const service = await startService(engine);
  onTestFinished(() => rm(service.dataDir, { recursive: true, force: true }));
  return service;
};

const stopsSoon = (service: Service): Promise<void> => {
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error('it did not stop in time')), soonMs);
    onTestFinished(() => clearTimeout(timer));
  });
  return Promise.race([service.stop(), late]);
};

describe.each(engines)('a service that is stopped on %s', (engine) => {
  it('answers what it was asked, and stops although its clients go on calling', async () => {
    for (let round = 0; round < 5; round += 1) {
      const service = await started(engine);
      await done(service.admin.get('/projects'));
      const statuses: number[] = [];
      const keepCalling = async (): Promise<void> => {
        for (;;) statuses.push((await service.admin.get('/projects')).status);
      };
      const callers = Promise.allSettled([keepCalling(), keepCalling(), keepCalling(), keepCalling()]);
      await eventually(() => (statuses.length > 20 ? true : undefined));
      await stopsSoon(service);
      await callers;
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
  });

  it('ends the streams of events', async () => {
    const service = await started(engine);
    const stream = await fetch(`${service.url}/v0/events/stream`, { headers: service.admin.headers });
    let seen = '';
    const reading = (async () => {
      for await (const chunk of stream.body ?? []) seen += Buffer.from(chunk).toString();
    })();
    await makeProject(service, 'red');
    await eventually(() => (seen.includes('event: project_create') ? true : undefined));
    await stopsSoon(service);
    await reading;
  });
});
