import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A call of the daemon's API, by name. */
export type LabCallName =
  | 'register'
  | 'show'
  | 'delete'
  | 'test'
  | 'create_token'
  | 'destroy_token'
  | 'power_on'
  | 'power_off'
  | 'power_cycle'
  | 'power_status'
  | 'boot_device'
  | 'console';

/** How a machine's daemon misbehaves. */
export type LabFault = {
  /** Only on these calls; on all of them if left out. */
  readonly on?: readonly LabCallName[];
  /** The call takes effect first; only its answer suffers. */
  readonly after?: true;
} & (
  | { readonly kind: 'hang'; /** Goes on as usual from then. */ readonly until?: Promise<unknown> }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  | { readonly kind: 'redirect'; readonly to: string; /** 302 if left out. */ readonly status?: number }
  | { readonly kind: 'drop' }
  /** A good status with a body that is no JSON. */
  | { readonly kind: 'garbage' }
  /** Bytes that are no HTTP. */
  | { readonly kind: 'noise' }
  | { readonly kind: 'huge' }
  /** A console that never stops talking. */
  | { readonly kind: 'flood' }
);

const hugeBytes = 1024 * 1024;

/** Misbehaves; true if there is nothing left to answer. */
export const misbehave = async (fault: LabFault, response: ServerResponse): Promise<boolean> => {
  switch (fault.kind) {
    case 'hang':
      await (fault.until ?? new Promise(() => undefined));
      return false;
    case 'delay':
      await sleep(fault.ms);
      return false;
    case 'status':
      response.writeHead(fault.status, { 'content-type': 'application/json' }).end(fault.body ?? '');
      return true;
    case 'redirect':
      response.writeHead(fault.status ?? 302, { location: fault.to }).end();
      return true;
    case 'drop':
      response.destroy();
      return true;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>not what you asked for</html>');
      return true;
    case 'noise':
      response.socket?.end('SSH-2.0-OpenSSH_9.2p1\r\n');
      return true;
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ power_status: 'x'.repeat(hugeBytes), token: 'x'.repeat(hugeBytes) }));
      return true;
    case 'flood':
      return false;
  }
};
