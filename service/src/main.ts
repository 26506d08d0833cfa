#!/usr/bin/env node
import { exposedSecrets } from '@corral/base/config/gather-settings';
import { parseArgs } from 'node:util';
import { ConfigError } from '@corral/base/config/config-error';
import { type Environment, unknownVariables } from '@corral/base/config/setting';
import { isLoopback } from '@corral/base/http/loopback';
import { LogDestination } from '@corral/base/log-destination';
import { logHooks } from '@corral/base/log-hooks';
import { runProgram } from '@corral/base/run-program';
import { pino } from 'pino';
import { loadConfig } from './config/load-service-config.ts';
import { settings } from './config/service-settings.ts';
import { type Running, start } from './start.ts';

const greet = ({ url, role, firstAdmin, obmd }: Running): void => {
  process.stdout.write(
    role === 'worker'
      ? `\nThe worker of Corral is ready at ${url} (no calls; /healthz, /readyz and /metrics)\n`
      : `\nCorral is ready at ${url}/v0 (reference: ${url}/reference)\n`,
  );
  if (obmd !== null) {
    const where = obmd.adminTokenFile === null ? '' : ` (its admin token is in ${obmd.adminTokenFile})`;
    process.stdout.write(`The OBM daemon is ready at ${obmd.url}${where}\n`);
  }
  if (firstAdmin.kind === 'exists' && firstAdmin.file !== null) {
    process.stdout.write(`The initial password is in ${firstAdmin.file}; delete the file when you have read it\n`);
  }
  if (firstAdmin.kind === 'generated') {
    // Written past the log: a password is no log entry.
    process.stdout.write(
      `First start: user admin, password ${firstAdmin.password}\n(shown once; kept in ${firstAdmin.file}, readable by its owner only)\n`,
    );
  }
  process.stdout.write('\n');
};

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

runProgram('corral', 'CORRAL_PORT', async (environment) => {
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
  for (const name of unknownVariables(env, settings))
    log.warn({ variable: name }, 'unknown setting in the environment; check its spelling');
  const exposed = exposedSecrets(settings, env);
  if (exposed !== null) log.warn(exposed);
  if (config.auth.includes('null')) log.warn('auth is null: every client on this machine has administrative access');
  for (const backend of config.idleBackends)
    log.warn({ backend }, 'authentication backend is configured but not listed in auth: its users cannot log in');
  if (config.keystone !== null && !isPrivate(config.keystone.url))
    log.warn('keystone.url uses http: passwords and tokens are sent unencrypted; use https');
  const running = await start(config, log);
  greet(running);
  return { log, stop: running.stop };
});
