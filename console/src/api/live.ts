import { AuthorizationError, type CorralEvent, NotFoundError } from '@corral/client';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { corral } from './client.ts';
import { allNodes, type AllNodes, latestEvents, nodeNamed } from './queries.ts';

/** How the page learns of changes: it does, it is about to again, or it has not begun. */
export type LiveState = 'connecting' | 'live' | 'reconnecting';

/** Changes that come together are shown together. */
const gatherMs = 150;
/** More nodes than this at once: the whole list is read again instead of each. */
const mostNodesAtOnce = 25;
/** From so many nodes on a list counts as long, and is read at most this often for what others did. */
const longList = 1_000;
const longListMs = 10_000;
/** How many events the page keeps. */
const mostEvents = 200;

/**
 * One stream of events for the whole page. It begins where the newest event is before anything else is read, so that
 * nothing that happens after a reading is missed.
 */
export class LiveFeed {
  readonly #queries: QueryClient;
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #nodes = new Set<string>();
  #keys: QueryKey[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #listTimer: ReturnType<typeof setTimeout> | undefined;
  #state: LiveState = 'connecting';

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  get state(): LiveState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Resolves when everything from now on will be heard of. */
  async begin(): Promise<void> {
    const { events } = await corral.listEvents({ limit: '1' });
    void this.#follow(events[0]?.id ?? 0);
  }

  end(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#listTimer);
  }

  async #follow(after: number): Promise<void> {
    const { signal } = this.#stop;
    let last = after;
    while (!signal.aborted) {
      try {
        const stream = corral.followEvents({
          after: last,
          signal,
          onOpen: () => this.#become('live'),
          onChanged: () => this.#readLists(),
        });
        for await (const event of stream) {
          last = event.id;
          this.#hear(event);
        }
      } catch (error) {
        // Nobody is signed in any more: the next reading finds out.
        if (error instanceof AuthorizationError) this.#stale(['me']);
      }
      this.#become('reconnecting');
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
  }

