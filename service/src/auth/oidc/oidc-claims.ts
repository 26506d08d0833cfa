import { checkOf } from '@corral/base/schema/schema-check';
import { labelOf } from '@corral/base/schema/label';
import type { Caller } from '../../core/caller.ts';
import { unauthorized } from '../../core/corral-error.ts';

/** Which claims say what a person may do here. */
export interface ClaimNames {
  readonly name: string;
  readonly projects: string;
  readonly projectsPrefix: string;
  /** null: nobody is an administrator. */
  readonly admin: { readonly claim: string; readonly value: string } | null;
}

export type Claims = Readonly<Record<string, unknown>>;

/** A person that the provider has authenticated. */
export type OidcCaller = Extract<Caller, { kind: 'user' }> &
  Required<Pick<Extract<Caller, { kind: 'user' }>, 'account'>>;

const isFree = (check: ReturnType<typeof checkOf>, value: unknown): value is string =>
  typeof value === 'string' && check(value).length === 0;
const person = checkOf(labelOf('', 'a name'), () => '');
// `admin` means the operator where an owner is named: no group of that name may be taken for it.
const project = checkOf(labelOf('/', 'a project', '(?!admin$)'), () => '');

/** Who somebody with these claims is here. A claim of an odd type gives nothing. */
export const callerFrom = (claims: Claims, issuer: string, names: ClaimNames): OidcCaller => {
  const { sub, iat } = claims;
  if (!isFree(person, sub)) throw unauthorized('the claim `sub` is missing, or contains invalid characters');
  const name = claimOf(claims, names.name);
  return {
    kind: 'user',
    name: `oidc:${isFree(person, name) ? name : sub}`,
    admin: names.admin !== null && wordsIn(claimOf(claims, names.admin.claim)).includes(names.admin.value),
    projects: new Set(
      wordsIn(claimOf(claims, names.projects))
        .filter((word) => word.startsWith(names.projectsPrefix))
        .map((word) => word.slice(names.projectsPrefix.length))
        .filter((label) => isFree(project, label)),
    ),
    // Only together do they name one person: another provider has other people under the same names.
    account: {
      kind: 'identity',
      backend: 'oidc',
      subject: `${issuer} ${sub}`,
      ...(typeof iat === 'number' ? { vouchedAt: Math.floor(iat * 1000) } : {}),
    },
  };
};

/** A claim by its whole name, which may hold dots and slashes, or by its path through claims within claims. */
const claimOf = (claims: Claims, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>((within, key) => {
    if (typeof within !== 'object' || within === null || !Object.hasOwn(within, key)) return undefined;
    return (within as Claims)[key];
  }, claims);
};

/** A list of strings, or words in one; providers also say `true`. */
const wordsIn = (claim: unknown): string[] => {
  if (claim === true) return ['true'];
  if (typeof claim === 'string') return claim.split(/\s+/).filter((word) => word !== '');
  return Array.isArray(claim) ? claim.filter((word): word is string => typeof word === 'string') : [];
};
