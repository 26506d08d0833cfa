import { randomBytes } from 'node:crypto';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiOf } from './demo-api.ts';
import { DemoError } from './demo-error.ts';
import { fill } from './fill-demo.ts';
import { freshHome, type Home } from './demo-directory.ts';
import { Progress, type Screen, seconds } from './demo-progress.ts';
import { obmdAt } from './demo-obmd.ts';
import { demoRack } from './demo-rack.ts';
import { type DemoService, startService } from './demo-service.ts';
import { passwordOf } from './demo-tenants.ts';
import { welcome } from './welcome.ts';

const directory = './demo-data';
const admin = 'admin';
const program = fileURLToPath(new URL('../../../service/dist/corral-service.js', import.meta.url));

/** Everything that has to be ended, in the order of starting. */
interface Parts {
  readonly home: Home;
  service: DemoService | null;
}

/** Runs the demo until `stop` aborts. In every case, what it started is stopped. */
export const runDemo = async (port: number, screen: Screen, stop: AbortSignal): Promise<void> => {
  const home = await freshHome(directory);
  const parts: Parts = { home, service: null };
  try {
    await show(parts, port, screen, stop);
  } catch (error) {
    // Told to stop while it was still filling: what was under way is no failure.
    if (!stop.aborted) throw error;
  } finally {
    if (stop.aborted) screen.write('\nStopping.\n');
    try {
      await parts.service?.stop();
    } finally {
      await home.occupy([]);
    }
  }
};

const show = async (parts: Parts, port: number, screen: Screen, stop: AbortSignal): Promise<void> => {
  const { home } = parts;
  const started = Date.now();
  const progress = new Progress(screen);
  const adminPassword = passwordOf(admin);
  screen.write('Corral demo: a simulated rack\n\n');
  const obmdToken = randomBytes(16).toString('hex');
  const options = { program, directory: home.directory, port, adminPassword, obmdToken, signal: stop };
  const service = await startService(options);
  parts.service = service;
  await home.occupy([process.pid, service.pid]);
  progress.line('service', `${service.origin}, data in ${directory}`, Date.now() - started);
  progress.line('daemon', `out-of-band management at ${service.obmd}`, 0);
  const rack = demoRack();
  const obmd = obmdAt(service.obmd, obmdToken);
  await fill(rack, { admin: apiOf(service.origin, stop).as(admin, adminPassword), obmd, progress });
  const log = relative('.', service.log);
  screen.write(welcome(service.origin, adminPassword, log, seconds(Date.now() - started)));
  await untilStopped(service, log, stop);
};

const untilStopped = async (service: DemoService, log: string, stop: AbortSignal): Promise<void> => {
  const isStopped = new Promise<null>((resolve) => {
    if (stop.aborted) resolve(null);
    stop.addEventListener('abort', () => resolve(null), { once: true });
  });
  const ending = await Promise.race([isStopped, service.ended]);
  if (ending !== null) throw new DemoError(`the service ended by itself (${ending}); see ${log}`);
};