  /** Others have changed what everybody sees. A long list takes the service a while, so it is not read at every hint. */
  #readLists(): void {
    const { nodes = [], others = [] } = this.#queries.getQueryData(allNodes.queryKey) ?? {};
    const isLong = nodes.length + others.length > longList;
    this.#listTimer ??= setTimeout(
      () => {
        this.#listTimer = undefined;
        this.#stale(['networks'], ['claim-preview'], ['claims']);
        void this.#queries.invalidateQueries({ queryKey: allNodes.queryKey }).then(() => this.#readShown());
      },
      isLong ? longListMs : 0,
    );
  }

  /** A node whose page is open may be one of those that changed. Of what has gone to others nothing is asked. */
  #readShown(): void {
    const nodes = this.#queries.getQueryData(allNodes.queryKey)?.nodes ?? [];
    for (const { queryKey } of this.#queries.getQueryCache().findAll({ queryKey: ['node'], type: 'active' })) {
      if (nodes.some(({ name }) => name === queryKey[1])) void this.#queries.invalidateQueries({ queryKey });
    }
  }

  #become(state: LiveState): void {
    if (this.#stop.signal.aborted || this.#state === state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  #hear(event: CorralEvent): void {
    this.#queries.setQueryData(latestEvents.queryKey, (known) =>
      known === undefined ? known : { ...known, events: [event, ...known.events].slice(0, mostEvents) },
    );
    for (const queryKey of goneWith(event)) this.#queries.removeQueries({ queryKey, type: 'inactive' });
    if (event.node !== undefined) this.#nodes.add(event.node);
    // Without OBM nobody can say whether a node is on.
    if (event.type === 'node_disable_obm')
      this.#keys = this.#keys.filter(([what, node]) => what !== 'power' || node !== event.node);
    this.#stale(...keysOf(event));
  }

  #stale(...keys: readonly QueryKey[]): void {
    this.#keys.push(...keys);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#refresh();
    }, gatherMs);
  }

  #refresh(): void {
    const keys = new Map(this.#keys.map((key) => [JSON.stringify(key), key]));
    const nodes = [...this.#nodes];
    this.#keys = [];
    this.#nodes.clear();
    if (nodes.length > mostNodesAtOnce) {
      for (const key of [['nodes'], ['node']]) keys.set(JSON.stringify(key), key);
    } else {
      for (const node of nodes) void this.#refreshNode(node);
    }
    for (const queryKey of keys.values()) void this.#queries.invalidateQueries({ queryKey });
  }

  /** Reads one node, for its own page and for its row in the list. */
  async #refreshNode(node: string): Promise<void> {
    const isShown = this.#queries.getQueryState(nodeNamed(node).queryKey) !== undefined;
    const list = this.#queries.getQueryData(allNodes.queryKey);
    if (list === undefined && !isShown) return;
    if (isShown) void this.#queries.invalidateQueries({ queryKey: nodeNamed(node).queryKey });
    try {
      const found = await corral.nodeOverview({ node }, { signal: this.#stop.signal });
      this.#queries.setQueryData(allNodes.queryKey, (known) => known && withNode(known, found.name, found));
    } catch (error) {
      if (error instanceof NotFoundError) {
        this.#queries.removeQueries({ queryKey: nodeNamed(node).queryKey, type: 'inactive' });
        this.#queries.setQueryData(allNodes.queryKey, (known) => known && withNode(known, node, null));
      } else if (error instanceof AuthorizationError) {
        this.#queries.setQueryData(allNodes.queryKey, (known) => known && withNode(known, node, 'hidden'));
      } else {
        void this.#queries.invalidateQueries({ queryKey: allNodes.queryKey });
      }
    }
  }
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

/** The list with one node as it is now. null: it is gone; hidden: it is in a project of others. */
const withNode = (
  { event, nodes, others }: AllNodes,
  name: string,
  found: AllNodes['nodes'][number] | 'hidden' | null,
): AllNodes => {
  const rest = others.filter((other) => other !== name);
  if (found === 'hidden' || found === null)
    return {
      event,
      nodes: nodes.filter((node) => node.name !== name),
      others: found === null ? rest : [...rest, name].sort(),
    };
  const isKnown = nodes.some((node) => node.name === name);
  return {
    event,
    nodes: isKnown ? nodes.map((node) => (node.name === name ? found : node)) : [...nodes, found].sort(byName),
    others: rest,
  };
};

/** Answers about what is gone. None of them is shown for a moment when somebody goes back to its page. */
const goneWith = ({ type, node, switch: on, network }: CorralEvent): readonly QueryKey[] => {
  if (type === 'node_delete')
    return [
      ['node', node],
      ['power', node],
    ];
  if (type === 'switch_delete') return [['switch', on]];
  return type === 'network_delete' ? [['network', network]] : [];
};

/**
 * Can a node be on or off otherwise after such an event? After others it is not asked for: OBM of the node may just
 * have been disabled.
 */
const showsPower = (type: string): boolean =>
  type.startsWith('node_power_') || type === 'node_enable_obm' || type === 'node_set_obmd' || type.startsWith('bmc_');

const changesCleanings = (type: string): boolean =>
  type.startsWith('cleaning_') || type === 'node_quarantined' || type === 'node_delete';

/** Which answers an event makes old. Only those on the screen are asked for again. */
const keysOf = (event: CorralEvent): readonly QueryKey[] => {
  const keys: QueryKey[] = [['actions']];
  const about = (isSo: boolean, ...some: readonly QueryKey[]): void => {
    if (isSo) keys.push(...some);
  };
  about(event.network !== undefined, ['networks'], ['network', event.network]);
  about(event.switch !== undefined, ['switches'], ['switch', event.switch], ['drift']);
  // What is recorded of a port follows its nic.
  about(event.nic !== undefined, ['switch'], ['switches'], ['networks'], ['network']);
  about(event.headnode !== undefined, ['headnodes'], ['events', 'headnode', event.headnode]);
  about(event.type.startsWith('user_'), ['users'], ['me'], ['projects']);
  about(event.project !== null, ['projects'], ['quotas']);
  about(event.type.startsWith('quota_'), ['quotas']);
  about(event.type.startsWith('subscription_'), ['subscriptions']);
  about(event.node !== undefined, ['events', 'node', event.node]);
  about(changesCleanings(event.type), ['cleanings']);
  about(event.type.startsWith('node_release'), ['releases', event.project]);
  about(event.type.includes('claim'), ['claims', event.project]);
  about(event.node !== undefined, ['claim-preview']);
  about(event.node !== undefined && showsPower(event.type), ['power', event.node]);
  about(event.type.startsWith('bmc_') || event.type === 'node_register', ['bmcs']);
  about(event.type.startsWith('token_'), ['tokens']);
  about(event.type.startsWith('session_'), ['sessions']);
  about(event.type.startsWith('project_') && event.node === undefined, ['projects'], ['users'], ['me']);
  return keys;
};
