import type { Command } from '../command.ts';

/** Where the commands are that are typed most, by their first word. */
export const groups: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  node: async () => {
    const [{ nodeCommands }, { obmCommands }] = await Promise.all([import('./node.ts'), import('./obm.ts')]);
    return [...nodeCommands, ...obmCommands];
  },
  project: async () => (await import('./project.ts')).projectCommands,
  network: async () => (await import('./network.ts')).networkCommands,
  headnode: async () => (await import('./headnode.ts')).headnodeCommands,
};

/** The commands that a line may mean: all, or only those of its first word, which are loaded in a third of the time. */
export const commandsFor = async (argv: readonly string[]): Promise<readonly Command[]> => {
  const [first = ''] = argv;
  const group = Object.hasOwn(groups, first) ? groups[first] : undefined;
  return group ? group() : (await import('./all.ts')).commands;
};
