import type { Caller } from './caller.ts';
import type { DeviceUse } from './device-calls.ts';

/** Who asks, and for which request: what every operation and every event is about. */
export interface Request {
  readonly caller: Caller;
  readonly requestId: string | null;
  /** How rights are read again in transactions of the request; absent for what the service does by itself. */
  readonly rights?: RequestRights;
}

interface RequestRights {
  /** Throws unless this caller may make the call at all. */
  readonly admit: (caller: Caller) => void;
  /** A call that only reads has nothing to wait for before its transaction: its rights were read a moment ago. */
  readonly effect: 'reads' | 'changes';
  /** How the call reaches devices; null: it does not. */
  readonly devices: DeviceUse | null;
}
