import { join } from 'node:path';
import type { Vault } from '@corral/base/secrets/vault';
import { firstPasswordIn } from '../auth/first-admin.ts';
import { passwordCheck } from '../auth/password-check.ts';
import type { Config } from '../config/service-config.ts';
import type { Caller } from '../core/caller.ts';
import { ConsoleSessions } from '../core/console.ts';
import type { OwnDaemon } from '../core/dependencies.ts';
import { DeviceCalls } from '../core/device-calls.ts';
import { runsNone } from '../core/machine-owner.ts';
import { type RequestContext, createRequestContext } from '../core/request-context.ts';
import { openCurrent } from '../db/open-service-database.ts';
import { vlanPool } from '../drivers/allocators/vlan-pool.ts';
import { noHypervisor } from '../drivers/hypervisors/no-hypervisor.ts';
import { httpObmClient } from '../drivers/obm/obm-http-client.ts';
import type { Terminal } from './admin-command.ts';

/** The operator at the machine, as events name them. */
const caller: Caller = { kind: 'user', name: 'corral-admin', admin: true, projects: new Set() };

/** What users are made of needs no key. */
const noVault: Vault = {
  seal: () => {
    throw new Error('nothing is sealed here');
  },
  open: () => {
    throw new Error('nothing is opened here');
  },
};

const noDaemon: OwnDaemon = {
  isThere: () => Promise.resolve(false),
  place: () => Promise.resolve(null),
  placesHere: () => Promise.resolve([]),
};

/** Nothing is sent from here. */
const noWebhooks: RequestContext['dependencies']['webhooks'] = {
  send: () => Promise.resolve({ kind: 'failed', result: 'nothing is sent from here' }),
};

/** Works on the users in the database, by the service's own operations. No device is known here. */
export const withUserContext = async <T>(
  config: Config,
  terminal: Terminal,
  work: (context: RequestContext) => Promise<T>,
): Promise<T> => {
  const db = await openCurrent(config.database);
  const obm = httpObmClient({ ...config.obm, outbound: config.outbound });
  try {
    const firstPassword = firstPasswordIn(join(config.dataDir, 'admin-password'), (error) => {
      const why = error instanceof Error ? error.message : String(error);
      terminal.err(`corral-admin: failed to delete the outdated initial password file (${why}); delete it by hand\n`);
    });
    const dependencies = {
      switches: {},
      allocator: vlanPool(config.vlans),
      devices: new DeviceCalls({ obm, hypervisor: noHypervisor }, config.deviceLimits),
      consoles: new ConsoleSessions(db),
      switchTimeout: () => config.engine.deviceTimeoutMs,
      ownDaemon: noDaemon,
      bmcTypes: {},
      vault: noVault,
      outbound: config.outbound,
      projectTargets: config.webhooks.projectTargets,
      webhooks: noWebhooks,
      hasMail: false,
      mail: null,
      maintenance: config.maintenance,
      cleaning: config.cleaning,
      hypervisor: runsNone,
      identity: config.identity,
      signIn: { basic: true, keystone: null, oidc: null },
      checkPassword: passwordCheck(db, { failed: () => undefined, throttled: () => undefined }, 1).check,
      firstPassword,
      extensions: [],
    };
    return await work(createRequestContext(db, dependencies, { caller, requestId: null }));
  } finally {
    await obm.close();
    await db.close();
  }
};
