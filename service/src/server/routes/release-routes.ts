import { Type } from '@sinclair/typebox';
import { listProjectReleases, projectReleaseNodes, showRelease } from '../../core/releases.ts';
import { Label, oneLine, ReleaseId } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { exactly, orNull } from '../schemas.ts';

const ofProject = 'Project access, or Admin';
/** Few enough for one transaction. */
const mostNodes = 200;

const Release = Type.Object({
  release: Type.String(),
  node: Type.String(),
  project: Type.String(),
  caller: Type.String({ description: 'who asked for it' }),
  state: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')]),
  step: Type.Union([Type.Literal('networks'), Type.Literal('obm'), Type.Literal('project')], {
    description: 'what it does, or did last: detach networks, disable OBM, take the node out of the project',
  }),
  detaches: Type.Array(
    Type.Object({
      nic: Type.String(),
      network: Type.String(),
      status_id: Type.String({ description: 'pass it to show_networking_action for the status' }),
    }),
    { description: 'the detachments that it queued, oldest first' },
  ),
  problem: orNull(Type.String({ description: 'what went wrong last; while it is running, it is tried again' })),
  attempts: Type.Integer({ description: 'failed attempts at the step' }),
  for_repair: orNull(
    Type.String({ description: 'what is wrong with the node, which is quarantined when it has left; null: nothing' }),
  ),
  started_at: Type.String({ description: 'ISO 8601' }),
  ended_at: orNull(Type.String({ description: 'ISO 8601' })),
});

export const releaseRoutes: readonly Route[] = [
  route({
    name: 'project_release_nodes',
    endpoint: 'POST /project/:project/release',
    summary: 'Give nodes back: detach their networks, disable OBM and take them out of the project',
    access: 'user',
    auth: ofProject,
    body: exactly({
      nodes: Type.Array(Label, {
        minItems: 1,
        maxItems: mostNodes,
        description: `a list of 1 to ${mostNodes} labels of nodes`,
      }),
      for_repair: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1_000,
          pattern: oneLine,
          description:
            'what is wrong with them, in one line of text; nobody gets them until an administrator has put them back',
        }),
      ),
    }),
    reply: Type.Object({
      releases: Type.Array(
        Type.Object({
          node: Type.String(),
          release: Type.String({ description: 'pass it to show_release to follow it' }),
        }),
      ),
    }),
    status: 202,
    handle: (context, { params: args, body }) => context.write((op) => projectReleaseNodes(op, { ...args, ...body })),
  }),
  route({
    name: 'show_release',
    endpoint: 'GET /release/:release',
    summary: 'Show how far the release of a node is',
    access: 'user',
    auth: ofProject,
    params: exactly({ release: ReleaseId }),
    reply: Release,
    handle: (context, { params: args }) => context.read((op) => showRelease(op, args)),
  }),
  route({
    name: 'list_project_releases',
    endpoint: 'GET /project/:project/releases',
    summary: "List releases of a project's nodes: those that are running, and those that ended within a week",
    access: 'user',
    auth: ofProject,
    reply: Type.Array(Release),
    handle: (context, { params: args }) => context.read((op) => listProjectReleases(op, args)),
  }),
];
