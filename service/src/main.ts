#!/usr/bin/env node
import cluster from 'node:cluster';
import { exposedSecrets } from '@corral/base/config/gather-settings';
import { parseArgs } from 'node:util';
import { requireSoleUser } from '@corral/base/db/sole-user';
import { ConfigError } from '@corral/base/config/config-error';
import { type Environment, unknownVariables } from '@corral/base/config/setting';
import { isLoopback } from '@corral/base/http/loopback';
import { LogDestination } from '@corral/base/log-destination';
import { logHooks } from '@corral/base/log-hooks';
import { version } from '@corral/base/program-version';
import { runProgram, type Started } from '@corral/base/run-program';
import { type Logger, pino } from 'pino';
import { loadConfig } from './config/load-service-config.ts';
import type { Config } from './config/service-config.ts';
import { settings } from './config/service-settings.ts';
import { joinProcesses } from './processes/join-processes.ts';
import type { Greeting } from './processes/process-messages.ts';
import { superviseProcesses } from './processes/supervise-processes.ts';
import { start } from './start.ts';

const greet = ({ url, role, firstAdmin, obmd }: Greeting): void => {
  process.stdout.write(
    role === 'worker'
      ? `\nThe worker of Corral is ready at ${url} (no calls; /healthz, /readyz and /metrics)\n`
      : `\nCorral is ready at ${url}/v0 (reference: ${url}/reference)\n`,
  );
  if (obmd !== null) {
    const where = obmd.adminTokenFile === null ? '' : ` (its admin token is in ${obmd.adminTokenFile})`;
    process.stdout.write(`The OBM daemon is ready at ${obmd.url}${where}\n`);
    if (obmd.isStandby) process.stdout.write(`It is a standby: ${holderOf(obmd.standbyTo)} has the BMCs\n`);
  }
  if (firstAdmin.kind === 'exists' && firstAdmin.file !== null) {
    process.stdout.write(`The initial password is in ${firstAdmin.file}; delete the file when you have read it\n`);
  }
  if (firstAdmin.kind === 'generated') {
    // Written past the log, and only to somebody who sits there: what is piped ends up in a log.
    process.stdout.write(
      process.stdout.isTTY
        ? `First start: user admin, password ${firstAdmin.password}\n(shown once; kept in ${firstAdmin.file}, readable by its owner only)\n`
        : `First start: user admin; its password is in ${firstAdmin.file}, readable by its owner only\n`,
    );
  }
  process.stdout.write('\n');
};

const holderOf = (holder: { readonly host: string; readonly pid: number } | null): string =>
  holder === null ? 'another process' : `process ${holder.pid} on ${holder.host}`;

const isPrivate = (url: string): boolean =>
  url.startsWith('https:') || isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));

/** What the command line says counts more than the environment. */
const withArguments = (env: Environment): Environment => {
  try {
    const { role } = parseArgs({ options: { role: { type: 'string' } } }).values;
    return role === undefined ? env : { ...env, CORRAL_ROLE: role };
  } catch (error) {
    throw new ConfigError([(error as Error).message]);
  }
};

/** What an operator should know of the settings before the first call. */
const warnAbout = (config: Config, env: Environment, log: Logger): void => {
  for (const name of unknownVariables(env, settings))
    log.warn({ variable: name }, 'unknown setting in the environment; check its spelling');
  const exposed = exposedSecrets(settings, env);
  if (exposed !== null) log.warn(exposed);
  if (config.auth.includes('null')) log.warn('auth is null: every client on this machine has administrative access');
  for (const backend of config.idleBackends)
    log.warn({ backend }, 'authentication backend is configured but not listed in auth: its users cannot log in');
  if (config.keystone !== null && !isPrivate(config.keystone.url))
    log.warn('keystone.url uses http: passwords and tokens are sent unencrypted; use https');
};

/** One of several processes behind a port. The OBM daemon is in the first: the others would only wait for its nodes. */
const startJoined = async (config: Config, log: Logger): Promise<Started> => {
  const { number, peers, ready } = await joinProcesses();
  const { stop, failed, ...greeting } = await start(
    number === 0 ? config : { ...config, obmd: null, hasSiblingObmd: config.obmd !== null },
    log,
    undefined,
    peers,
  );
  ready(greeting);
  return { log, stop, failed };
};

const startAll = async (config: Config, log: Logger): Promise<Started> => {
  if (config.processes > 1) return supervised(config.processes, log);
  requireSoleUser(config.database);
  const { stop, failed, ...greeting } = await start(config, log);
  greet(greeting);
  return { log, stop, failed };
};

const supervised = async (processes: number, log: Logger): Promise<Started> => {
  const { greeting, stop } = await superviseProcesses(processes, log);
  greet(greeting);
  return { log, stop };
};

const help = `corral-service ${version}: reserves bare-metal machines for projects and isolates them with VLANs

usage: corral-service [--role all|api|worker]

  --role ROLE  what this process does, if several share a PostgreSQL: as the setting role
  --version    shows the version
  --help       shows this

Settings come from the file that CORRAL_CONFIG names and from the environment; docs/configuration.md lists
them. Without any, it serves http://127.0.0.1:5000 with its data in ./data. SIGTERM stops it.`;

const program = { name: 'corral', version: `corral-service ${version}`, help, portSetting: 'CORRAL_PORT' };

runProgram(program, async (environment) => {
  const env = withArguments(environment);
  const config = loadConfig(env);
  const log = pino(
    {
      level: config.logLevel,
      hooks: logHooks(),
      redact: { paths: ['req.headers', '*.password', '*.pass', '*.token'], remove: true },
    },
    new LogDestination(process.stdout.fd),
  );
  if (cluster.isWorker) return startJoined(config, log);
  warnAbout(config, env, log);
  return startAll(config, log);
});
