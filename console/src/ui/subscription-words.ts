import type { Subscription } from '../api/client.ts';

type Filter = Subscription['filter'];

/** Which events it is for: `types node_register, node n1`. */
export const filterWords = (filter: Filter): string =>
  Object.entries(filter)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(', ') || 'all';

/** Mail is not signed: it has no secret. */
export const isMail = ({ url }: Pick<Subscription, 'url'>): boolean => url.startsWith('mailto:');

/** Where it goes to. The mail address of a user is not shown to everybody. */
export const targetWords = ({ url, user }: Pick<Subscription, 'url' | 'user'>): string => {
  if (!url.startsWith('mailto:')) return url;
  const address = url.slice('mailto:'.length);
  if (user === null) return address;
  return address === '' ? `the mail of ${user}` : `${address} (${user})`;
};

/** What became of an attempt. The service says what the receiver did, or, of itself, that it sent nothing. */
export const attemptWords = ({ delivered, result }: { readonly delivered: boolean; readonly result: string }): string =>
  `${delivered ? 'Delivered' : 'Not delivered'}: ${result.startsWith('subscriptions ') ? '' : 'the receiver '}${result}`;

const settings: readonly (readonly [RegExp, string])[] = [
  [
    /^projects cannot have subscriptions here: the operator has not set webhooks\.project_targets$/i,
    'The operator of this site has not said to which addresses the events of projects may be posted, so they cannot be posted anywhere.',
  ],
  [
    /^no mail is sent here: the operator has not set mail\.host$/i,
    'The operator of this site has not set up mail, so events cannot be mailed.',
  ],
];

/** What the site does not allow, for people who cannot change its settings; administrators read the name of the setting. */
export const siteWords = (refusal: string, isAdmin: boolean): string =>
  isAdmin ? refusal : settings.reduce((text, [said, meant]) => text.replace(said, meant), refusal);
