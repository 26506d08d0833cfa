import type { Command } from '../cli-command.ts';
import { accountCommands } from './account-commands.ts';
import { bmcCommands } from './bmc-commands.ts';
import { claimCommands } from './claim-commands.ts';
import { cleaningCommands } from './cleaning-commands.ts';
import { completionCommands } from './completion-commands.ts';
import { driftCommands } from './drift-commands.ts';
import { headnodeCommands } from './headnode-commands.ts';
import { mailCommands } from './mail-commands.ts';
import { networkCommands } from './network-commands.ts';
import { nodeCommands } from './node-commands.ts';
import { obmCommands } from './obm-commands.ts';
import { profileCommands } from './profile-commands.ts';
import { projectCommands } from './project-commands.ts';
import { quotaCommands } from './quota-commands.ts';
import { siteCommands } from './site-commands.ts';
import { subscriptionCommands } from './subscription-commands.ts';
import { switchCommands } from './switch-commands.ts';
import { usageCommands } from './usage-commands.ts';
import { userCommands } from './user-commands.ts';
import { watchCommands } from './watch-commands.ts';
import { wiringCommands } from './wiring-commands.ts';

/** Every command there is, in the order of the help. */
export const commands: readonly Command[] = [
  ...nodeCommands,
  ...obmCommands,
  ...bmcCommands,
  ...cleaningCommands,
  ...projectCommands,
  ...claimCommands,
  ...quotaCommands,
  ...usageCommands,
  ...networkCommands,
  ...headnodeCommands,
  ...switchCommands,
  ...driftCommands,
  ...wiringCommands,
  ...userCommands,
  ...siteCommands,
  ...watchCommands,
  ...subscriptionCommands,
  ...mailCommands,
  ...accountCommands,
  ...profileCommands,
  ...completionCommands(() => commands),
];
