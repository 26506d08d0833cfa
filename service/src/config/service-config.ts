import type { LogLevel } from '@corral/base/config/setting-reader';
import type { DatabaseLocation } from '@corral/base/db/open-database';
import type { HttpOptions } from '@corral/base/http/http-options';
import type { Outbound } from '@corral/base/http/outbound';
import type { ObmdConfig } from '@corral/obmd/config/obmd-config';
import type { CleaningConfig } from './cleaning-config.ts';
import type { DeviceLimitConfig } from './device-limit-config.ts';
import type { HistoryConfig } from './history-config.ts';
import type { IdentityConfig } from './identity-config.ts';
import type { OidcConfig } from './oidc-config.ts';
import type { MailConfig } from './mail-config.ts';
import type { WebhookConfig } from './webhook-config.ts';

/** One closed range of VLAN ids. */
export interface VlanRange {
  readonly first: number;
  readonly last: number;
}

/** What one of several processes does. */
export const roles = ['all', 'api', 'worker'] as const;
export type Role = (typeof roles)[number];

/** Everything an operator decides, checked. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly role: Role;
  /** How many serve the port on this machine. */
  readonly processes: number;
  readonly http: HttpOptions;
  readonly deviceLimits: DeviceLimitConfig;
  readonly dataDir: string;
  readonly database: DatabaseLocation;
  /** Names of backends; each judges credentials of its own kind. */
  readonly auth: readonly string[];
  /** The Keystone that the backend `keystone` asks; null: that backend is not used. */
  readonly keystone: KeystoneConfig | null;
  /** The OpenID provider of the backend `oidc`; null: that backend is not used. */
  readonly oidc: OidcConfig | null;
  /** Backends that are set up and not named in `auth`, which is probably a mistake. */
  readonly idleBackends: readonly string[];
  /** The origin that browsers find this service at; null: the one that they ask for. */
  readonly publicUrl: string | null;
  readonly requireAuthentication: boolean;
  /** How long sessions and tokens last. */
  readonly identity: IdentityConfig;
  /** For the first start only. */
  readonly adminPassword: string | null;
  readonly vlans: readonly VlanRange[];
  readonly maintenance: { readonly project: string; readonly url: string } | null;
  /** The metadata key that says of what class a node is. */
  readonly classKey: string;
  /** What a node goes through between two projects. */
  readonly cleaning: CleaningConfig;
  /** Where the key for secrets at rest is; made on first start if it is not there. */
  readonly keyFile: string;
  readonly hypervisor: string;
  readonly images: readonly string[];
  readonly libvirt: LibvirtConfig;
  /** How long events and actions are kept. */
  readonly history: HistoryConfig;
  /** Where webhooks may go. */
  readonly webhooks: WebhookConfig;
  /** The relay that mail goes through; null: no mail is sent. */
  readonly mail: MailConfig | null;
  readonly logLevel: LogLevel;
  /** How long a release of a node tries again what fails. */
  readonly releasePatienceMs: number;
  readonly engine: EngineConfig;
  readonly obm: {
    readonly timeoutMs: number;
    /** PEM of an authority; null: those that Node.js trusts. */
    readonly ca: string | null;
  };
  /** Where OBM daemons and the maintenance service may be. */
  readonly outbound: Outbound;
  /** The OBM daemon inside the service; null: it runs elsewhere, if at all. */
  readonly obmd: ObmdConfig | null;
  /** Is there one inside another process that serves the same port? */
  readonly hasSiblingObmd: boolean;
  /** Modules that bring drivers of their own. */
  readonly extensions: readonly string[];
}

/** How Keystone is asked about tokens. */
export interface KeystoneConfig {
  /** Ends in `/v3`. */
  readonly url: string;
  /** The service's own. */
  readonly credentials:
    | {
        readonly kind: 'password';
        readonly username: string;
        readonly password: string;
        readonly userDomain: string;
        readonly project: string;
        readonly projectDomain: string;
      }
    | { readonly kind: 'application'; readonly id: string; readonly secret: string };
  /** PEM of an authority; null: those that Node.js trusts. */
  readonly ca: string | null;
  readonly timeoutMs: number;
  /** How long an answer is remembered; 0: not at all. */
  readonly cacheMs: number;
  readonly adminRole: string;
}

/** The libvirt that runs headnodes, if that is what does. */
export interface LibvirtConfig {
  readonly uri: string;
  readonly pool: string;
  /** Ports of an Open vSwitch bridge, or a Linux bridge for each VLAN, made on the uplink if there is one. */
  readonly network:
    { readonly kind: 'ovs'; readonly bridge: string } | { readonly kind: 'bridges'; readonly uplink: string | null };
  readonly vncHost: string;
  readonly memoryMib: number;
  readonly cpus: number;
  readonly timeoutMs: number;
}

/** How patient the network engine is; the settings `engine.…` say what each is. */
export interface EngineConfig {
  readonly budgetMs: number;
  readonly deviceTimeoutMs: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly sweepMs: number;
  readonly saveDelayMs: number;
  readonly lateWriteMs: number;
  readonly sessionIdleMs: number;
}
