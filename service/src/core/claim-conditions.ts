import { type RawBuilder, sql } from 'kysely';
import { numberOf, numberText, textOf } from '../db/metadata-value.ts';
import { badArgument } from './corral-error.ts';

type Value = string | number | boolean;

/** What one of a node's metadata has to be; all that is said has to be true. */
interface ValueCondition {
  readonly equals?: Value;
  readonly not_equals?: Value;
  readonly one_of?: readonly Value[];
  readonly at_least?: number;
  readonly at_most?: number;
  readonly more_than?: number;
  readonly less_than?: number;
  readonly present?: boolean;
}

/** What a node has to be to fit a claim. */
export interface ClaimMatch {
  readonly metadata?: Readonly<Record<string, ValueCondition>>;
  readonly nics?: { readonly at_least: number };
  /** For administrators: a switch that one of its nics is on. */
  readonly switch?: string;
}

/** One condition of a claim, in words and as SQL about a row of `nodes`. */
export interface Condition {
  readonly words: string;
  readonly holds: RawBuilder<boolean>;
  /** The ids of all nodes that meet it, where an index has them, and how few these are likely to be. */
  readonly found?: { readonly ids: RawBuilder<boolean>; readonly rank: 'few' | 'many' };
}

/**
 * What all conditions say, for a statement. Nodes are found by the one that few nodes are likely to meet, and the others
 * are checked for each of them: to look all of them up by index would read the half of a site that has GPUs to find the
 * twenty of a rack.
 */
export const allHold = (conditions: readonly Condition[]): readonly RawBuilder<boolean>[] => {
  const first =
    conditions.find(({ found }) => found?.rank === 'few') ?? conditions.find(({ found }) => found !== undefined);
  return conditions.map((condition) =>
    condition === first ? (condition.found?.ids ?? condition.holds) : condition.holds,
  );
};

const mostConditions = 20;

/** Everything that a node has to be, one by one. Throws BadArgument if that is too much. */
export const conditionsOf = ({ metadata = {}, nics, switch: on }: ClaimMatch): readonly Condition[] => {
  const found = [
    ...Object.entries(metadata).flatMap(([key, condition]) => ofMetadata(key, condition)),
    ...(nics === undefined ? [] : [ofNics(nics.at_least)]),
    ...(on === undefined ? [] : [ofSwitch(on)]),
  ];
  if (found.length <= mostConditions) return found;
  throw badArgument(`field "match" has ${found.length} conditions; expected at most ${mostConditions}`);
};

const ofMetadata = (key: string, condition: ValueCondition): Condition[] => {
  const ofNode = (where: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(select 1 from node_metadata where node_id = nodes.id and key = ${key} and ${where})`;
  const having = (words: string, where: RawBuilder<unknown>, rank: 'few' | 'many' = 'many'): Condition => ({
    words: `${key} ${words}`,
    holds: sql`exists ${ofNode(where)}`,
    found: { ids: sql`nodes.id in (select node_id from node_metadata where key = ${key} and ${where})`, rank },
  });
  const lacking = (words: string, where: RawBuilder<unknown>): Condition => ({
    words: `${key} ${words}`,
    holds: sql`not exists ${ofNode(where)}`,
  });
  const { equals, not_equals, one_of, at_least, at_most, more_than, less_than, present } = condition;
  return [
    ...(equals === undefined ? [] : [having(`equal to ${textOf(equals)}`, isOneOf([equals]), 'few')]),
    ...(not_equals === undefined ? [] : [lacking(`not equal to ${textOf(not_equals)}`, isOneOf([not_equals]))]),
    ...(one_of === undefined ? [] : [having(`one of ${someOf(one_of)}`, isOneOf(one_of), 'few')]),
    ...(at_least === undefined ? [] : [having(`at least ${at_least}`, sql`number >= ${numberText(at_least)}`)]),
    ...(at_most === undefined ? [] : [having(`at most ${at_most}`, sql`number <= ${numberText(at_most)}`)]),
    ...(more_than === undefined ? [] : [having(`more than ${more_than}`, sql`number > ${numberText(more_than)}`)]),
    ...(less_than === undefined ? [] : [having(`less than ${less_than}`, sql`number < ${numberText(less_than)}`)]),
    ...(present === undefined ? [] : [present ? having('present', sql`1 = 1`) : lacking('absent', sql`1 = 1`)]),
  ];
};

/** A row of `node_metadata` has one of these values: by number where the value is one, as text otherwise. */
const isOneOf = (values: readonly Value[]): RawBuilder<unknown> => {
  const numbers = values.flatMap((value) => numberOf(value) ?? []);
  const texts = values.filter((value) => numberOf(value) === null).map(textOf);
  return sql`(${sql.join(
    [
      ...(numbers.length === 0 ? [] : [sql`number in (${sql.join(numbers.map(numberText))})`]),
      ...(texts.length === 0 ? [] : [sql`text in (${sql.join(texts)})`]),
    ],
    sql` or `,
  )})`;
};

const ofNics = (least: number): Condition => ({
  words: `nics at least ${least}`,
  holds: sql`(select count(*) from nics where nics.node_id = nodes.id) >= ${least}`,
});

const ofSwitch = (label: string): Condition => {
  const ids = sql<boolean>`nodes.id in (select nics.node_id from switches
    join ports on ports.switch_id = switches.id join nics on nics.port_id = ports.id where switches.label = ${label})`;
  return { words: `switch ${label}`, holds: ids, found: { ids, rank: 'few' } };
};

const shownValues = 3;

const someOf = (values: readonly Value[]): string => {
  const more = values.length - shownValues;
  return `${values.slice(0, shownValues).map(textOf).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};
