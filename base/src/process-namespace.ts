import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Where a process number means what it means here: containers may share a host's name, and number for themselves. */
export const processNamespace = (): string => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return 'unknown';
  }
};

/** Is a process of some place gone for certain? That cannot be determined for one on another host. */
export const isProcessGone = (namespace: string, pid: number): boolean => {
  const here = processNamespace();
  if (here === 'unknown' || here !== namespace) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
};

/** Whose loopback addresses are ours: the programs of this machine, or of this container if its network is its own. */
export const networkNamespace = (): string => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/net')}`;
  } catch {
    return `host ${hostname()}`;
  }
};
