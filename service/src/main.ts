#!/usr/bin/env node
import { pino } from 'pino';
import { ConfigError } from '@corral/base/config/config-error';
import { loadConfig } from './config/load.ts';
import { settings } from './config/settings.ts';
import { unknownVariables } from '@corral/base/config/setting';
import { DatabaseRefused } from '@corral/base/db/migrate';
import { type Running, start } from './start.ts';

/** The usual words for "do not start me again like this": 2 is a mistake of the operator's, 1 is ours. */
const exitCodes = { mistake: 2, failure: 1 } as const;

/** A stop that takes longer than this is ended. */
const stopWithinMs = 15_000;

const fail = (error: unknown): never => {
  if (error instanceof ConfigError) {
    for (const mistake of error.mistakes) process.stderr.write(`corral: ${mistake}\n`);
    process.exit(exitCodes.mistake);
  }
  const message = `${error instanceof Error ? error.message : String(error)}${hintFor(error)}`;
  process.stderr.write(`corral: cannot start: ${message}\n`);
  process.exit(error instanceof DatabaseRefused ? exitCodes.mistake : exitCodes.failure);
};

const hintFor = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE') return '; choose another port with CORRAL_PORT, or stop what listens there';
  return code === 'EACCES' ? '; choose a port above 1023 with CORRAL_PORT' : '';
};

const greet = ({ url, firstAdmin }: Running): void => {
  process.stdout.write(`\nCorral is ready at ${url}/v0 (reference: ${url}/reference)\n`);
  if (firstAdmin.kind === 'exists' && firstAdmin.file !== null) {
    process.stdout.write(
      `The first start made a password: it is in ${firstAdmin.file}; delete the file when you have read it\n`,
    );
  }
  if (firstAdmin.kind === 'generated') {
    // Written past the log: a password is no log entry.
    process.stdout.write(
      `First start: user admin, password ${firstAdmin.password}\n(shown once; kept in ${firstAdmin.file}, readable by its owner only)\n`,
    );
  }
  process.stdout.write('\n');
};

const main = async (): Promise<void> => {
  // The database and the key are nobody else's.
  process.umask(0o077);
  const config = loadConfig(process.env);
  const log = pino({
    level: config.logLevel,
    redact: { paths: ['req.headers', '*.password', '*.token'], remove: true },
  });
  for (const name of unknownVariables(process.env, settings))
    log.warn({ variable: name }, 'no such setting; is it misspelt?');
  if (config.auth === 'null') log.warn('auth is null: everybody on this machine is administrator');
  const running = await start(config, log);
  greet(running);
  const stop = (signal: string): void => {
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(exitCodes.failure), stopWithinMs).unref();
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(exitCodes.failure);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
};

main().catch(fail);
