import type { Networks } from './ip-address.ts';
import type { TlsFiles } from './tls-files.ts';

/** What an operator decides about the HTTP server: what stands between clients and the calls. */
export interface HttpOptions {
  /** null: plain HTTP. */
  readonly tls: TlsFiles | null;
  /** Proxies whose word on where a request came from counts; null: nobody's. */
  readonly trustedProxies: Networks | null;
  /** Origins whose pages may call from a browser. */
  readonly corsOrigins: readonly string[];
  /** Who sees the metrics without credentials. */
  readonly metrics: 'loopback' | 'nobody' | 'anyone';
  readonly limits: {
    /** Requests a second from one address; 0: any number. */
    readonly rate: number;
    /** Connections at once, of all clients together. */
    readonly connections: number;
    /** Of one address; 0: any number. */
    readonly connectionsPerAddress: number;
    /** Event streams, consoles and screens of one address at once; 0: any number. */
    readonly streamsPerAddress: number;
  };
}
