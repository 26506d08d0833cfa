import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { end, keep } from './child-processes.ts';
import type { LabHost } from './lab-host.ts';

/** Hosts that got an address. */
interface DhcpAnswer {
  readonly answered: 'offer' | 'acknowledgement';
  /** A MAC address. */
  readonly to: string;
}

/** A host that hands out an address. */
export interface DhcpServer {
  readonly answers: readonly DhcpAnswer[];
  stop(): Promise<void>;
}

// The script is not compiled, so it stays in src: this finds it from src and from dist.
const script = fileURLToPath(new URL('./dhcp.py', import.meta.url));

/**
 * Has a host answer everybody who asks for an address on its interface: all are given the same one, and the name or URL
 * of a file to boot, with their MAC address for `{mac}`. Nobody serves the one that is named if it is left out.
 */
export const serveDhcp = async (
  { namespace, address }: LabHost,
  offered: string,
  file = 'corral.efi',
): Promise<DhcpServer> => {
  const inside = ['netns', 'exec', namespace, '/usr/bin/python3', script, 'eth0', address, offered, file];
  const child = keep(spawn('ip', inside, { stdio: ['ignore', 'pipe', 'inherit'] }));
  const answers: DhcpAnswer[] = [];
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'close').then(() => {
    throw new Error('the DHCP server ended before it began');
  });
  ended.catch(() => undefined);
  await Promise.race([once(lines, 'line'), ended]);
  lines.on('line', (line) => answers.push(JSON.parse(line) as DhcpAnswer));
  return { answers, stop: () => end(child) };
};
