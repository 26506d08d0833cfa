import type { Front } from '@corral/base/http/front';
import type { Logger } from 'pino';
import type { Authenticator } from '../auth/chain.ts';
import type { Site } from '../core/site.ts';
import type { Db } from '../db/db.ts';
import type { Metrics } from './metrics.ts';
import type { Route } from './route.ts';

/** What the server needs to serve. */
export interface App {
  readonly db: Db;
  readonly site: Site;
  readonly auth: Authenticator;
  readonly requireAuthentication: boolean;
  readonly front: Front;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly routes: readonly Route[];
}
