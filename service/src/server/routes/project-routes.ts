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
import { exactly, Labels } from '../schemas.ts';

const params = exactly({ project: Label });
const body = exactly({ node: Label });
const ofProject = 'Project access, or Admin';

export const projectRoutes: readonly Route[] = [
  route({
    name: 'list_projects',
    method: 'GET',
    path: '/projects',
    summary: 'List all projects',
    access: 'admin',
    auth: 'Admin',
    reply: Labels,
    handle: (context) => context.read(listProjects),
  }),
  route({
    name: 'project_create',
    method: 'PUT',
    path: '/project/:project',
    summary: 'Create a project',
    access: 'admin',
    auth: 'Admin',
    params: exactly({ project: NewProjectLabel }),
    handle: (context, { params: args }) => context.write((op) => projectCreate(op, args)),
  }),
  route({
    name: 'project_delete',
    method: 'DELETE',
    path: '/project/:project',
    summary: 'Delete a project that has no nodes, networks or headnodes',
    access: 'admin',
    auth: 'Admin',
    params,
    handle: (context, { params: args }) => context.write((op) => projectDelete(op, args)),
  }),
  route({
    name: 'project_connect_node',
    method: 'POST',
    path: '/project/:project/connect_node',
    summary: 'Reserve a free node for a project',
    access: 'user',
    auth: ofProject,
    params,
    body,
    // Many callers may want the same node: they queue for it, and all but one get the answer that it is taken.
    handle: (context, { params: { project }, body: { node } }) =>
      context.write((op) => projectConnectNode(op, { project, node }), { queue: `node/${node}` }),
  }),
  route({
    name: 'project_detach_node',
    method: 'POST',
    path: '/project/:project/detach_node',
    summary: 'Release a node',
    access: 'user',
    auth: ofProject,
    params,
    body,
    handle: (context, { params: { project }, body: { node } }) =>
      context.write((op) => projectDetachNode(op, { project, node }), { queue: `node/${node}` }),
  }),
  route({
    name: 'list_project_nodes',
    method: 'GET',
    path: '/project/:project/nodes',
    summary: "List a project's nodes",
    access: 'user',
    auth: ofProject,
    params,
    reply: Labels,
    handle: (context, { params: args }) => context.read((op) => listProjectNodes(op, args)),
  }),
  route({
    name: 'list_project_networks',
    method: 'GET',
    path: '/project/:project/networks',
    summary: 'List the networks a project owns or has been given access to',
    access: 'user',
    auth: ofProject,
    params,
    reply: Labels,
    handle: (context, { params: args }) => context.read((op) => listProjectNetworks(op, args)),
  }),
  route({
    name: 'list_project_headnodes',
    method: 'GET',
    path: '/project/:project/headnodes',
    summary: "List a project's headnodes",
    access: 'user',
    auth: ofProject,
    params,
    reply: Labels,
    handle: (context, { params: args }) => context.read((op) => listProjectHeadnodes(op, args)),
  }),
];
