import { listCommand, simpleCommand } from '../simple-command.ts';
import type { Command } from '../cli-command.ts';
import { forced, forceOption } from '../force-option.ts';
import { projectList } from '../lists/project-list.ts';
import { releaseList, releaseShow } from '../lists/release-list.ts';
import { releaseCommand } from '../release-nodes.ts';

/** What can be done with projects. */
export const projectCommands: readonly Command[] = [
  simpleCommand({
    usage: 'project create <project:text>',
    about: 'create a project',
    example: 'project create astronomy',
    call: (corral, args) => corral.projectCreate(args),
    sentence: ({ project }) => `project ${project} is created`,
  }),
  simpleCommand({
    usage: 'project delete <project>',
    about: 'delete a project that has nothing',
    example: 'project delete astronomy',
    call: (corral, args) => corral.projectDelete(args),
    sentence: ({ project }) => `project ${project} is deleted`,
  }),
  projectList,
  listCommand({
    usage: 'project list-networks <project>',
    about: 'list the networks that a project may use',
    example: 'project list-networks astronomy',
    of: 'network',
    call: (corral, args) => corral.listProjectNetworks(args),
  }),
  simpleCommand({
    usage: 'project node add <project> <node:free-node>',
    about: 'reserve a free node',
    options: forceOption,
    example: 'project node add astronomy node-12',
    call: (corral, args, parsed) => corral.projectConnectNode({ ...args, ...forced(parsed) }),
    sentence: ({ project, node }) => `node ${node} is reserved for project ${project}`,
  }),
  simpleCommand({
    usage: 'project node remove <project> <node>',
    about: 'release a node',
    example: 'project node remove astronomy node-12',
    call: (corral, args) => corral.projectDetachNode(args),
    sentence: ({ project, node }) => `node ${node} has left project ${project}`,
  }),
  listCommand({
    usage: 'project node list <project>',
    about: 'list the nodes of a project',
    example: 'project node list astronomy',
    of: 'node',
    call: (corral, args) => corral.listProjectNodes(args),
  }),
  releaseCommand,
  releaseList,
  releaseShow,
];
