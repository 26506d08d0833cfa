import { Type } from '@sinclair/typebox';
import { invalid } from '../../core/corral-error.ts';
import { listUsage, monthStart, type UsageKey, usageKeys } from '../../core/usage.ts';
import { type Route, route } from '../route.ts';
import { exactly, orNull } from '../schemas.ts';
import { timeOf } from './time-parameter.ts';

const mostPerPage = 1000;

const oneKey = `(?:${usageKeys.join('|')})`;
const Time = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }));

const isKey = (word: string): word is UsageKey => usageKeys.some((key) => key === word);

export const usageRoutes: readonly Route[] = [
  route({
    name: 'list_usage',
    endpoint: 'GET /usage',
    summary: 'Add up for how long nodes were reserved and turned on',
    access: 'user',
    auth: 'Admin sees all, others their own projects',
    query: exactly({
      from: Time(
        'a time such as 2026-01-31T12:00:00Z, or milliseconds since 1970; by default the beginning of this month (UTC)',
      ),
      to: Time('the same, by default now; a time to come is taken for now'),
      by: Type.Optional(
        Type.String({
          maxLength: 64,
          pattern: `^${oneKey}(?:,${oneKey})*$`,
          description: `one or more of ${usageKeys.join(', ')}, with commas; by default project`,
        }),
      ),
      limit: Type.Optional(
        Type.String({ pattern: '^[1-9]\\d{0,3}$', description: `how many rows, 1 to ${mostPerPage}` }),
      ),
      after: Type.Optional(Type.String({ pattern: '^\\d{1,9}$', description: '`next` of the page before' })),
    }),
    reply: Type.Object({
      from: Type.String(),
      to: Type.String(),
      rows: Type.Array(
        Type.Object({
          project: Type.Optional(Type.String()),
          project_id: Type.Optional(Type.Integer()),
          class: Type.Optional(orNull(Type.String())),
          node: Type.Optional(Type.String()),
          month: Type.Optional(Type.String()),
          reserved_seconds: Type.Number(),
          powered_seconds: Type.Number(),
        }),
      ),
      next: orNull(
        Type.Integer({
          description: 'give it as `after` for the next page, with `from` and `to` of this one; null: no more',
        }),
      ),
    }),
    handle: async (context, { query }) => {
      const now = Date.now();
      const to = Math.min(now, query.to === undefined ? now : timeOf('to', query.to));
      const from = query.from === undefined ? monthStart(to) : timeOf('from', query.from);
      if (from > to) throw invalid('query parameter "from" is later than "to", or than now');
      const by = [...new Set((query.by ?? 'project').split(','))].filter(isKey);
      const limit = Math.min(mostPerPage, Number(query.limit ?? mostPerPage));
      const page = await context.read((op) => listUsage(op, { from, to, by, limit, after: Number(query.after ?? 0) }));
      return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...page };
    },
  }),
];
