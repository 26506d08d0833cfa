import { pino } from 'pino';

/*
 * The service as a process that kills itself with SIGKILL, or stops itself with SIGSTOP, when a worker reaches a given
 * step for the nth time.
 * It runs the built program: where that is, which step, how often and which signal are its arguments.
 */

const [start, load, fatal, times, signal] = process.argv.slice(-5);
if (start === undefined || load === undefined) throw new Error('arguments: start.js load.js step times signal');

const { start: startService } = (await import(start)) as typeof import('../../src/start.ts');
const { loadConfig } = (await import(load)) as typeof import('../../src/config/load.ts');

let reached = 0;
const { url } = await startService(loadConfig(process.env), pino({ level: 'silent' }), (step) => {
  if (step !== fatal) return;
  reached += 1;
  if (reached === Number(times)) process.kill(process.pid, signal);
});
process.stdout.write(`ready at ${url}/v0\n`);
