import type { Running } from '../start.ts';

/** What the program says about itself when it is ready. */
export type Greeting = Omit<Running, 'stop' | 'failed'>;

/** What one process counted, as Prometheus reads it. */
export interface ProcessMetrics {
  readonly number: number;
  readonly text: string;
}

/** From the supervisor to a process. */
export type ToProcess =
  | { readonly kind: 'begin'; readonly number: number }
  | { readonly kind: 'collect metrics'; readonly id: number }
  | { readonly kind: 'metrics of others'; readonly id: number; readonly metrics: readonly ProcessMetrics[] };

/** From a process to the supervisor. */
export type ToSupervisor =
  /** It listens now: what was sent before is lost. */
  | { readonly kind: 'joining' }
  | { readonly kind: 'ready'; readonly greeting: Greeting }
  | { readonly kind: 'metrics wanted'; readonly id: number }
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string };

/** Both ends are the same program of the same version; what others of the channel say has no such field. */
const isOurs = (message: unknown): boolean => typeof message === 'object' && message !== null && 'kind' in message;
export const isForProcess = (message: unknown): message is ToProcess => isOurs(message);
export const isForSupervisor = (message: unknown): message is ToSupervisor => isOurs(message);
