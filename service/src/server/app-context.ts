import type { HttpOptions } from '@corral/base/http/http-options';
import type { Logger } from 'pino';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Dependencies } from '../core/dependencies.ts';
import type { Db } from '../db/service-database.ts';
import type { Metrics } from './metrics.ts';
import type { Route } from './route.ts';

/** What the server needs to serve. */
export interface App {
  readonly db: Db;
  readonly dependencies: Dependencies;
  readonly auth: Authenticator;
  readonly requireAuthentication: boolean;
  readonly http: HttpOptions;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly routes: readonly Route[];
}
