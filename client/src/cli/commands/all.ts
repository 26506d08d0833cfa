import type { Command } from '../command.ts';
import { accountCommands } from './account.ts';
import { completionCommands } from './completion.ts';
import { headnodeCommands } from './headnode.ts';
import { networkCommands } from './network.ts';
import { nodeCommands } from './node.ts';
import { obmCommands } from './obm.ts';
import { projectCommands } from './project.ts';
import { siteCommands } from './site.ts';
import { switchCommands } from './switch.ts';
import { userCommands } from './user.ts';
import { watchCommands } from './watch.ts';

/** Every command there is, in the order of the help. */
export const commands: readonly Command[] = [
  ...nodeCommands,
  ...obmCommands,
  ...projectCommands,
  ...networkCommands,
  ...headnodeCommands,
  ...switchCommands,
  ...userCommands,
  ...siteCommands,
  ...watchCommands,
  ...accountCommands,
  ...completionCommands(() => commands),
];
