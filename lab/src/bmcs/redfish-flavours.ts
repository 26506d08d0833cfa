/** How one vendor's Redfish service differs from another's. */
export interface RedfishFlavour {
  /** `Vendor` of the service root. */
  readonly vendor: string;
  readonly systemId: string;
  readonly managerId: string;
  /** Addresses end in a slash, and those without one are redirected. */
  readonly slashes: boolean;
  readonly resetTypes: readonly string[];
  /** Where the reset types are listed: in the action itself, in a resource of its own, or nowhere. */
  readonly resetTypesIn: 'action' | 'actionInfo' | 'nowhere';
  /** What a reset to the state that the machine is in already is answered with. */
  readonly noChange: 204 | 400 | 409;
  /** A reset is answered before it is carried out: with 202 and the address of a task. */
  readonly resetsAreTasks: boolean;
  /** The power shows `PoweringOn` and `PoweringOff` in between. */
  readonly showsTransitions: boolean;
  readonly bootTargets: readonly string[];
  /** `BootSourceOverrideEnabled@Redfish.AllowableValues`; null: it is not shown. */
  readonly bootEnabled: readonly string[] | null;
  /** `BootSourceOverrideMode`: changes on demand, has to come with every change, cannot be written, is not there. */
  readonly bootMode: 'free' | 'needed' | 'readOnly' | 'absent';
  /** Targets that it does not take as `Continuous`, though it says so. */
  readonly onlyOnce: readonly string[];
  /** The resource that takes changes of `Boot`: the system itself, or its settings beside it. */
  readonly bootIn: 'system' | 'settings';
  readonly etags: 'strong' | 'weak' | 'none';
  /** Changes without `If-Match` are refused with 428. */
  readonly needsIfMatch: boolean;
}

const targets = ['None', 'Pxe', 'Cd', 'Usb', 'Hdd', 'BiosSetup', 'Utilities', 'Diags', 'UefiTarget'];

/** What the schema has in mind, with nothing odd about it. */
const plain: RedfishFlavour = {
  vendor: 'Contoso',
  systemId: '1',
  managerId: 'bmc',
  slashes: false,
  resetTypes: ['On', 'ForceOff', 'GracefulShutdown', 'GracefulRestart', 'ForceRestart', 'Nmi', 'ForceOn', 'PowerCycle'],
  resetTypesIn: 'action',
  noChange: 204,
  resetsAreTasks: false,
  showsTransitions: false,
  bootTargets: targets,
  bootEnabled: ['Disabled', 'Once', 'Continuous'],
  bootMode: 'free',
  onlyOnce: [],
  bootIn: 'system',
  etags: 'strong',
  needsIfMatch: false,
};

/** Services as their vendors' documents and the public reports about them describe them. */
export const redfishFlavours = {
  plain,
  dell: {
    ...plain,
    vendor: 'Dell',
    systemId: 'System.Embedded.1',
    managerId: 'iDRAC.Embedded.1',
    resetTypes: ['On', 'ForceOff', 'ForceRestart', 'GracefulRestart', 'GracefulShutdown', 'PushPowerButton', 'Nmi'],
    noChange: 409,
    bootTargets: ['None', 'Pxe', 'Floppy', 'Cd', 'Hdd', 'BiosSetup', 'Utilities', 'UefiTarget', 'SDCard', 'UefiHttp'],
    etags: 'weak',
  },
  hpe: {
    ...plain,
    vendor: 'HPE',
    slashes: true,
    managerId: '1',
    resetTypes: ['On', 'ForceOff', 'GracefulShutdown', 'ForceRestart', 'Nmi', 'PushPowerButton', 'GracefulRestart'],
    noChange: 400,
    bootEnabled: null,
    bootMode: 'readOnly',
    onlyOnce: ['Pxe'],
    etags: 'weak',
  },
  supermicro: {
    ...plain,
    vendor: 'Supermicro',
    resetTypesIn: 'actionInfo',
    resetTypes: ['On', 'ForceOff', 'GracefulShutdown', 'GracefulRestart', 'ForceRestart', 'Nmi', 'ForceOn'],
    bootMode: 'needed',
  },
  openbmc: {
    ...plain,
    vendor: 'OpenBMC',
    systemId: 'system',
    resetTypesIn: 'actionInfo',
    resetTypes: ['On', 'ForceOff', 'ForceOn', 'ForceRestart', 'GracefulShutdown', 'PowerCycle', 'Nmi'],
    showsTransitions: true,
    bootTargets: ['None', 'Pxe', 'Hdd', 'Cd', 'Diags', 'BiosSetup', 'Usb'],
  },
  ami: {
    ...plain,
    vendor: 'AMI',
    systemId: 'Self',
    managerId: 'Self',
    resetTypesIn: 'actionInfo',
    resetTypes: ['On', 'ForceOff', 'GracefulShutdown', 'ForceRestart'],
    resetsAreTasks: true,
    bootIn: 'settings',
    etags: 'weak',
    needsIfMatch: true,
  },
  /** An old service that tells little. */
  bare: {
    ...plain,
    vendor: '',
    resetTypes: ['On', 'ForceOff', 'GracefulShutdown'],
    bootEnabled: null,
    bootMode: 'absent',
    etags: 'none',
  },
} as const satisfies Record<string, RedfishFlavour>;

export type RedfishFlavourName = keyof typeof redfishFlavours;
