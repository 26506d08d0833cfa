import type { Corral } from '../index.ts';
import type { Kind } from './cli-command.ts';

/** What the service has lists of. */
type Listed = Exclude<Kind, 'file' | 'profile' | 'text'>;

/** Labels of a kind; `before` are the arguments that stand before it, by their names. */
export type Labels<Of extends Kind = Listed> = (
  kind: Of,
  before: ReadonlyMap<string, string>,
) => Promise<readonly string[]>;

/** Labels as the service knows them now, as far as the caller may know them. */
export const labelsFrom =
  (corral: Corral): Labels =>
  async (kind, before) => {
    const node = before.get('node') ?? '';
    const lists: Readonly<Record<Listed, () => Promise<readonly string[]>>> = {
      node: () => corral.listNodes({ is_free: 'all' }),
      'free-node': () => corral.listNodes({ is_free: 'free' }),
      nic: async () => (await corral.showNode({ node })).nics.map(({ label }) => label),
      network: async () => (await corral.networksOverview()).networks.map(({ name }) => name),
      project: () => projectsOf(corral),
      headnode: () => ofAllProjects(corral, (project) => corral.listProjectHeadnodes({ project })),
      hnic: async () => (await corral.showHeadnode({ headnode: before.get('headnode') ?? '' })).hnics,
      switch: () => corral.listSwitches(),
      port: async () => (await corral.showSwitch({ switch: before.get('switch') ?? '' })).ports,
      user: async () => Object.keys(await corral.listUsers()),
      image: () => corral.listHeadnodeImages(),
      subscription: async () => (await corral.listSubscriptions()).map(({ subscription }) => subscription),
      token: async () => (await corral.listTokens()).map(({ token }) => token),
    };
    return lists[kind]();
  };

const projectsOf = async (corral: Corral): Promise<readonly string[]> => {
  const { admin, projects } = await corral.whoami();
  return admin ? corral.listProjects() : projects;
};

const ofAllProjects = async (
  corral: Corral,
  list: (project: string) => Promise<readonly string[]>,
): Promise<readonly string[]> => {
  const lists = await Promise.all((await projectsOf(corral)).map(list));
  return [...new Set(lists.flat())].sort();
};
