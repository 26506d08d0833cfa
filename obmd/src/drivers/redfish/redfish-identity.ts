import { itemsOf, member, textAt } from '@corral/base/json-members';
import { type BmcIdentity, BmcError } from '../bmc-contract.ts';
import type { RedfishClient } from './redfish-client.ts';
import type { Document } from './redfish-documents.ts';
import { ownPath } from './redfish-paths.ts';

/** A BMC has 16 accounts or so; a longer list is not gone through. */
const mostAccounts = 40;

/** What a BMC says it is, and the role of our user. `system`: the path of the machine, which could be read. */
export const identityOf = async (client: RedfishClient, system: string, signal: AbortSignal): Promise<BmcIdentity> => {
  const root = await client.root(signal);
  const parts = [
    `Redfish ${textAt(root, 'RedfishVersion') ?? 'of unknown version'}`,
    ...[textAt(root, 'Vendor'), textAt(root, 'Product')].filter((text) => text !== undefined && text !== ''),
    `system ${system.replace(/\/$/, '').split('/').at(-1) ?? ''}`,
  ];
  const role = await roleOfUser(client, root, signal);
  return { answered: parts.join(', '), privileges: role ?? 'not shown to this user' };
};

/** Null: the BMC does not show it, as most do not to users who may not manage accounts. */
const roleOfUser = async (client: RedfishClient, root: Document, signal: AbortSignal): Promise<string | null> => {
  try {
    const service = await readAt(client, textAt(root, 'AccountService', '@odata.id'), signal);
    const accounts = service && (await readAt(client, textAt(service, 'Accounts', '@odata.id'), signal));
    for (const item of itemsOf(member(accounts, 'Members')).slice(0, mostAccounts)) {
      const account = await readAt(client, textAt(item, '@odata.id'), signal);
      if (account && textAt(account, 'UserName') === client.target.user) return textAt(account, 'RoleId') ?? null;
    }
    return null;
  } catch (error) {
    // It refuses to show accounts; the calls before have found whatever else is wrong.
    if (error instanceof BmcError && error.fault !== 'unreachable') return null;
    throw error;
  }
};

const readAt = async (
  client: RedfishClient,
  address: string | undefined,
  signal: AbortSignal,
): Promise<Document | null> => {
  if (address === undefined) return null;
  return client.read(ownPath(client.target.origin, address, 'its accounts'), 'show its accounts', signal);
};
