import { readdir, readFile } from 'node:fs/promises';

/** What this process holds: children that have not ended, and connections. */
interface Held {
  readonly children: readonly number[];
  readonly sockets: number;
}

export const deferred = async (): Promise<Held> => ({
  children: await childrenOf(process.pid),
  sockets: process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length,
});

/** `/proc/PID/stat` is "PID (name) state parent …", and the name may have spaces and brackets. */
const childrenOf = async (parent: number): Promise<readonly number[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state !== 'Z' && Number(ppid) === parent ? Number(pid) : null;
    }),
  );
  return found.filter((pid) => pid !== null);
};
