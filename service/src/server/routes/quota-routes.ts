import { Type } from '@sinclair/typebox';
import { listProjectQuotas, listQuotas, quotaDelete, quotaSet } from '../../core/quotas.ts';
import { Label, NodeClass } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { exactly, orNull } from '../schemas.ts';

const largest = 1_000_000;

const what = { enum: ['nodes', 'networks', 'headnodes'] };
const What = Type.Unsafe<'nodes' | 'networks' | 'headnodes'>({
  type: 'string',
  ...what,
  description: 'nodes, networks or headnodes',
});
const Limit = orNull(Type.Integer({ minimum: 0, maximum: largest }));
const params = exactly({ what: What });
const which = {
  project: Type.Optional(
    Type.String({ ...Label, description: 'a project; without it, every project that has no limit of its own' }),
  ),
  class: Type.Optional(Type.String({ ...NodeClass, description: 'only nodes of this class' })),
};

const view = { what: What, class: orNull(Type.String()), limit: Limit };

export const quotaRoutes: readonly Route[] = [
  route({
    name: 'list_quotas',
    endpoint: 'GET /quotas',
    summary: 'List all quotas; those without a project are for every project that has none of its own',
    access: 'admin',
    reply: Type.Array(Type.Object({ project: orNull(Type.String()), ...view })),
    handle: (context) => context.read(listQuotas),
  }),
  route({
    name: 'list_project_quotas',
    endpoint: 'GET /project/:project/quotas',
    summary: 'List what a project is limited to, and how much of it is used; a limit of null is none',
    access: 'user',
    auth: 'Project access, or Admin',
    reply: Type.Array(Type.Object({ ...view, used: Type.Integer() })),
    handle: (context, { params: args }) => context.read((op) => listProjectQuotas(op, args)),
  }),
  route({
    name: 'quota_set',
    endpoint: 'PUT /quota/:what',
    summary: 'Limit how much a project, or every project, may have',
    access: 'admin',
    params,
    body: exactly({
      ...which,
      limit: orNull(
        Type.Integer({
          minimum: 0,
          maximum: largest,
          description: 'how many at most; null: as many as it likes, also if there is a default',
        }),
      ),
    }),
    handle: (context, { params: args, body }) => context.write((op) => quotaSet(op, { ...args, ...body })),
  }),
  route({
    name: 'quota_delete',
    endpoint: 'DELETE /quota/:what',
    summary: 'Delete a quota',
    access: 'admin',
    params,
    query: exactly(which),
    handle: (context, { params: args, query }) => context.write((op) => quotaDelete(op, { ...args, ...query })),
  }),
];
