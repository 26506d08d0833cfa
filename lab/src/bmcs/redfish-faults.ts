import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Which requests a fault concerns; all of them if nothing is said. */
interface RedfishFaultOn {
  readonly method?: string;
  readonly path?: RegExp;
}

/** How a Redfish service misbehaves. */
export type RedfishFault = {
  readonly on?: RedfishFaultOn;
  /** So many times; until it is repaired if left out. */
  readonly times?: number;
} & (
  | { readonly kind: 'hang' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** It does not look at the request at all. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** The line is cut without an answer; with `after`, once the request has taken effect. */
  | { readonly kind: 'drop'; readonly after?: true }
  /** A good status with something that is no JSON. */
  | { readonly kind: 'garbage' }
  /** A body that is well-formed and much too long. */
  | { readonly kind: 'huge' }
  /** JSON in JSON in JSON. */
  | { readonly kind: 'nested' }
  /** The answer as it would have been, changed: a field missing, of another kind, or with a lie in it. */
  | { readonly kind: 'edit'; readonly edit: (document: Record<string, unknown>) => unknown }
  /** The same for its headers. */
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string | undefined>> }
  /** Somebody else changes the system just before. */
  | { readonly kind: 'touch' }
);

/** The faults of one service. */
export class RedfishFaults {
  readonly #faults: { readonly fault: RedfishFault; left: number }[] = [];

  add(fault: RedfishFault): void {
    this.#faults.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
  }

  clear(): void {
    this.#faults.splice(0);
  }

  /** Those that concern this request; each is one time less to come. */
  take(method: string, path: string): readonly RedfishFault[] {
    const hits = this.#faults.filter(
      ({ fault: { on }, left }) =>
        left > 0 && (on?.method === undefined || on.method === method) && (on?.path?.test(path) ?? true),
    );
    for (const hit of hits) hit.left -= 1;
    return hits.map(({ fault }) => fault);
  }
}

const hugeBytes = 4 * 1024 * 1024;

/** Fails before the request is read; true if there is nothing left to answer. */
export const misbehave = async (fault: RedfishFault, response: ServerResponse): Promise<boolean> => {
  const json = { 'content-type': 'application/json' };
  switch (fault.kind) {
    case 'hang':
      return true;
    case 'delay':
      await sleep(fault.ms);
      return false;
    case 'status':
      response.writeHead(fault.status, { ...json, ...fault.headers }).end(fault.body ?? '');
      return true;
    case 'drop':
      if (fault.after === true) return false;
      response.destroy();
      return true;
    case 'garbage':
      response.writeHead(200, json).end('<html>Please enable scripts</html>');
      return true;
    case 'huge':
      response.writeHead(200, json).end(JSON.stringify({ PowerState: 'On', Filler: 'x'.repeat(hugeBytes) }));
      return true;
    case 'nested':
      response.writeHead(200, json).end('{"Boot":'.repeat(100_000) + '1' + '}'.repeat(100_000));
      return true;
    case 'edit':
    case 'headers':
    case 'touch':
      return false;
  }
};
