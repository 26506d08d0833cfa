import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { authorization, call, type Installation } from './installation.ts';

/** Registers a mock switch with a node on each of its ports, reserved by a project. Answers with the nodes. */
export const makeSwitch = async (
  installation: Installation,
  url: string,
  label: string,
  ports: number,
  projectOf: (index: number) => string,
): Promise<string[]> => {
  await call(url, 'PUT', `/switch/${label}`, { type: 'mock', hostname: label, username: 'bench', password: 'bench' });
  await installation.misbehave(label, {});
  const nodes = Array.from({ length: ports }, (_, index) => `${label}-n${index}`);
  for (const [index, node] of nodes.entries()) {
    await call(url, 'PUT', `/node/${node}`, { obmd: { uri: 'http://127.0.0.1:9/', admin_token: 'none' } });
    await call(url, 'PUT', `/node/${node}/nic/eth0`, { macaddr: '52:54:00:00:00:01' });
    await call(url, 'PUT', `/switch/${label}/port/${node}`);
    await call(url, 'POST', `/switch/${label}/port/${node}/connect_nic`, { node, nic: 'eth0' });
    await call(url, 'POST', `/project/${projectOf(index)}/connect_node`, { node });
  }
  return nodes;
};

/** An action that ended well, and when that was heard. */
interface DoneAction {
  readonly statusId: string;
  readonly at: number;
}

const longestMs = 15 * 60_000;

/** Follows the event stream, as a client that waits would; answers when so many actions on these nodes are done. */
export const actionsWatched = async (
  url: string,
  nodes: ReadonlySet<string>,
): Promise<(count: number, progress?: (count: number) => void) => Promise<DoneAction[]>> => {
  const response = await fetch(`${url}/v0/events/stream`, {
    headers: { authorization },
    signal: AbortSignal.timeout(longestMs),
  });
  if (!response.ok) throw new Error(`the event stream answered ${response.status}`);
  return async (count, progress) => {
    const done: DoneAction[] = [];
    // Out of the response only here: one that nobody holds any more is collected, and its body is cancelled.
    const lines = createInterface({ input: response.body ? Readable.fromWeb(response.body) : Readable.from([]) });
    for await (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      const event = JSON.parse(line.slice('data: '.length)) as {
        type: string;
        node?: string;
        detail: { status_id?: string };
      };
      if (!nodes.has(event.node ?? '')) continue;
      if (event.type === 'networking_action_failed') throw new Error(`a networking action failed: ${line}`);
      if (event.type !== 'networking_action_done') continue;
      done.push({ statusId: event.detail.status_id ?? '', at: performance.now() });
      progress?.(done.length);
      if (done.length === count) break;
    }
    lines.close();
    if (done.length < count) throw new Error(`the event stream ended after ${done.length} of ${count} actions`);
    return done;
  };
};
