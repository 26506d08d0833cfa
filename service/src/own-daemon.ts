import { readOrMakeAdminToken } from '@corral/obmd/admin-token';
import type { ObmdConfig } from '@corral/obmd/config/obmd-config';
import { bmcDrivers } from '@corral/obmd/drivers/bmc-drivers';
import type { RunningObmd } from '@corral/obmd/start';
import type { OwnDaemon } from './core/dependencies.ts';

/** The kinds of BMC that a daemon of this version knows; fields that it never shows are `writeOnly`. */
export const bmcTypes: Readonly<Record<string, { readonly fields: object }>> = Object.fromEntries(
  Object.entries(bmcDrivers).map(([type, { info, secrets }]) => {
    const { properties = {}, ...rest } = info as { readonly properties?: Readonly<Record<string, object>> };
    const told = Object.entries(properties).map(([name, field]) => [
      name,
      secrets.includes(name) ? { ...field, writeOnly: true } : field,
    ]);
    return [type, { fields: { ...rest, properties: Object.fromEntries(told) as object } }];
  }),
);

/** How this service reaches the OBM daemon inside it, in this process or in another one of the same port; null: none. */
export const ownDaemon = (running: RunningObmd | null, sibling: ObmdConfig | null): OwnDaemon | null => {
  if (running !== null) return { url: reachable(running.url), adminToken: running.adminToken };
  // Where one listens that takes a free port, only its own process knows.
  if (sibling === null || sibling.listen.port === 0) return null;
  const { listen, tls, adminToken, adminTokenFile } = sibling;
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return {
    url: reachable(`${tls === null ? 'http' : 'https'}://${host}:${listen.port}`),
    adminToken: adminToken ?? readOrMakeAdminToken(adminTokenFile),
  };
};

/** One that listens on all addresses is asked on that of this machine. */
const reachable = (url: string): string => url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
