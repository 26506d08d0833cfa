import type { SubscriptionView } from '../../../src/core/subscriptions.ts';
import { runSql } from './run-sql.ts';
import type { Service } from './service.ts';
import { done, eventually } from './world.ts';

export interface DeadLetter {
  readonly dead_letter: number;
  readonly event: { readonly id: number; readonly type: string; readonly project?: string };
  readonly reason: string;
}

/** Projects may send webhooks to this machine. */
export const projectTargets = { CORRAL_WEBHOOKS_PROJECT_TARGETS: '127.0.0.0/8' };

/** Makes a subscription of webhooks. Answers its secret. */
export const subscribe = async (service: Service, label: string, body: object): Promise<string> =>
  ((await done(service.admin.put(`/subscription/${label}`, body))).body as { secret: string }).secret;

export const showSubscription = async (service: Service, label: string): Promise<SubscriptionView> =>
  (await done(service.admin.get(`/subscription/${label}`))).body as SubscriptionView;

export const untilSubscription = (
  service: Service,
  label: string,
  fits: (shown: SubscriptionView) => boolean,
): Promise<SubscriptionView> =>
  eventually(async () => {
    const shown = await showSubscription(service, label);
    return fits(shown) ? shown : undefined;
  });

export const deadLettersOf = async (service: Service, label: string): Promise<DeadLetter[]> =>
  (await done(service.admin.get(`/subscription/${label}/dead_letters`))).body as DeadLetter[];

/** Runs one statement past the service, which both databases understand. */
export const everywhere = (service: Service, statement: string): Promise<unknown[]> =>
  runSql(service, { sqlite: statement, postgres: statement });

/** Instead of waiting for the next attempt. */
export const hurry = (service: Service): Promise<unknown[]> =>
  everywhere(service, 'update subscriptions set retry_at = 0 where attempts > 0');

/** All events, the oldest first. */
export const eventsOf = async (service: Service, query = ''): Promise<{ id: number; type: string }[]> =>
  (
    (await done(service.admin.get(`/events?after=0&limit=1000${query}`))).body as {
      events: { id: number; type: string }[];
    }
  ).events;
