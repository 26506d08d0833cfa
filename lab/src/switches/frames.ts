import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { keep } from './child-processes.ts';

/** What is sent: every frame carries the marker, by which a capture knows it again. */
export interface Sent {
  readonly marker: string;
  /** `untagged,5,10-12,20.30`: one without a tag, one tagged 5, three more, one tagged 20 outside and 30 inside. */
  readonly tags?: string;
  /** A MAC address; everybody if left out. */
  readonly to?: string;
  /** `new`: each frame from a MAC address that nobody has seen. */
  readonly sources?: 'own' | 'new';
  /** The type of the outer tag in hexadecimal: 8100 if left out, or 88a8. */
  readonly tpid?: string;
}

/** A frame as it arrived. */
export interface LabFrame {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The outer tag first. */
  readonly tags: readonly number[];
  /** Of a machine's frame: `dhcp discover`, `dhcp request`, or `type 86dd` and the like. */
  readonly marker: string;
  readonly source: string;
  readonly destination: string;
}

/** What is captured beside the frames that `send` made, and where. */
export interface Captured {
  /** All frames of the machine with this MAC address, or of `any`; those of none if left out. */
  readonly machine?: string;
  /** `eth0` if left out. */
  readonly device?: string;
}

/** Frames that arrive, from the moment on in which the capture exists: those that `send` made, unless told of more. */
export interface Capture {
  readonly frames: readonly LabFrame[];
  /** The first frame like this, seen already or still to come; throws if there is none in time. */
  until(isIt: (frame: LabFrame) => boolean, timeoutMs?: number): Promise<LabFrame>;
  /** All frames, the last ones too. */
  stop(): Promise<readonly LabFrame[]>;
}

/** Frames that are sent again and again until it is stopped. */
export interface Stream {
  stop(): Promise<void>;
}

// The script is not compiled, so it stays in src: this finds it from src and from dist.
const script = fileURLToPath(new URL('./frames.py', import.meta.url));
const python = '/usr/bin/python3';

const run = (namespace: string, args: readonly string[], device = 'eth0') =>
  keep(
    spawn('ip', ['netns', 'exec', namespace, python, script, device, ...args], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );

const optionsOf = ({ marker, tags, to, tpid, sources }: Sent): string[] => [
  ...['send', '--marker', marker],
  ...(tags === undefined ? [] : ['--tags', tags]),
  ...(to === undefined ? [] : ['--to', to]),
  ...(sources === undefined ? [] : ['--sources', sources]),
  ...(tpid === undefined ? [] : ['--tpid', tpid]),
];

type Child = ReturnType<typeof run>;

const ended = (child: Child): Promise<void> =>
  new Promise((resolve, reject) => {
    let complaint = '';
    child.stderr.on('data', (bytes: Buffer) => (complaint += bytes.toString()));
    child.once('error', reject);
    child.once('close', (code, signal) =>
      code === 0 || signal === 'SIGTERM' ? resolve() : reject(new Error(`frames.py failed: ${complaint}`)),
    );
  });

/** Sends frames out of a host's interface. */
export const sendFrames = (namespace: string, sent: Sent): Promise<void> => ended(run(namespace, optionsOf(sent)));

/** Sends frames until it is stopped, about `everyMs` apart. */
export const streamFrames = (namespace: string, sent: Sent, everyMs: number): Stream => {
  const child = run(namespace, [...optionsOf(sent), '--seconds', '3600', '--pause', String(everyMs)]);
  const end = ended(child);
  end.catch(() => undefined);
  return {
    stop: () => {
      child.kill();
      return end;
    },
  };
};

/** Begins to capture what a host receives. */
export const captureFrames = async (namespace: string, { machine, device }: Captured = {}): Promise<Capture> => {
  const child = run(namespace, ['capture', ...(machine === undefined ? [] : ['--machine', machine])], device);
  const end = ended(child);
  end.catch(() => undefined);
  const frames: LabFrame[] = [];
  const watchers = new Set<() => void>();
  const lines = createInterface({ input: child.stdout });
  await new Promise<void>((resolve, reject) => {
    end.then(() => reject(new Error('the capture ended before it began')), reject);
    lines.once('line', () => {
      lines.on('line', (line) => {
        frames.push(frameOf(line));
        for (const look of watchers) look();
      });
      resolve();
    });
  });
  return {
    frames,
    until: (isIt, timeoutMs = 30_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          watchers.delete(look);
          reject(new Error(`no such frame arrived within ${timeoutMs} ms`));
        }, timeoutMs);
        let looked = 0;
        const look = () => {
          // Each frame is read once: there may be many thousands.
          const frame = frames.slice(looked).find(isIt);
          looked = frames.length;
          if (!frame) return;
          clearTimeout(timer);
          watchers.delete(look);
          resolve(frame);
        };
        watchers.add(look);
        look();
      }),
    stop: async () => {
      child.kill();
      await end;
      return frames;
    },
  };
};

const frameOf = (line: string): LabFrame => JSON.parse(line) as LabFrame;
