import { Type } from '@sinclair/typebox';
import { Label } from '../../schema/labels.ts';
import { orNull } from '../schemas.ts';

/** What is made at once: others wait for it. */
const mostPerPage = 500;

/** The newest event that is in an answer. */
export const Event = Type.Integer({
  description:
    'everything up to this event is in the answer, and perhaps more; follow the events from here to stay up to date',
});
/** Where the next page begins. */
export const Next = orNull(
  Type.String({
    description: 'give it as `after` for the next page; null: no more. Follow events from the first page on',
  }),
);
/** Which page of a list that is sorted by labels. */
export const page = {
  after: Type.Optional(Type.String({ ...Label, description: 'the `next` of the page before' })),
  limit: Type.Optional(
    Type.String({
      pattern: '^([1-9]\\d?|[1-4]\\d\\d|500)$',
      description: `how many, 1 to ${mostPerPage}; all of these by default`,
    }),
  ),
};
/** The same, parsed. */
export const pageIn = ({ after = '', limit }: { readonly after?: string; readonly limit?: string }) => ({
  after,
  limit: limit === undefined ? mostPerPage : Number(limit),
});

/** A change that waits for its switch. */
export const Pending = {
  status_id: Type.String({ description: 'pass it to show_networking_action for the status' }),
  type: Type.Union([Type.Literal('modify_port'), Type.Literal('revert_port')]),
  network: orNull(Type.String({ description: 'the network to be connected; null: one is detached, or all are' })),
  channel: Type.String(),
  since: Type.String({ description: 'when it was queued' }),
  attempts: Type.Integer({ description: 'failed attempts' }),
};
