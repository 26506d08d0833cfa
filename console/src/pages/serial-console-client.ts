import { corral } from '../api/client.ts';
import type { TunnelState } from '../api/tunnel.ts';

/** How long the service may take to notice that this page has closed a console. */
const letGoMs = 1_000;

/** Under this name a window keeps which console it has, until it closes it: after a reload it has it back unasked. */
const kept = 'corral-console';

/** Notes that this window has the console of a node, or none. */
export const noteConsole = (node: string | null): void => {
  if (node === null) sessionStorage.removeItem(kept);
  else sessionStorage.setItem(kept, node);
};

/**
 * Who would lose the console of a node if it was opened now. At first that is also another window of the same person;
 * when a line that was lost is tried again, the service may not have noticed that, and the console is still this page's.
 */
export const whoHasConsole = async ({
  node,
  me,
  when,
}: {
  readonly node: string;
  readonly me: string;
  readonly when: 'at first' | 'again';
}): Promise<TunnelState | null> => {
  const ask = async () => (await corral.showConsoleClient({ node })).client;
  let client = await ask();
  if (client?.caller === me) {
    if (when === 'again' || sessionStorage.getItem(kept) === node) return null;
    await new Promise((resolve) => setTimeout(resolve, letGoMs));
    client = await ask();
  }
  if (client === null) return null;
  const who = client.caller === me ? 'you, in another window' : (client.caller ?? 'somebody');
  const since = client.since === null ? '' : `, since ${new Date(client.since).toLocaleString()}`;
  return { kind: 'held', why: `in use by ${who}${since}. If you take it over, it closes there.` };
};
