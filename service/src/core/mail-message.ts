import { createHash, randomBytes } from 'node:crypto';
import { eventText } from '@corral/client/event-sentences';
import type { EventView } from './audit.ts';
import type { MailMessage } from './mail-sender.ts';

/** The recipient of a mail, and why there is one. */
export interface MailReason {
  readonly subscription: string;
  readonly uid: string;
  /** null: events of the whole site. */
  readonly project: string | null;
  /** null: an administrator chose the address. */
  readonly user: string | null;
  readonly to: string;
}

/** Events that stand in a mail; the others are counted. */
const mostLines = 50;
const longestLine = 400;

/** Without control characters: nothing in a label can begin another line, or another header. */
const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

const cut = (line: string): string => (line.length <= longestLine ? line : `${line.slice(0, longestLine - 1)}…`);

const lineOf = (event: EventView): string => cut(`${event.at.slice(0, 19).replace('T', ' ')} UTC  ${eventText(event)}`);

const scopeOf = ({ project }: MailReason): string => (project === null ? 'the whole site' : `project ${project}`);

/** Tells of events, oldest first. */
export const mailAbout = (reason: MailReason, events: readonly EventView[]): MailMessage => {
  const shown = events.slice(0, mostLines);
  const rest = events.length - shown.length;
  const count = events.length === 1 ? '1 event' : `${events.length} events`;
  return {
    id: `${reason.uid}.${events[0]?.id ?? 0}.${events.at(-1)?.id ?? 0}.${digestOf(events)}`,
    to: reason.to,
    subject: plain(`Corral: ${count} in ${scopeOf(reason)} (${reason.subscription})`),
    text: [
      plain(`Events in ${scopeOf(reason)}, for subscription ${reason.subscription}:`),
      '',
      ...shown.map(lineOf),
      ...(rest === 0 ? [] : ['', `and ${rest} more: ${listCommand(reason)}`]),
      ...footerOf(reason),
    ].join('\n'),
  };
};

/** A mail by which somebody tries a subscription. */
export const testMail = (reason: MailReason): MailMessage => ({
  id: `${reason.uid}.test.${randomBytes(8).toString('hex')}`,
  to: reason.to,
  subject: plain(`Corral: test of subscription ${reason.subscription}`),
  text: [plain(`A test of subscription ${reason.subscription}.`), ...footerOf(reason)].join('\n'),
});

const listCommand = ({ project }: MailReason): string =>
  plain(project === null ? 'corral events' : `corral events --project ${project}`);

const footerOf = ({ subscription, user }: MailReason): readonly string[] => [
  '',
  '-- ',
  ...(user === null
    ? [plain(`An administrator subscribed this address (${subscription}); ask them to end it.`)]
    : [
        plain(`User ${user} gets this by subscription ${subscription}.`),
        plain(`To end it: corral subscription delete ${subscription}`),
        'To get no mail at all: corral mail off',
      ]),
];

/** Ids alone would not do: a database that was restored gives them anew, but not with the same time. */
const digestOf = (events: readonly EventView[]): string =>
  createHash('sha256')
    .update(events.map(({ id, at }) => `${id} ${at}`).join('\n'))
    .digest('hex')
    .slice(0, 20);
