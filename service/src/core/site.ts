import type { Allocator } from '../drivers/allocators/contract.ts';
import type { Hypervisor } from '../drivers/hypervisors/contract.ts';
import type { ObmClient } from '../drivers/obm/contract.ts';
import type { SwitchDriver } from '../drivers/switches/contract.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import type { Vault } from '@corral/base/secrets/vault';

/** Where nodes go that leave a project, and who is told. */
export interface MaintenancePool {
  readonly project: string;
  readonly url: string;
}

/** What this installation has: the tables that main hands to the core. */
export interface Site {
  readonly switches: Readonly<Record<string, SwitchDriver>>;
  readonly allocator: Allocator;
  readonly hypervisor: Hypervisor;
  readonly obm: ObmClient;
  readonly consoles: ConsoleSessions;
  readonly vault: Vault;
  readonly maintenance: MaintenancePool | null;
  /** Names of everything plugged in, `corral.ext.<kind>.<name>`. */
  readonly extensions: readonly string[];
}
