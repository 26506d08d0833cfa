import { type Route } from '../../../src/server/route.ts';
import { routeGroups } from '../../../src/server/routes/all-routes.ts';
import type { Call } from '../authorization/authorization-case.ts';

/*
 * Which objects a call is about, told from the names of its arguments. A route whose arguments are all known here
 * is tried by every oracle as soon as it is in the list of routes; a new name of an argument needs one line.
 */

/** Kinds of objects that can be made and deleted. */
export type Kind =
  | 'project'
  | 'node'
  | 'nic'
  | 'metadata'
  | 'network'
  | 'headnode'
  | 'hnic'
  | 'switch'
  | 'port'
  | 'user'
  | 'action'
  | 'release'
  | 'claim'
  | 'cleaning'
  | 'leftover'
  | 'session'
  | 'token'
  | 'subscription';

/** What each argument of a route names; null: nothing, it is a value. */
const kindOfArgument: Readonly<Record<string, Kind | null>> = {
  project: 'project',
  owner: 'project',
  access: 'project',
  node: 'node',
  nodes: 'node',
  nic: 'nic',
  label: 'metadata',
  network: 'network',
  headnode: 'headnode',
  hnic: 'hnic',
  switch: 'switch',
  port: 'port',
  user: 'user',
  username: 'user',
  status_id: 'action',
  release: 'release',
  claim: 'claim',
  cleaning: 'cleaning',
  uuid: 'leftover',
  session: 'session',
  token: 'token',
  subscription: 'subscription',
  url: null,
  address: null,
  filter: null,
  paused: null,
  from_now: null,
  dead_letter: null,
  count: null,
  match: null,
  prefer: null,
  wait: null,
  what: null,
  class: null,
  state: null,
  step: null,
  for_repair: null,
  reason: null,
  outcome: null,
  evidence: null,
  from: null,
  to: null,
  by: null,
  is_free: null,
  which: null,
  after: null,
  limit: null,
  net_id: null,
  channel: null,
  macaddr: null,
  obmd: null,
  metadata: null,
  uri: null,
  admin_token: null,
  value: null,
  enabled: null,
  force: null,
  bootdev: null,
  info: null,
  base_img: null,
  policy: null,
  as: null,
  dry_run: null,
  type: null,
  password: null,
  current: null,
  revoke_tokens: null,
  expires_in: null,
  read_only: null,
  is_admin: null,
  'is-admin': null,
};

/**
 * Calls whose words need not name what is there: the record knows what is long gone, who signs in may be anybody, and a
 * result of a cleaning is taken by its token alone.
 */
const nameless: readonly string[] = ['list_events', 'stream_events', 'session_open', 'cleaning_result'];

/** Calls that make an object, and of which kind: they are the ones that want its label to be free. */
export const makes: Readonly<Record<string, Kind>> = {
  project_create: 'project',
  node_register: 'node',
  node_register_nic: 'nic',
  node_set_metadata: 'metadata',
  network_create: 'network',
  headnode_create: 'headnode',
  headnode_create_hnic: 'hnic',
  switch_register: 'switch',
  switch_register_port: 'port',
  user_create: 'user',
  token_create: 'token',
  subscription_create: 'subscription',
  subscription_create_mail: 'subscription',
};

/** Where an object is found only within another. */
export const parentOf: Readonly<Partial<Record<Kind, Kind>>> = {
  nic: 'node',
  metadata: 'node',
  hnic: 'headnode',
  port: 'switch',
  token: 'user',
};

type ArgumentLocation = 'params' | 'query' | 'body';
const places: readonly ArgumentLocation[] = ['params', 'query', 'body'];

/** An argument of a route that names an object. */
export interface Name {
  readonly place: ArgumentLocation;
  readonly field: string;
  readonly kind: Kind;
}

/** Every call there is, once each. */
export const routes: readonly Route[] = routeGroups.flatMap((group) => group.routes);

/** How a call is written: `PUT /node/:node`. */
export const callOf = ({ method, path }: Route): string => `${method} ${path}`;

const argumentsOf = (route: Route): readonly { readonly place: ArgumentLocation; readonly field: string }[] =>
  places.flatMap((place) => {
    const { properties = {} } = route[place] as { readonly properties?: Readonly<Record<string, unknown>> };
    return Object.keys(properties).map((field) => ({ place, field }));
  });

/** The objects that a route names, in the order in which it names them. */
export const namesIn = (route: Route): readonly Name[] =>
  nameless.includes(route.name)
    ? []
    : argumentsOf(route).flatMap(({ place, field }) => {
        const kind = kindOfArgument[field];
        return kind === undefined || kind === null ? [] : [{ place, field, kind }];
      });

/** Arguments of which nobody has said what they name. */
export const unknownArguments = (): readonly string[] =>
  routes
    .filter(({ name }) => !nameless.includes(name))
    .flatMap((route) =>
      argumentsOf(route)
        .filter(({ field }) => kindOfArgument[field] === undefined)
        .map(({ place, field }) => `${field} in the ${place} of ${callOf(route)}`),
    );

/** Names that a call makes up: the label that it wants to be free. */
export const isMade = (route: Route, { place, kind }: Name): boolean =>
  place === 'params' && makes[route.name] === kind;

/** What a call has in the place of a name; undefined: it leaves it out. */
export const namedIn = (call: Call, { place, field }: Name): string | undefined => {
  if (place === 'query') return new URLSearchParams(call.query).get(field) ?? undefined;
  const given = (call[place] as Readonly<Record<string, unknown>> | undefined)?.[field];
  const value: unknown = Array.isArray(given) ? given[0] : given;
  return typeof value === 'string' ? value : undefined;
};

/** The same call with another label in the place of a name. */
export const renamed = (call: Call, { place, field }: Name, label: string): Call => {
  if (place === 'query') {
    const query = new URLSearchParams(call.query);
    query.set(field, label);
    return { ...call, query: `?${query.toString()}` };
  }
  const given = call[place] as Readonly<Record<string, unknown>> | undefined;
  return { ...call, [place]: { ...given, [field]: Array.isArray(given?.[field]) ? [label] : label } };
};
