#!/usr/bin/env node
import { exposedSecrets } from '@corral/base/config/gather-settings';
import { unknownVariables } from '@corral/base/config/setting';
import { LogDestination } from '@corral/base/log-destination';
import { logHooks } from '@corral/base/log-hooks';
import { version } from '@corral/base/program-version';
import { runProgram } from '@corral/base/run-program';
import { parseArgs } from 'node:util';
import { ConfigError } from '@corral/base/config/config-error';
import { pino } from 'pino';
import { loadConfig } from './config/load-obmd-config.ts';
import { programSettings } from './config/obmd-settings.ts';
import { startObmd } from './start.ts';

const help = `corral-obmd ${version}: power, boot device and console of machines, by their BMCs

usage: corral-obmd

  --version  shows the version
  --help     shows this

Settings come from the table obmd of the file that CORRAL_CONFIG names, and from the environment;
docs/obmd/README.md lists them. SIGTERM stops it.`;

const program = { name: 'corral-obmd', version: `corral-obmd ${version}`, help, portSetting: 'CORRAL_OBMD' };

/** It takes no words: what somebody wrote there would be ignored. */
const requireNoArguments = (): void => {
  try {
    parseArgs({ options: {} });
  } catch (error) {
    throw new ConfigError([(error as Error).message]);
  }
};

runProgram(program, async (env) => {
  requireNoArguments();
  const config = loadConfig(env);
  const log = pino(
    {
      level: config.logLevel,
      hooks: logHooks(),
      redact: { paths: ['req.headers', '*.pass', '*.token'], remove: true },
    },
    new LogDestination(process.stdout.fd),
  );
  for (const name of unknownVariables(env, programSettings)) {
    if (name.startsWith('CORRAL_OBMD'))
      log.warn({ variable: name }, 'unknown setting in the environment; check its spelling');
  }
  const exposed = exposedSecrets(programSettings, env);
  if (exposed !== null) log.warn(exposed);
  const running = await startObmd(config, log);
  const where = running.adminTokenFile === null ? '' : ` (its admin token is in ${running.adminTokenFile})`;
  const state = running.isStandby ? 'is on standby (another process manages its nodes)' : 'is ready';
  process.stdout.write(`\ncorral-obmd ${state} at ${running.url}${where}\n\n`);
  return { log, stop: running.stop, failed: running.failed };
});
