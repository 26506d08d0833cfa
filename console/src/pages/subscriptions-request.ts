import type { Subscription } from '../api/client.ts';
import { nameLack } from '../ui/name-rule.ts';
import { commandOf } from '../ui/shell-word.ts';

type Filter = Subscription['filter'];

/** By what events can be chosen, beside their types; those of switches are for administrators. */
const forAll = ['node', 'network', 'headnode', 'caller'] as const;
const forAdministrators = [...forAll, 'switch', 'user'] as const;
export type FilterName = (typeof forAdministrators)[number];

export const filterNames = (isAdmin: boolean): readonly FilterName[] => (isAdmin ? forAdministrators : forAll);

/** Which events, as the fields have it. */
export interface FilterFields {
  readonly types: string;
  readonly only: Readonly<Partial<Record<FilterName, string>>>;
}

export const noFilter: FilterFields = { types: '', only: {} };

export const fieldsOf = (filter: Filter): FilterFields => ({
  types: (filter.types ?? []).join(', '),
  only: Object.fromEntries(forAdministrators.flatMap((name) => (filter[name] ? [[name, filter[name]]] : []))),
});

/** The rest of a filter that was made elsewhere, such as of one nic: no field has it, so it stays as it is. */
export const keptOf = (filter: Filter): Filter =>
  Object.fromEntries(
    Object.entries(filter).filter(([name]) => name !== 'types' && !forAdministrators.some((each) => each === name)),
  );

const typesIn = ({ types }: FilterFields): string[] => types.split(/[\s,]+/).filter((type) => type !== '');

const labelsIn = ({ only }: FilterFields): readonly (readonly [FilterName, string])[] =>
  forAdministrators.flatMap((name) => (only[name] ? [[name, only[name]] as const] : []));

export const filterOf = (fields: FilterFields): Filter => {
  const types = typesIn(fields);
  return { ...Object.fromEntries(labelsIn(fields)), ...(types.length === 0 ? {} : { types }) };
};

/** The options of a command that say the same. */
export const filterOptions = (fields: FilterFields): readonly string[] => {
  const types = typesIn(fields);
  return [
    ...(types.length === 0 ? [] : ['--types', types.join(',')]),
    ...labelsIn(fields).flatMap(([name, value]) => [`--${name}`, value]),
  ];
};

/** How events go out: posted, mailed to a user, or, by administrators, to any address. */
export type Way = 'post' | 'mail' | 'address';

/** What the form says. */
export interface SubscriptionForm {
  readonly name: string;
  readonly way: Way;
  /** The URL, the user or the mail address. */
  readonly target: string;
  /** Empty: of the whole site. */
  readonly project: string;
  readonly filter: FilterFields;
}

const lacks: Readonly<Record<Way, string>> = {
  post: 'Say where events go first',
  mail: 'Say who gets the mail first',
  address: 'Give the mail address first',
};

/** Why the form cannot be sent; null: it can. */
export const formLack = ({ name, way, target, project }: SubscriptionForm, isAdmin: boolean): string | null => {
  const lack = nameLack('subscription', name);
  if (lack !== null) return lack;
  if (target === '') return lacks[way];
  return !isAdmin && project === '' ? 'Choose a project first' : null;
};

/** The command that does the same, for the person of this name. */
export const createCommand = ({ name, way, target, project, filter }: SubscriptionForm, self: string): string =>
  commandOf(
    'subscription',
    ...(way === 'post' ? ['create', name || 'NAME', target || 'URL'] : ['mail', name || 'NAME']),
    ...(way === 'mail' && target !== self ? ['--to', target || 'USER'] : []),
    ...(way === 'address' ? ['--address', target || 'ADDRESS'] : []),
    ...(project === '' ? [] : ['--project', project]),
    ...filterOptions(filter),
  );

/** Which field a refusal is about; null: none in particular. */
export const refusedField = (refusal: string): 'name' | 'target' | null => {
  if (/"subscription"|^subscription .* already exists$/i.test(refusal)) return 'name';
  return /"url"|"address"|^user /i.test(refusal) ? 'target' : null;
};
