import { pino } from 'pino';
import { loadConfig } from '../../../src/config/load-service-config.ts';
import { start } from '../../../src/start.ts';

/*
 * The service as a process that kills itself with SIGKILL, or stops itself with SIGSTOP, when a worker reaches a given
 * step for the nth time. Arguments: step, times, signal.
 */

const [, , fatal, times, signal] = process.argv;

let reached = 0;
const started = start(loadConfig(process.env), pino({ level: 'silent' }), (step) => {
  if (step !== fatal) return;
  reached += 1;
  if (reached === Number(times)) process.kill(process.pid, signal);
});
void started.then(({ url }) => process.stdout.write(`ready at ${url}/v0\n`));
