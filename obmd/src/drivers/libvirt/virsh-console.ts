import { Socket } from 'node:net';
import { quietUri } from '@corral/base/libvirt/libvirt-uri';
import { endGroup, environment } from '@corral/base/libvirt/run-virsh';
import type { Domain } from './libvirt-domain.ts';
import { faultFrom, notInTime } from './libvirt-bmc-faults.ts';

/** A virsh that has a console open. */
export interface Attached {
  /** What the machine says, and what is typed to it. */
  readonly line: Socket;
  /** When virsh has ended: somebody took the console, the machine was turned off, or it was let go. */
  readonly ended: Promise<void>;
  letGo(): void;
}

/** With force, the current holder loses the console. */
export type Manner = 'politely' | 'by force';

/**
 * Typed as the first byte of a read, this one ends virsh, and none can be typed instead; so it is never let through.
 * The zero byte is the one that is missed least.
 */
export const escape = { option: '^@', byte: 0 } as const;

const banner = /^Escape character is [^\n]*\n/m;
/** It is looked for in the last of what virsh says. */
const longestBanner = 4096;
/**
 * QEMU looks once a second whether somebody listens to the serial line, and throws away what is said before. It is
 * also what virsh needs to open the console after it has said that it will.
 */
const listenedAfterMs = 1_100;

/** Opens the console of a domain that runs, if need be by force; what the machine says from then on is heard. */
export const attach = async ({ uri, name }: Domain, manner: Manner, signal: AbortSignal): Promise<Attached> => {
  const { spawn } = await import('@lydell/node-pty');
  if (signal.aborted) throw notInTime(signal);
  const force = manner === 'by force' ? ['--force'] : [];
  const virsh = ['virsh', '-c', quietUri(uri), '-e', escape.option, 'console', ...force, '--domain', name];
  // Other children inherit our end of the terminal, so that its closing would not end virsh if this process is killed.
  const terminal = spawn('setpriv', ['--pdeathsig', 'KILL', ...virsh], {
    name: 'dumb',
    cwd: '/',
    env: environment(),
    encoding: null,
  });
  // Its own way to write neither takes bytes nor says when they are taken.
  const line: unknown = Reflect.get(terminal, '_socket');
  if (!(line instanceof Socket)) {
    endGroup(terminal.pid);
    throw new Error('the socket of node-pty is closed');
  }
  // The end of the stream shows that virsh has exited.
  line.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => terminal.onExit(() => resolve()));
  const letGo = (): void => {
    endGroup(terminal.pid);
    line.destroy();
  };
  await new Promise<void>((resolve, reject) => {
    const heard: Buffer[] = [];
    let seen = '';
    let timer: NodeJS.Timeout | undefined;
    const settle = (): void => {
      clearTimeout(timer);
      line.off('data', hear);
      signal.removeEventListener('abort', letGo);
    };
    const hear = (bytes: Buffer): void => {
      heard.push(bytes);
      if (timer) return;
      seen = `${seen}${bytes.toString('latin1')}`.slice(-longestBanner);
      if (banner.test(seen)) timer = setTimeout(ready, listenedAfterMs);
    };
    const ready = (): void => {
      settle();
      line.pause();
      const rest = afterBanner(Buffer.concat(heard));
      if (rest.length > 0) line.unshift(rest);
      resolve();
    };
    line.on('data', hear);
    signal.addEventListener('abort', letGo, { once: true });
    void ended.then(() => {
      settle();
      reject(signal.aborted ? notInTime(signal) : faultFrom('console', complaintsIn(Buffer.concat(heard))));
    });
  });
  return { line, ended, letGo };
};

const afterBanner = (heard: Buffer): Buffer => {
  const found = banner.exec(heard.toString('latin1'));
  return found ? heard.subarray(found.index + found[0].length) : heard;
};

const complaintsIn = (heard: Buffer): string =>
  heard
    .toString('latin1')
    .split('\n')
    .filter((text) => text.startsWith('error:'))
    .join('\n');
