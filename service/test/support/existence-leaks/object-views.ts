import { isStream } from '../../../src/server/route-reply.ts';
import type { Route } from '../../../src/server/route.ts';
import type { Call } from '../authorization/authorization-case.ts';
import type { Rig } from '../authorization/authorization-rig.ts';
import { callAs } from './intruder-calls.ts';
import { callOf, type Kind, namedIn, namesIn, renamed, routes } from './object-names.ts';

/** Labels by the kind of object that they name. */
export type Labels = Readonly<Partial<Record<Kind, string>>>;

/** What a call names, by kind. */
export const labelsIn = (route: Route, call: Call): Labels =>
  Object.fromEntries(
    namesIn(route).flatMap((name) => {
      const label = namedIn(call, name);
      return label === undefined || label === '' ? [] : [[name.kind, label]];
    }),
  );

/** These have the time, the newest event or a place in line in them, or wait for a switch or an OBM daemon, or stream. */
const restless: readonly string[] = [
  'network_reach',
  'list_events',
  'stream_events',
  'show_bmc',
  'show_drift',
  'show_switch_drift',
  'show_node_wiring',
  'show_switch_wiring',
  'nodes_overview',
  'node_overview',
  'networks_overview',
  'switches_overview',
  'switch_overview',
  'projects_overview',
  'headnodes_overview',
  'actions_overview',
  'list_subscriptions',
  'show_subscription',
  'list_usage',
  'show_claim',
  'list_project_claims',
];

/** Calls that show something, and can be asked with nothing but these labels. */
export const viewsOf = (labels: Labels): readonly (readonly [Route, Call])[] =>
  routes
    .filter(({ method, name, reply }) => method === 'GET' && !isStream(reply) && !restless.includes(name))
    .flatMap((route) => {
      const names = namesIn(route).filter(({ place }) => place === 'params');
      if (names.some(({ kind }) => labels[kind] === undefined)) return [];
      const call = names.reduce((made, name) => renamed(made, name, labels[name.kind] ?? ''), blank(route));
      return [[route, call] as const];
    });

/** A list of all nodes is asked with a word that is no label. */
const blank = ({ name }: Route): Call => (name === 'list_nodes' ? { params: { is_free: 'all' } } : {});

/** What an administrator is shown of everything, and of what a call names. */
export const everyView = async (rig: Rig, route: Route, call: Call): Promise<Readonly<Record<string, string>>> => {
  const shown: [string, string][] = [];
  for (const [view, question] of viewsOf(labelsIn(route, call))) {
    const { status, text } = await callAs(rig, 'admin', view, question);
    shown.push([callOf(view), `${status} ${text}`]);
  }
  return Object.fromEntries(shown);
};
