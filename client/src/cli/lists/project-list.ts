import type { Command } from '../cli-command.ts';
import { counted } from '../counted.ts';
import { allProjects } from './all-pages.ts';
import { naturalOrder } from '../../natural-order.ts';

/** `corral project list`: the caller's projects, or all, with how much they have. */
export const projectList: Command = {
  words: ['project', 'list'],
  about: 'list your projects with how much they have; administrators see all, with their members',
  example: 'project list',
  run: async ({ corral, output }) => {
    const { projects } = await allProjects(await corral());
    const sorted = projects.toSorted((one, other) => naturalOrder(one.name, other.name));
    const hasMembers = projects.some(({ members }) => members !== null);
    output.table(
      ['project', 'nodes', 'networks', 'headnodes', ...(hasMembers ? ['members'] : [])],
      sorted.map(({ name, nodes, networks, headnodes, members }) => [
        name,
        counted(nodes),
        counted(networks),
        counted(headnodes),
        ...(hasMembers ? [(members ?? []).join(', ')] : []),
      ]),
      // Programs get what they always got.
      projects.map(({ name }) => name).sort(),
      'no projects',
    );
  },
};
