import type { ChildProcess } from 'node:child_process';
import { freePort } from '../listen-loopback.ts';
import { end, startDaemon } from '../switches/child-processes.ts';
import { built, type Undo } from '../switches/undo.ts';
import { KeystoneApi, type KeystoneUser } from './keystone-api.ts';
import { prepareHome } from './keystone-home.ts';

/** A real Keystone, that knows nobody but its administrator and the user for a service. */
export interface LabKeystone {
  /** With `/v3`. */
  readonly url: string;
  /** Makes projects, users, roles and tokens. */
  readonly api: KeystoneApi;
  /** A user who may validate tokens, by role `service` in the project, and nothing else. */
  readonly service: KeystoneUser & { readonly project: string; readonly projectId: string };
  /** Answers nobody until it recovers; calls are accepted. */
  hang(): void;
  recover(): void;
  /** Ends it as a crash would: nobody takes a call. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, in the same place. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one in a directory of its own, on loopback: about ten seconds, most of them for its tables. */
export const startKeystone = (): Promise<LabKeystone> => built('the Keystone', build);

const build = async (undo: Undo, stop: () => Promise<void>): Promise<LabKeystone> => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/v3`;
  const { directory, adminPassword } = await prepareHome(url, undo);
  let process = await serve(directory, port);
  undo.push(() => end(process, 'SIGKILL'));

  const api = new KeystoneApi(url, adminPassword);
  const project = 'service';
  const projectId = await api.project(project);
  const user = await api.user('corral');
  await api.assign(user, 'service', { project: projectId });
  return {
    url,
    api,
    service: { ...user, project, projectId },
    hang: () => void process.kill('SIGSTOP'),
    recover: () => void process.kill('SIGCONT'),
    kill: () => end(process, 'SIGKILL'),
    restart: async () => {
      process = await serve(directory, port);
    },
    stop,
  };
};

/** One process, so that a signal to it reaches all of Keystone; the kernel ends it if we are killed. */
const serve = (directory: string, port: number): Promise<ChildProcess> => {
  const uwsgi = ['--http-socket', `127.0.0.1:${port}`, '--wsgi-file', '/usr/bin/keystone-wsgi-public'];
  const quiet = ['--enable-threads', '--buffer-size', '65535', '--disable-logging'];
  // It listens at once and answers when it has loaded: the question waits for that.
  const isUp = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/v3`, { signal: AbortSignal.timeout(60_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  const env = {
    PATH: process.env['PATH'],
    OS_KEYSTONE_CONFIG_DIR: directory,
    OS_KEYSTONE_CONFIG_FILES: 'keystone.conf',
  };
  const args = ['--pdeathsig', 'KILL', 'uwsgi_python3', ...uwsgi, ...quiet];
  return startDaemon('setpriv', args, isUp, { name: 'Keystone', cwd: directory, env });
};
