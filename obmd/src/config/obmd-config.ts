import type { DatabaseLocation } from '@corral/base/db/open-database';
import type { Outbound } from '@corral/base/http/outbound';

/** Where the daemon listens. */
export interface ListenAddress {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
}

/** How patient the daemon is. */
export interface CallTimeouts {
  readonly timeoutMs: number;
  readonly gapMs: number;
  readonly graceMs: number;
  readonly lingerMs: number;
}

/** Everything an operator decides about the daemon, checked. */
export interface ObmdConfig {
  readonly listen: ListenAddress;
  readonly database: DatabaseLocation;
  readonly keyFile: string;
  /** null: made on first start and kept in `adminTokenFile`. */
  readonly adminToken: string | null;
  readonly adminTokenFile: string;
  /** Where processes on other machines reach the daemon; null: they do not. */
  readonly url: string | null;
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly timeouts: CallTimeouts;
  /** Where BMCs may be. */
  readonly outbound: Outbound;
}
