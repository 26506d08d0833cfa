import { act } from '../act.ts';
import type { Argument, Command } from '../command.ts';

const project: Argument = { name: 'project', kind: 'project' };

/** What can be done with projects. */
export const projectCommands: readonly Command[] = [
  act({
    words: 'project create',
    about: 'create a project',
    args: [{ name: 'project', kind: 'text' }],
    example: 'project create astronomy',
    call: (corral, given) => corral.projectCreate({ project: given.arg('project') }),
    sentence: (given) => `project ${given.arg('project')} is created`,
  }),
  act({
    words: 'project delete',
    about: 'delete a project that has nothing',
    args: [project],
    example: 'project delete astronomy',
    call: (corral, given) => corral.projectDelete({ project: given.arg('project') }),
    sentence: (given) => `project ${given.arg('project')} is deleted`,
  }),
  {
    words: ['project', 'list'],
    about: 'list all projects',
    example: 'project list',
    run: async ({ corral, output }) => {
      const projects = await (await corral()).listProjects();
      output.table(
        ['project'],
        projects.map((label) => [label]),
        projects,
        'no projects',
      );
    },
  },
  {
    words: ['project', 'list-networks'],
    about: 'list the networks that a project may use',
    args: [project],
    example: 'project list-networks astronomy',
    run: async ({ corral, output }, given) => {
      const networks = await (await corral()).listProjectNetworks({ project: given.arg('project') });
      output.table(
        ['network'],
        networks.map((label) => [label]),
        networks,
        'no networks',
      );
    },
  },
  act({
    words: 'project node add',
    about: 'reserve a free node',
    args: [project, { name: 'node', kind: 'free-node' }],
    example: 'project node add astronomy node-12',
    call: (corral, given) => corral.projectConnectNode({ project: given.arg('project'), node: given.arg('node') }),
    sentence: (given) => `node ${given.arg('node')} is reserved for project ${given.arg('project')}`,
  }),
  act({
    words: 'project node remove',
    about: 'release a node',
    args: [project, { name: 'node', kind: 'node' }],
    example: 'project node remove astronomy node-12',
    call: (corral, given) => corral.projectDetachNode({ project: given.arg('project'), node: given.arg('node') }),
    sentence: (given) => `node ${given.arg('node')} has left project ${given.arg('project')}`,
  }),
  {
    words: ['project', 'node', 'list'],
    about: 'list the nodes of a project',
    args: [project],
    example: 'project node list astronomy',
    run: async ({ corral, output }, given) => {
      const nodes = await (await corral()).listProjectNodes({ project: given.arg('project') });
      output.table(
        ['node'],
        nodes.map((label) => [label]),
        nodes,
        'no nodes',
      );
    },
  },
];
