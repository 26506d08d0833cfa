import { type Corral, NotFoundError } from '../../index.ts';
import { runParallel } from './run-parallel.ts';

export interface UserState {
  readonly isAdmin: boolean;
  readonly projects: readonly string[];
}

export interface NetworkState {
  readonly owner: string;
  /** null: everybody. */
  readonly access: readonly string[] | null;
  readonly netId: string;
}

export interface SwitchState {
  readonly type: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Names of fields whose values the service keeps to itself. */
  readonly secrets: readonly string[];
  readonly ports: readonly string[];
}

export interface NicState {
  readonly macaddr: string;
  readonly on: { readonly switch: string; readonly port: string } | null;
}

/** A BMC as its daemon shows it, without secrets. */
export interface BmcState {
  readonly type: string;
  readonly info: Readonly<Record<string, unknown>>;
}

export interface NodeState {
  readonly uri: string;
  /** Its OBM daemon is the one inside the service. */
  readonly isInside: boolean;
  readonly project: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly nics: ReadonlyMap<string, NicState>;
}

/** What a service has registered. */
export interface ServiceState {
  /** The caller; null: the service does not report it. */
  readonly caller: { readonly name: string; readonly by: string } | null;
  readonly projects: readonly string[];
  /** null: this service keeps no users of its own. */
  readonly users: ReadonlyMap<string, UserState> | null;
  readonly networks: ReadonlyMap<string, NetworkState>;
  readonly switches: ReadonlyMap<string, SwitchState>;
  readonly nodes: ReadonlyMap<string, NodeState>;
}

/** Which parts of a site are asked for. */
export type Part = Exclude<keyof ServiceState, 'caller'>;

/** Asks a service what it has; `said` hears how far that is. */
export const readServiceState = async (
  corral: Corral,
  parts: ReadonlySet<Part>,
  signal: AbortSignal,
  said: (text: string) => void,
): Promise<ServiceState> => {
  const options = { signal };
  const each = async <T>(part: Part, labels: readonly string[], show: (label: string) => Promise<T>) => {
    let count = 0;
    return new Map(
      await runParallel(labels, signal, async (label): Promise<[string, T]> => {
        const shown = await show(label);
        said(`reading ${part}: ${(count += 1)} of ${labels.length}`);
        return [label, shown];
      }),
    );
  };
  const list = async (part: Part, ask: () => Promise<readonly string[]>) => (parts.has(part) ? await ask() : []);

  const projects = await list('projects', () => corral.listProjects({}, options));
  const networks = parts.has('networks') ? await corral.listNetworks({}, options) : {};
  const switches = await list('switches', () => corral.listSwitches({}, options));
  const nodes = await list('nodes', () => corral.listNodes({ is_free: 'all' }, options));
  return {
    caller: parts.has('users') ? await readCaller(corral, signal) : null,
    projects,
    users: parts.has('users') ? await readUsers(corral, signal) : null,
    networks: await each('networks', Object.keys(networks), async (network) => {
      const { owner, access } = await corral.showNetwork({ network }, options);
      return { owner, access, netId: networks[network]?.network_id ?? '' };
    }),
    switches: await each('switches', switches, (label) => corral.showSwitch({ switch: label }, options)),
    nodes: await each('nodes', nodes, (label) => readNode(corral, label, signal)),
  };
};

/** null where there is no such call: it depends on how callers are known. */
const ifThere = async <T>(answer: Promise<T>): Promise<T | null> => {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
};

const readCaller = async (corral: Corral, signal: AbortSignal): Promise<ServiceState['caller']> =>
  ifThere(corral.whoami({}, { signal }));

const readUsers = async (corral: Corral, signal: AbortSignal): Promise<ServiceState['users']> => {
  const users = await ifThere(corral.listUsers({}, { signal }));
  return (
    users &&
    new Map(Object.entries(users).map(([name, { is_admin, projects }]) => [name, { isAdmin: is_admin, projects }]))
  );
};

const readNode = async (corral: Corral, node: string, signal: AbortSignal): Promise<NodeState> => {
  const { project, metadata, nics } = await corral.showNode({ node }, { signal });
  const { uri, inside } = await corral.showObmd({ node }, { signal });
  return {
    uri,
    isInside: inside,
    project,
    metadata,
    nics: new Map(
      nics.map(({ label, macaddr, switch: on, port }) => [
        label,
        { macaddr, on: typeof on === 'string' && typeof port === 'string' ? { switch: on, port } : null },
      ]),
    ),
  };
};
