import { hasPart, type LabOvs, startOvs } from '@corral/lab';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { basic, type Client, clientOf } from '../http/http-client.ts';
import { wire } from './packet-switches.ts';
import { type Program, startProgram } from '../services/service-program.ts';
import { adminPassword, passwordOf } from '../services/service.ts';
import { type SettableClock, settableClock } from '../services/set-clock.ts';
import { done, eventually } from '../services/world.ts';

export const projects = ['red', 'green', 'blue'] as const;
export type Project = (typeof projects)[number];

/** So few that a VLAN which one project gives back is soon another's. */
export const soakVlans = [100, 101, 102, 103] as const;

/** An Open vSwitch with hosts, and a service that looks after it as a process of its own. */
export interface SoakInstallation {
  readonly ovs: LabOvs;
  /** As the service that runs now: a call throws when that is dead. */
  admin(): Client;
  tenant(project: Project): Client;
  /** Kills the service with -9 and starts it again. */
  crashService(): Promise<void>;
  /** Stops the service for so long, as a suspended machine would. */
  pauseService(ms: number): Promise<void>;
  /** The service's time of day, where it can be set. */
  readonly clock: SettableClock | null;
  /** Waits until the service answers again. */
  up(): Promise<void>;
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

export const startSoakInstallation = async (hosts: number): Promise<SoakInstallation> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'corral-soak-'));
  const clock = hasPart('faketime') ? await settableClock(dataDir) : null;
  const env = {
    ...clock?.env,
    CORRAL_PORT: '0',
    CORRAL_DATA_DIR: dataDir,
    CORRAL_ADMIN_PASSWORD: adminPassword,
    CORRAL_VLANS: `${soakVlans[0]}-${soakVlans.at(-1)}`,
    // Shorter than a daemon may be dead: some actions are to end with ERROR, some ports to be suspect.
    CORRAL_ENGINE_BUDGET: '1.5',
    CORRAL_ENGINE_DEVICE_TIMEOUT: '1',
    CORRAL_ENGINE_LEASE: '1',
    CORRAL_ENGINE_POLL: '0.3',
    CORRAL_ENGINE_SWEEP: '1',
    CORRAL_LOG_LEVEL: 'warn',
  };
  const ovs = await startOvs({ hosts });
  let program: Program = await startProgram(env);
  const installation: SoakInstallation = {
    ovs,
    clock,
    admin: () => clientOf(program.url, basic('admin', adminPassword)),
    tenant: (project) => clientOf(program.url, basic(project, passwordOf(project))),
    crashService: async () => {
      await program.kill('SIGKILL');
      program = await startProgram(env);
    },
    pauseService: async (ms) => {
      process.kill(program.pid, 'SIGSTOP');
      await sleep(ms);
      process.kill(program.pid, 'SIGCONT');
    },
    up: async () => {
      await eventually(() =>
        installation
          .admin()
          .get('/projects')
          .then(
            () => true,
            () => undefined,
          ),
      );
    },
    metrics: async () => (await fetch(`${program.url}/metrics`)).text(),
    stop: async () => {
      await program.kill('SIGKILL');
      await ovs.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  try {
    await prepare(installation);
    return installation;
  } catch (error) {
    await installation.stop();
    throw error;
  }
};

/** Projects with a user each, and the switch with its ports adopted: what is on them is repaired from now on. */
const prepare = async (installation: SoakInstallation): Promise<void> => {
  const admin = installation.admin();
  for (const project of projects) {
    await done(admin.put(`/project/${project}`));
    await done(admin.put(`/auth/basic/user/${project}`, { password: passwordOf(project) }));
    await done(admin.post(`/auth/basic/user/${project}/add_project`, { project }));
  }
  await wire(admin, 'ovs', installation.ovs, { settle_ms: 200 });
  await done(admin.put('/switch/sw0/policy', { policy: 'repair' }));
  await eventually(async () => ((await driftingPorts(admin)) === 0 ? true : undefined));
};

/** Sweeps, and counts the ports that are not as recorded. */
export const driftingPorts = async (admin: Client): Promise<number> => {
  const { status } = await admin.post('/switch/sw0/sweep');
  const { body } = await done(admin.get('/drift'));
  const { switches } = body as { switches: { fault: string | null; ports: unknown[] }[] };
  if (status !== 200 || switches.some(({ fault }) => fault !== null)) return Number.POSITIVE_INFINITY;
  return switches.reduce((sum, { ports }) => sum + ports.length, 0);
};
