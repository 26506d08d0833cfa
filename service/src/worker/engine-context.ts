import type { Logger } from 'pino';
import type { EngineConfig } from '../config/service-config.ts';
import type { RequestContext } from '../core/request-context.ts';
import type { Observer } from './engine-observer.ts';
import type { Step } from './worker-steps.ts';

/** What a worker works with. */
export interface EngineContext {
  readonly context: RequestContext;
  readonly config: EngineConfig;
  readonly observer: Observer;
  /** Told of every step, so that a test can kill the process between any two. */
  readonly step: (step: Step) => void;
  readonly log: Logger;
}
