import { expect } from 'vitest';
import type { PortConfig } from '../../../src/drivers/switches/switch-contract.ts';
import type { Answer } from '../http/http-client.ts';
import type { Service } from '../services/service.ts';
import { done, eventually } from '../services/world.ts';

/** What a port carries, as answers show it. */
interface Reading {
  readonly native: number | null;
  readonly tagged: string;
}

export interface Drift {
  readonly switch: string;
  readonly policy: string;
  readonly swept_at: string | null;
  readonly fault: string | null;
  readonly unsaved_since: string | null;
  readonly save_fault: string | null;
  readonly ports: readonly {
    readonly port: string;
    readonly node: string | null;
    readonly recorded: Reading;
    readonly seen: Reading | null;
    readonly since: string;
  }[];
}

/** How a switch differs from what is recorded, as it was last seen. */
export const driftOf = async (service: Service, onSwitch: string): Promise<Drift> =>
  (await done(service.admin.get(`/switch/${onSwitch}/drift`))).body as Drift;

/** The same, after the whole switch was read again. */
export const sweep = async (service: Service, onSwitch: string): Promise<Drift> =>
  (await done(service.admin.post(`/switch/${onSwitch}/sweep`))).body as Drift;

export const setPolicy = (service: Service, onSwitch: string, policy: 'report' | 'repair'): Promise<Answer> =>
  done(service.admin.put(`/switch/${onSwitch}/policy`, { policy }));

/** Somebody changes a port behind our back. */
export const tamper = (
  service: Service,
  onSwitch: string,
  port: string,
  state: Partial<Omit<PortConfig, 'port'>>,
): void => service.simulated(onSwitch).write([{ port, native: null, tagged: [], ...state }]);

/** What a simulated port carries. */
export const carried = (service: Service, onSwitch: string, port: string): Omit<PortConfig, 'port'> => {
  const { native, tagged } = service.simulated(onSwitch).read([port])[0] ?? { native: null, tagged: [] };
  return { native, tagged };
};

interface SightingEvent {
  readonly type: string;
  readonly switch?: string;
  readonly port?: string;
  readonly node?: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The newest events of one type about one switch, oldest first. */
export const eventsOf = async (service: Service, type: string, onSwitch: string): Promise<SightingEvent[]> => {
  const { body } = await done(service.admin.get(`/events?type=${type}&switch=${onSwitch}`));
  return (body as { events: SightingEvent[] }).events.toReversed();
};

/** What `/metrics` says of a switch, or undefined. */
export const metricOf = async (service: Service, name: string, onSwitch: string): Promise<number | undefined> => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name}{switch="${onSwitch}"}`));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
};

/** Waits until the switch has been told to save everything it was told. */
export const saved = (service: Service, onSwitch: string): Promise<true> =>
  eventually(async () => ((await driftOf(service, onSwitch)).unsaved_since === null ? true : undefined));

/** A moment, as answers show it. */
export const aTime = (): string => expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;
