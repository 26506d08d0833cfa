import {
  listProjectHeadnodes,
  listProjectNetworks,
  listProjectNodes,
  listProjects,
  projectConnectNode,
  projectCreate,
  projectDelete,
  projectDetachNode,
} from '../../core/projects.ts';
import { Label, NewProjectLabel } from '../../schema/labels.ts';
import { type Route, route } from '../route.ts';
import { exactly, Force, Labels } from '../schemas.ts';

const body = exactly({ node: Label });
const ofProject = 'Project access, or Admin';

export const projectRoutes: readonly Route[] = [
  route({
    name: 'list_projects',
    endpoint: 'GET /projects',
    summary: 'List all projects',
    access: 'admin',
    reply: Labels,
    handle: (context) => context.read(listProjects),
  }),
  route({
    name: 'project_create',
    endpoint: 'PUT /project/:project',
    summary: 'Create a project',
    access: 'admin',
    params: exactly({ project: NewProjectLabel }),
    handle: (context, { params: args }) => context.write((op) => projectCreate(op, args)),
  }),
  route({
    name: 'project_delete',
    endpoint: 'DELETE /project/:project',
    summary: 'Delete a project that has no nodes, networks or headnodes',
    access: 'admin',
    handle: (context, { params: args }) => context.write((op) => projectDelete(op, args)),
  }),
  route({
    name: 'project_connect_node',
    endpoint: 'POST /project/:project/connect_node',
    summary: 'Reserve a free node for a project',
    access: 'user',
    auth: ofProject,
    body: exactly({ node: Label, force: Force }),
    // Many callers may want the same node: they queue for it, and all but one get the answer that it is taken.
    handle: (context, { params: { project }, body }) =>
      context.write((op) => projectConnectNode(op, { project, ...body }), { queue: `node/${body.node}` }),
  }),
  route({
    name: 'project_detach_node',
    endpoint: 'POST /project/:project/detach_node',
    summary: 'Release a node',
    access: 'user',
    auth: ofProject,
    body,
    handle: (context, { params: { project }, body: { node } }) =>
      context.write((op) => projectDetachNode(op, { project, node }), { queue: `node/${node}` }),
  }),
  route({
    name: 'list_project_nodes',
    endpoint: 'GET /project/:project/nodes',
    summary: "List a project's nodes",
    access: 'user',
    auth: ofProject,
    reply: Labels,
    handle: (context, { params: args }) => context.read((op) => listProjectNodes(op, args)),
  }),
  route({
    name: 'list_project_networks',
    endpoint: 'GET /project/:project/networks',
    summary: 'List the networks a project owns or has been given access to',
    access: 'user',
    auth: ofProject,
    reply: Labels,
    handle: (context, { params: args }) => context.read((op) => listProjectNetworks(op, args)),
  }),
  route({
    name: 'list_project_headnodes',
    endpoint: 'GET /project/:project/headnodes',
    summary: "List a project's headnodes",
    access: 'user',
    auth: ofProject,
    reply: Labels,
    handle: (context, { params: args }) => context.read((op) => listProjectHeadnodes(op, args)),
  }),
];
