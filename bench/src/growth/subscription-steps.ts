import { get, post, put, remove, type Step, type Walk } from './call-step.ts';

/** Nobody listens there. */
const url = 'http://127.0.0.1:9/hook';
const path = ({ prefix }: Walk, index: number): string => `/subscription/${prefix}-hook${index}`;

/** Webhooks and mail of the site, from their creation to their deletion. */
export const subscriptionSteps: readonly Step[] = [
  {
    call: 'subscriptionCreate',
    sent: (walk, index) => put(path(walk, index), { url, filter: { types: ['no_such_type'] } }),
  },
  {
    call: 'subscriptionCreateMail',
    // No relay is set.
    status: 409,
    sent: (walk, index) => put(`${path(walk, index)}-mail/mail`, { address: 'bench@example.org' }),
  },
  { call: 'showSubscription', sent: (walk, index) => get(path(walk, index)) },
  { call: 'listSubscriptions', sent: () => get('/subscriptions') },
  {
    call: 'subscriptionUpdate',
    sent: (walk, index) => ({ method: 'PATCH', path: path(walk, index), body: { from_now: true } }),
  },
  { call: 'subscriptionRotateSecret', sent: (walk, index) => post(`${path(walk, index)}/rotate_secret`) },
  { call: 'subscriptionTest', sent: (walk, index) => post(`${path(walk, index)}/test`) },
  { call: 'listDeadLetters', sent: (walk, index) => get(`${path(walk, index)}/dead_letters`) },
  {
    call: 'subscriptionResend',
    status: 404,
    sent: (walk, index) => post(`${path(walk, index)}/resend`, { dead_letter: 1_000_000 }),
  },
  { call: 'subscriptionDelete', sent: (walk, index) => remove(path(walk, index)) },
];
