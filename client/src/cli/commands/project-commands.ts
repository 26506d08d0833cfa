import { simpleCommand } from '../simple-command.ts';
import type { Argument, Command } from '../cli-command.ts';

const project: Argument = { name: 'project', kind: 'project' };

/** What can be done with projects. */
export const projectCommands: readonly Command[] = [
  simpleCommand({
    words: 'project create',
    about: 'create a project',
    args: [{ name: 'project', kind: 'text' }],
    example: 'project create astronomy',
    call: (corral, parsed) => corral.projectCreate({ project: parsed.arg('project') }),
    sentence: (parsed) => `project ${parsed.arg('project')} is created`,
  }),
  simpleCommand({
    words: 'project delete',
    about: 'delete a project that has nothing',
    args: [project],
    example: 'project delete astronomy',
    call: (corral, parsed) => corral.projectDelete({ project: parsed.arg('project') }),
    sentence: (parsed) => `project ${parsed.arg('project')} is deleted`,
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
    run: async ({ corral, output }, parsed) => {
      const networks = await (await corral()).listProjectNetworks({ project: parsed.arg('project') });
      output.table(
        ['network'],
        networks.map((label) => [label]),
        networks,
        'no networks',
      );
    },
  },
  simpleCommand({
    words: 'project node add',
    about: 'reserve a free node',
    args: [project, { name: 'node', kind: 'free-node' }],
    example: 'project node add astronomy node-12',
    call: (corral, parsed) => corral.projectConnectNode({ project: parsed.arg('project'), node: parsed.arg('node') }),
    sentence: (parsed) => `node ${parsed.arg('node')} is reserved for project ${parsed.arg('project')}`,
  }),
  simpleCommand({
    words: 'project node remove',
    about: 'release a node',
    args: [project, { name: 'node', kind: 'node' }],
    example: 'project node remove astronomy node-12',
    call: (corral, parsed) => corral.projectDetachNode({ project: parsed.arg('project'), node: parsed.arg('node') }),
    sentence: (parsed) => `node ${parsed.arg('node')} has left project ${parsed.arg('project')}`,
  }),
  {
    words: ['project', 'node', 'list'],
    about: 'list the nodes of a project',
    args: [project],
    example: 'project node list astronomy',
    run: async ({ corral, output }, parsed) => {
      const nodes = await (await corral()).listProjectNodes({ project: parsed.arg('project') });
      output.table(
        ['node'],
        nodes.map((label) => [label]),
        nodes,
        'no nodes',
      );
    },
  },
];
