import { BmcError } from '../bmc-contract.ts';
import type { RedfishClient } from './redfish-client.ts';
import type { Document } from './redfish-documents.ts';
import { itemsOf, member, memberAt, textAt, textsAt } from '@corral/base/json-members';
import { ownPath } from './redfish-paths.ts';
import { type Quirks, quirksOf } from './vendor-quirks.ts';

/** `PowerState`, as far as the difference matters; null if the BMC does not report it. */
export type Power = 'on' | 'off' | 'turningOn' | 'turningOff' | null;

/** What a machine boots from, and what it can be set to boot from. */
export interface BootOverride {
  readonly enabled: string | undefined;
  readonly target: string | undefined;
  readonly mode: string | undefined;
  /** What is allowed; null if the BMC does not say. */
  readonly targets: readonly string[] | null;
  readonly enableds: readonly string[] | null;
}

/** A machine as its BMC shows it. */
export interface RedfishSystem {
  readonly path: string;
  readonly power: Power;
  /** The reset action; null if there is none. */
  readonly reset: {
    readonly path: string;
    /** What it takes; null if the BMC does not say here. */
    readonly types: readonly string[] | null;
    /** Where the BMC says it instead. */
    readonly infoPath: string | null;
  } | null;
  /** Null if it is not shown. */
  readonly boot: BootOverride | null;
  /** The resource that takes changes for the next boot, where that is another one. */
  readonly settingsPath: string | null;
  readonly quirks: Quirks;
}

/** A BMC has one machine, or few; a list longer than this is not gone through. */
const mostPages = 20;
const mostNames = 10;

/** Finds the path of the machine that is meant: the only one, or the one with this id or address. */
export const findSystem = async (
  client: RedfishClient,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<string> => {
  const paths = await systemPaths(client, signal);
  const [first] = paths;
  if (first === undefined) throw new BmcError('unsupported', 'the BMC lists no machines; tell an administrator');
  if (wanted === undefined && paths.length === 1) return first;
  const names = `${paths.slice(0, mostNames).map(idOf).join(', ')}${paths.length > mostNames ? ', …' : ''}`;
  if (wanted === undefined)
    throw new BmcError(
      'unsupported',
      `the BMC has several machines (${names}); an administrator has to register the node with one of them as "system"`,
    );
  const found = paths.find((path) => idOf(path) === wanted || withoutSlash(path) === withoutSlash(wanted));
  if (found === undefined)
    throw new BmcError(
      'unsupported',
      `the BMC has no machine with the "system" that the node was registered with; it has ${names}`,
    );
  return found;
};

const systemPaths = async (client: RedfishClient, signal: AbortSignal): Promise<readonly string[]> => {
  const { origin } = client.target;
  const what = 'the list of its machines';
  let address = textAt(await client.root(signal), 'Systems', '@odata.id');
  const paths = new Set<string>();
  for (let page = 0; address !== undefined && page < mostPages; page += 1) {
    const list = await client.read(ownPath(origin, address, what), 'show its machines', signal);
    for (const item of itemsOf(member(list, 'Members'))) {
      const id = textAt(item, '@odata.id');
      if (id !== undefined) paths.add(ownPath(origin, id, 'one of its machines'));
    }
    address = textAt(list, 'Members@odata.nextLink');
  }
  return [...paths];
};

const withoutSlash = (path: string): string => {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
};

/** The last part of a path, as it can stand in a sentence. */
const idOf = (path: string): string => {
  const id = withoutSlash(path).split('/').at(-1) ?? '';
  return id.length <= 60 ? id : `${id.slice(0, 60)}…`;
};

/** Reads what a BMC shows of a machine. */
export const systemFrom = (client: RedfishClient, path: string, shown: Document, root: Document): RedfishSystem => {
  const { origin } = client.target;
  const action = memberAt(shown, 'Actions', '#ComputerSystem.Reset');
  const target = textAt(action, 'target');
  const info = textAt(action, '@Redfish.ActionInfo');
  const settings = textAt(shown, '@Redfish.Settings', 'SettingsObject', '@odata.id');
  const vendor = `${textAt(root, 'Vendor') ?? ''} ${textAt(shown, 'Manufacturer') ?? ''}`;
  return {
    path,
    power: powerIn(textAt(shown, 'PowerState')),
    reset:
      target === undefined
        ? null
        : {
            path: ownPath(origin, target, 'the place where machines are reset'),
            types: textsAt(action, 'ResetType@Redfish.AllowableValues'),
            infoPath: info === undefined ? null : ownPath(origin, info, 'the description of a reset'),
          },
    boot: bootIn(shown),
    settingsPath: settings === undefined ? null : ownPath(origin, settings, 'the settings of a machine'),
    quirks: quirksOf(vendor),
  };
};

const powerIn = (state: string | undefined): Power => {
  switch (state) {
    case 'On':
    case 'Paused':
      return 'on';
    case 'Off':
      return 'off';
    case 'PoweringOn':
      return 'turningOn';
    case 'PoweringOff':
      return 'turningOff';
    default:
      return null;
  }
};

/** `Boot` of a system, or of its settings; null if it is not shown. */
export const bootIn = (shown: Document): BootOverride | null => {
  const boot = member(shown, 'Boot');
  if (typeof boot !== 'object' || boot === null) return null;
  return {
    enabled: textAt(boot, 'BootSourceOverrideEnabled'),
    target: textAt(boot, 'BootSourceOverrideTarget'),
    mode: textAt(boot, 'BootSourceOverrideMode'),
    targets: textsAt(boot, 'BootSourceOverrideTarget@Redfish.AllowableValues'),
    enableds: textsAt(boot, 'BootSourceOverrideEnabled@Redfish.AllowableValues'),
  };
};
