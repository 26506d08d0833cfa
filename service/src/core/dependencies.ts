import type { Allocator } from '../drivers/allocators/allocator-contract.ts';
import type { SwitchDriver, SwitchRules } from '../drivers/switches/switch-contract.ts';
import type { SiteStep } from '../schema/cleaning-steps.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import type { DeviceCalls } from './device-calls.ts';
import type { CheckPassword } from './password-hash.ts';
import type { Outbound } from '@corral/base/http/outbound';
import type { Vault } from '@corral/base/secrets/vault';
import type { MailSender } from './mail-sender.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** Where nodes go that leave a project, and the URL to notify. */
export interface MaintenancePool {
  readonly project: string;
  readonly url: string;
}

/** What a node goes through between two projects. Times are in milliseconds. */
export interface CleaningRules {
  /** Is every node cleaned that leaves a project? Those that are quarantined are cleaned anyway. */
  readonly enabled: boolean;
  /** What the site does beside what the service does itself. */
  readonly steps: readonly SiteStep[];
  /** Is it checked after a boot where the node is plugged in? */
  readonly checkWiring: boolean;
  readonly bootdev: string;
  /** How long each step of the service itself is tried, and how long one of the site has. */
  readonly deadlineMs: number;
  readonly stepDeadlineMs: number;
}

/** How long sessions and tokens last, in milliseconds. */
export interface IdentityRules {
  /** How long a session lasts at most, and how long without a request. */
  readonly sessionLifetimeMs: number;
  readonly sessionIdleMs: number;
  readonly tokenLongestMs: number;
  readonly tokenDefaultMs: number;
  /** How long what is made for a person of another backend is valid after that backend last confirmed them. */
  readonly vouchedMs: number;
}

/** How people can show who they are here, as far as everybody may know it. */
export interface SignInMethods {
  /** User name and password, by HTTP Basic. */
  readonly basic: boolean;
  readonly keystone: { readonly url: string } | null;
  readonly oidc: {
    readonly issuer: string;
    readonly audience: string;
    /** Can people log in there with a browser? */
    readonly browser: boolean;
    /** By what a program without a browser is known there; null: such programs cannot log in there. */
    readonly device: { readonly client_id: string; readonly scopes: string } | null;
  } | null;
}

/** The OBM daemon inside this service, in whichever of its processes. */
export interface OwnDaemon {
  isThere(): Promise<boolean>;
  /** Where it is now, as far as that is known; null: nowhere. */
  place(): Promise<string | null>;
  /** Addresses that lead to it from here. */
  placesHere(): Promise<readonly string[]>;
}

/** The file with the password that the first start made. */
export interface FirstPassword {
  /** Removes the file if what is in it was the password until now. */
  forget(wasPassword: (text: string) => Promise<boolean>): Promise<void>;
}

/**
 * What code inside a transaction may use. Nothing here reaches a device, the network or a file: no transaction waits
 * for one.
 */
export interface TransactionDependencies {
  readonly switches: Readonly<Record<string, SwitchRules>>;
  readonly allocator: Allocator;
  readonly vault: Vault;
  /** Where connections may go whose addresses are given to us over the interface. */
  readonly outbound: Outbound;
  /** Where subscriptions of projects may deliver to; null: nowhere. */
  readonly projectTargets: Outbound | null;
  /** Is there a relay that mail goes through? */
  readonly hasMail: boolean;
  readonly maintenance: MaintenancePool | null;
  readonly cleaning: CleaningRules;
  /** The name of the hypervisor that this process calls. */
  readonly hypervisor: string;
  readonly identity: IdentityRules;
}

/** What a request may use between its transactions, beside the devices that it declares. */
export interface RequestDependencies extends TransactionDependencies {
  readonly switches: Readonly<Record<string, SwitchDriver>>;
  readonly consoles: ConsoleSessions;
  /** How long a switch has for a call about so many ports, in milliseconds. */
  readonly switchTimeout: (ports: number) => number;
  readonly ownDaemon: OwnDaemon;
  /** The kinds of BMC that the daemon of this version knows, with their fields. */
  readonly bmcTypes: Readonly<Record<string, { readonly fields: object }>>;
  readonly webhooks: Pick<WebhookSender, 'send'>;
  /** null: no mail is sent. */
  readonly mail: Pick<MailSender, 'send' | 'from' | 'digestMs' | 'waitForTrial'> | null;
  readonly signIn: SignInMethods;
  /** The one check of user names and passwords. */
  readonly checkPassword: CheckPassword;
  /** Where the first administrator's password was kept, as long as it fits. */
  readonly firstPassword: FirstPassword;
  /** Names of everything plugged in, `corral.ext.<kind>.<name>`. */
  readonly extensions: readonly string[];
}

/** What this installation has: the tables that main hands to the core. */
export interface Dependencies extends RequestDependencies {
  /** OBM daemons and the hypervisor. */
  readonly devices: DeviceCalls;
}
