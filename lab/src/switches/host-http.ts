import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { end, keep } from './child-processes.ts';
import type { LabHost } from './lab-host.ts';
import { built, temporaryDirectory } from './undo.ts';

/** HTTP that a host serves on its interface. */
export interface HostHttp {
  /** For those who reach the host. */
  readonly url: string;
  stop(): Promise<void>;
}

// The script is not compiled, so it stays in src: this finds it from src and from dist.
const script = fileURLToPath(new URL('./tcp-to-unix.py', import.meta.url));
const port = 80;

/** Has a host serve HTTP to those who reach it through its switch port; `handle` runs in this process. */
export const serveHttp = ({ namespace, address }: LabHost, handle: RequestListener): Promise<HostHttp> =>
  built('the HTTP server', async (undo, stop) => {
    const socket = join(await temporaryDirectory('http', undo), 'http.sock');
    const server = createServer(handle);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve));
    undo.push(async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    });
    const inside = ['netns', 'exec', namespace, '/usr/bin/python3', script, address, String(port), socket];
    const child = keep(spawn('ip', inside, { stdio: ['ignore', 'pipe', 'inherit'] }));
    undo.push(() => end(child));
    const ended = once(child, 'close').then(() => {
      throw new Error('the HTTP server ended before it began');
    });
    ended.catch(() => undefined);
    await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
    return { url: `http://${address}`, stop };
  });
