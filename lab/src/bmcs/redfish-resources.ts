import type { RedfishFlavour } from './redfish-flavours.ts';
import type { RedfishMachine } from './redfish-machine.ts';

type Json = Record<string, unknown>;

/** The addresses of a service's resources, as the vendor writes them. */
export class RedfishPaths {
  readonly #end: string;
  constructor(flavour: RedfishFlavour) {
    this.#end = flavour.slashes ? '/' : '';
  }
  readonly root = '/redfish/v1/';
  of(...parts: readonly string[]): string {
    return `/redfish/v1/${parts.join('/')}${this.#end}`;
  }
}

const link = (id: string): Json => ({ '@odata.id': id });

/** The service root, which everybody may read. */
export const rootDocument = (at: RedfishPaths, flavour: RedfishFlavour, hasSessions: boolean): Json => ({
  '@odata.id': at.root,
  '@odata.type': '#ServiceRoot.v1_15_0.ServiceRoot',
  Id: 'RootService',
  Name: 'Root Service',
  RedfishVersion: '1.15.0',
  ...(flavour.vendor === '' ? {} : { Vendor: flavour.vendor, Oem: { [flavour.vendor]: {} } }),
  Systems: link(at.of('Systems')),
  Managers: link(at.of('Managers')),
  AccountService: link(at.of('AccountService')),
  ...(hasSessions
    ? { SessionService: link(at.of('SessionService')), Links: { Sessions: link(at.of('SessionService', 'Sessions')) } }
    : { Links: {} }),
});

/** A collection of the resources at these addresses. */
export const collectionDocument = (id: string, kind: string, members: readonly string[]): Json => ({
  '@odata.id': id,
  '@odata.type': `#${kind}Collection.${kind}Collection`,
  Name: `${kind} Collection`,
  'Members@odata.count': members.length,
  Members: members.map(link),
});

export const sessionServiceDocument = (at: RedfishPaths, seconds: number): Json => ({
  '@odata.id': at.of('SessionService'),
  '@odata.type': '#SessionService.v1_1_8.SessionService',
  Id: 'SessionService',
  Name: 'Session Service',
  ServiceEnabled: true,
  SessionTimeout: seconds,
  Sessions: link(at.of('SessionService', 'Sessions')),
});

export const accountServiceDocument = (at: RedfishPaths): Json => ({
  '@odata.id': at.of('AccountService'),
  '@odata.type': '#AccountService.v1_12_0.AccountService',
  Id: 'AccountService',
  Name: 'Account Service',
  Accounts: link(at.of('AccountService', 'Accounts')),
});

export const accountDocument = (at: RedfishPaths, id: string, user: string, role: string): Json => ({
  '@odata.id': at.of('AccountService', 'Accounts', id),
  '@odata.type': '#ManagerAccount.v1_9_0.ManagerAccount',
  Id: id,
  Name: 'User Account',
  UserName: user,
  RoleId: role,
  Enabled: true,
});

export const sessionDocument = (at: RedfishPaths, id: string, user: string): Json => ({
  '@odata.id': at.of('SessionService', 'Sessions', id),
  '@odata.type': '#Session.v1_6_0.Session',
  Id: id,
  Name: 'User Session',
  UserName: user,
});

/** The ETag of a machine's system; undefined where there are none. */
export const etagOf = ({ version }: RedfishMachine, { etags }: RedfishFlavour): string | undefined => {
  if (etags === 'none') return undefined;
  return etags === 'weak' ? `W/"${version}"` : `"${version}"`;
};

const bootOf = ({ boot }: RedfishMachine, flavour: RedfishFlavour): Json => ({
  BootSourceOverrideEnabled: boot.enabled,
  ...(flavour.bootEnabled === null ? {} : { 'BootSourceOverrideEnabled@Redfish.AllowableValues': flavour.bootEnabled }),
  BootSourceOverrideTarget: boot.target,
  'BootSourceOverrideTarget@Redfish.AllowableValues': flavour.bootTargets,
  ...(flavour.bootMode === 'absent' ? {} : { BootSourceOverrideMode: boot.mode }),
});

/** A ComputerSystem. */
export const systemDocument = (at: RedfishPaths, machine: RedfishMachine, flavour: RedfishFlavour): Json => {
  const id = at.of('Systems', machine.id);
  const etag = etagOf(machine, flavour);
  const told = {
    action: { 'ResetType@Redfish.AllowableValues': flavour.resetTypes },
    actionInfo: { '@Redfish.ActionInfo': at.of('Systems', machine.id, 'ResetActionInfo') },
    nowhere: {},
  }[flavour.resetTypesIn];
  return {
    '@odata.id': id,
    '@odata.type': '#ComputerSystem.v1_20_0.ComputerSystem',
    ...(etag === undefined ? {} : { '@odata.etag': etag }),
    ...(flavour.bootIn === 'settings'
      ? { '@Redfish.Settings': { SettingsObject: link(at.of('Systems', machine.id, 'SD')) } }
      : {}),
    Id: machine.id,
    Name: 'System',
    SystemType: 'Physical',
    Manufacturer: flavour.vendor,
    PowerState: machine.powerState,
    Boot: bootOf(machine, flavour),
    Actions: {
      '#ComputerSystem.Reset': { target: at.of('Systems', machine.id, 'Actions', 'ComputerSystem.Reset'), ...told },
    },
  };
};

/** What a system will boot from, where that is a resource of its own. */
export const settingsDocument = (at: RedfishPaths, machine: RedfishMachine, flavour: RedfishFlavour): Json => ({
  '@odata.id': at.of('Systems', machine.id, 'SD'),
  '@odata.type': '#ComputerSystem.v1_20_0.ComputerSystem',
  '@odata.etag': etagOf(machine, flavour),
  Id: 'SD',
  Name: 'System, from the next boot on',
  Boot: bootOf(machine, flavour),
});

export const actionInfoDocument = (id: string, flavour: RedfishFlavour): Json => ({
  '@odata.id': id,
  '@odata.type': '#ActionInfo.v1_3_0.ActionInfo',
  Id: 'ResetActionInfo',
  Name: 'Reset Action Info',
  Parameters: [{ Name: 'ResetType', Required: true, DataType: 'String', AllowableValues: flavour.resetTypes }],
});

/** A Manager, with the serial console that it has by other ways than Redfish. */
export const managerDocument = (at: RedfishPaths, id: string): Json => ({
  '@odata.id': at.of('Managers', id),
  '@odata.type': '#Manager.v1_18_0.Manager',
  Id: id,
  Name: 'Manager',
  ManagerType: 'BMC',
  SerialConsole: { ServiceEnabled: true, MaxConcurrentSessions: 1, ConnectTypesSupported: ['IPMI', 'SSH'] },
});

export const taskDocument = (id: string, state: string): Json => ({
  '@odata.id': id,
  '@odata.type': '#Task.v1_7_0.Task',
  Id: '1',
  Name: 'Reset',
  TaskState: state,
});

/** An error in the words of the Base registry. */
export const errorDocument = (message: string, text: string): Json => ({
  error: {
    code: 'Base.1.15.GeneralError',
    message: 'A general error has occurred. See ExtendedInfo for more information.',
    '@Message.ExtendedInfo': [{ MessageId: `Base.1.15.${message}`, Message: text, MessageArgs: [] }],
  },
});
