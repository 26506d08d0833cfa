import { Type } from '@sinclair/typebox';
import { actionsOverview } from '../../core/action-overview.ts';
import { headnodesOverview } from '../../core/headnode-overview.ts';
import { projectsOverview } from '../../core/project-overview.ts';
import { Label } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { exactly, Labels, orNull } from '../schemas.ts';
import { Event, Next, page, pageIn, Pending } from './overview-schemas.ts';

const ActionOverview = Type.Object({
  ...Pending,
  node: Type.String(),
  nic: Type.String(),
  project: orNull(Type.String({ description: 'null: the node is free' })),
  switch_answers: Type.Boolean({ description: 'false: the switch cannot be reached, and is retried' }),
  switch: Type.Optional(Type.String({ description: 'administrators only' })),
  port: Type.Optional(Type.String({ description: 'administrators only' })),
});

const HeadnodeOverview = Type.Object({
  name: Type.String(),
  project: Type.String(),
  uuid: Type.String(),
  base_img: Type.String(),
  state: Type.Unsafe<'created' | 'started' | 'stopped' | 'deleting'>({
    type: 'string',
    enum: ['created', 'started', 'stopped', 'deleting'],
    description: 'as recorded; the hypervisor is not asked',
  }),
  in_progress: Type.Boolean({ description: 'it is being started, stopped or deleted' }),
  vncport: Type.Null({ description: 'show_headnode asks the hypervisor for it' }),
  hnics: Type.Array(Type.Object({ label: Type.String(), network: orNull(Type.String()) })),
});

const ProjectOverview = Type.Object({
  name: Type.String(),
  nodes: Type.Integer(),
  networks: Type.Integer({ description: 'networks that it owns, or has been given access to' }),
  headnodes: Type.Integer(),
  members: orNull({ ...Labels, description: 'users of this service; null: shown to administrators only' }),
});

/** What projects have, and what is under way for them. */
export const projectOverviewRoutes: readonly Route[] = [
  route({
    name: 'projects_overview',
    endpoint: 'GET /overview/projects',
    summary: 'List the projects of the caller with how much they have, a page at a time',
    access: 'user',
    auth: 'Any authenticated caller for their own projects; Admin sees all, and their members',
    query: exactly(page),
    reply: Type.Object({ event: Event, projects: Type.Array(ProjectOverview), next: Next }),
    handle: (context, { query }) => projectsOverview(context, pageIn(query)),
  }),
  route({
    name: 'headnodes_overview',
    endpoint: 'GET /overview/headnodes',
    summary: 'List headnodes with their state and the networks of their hnics, a page at a time',
    access: 'user',
    auth: 'Any authenticated caller for headnodes of their projects; Admin sees all',
    query: exactly({
      ...page,
      project: Type.Optional(
        Type.String({ ...Label, description: 'only headnodes of this project; needs access to it' }),
      ),
    }),
    reply: Type.Object({ event: Event, headnodes: Type.Array(HeadnodeOverview), next: Next }),
    handle: (context, { query: { project, ...rest } }) =>
      headnodesOverview(context, { ...pageIn(rest), ...(project === undefined ? {} : { project }) }),
  }),
  route({
    name: 'actions_overview',
    endpoint: 'GET /overview/actions',
    summary: 'List the network changes that are pending, the oldest first, a page at a time',
    access: 'user',
    auth: 'Any authenticated caller for nodes of their projects; Admin sees all, and switches and ports',
    query: exactly({
      ...page,
      after: Type.Optional(Type.String({ pattern: '^\\d{1,15}$', description: 'the `next` of the page before' })),
    }),
    reply: Type.Object({ event: Event, actions: Type.Array(ActionOverview), next: Next }),
    handle: (context, { query }) => {
      const { after, limit } = pageIn(query);
      return actionsOverview(context, { after: Number(after), limit });
    },
  }),
];
