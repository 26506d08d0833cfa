#!/usr/bin/env node
import { commands } from './commands/all-commands.ts';
import { run } from './run-command.ts';

const stop = new AbortController();
// By default, SIGHUP would leave a terminal as a prompt or a console has set it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
// `corral events | head` is over when head is.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

void run(commands, {
  argv: process.argv.slice(2),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stop.signal,
}).then((code) => (process.exitCode = code));
