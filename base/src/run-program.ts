import type { Logger } from 'pino';
import { ConfigError } from './config/config-error.ts';
import type { Environment } from './config/setting.ts';
import { DatabaseRefused } from './db/migrations.ts';

/** The usual words for "do not start me again like this": 2 is a mistake of the operator's, 1 is ours. */
const exitCodes = { mistake: 2, failure: 1 } as const;

/** A stop that takes longer than this is ended. */
const stopWithinMs = 15_000;

/** What was started, and how to stop it. */
export interface Started {
  readonly log: Logger;
  readonly stop: () => Promise<void>;
  /** Resolves when it cannot go on, with what is to be done about it. */
  readonly failed?: Promise<Error>;
}

/** What a program says of itself. */
interface Program {
  /** How its messages begin. */
  readonly name: string;
  /** For `--version`. */
  readonly version: string;
  /** For `--help`. */
  readonly help: string;
  /** What to change when the port is taken. */
  readonly portSetting: string;
}

/**
 * The life of a program: started with the environment, stopped by SIGTERM or SIGINT, and its mistakes told one a
 * line.
 */
export const runProgram = (
  { name, version, help, portSetting }: Program,
  start: (env: Environment) => Promise<Started>,
): void => {
  const asked = process.argv.slice(2).find((word) => ['--help', '-h', '--version'].includes(word));
  if (asked !== undefined) {
    process.stdout.write(`${asked === '--version' ? version : help}\n`);
    return;
  }
  // The database and the key are nobody else's.
  process.umask(0o077);
  // Nobody has to read what is said there, and its disk may be full.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const signalled = firstSignal();
  start(process.env).then(
    (started) => {
      const stopped = signalled.then((signal) => () => end(started, signal));
      const failed = started.failed?.then((error) => () => giveUp(name, started, error));
      void Promise.race([stopped, ...(failed === undefined ? [] : [failed])]).then((leave) => leave());
    },
    (error: unknown) => fail(name, portSetting, error),
  );
};

/** The signal that stops the program. It may come while the program starts, which is then stopped as soon as it runs. */
const firstSignal = (): Promise<string> =>
  new Promise((resolve) => {
    const stop = (signal: string): void => {
      setTimeout(() => process.exit(exitCodes.failure), stopWithinMs).unref();
      resolve(signal);
    };
    // More than once: from its supervisor, and from a terminal or a service manager that signals all processes.
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });

const fail = (name: string, portSetting: string, error: unknown): never => {
  if (error instanceof ConfigError) {
    for (const mistake of error.mistakes) process.stderr.write(`${name}: ${mistake}\n`);
    process.exit(exitCodes.mistake);
  }
  const message = `${error instanceof Error ? error.message : String(error)}${hintFor(error, portSetting)}`;
  process.stderr.write(`${name}: cannot start: ${message}\n`);
  process.exit(error instanceof DatabaseRefused ? exitCodes.mistake : exitCodes.failure);
};

const hintFor = (error: unknown, portSetting: string): string => {
  const { code = '', syscall = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (syscall === 'listen' || syscall === 'bind') {
    if (code === 'EADDRINUSE')
      return `; choose another port with ${portSetting}, or stop the program that listens there`;
    if (code === 'EACCES') return `; choose a port above 1023 with ${portSetting}`;
    if (code === 'EADDRNOTAVAIL') return '; choose an address of this machine (setting host)';
  }
  if (syscall === 'getaddrinfo') return '; the host name cannot be resolved (settings host and database_url)';
  if (syscall === 'connect') return '; is the database running, and is the setting database_url right?';
  if (['EACCES', 'EPERM', 'EROFS'].includes(code))
    return '; give this user write permission, or choose another data_dir';
  return code === 'EEXIST' || code === 'ENOTDIR' ? '; data_dir must be a directory' : '';
};

/** What runs is finished as in an ordinary stop: a database that has everything in one file can be put back. */
const giveUp = (name: string, { log, stop }: Started, error: Error): void => {
  setTimeout(() => process.exit(exitCodes.failure), stopWithinMs).unref();
  log.fatal({ err: error }, 'stopping: the program cannot go on');
  process.stderr.write(`${name}: ${error.message}\n`);
  const exit = (): never => process.exit(exitCodes.failure);
  stop().then(exit, exit);
};

const end = ({ log, stop }: Started, signal: string): void => {
  log.info({ signal }, 'stopping');
  stop().then(
    () => process.exit(0),
    (error: unknown) => {
      log.error({ err: error }, 'failed to stop cleanly');
      process.exit(exitCodes.failure);
    },
  );
};
