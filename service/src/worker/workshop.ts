import type { Logger } from 'pino';
import type { EngineConfig } from '../config/config.ts';
import type { Desk } from '../core/op.ts';
import type { Db } from '../db/db.ts';
import type { Observer } from './observer.ts';
import type { Step } from './steps.ts';

/** What a worker works with. */
export interface Workshop {
  readonly db: Db;
  readonly desk: Desk;
  readonly config: EngineConfig;
  readonly observer: Observer;
  /** Told of every step, so that a test can kill the process between any two. */
  readonly step: (step: Step) => void;
  readonly log: Logger;
}
