import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Measured, startProgram } from '../process.ts';
import { agentOf, ask } from './obmd-http.ts';
import type { Look, Question } from './probe-questions.ts';

const adminToken = 'bench';
const program = fileURLToPath(new URL('../../../obmd/dist/corral-obmd.js', import.meta.url));
const probe = new URL('./probe.js', import.meta.url).href;
const bareStreams = fileURLToPath(new URL('./bare-streams.js', import.meta.url));

/** A node that a caller holds the token of. */
export interface HeldNode {
  readonly id: string;
  readonly token: string;
}

/** A process that can be asked about itself. */
export interface Probed extends Measured {
  look(): Promise<Look>;
  stream(consoles: readonly string[]): Promise<void>;
  /** Stops the streams; how many lines each of them had. */
  quiet(): Promise<number>;
}

/** The daemon with a directory of its own. */
export interface Daemon extends Probed {
  readonly dataDir: string;
  /** Registers a node and gets its token. */
  hold(id: string, type: string, info: object): Promise<HeldNode>;
  /** Stops it and starts it again with what it has stored. */
  restarted(): Promise<Daemon>;
}

const probed = (measured: Measured): Probed => {
  const asked = async (question: Question): Promise<unknown> => {
    const answered = once(measured.child, 'message');
    measured.child.send(question);
    const [answer] = (await answered) as [unknown];
    return answer;
  };
  return {
    ...measured,
    look: async () => (await asked({ ask: 'look' })) as Look,
    stream: async (consoles) => {
      await asked({ ask: 'stream', consoles });
    },
    quiet: async () => (await asked({ ask: 'quiet' })) as number,
  };
};

/** The comparator of streaming consoles. */
export const startBareStreams = async (): Promise<Probed> =>
  probed(await startProgram(['--expose-gc', bareStreams], {}, 'ipc'));

const startIn = async (dataDir: string, env: Record<string, string>): Promise<Daemon> => {
  const settings = {
    CORRAL_DATA_DIR: dataDir,
    CORRAL_OBMD: '127.0.0.1:0',
    CORRAL_OBMD_ADMIN_TOKEN: adminToken,
    CORRAL_LOG_LEVEL: 'warn',
  };
  const measured = probed(
    await startProgram(['--expose-gc', '--import', probe, program], { ...settings, ...env }, 'ipc'),
  );
  const agent = agentOf(1);
  const authorization = `Basic ${Buffer.from(`admin:${adminToken}`).toString('base64')}`;
  const manage = async (method: string, path: string, body?: object): Promise<string> => {
    const { status, text } = await ask(agent, measured.url, method, path, { authorization, body });
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`);
    return text;
  };
  return {
    ...measured,
    dataDir,
    hold: async (id, type, info) => {
      await manage('PUT', `/node/${id}`, { type, info });
      const { token } = JSON.parse(await manage('POST', `/node/${id}/token`)) as { token: string };
      return { id, token };
    },
    restarted: async () => {
      await measured.stop();
      return startIn(dataDir, env);
    },
    stop: async () => {
      agent.destroy();
      await measured.stop();
    },
  };
};

/** Runs work with a daemon that has such settings; whatever happens, nothing is left behind. */
export const withDaemon = async <T>(env: Record<string, string>, work: (daemon: Daemon) => Promise<T>): Promise<T> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'corral-bench-obmd-'));
  try {
    const daemon = await startIn(dataDir, env);
    try {
      return await work(daemon);
    } finally {
      await daemon.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
};
