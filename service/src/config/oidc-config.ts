import type { SettingReader } from '@corral/base/config/setting-reader';
import type { Settings, ValuesOf } from '@corral/base/config/setting';
import { secondsOrNever, seconds, secret, text, textThat, type ValueType } from '@corral/base/config/value-types';
import { isLoopback } from '@corral/base/http/loopback';
import { pemFile } from './certificate-authority.ts';

/** Unencrypted only on this machine: an attacker who can change the provider's responses can act as any user. */
const isIssuer = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return false;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(host));
};

const issuer = textThat(
  (given) => given === '' || isIssuer(given),
  'an https address without a query, such as https://id.example.org/realms/lab',
);

/** Where browsers find this service: an origin, without anything after it. */
const origin: ValueType<string | null> = {
  expected: 'an address without a path, such as https://corral.example.org',
  parse: (given, wrong) => {
    const url = URL.canParse(given) ? new URL(given) : null;
    const isOrigin = url !== null && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(given);
    if (!isOrigin) wrong();
    return url?.origin ?? null;
  },
};

const scopes: ValueType<string> = {
  expected: 'words separated by spaces, such as "openid profile groups"',
  parse: (given, wrong) => {
    const words = given.split(/\s+/).filter((scope) => scope !== '');
    // What RFC 6749 has for a scope.
    if (!words.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) wrong();
    return [...new Set(['openid', ...words])].join(' ');
  },
};

/** The settings of the `oidc` backend, and where browsers find this service. */
export const oidcSettings = {
  public_url: {
    takes: origin,
    about:
      'The address that browsers have for this service, such as `https://corral.example.org`: [logins](auth/oidc.md) come back to it, and only its pages may use a session. None: the one that the browser asked for.',
  },
  'oidc.issuer': {
    takes: issuer,
    about: 'The [OpenID provider](auth/oidc.md), exactly as its tokens name it in `iss`.',
  },
  'oidc.audience': { takes: text, about: 'What bearer tokens for this service hold in `aud`.' },
  'oidc.client_id': {
    takes: text,
    about: 'What this service is called at the provider, for logins of browsers. None: there are no such logins.',
  },
  'oidc.client_secret': { takes: secret, about: 'Its secret there. None: it is registered as a public client.' },
  'oidc.device_client_id': {
    takes: text,
    about:
      'What command lines are called at the provider: a public client with the [device flow](auth/oidc.md#logging-in-on-the-command-line). None: no such logins.',
  },
  'oidc.scopes': {
    takes: scopes,
    fallback: 'openid profile',
    about: 'What a login asks the provider for, separated by spaces. `openid` is always among them.',
  },
  'oidc.name_claim': {
    takes: text,
    fallback: 'preferred_username',
    about: "The claim that holds a person's name. Where it is missing, `sub` does.",
  },
  'oidc.projects_claim': {
    takes: text,
    fallback: 'groups',
    about:
      "The claim that lists a person's projects, with dots for [claims within claims](auth/oidc.md#what-claims-mean).",
  },
  'oidc.projects_prefix': {
    takes: text,
    about: 'Only what begins with this is a project, and what follows is its label. None: all of it is.',
  },
  'oidc.admin_claim': {
    takes: text,
    about: 'The claim that tells administrators. None: nobody of the provider is one. Goes with `oidc.admin_value`.',
  },
  'oidc.admin_value': { takes: text, about: 'What that claim is, or holds, for an administrator.' },
  'oidc.ca': {
    takes: pemFile,
    about: "PEM file of the authority that the provider's certificate is from. None: those that Node.js trusts.",
  },
  'oidc.clock_skew': {
    takes: secondsOrNever(300),
    fallback: '30',
    about: "How far the provider's clock may be off, up to 300. 0: not at all.",
  },
  'oidc.timeout': { takes: seconds(60), fallback: '5', about: 'How long the provider may take to answer, up to 60.' },
} as const satisfies Settings;

type OidcValues = ValuesOf<typeof oidcSettings>;

/** How bearer tokens are judged and people log in. */
export interface OidcConfig {
  readonly issuer: string;
  readonly audience: string;
  /** What this service is at the provider; null: browsers cannot log in there. */
  readonly client: { readonly id: string; readonly secret: string | null; readonly scopes: string } | null;
  /** What command lines are at the provider; null: they cannot log in there. */
  readonly device: { readonly id: string; readonly scopes: string } | null;
  readonly claims: {
    readonly name: string;
    readonly projects: string;
    readonly projectsPrefix: string;
    /** null: nobody is an administrator. */
    readonly admin: { readonly claim: string; readonly value: string } | null;
  };
  /** PEM of an authority; null: those that Node.js trusts. */
  readonly ca: string | null;
  readonly clockSkewMs: number;
  readonly timeoutMs: number;
}

/** Reads the settings of the `oidc` backend. What is missing is a mistake only if the backend is to be used. */
export const oidcConfig = (read: SettingReader<OidcValues>, mistakes: string[], isUsed: boolean): OidcConfig | null => {
  const needed = (key: 'oidc.issuer' | 'oidc.audience'): string => {
    const given = read.value(key);
    if (isUsed && given === null) mistakes.push(`${key}: missing; required by auth "oidc"`);
    return given ?? '';
  };
  const asked = read.value('oidc.scopes');
  const device = read.value('oidc.device_client_id');
  const config = {
    issuer: needed('oidc.issuer'),
    audience: needed('oidc.audience'),
    client: clientOf(read, mistakes),
    device: device === null ? null : { id: device, scopes: asked },
    claims: {
      name: read.value('oidc.name_claim'),
      projects: read.value('oidc.projects_claim'),
      projectsPrefix: read.value('oidc.projects_prefix') ?? '',
      admin: adminOf(read, mistakes),
    },
    ca: read.value('oidc.ca'),
    clockSkewMs: read.value('oidc.clock_skew'),
    timeoutMs: read.value('oidc.timeout'),
  };
  return isUsed ? config : null;
};

const clientOf = (read: SettingReader<OidcValues>, mistakes: string[]): OidcConfig['client'] => {
  const id = read.value('oidc.client_id');
  const own = read.value('oidc.client_secret');
  if (id === null) {
    if (own !== null)
      mistakes.push('oidc.client_secret: must be given together with oidc.client_id; give both, or neither');
    return null;
  }
  return { id, secret: own, scopes: read.value('oidc.scopes') };
};

const adminOf = (read: SettingReader<OidcValues>, mistakes: string[]): OidcConfig['claims']['admin'] => {
  const claim = read.value('oidc.admin_claim');
  const value = read.value('oidc.admin_value');
  if (claim !== null && value !== null) return { claim, value };
  if (claim !== null || value !== null) {
    mistakes.push('oidc.admin_claim: must be given together with oidc.admin_value; give both, or neither');
  }
  return null;
};
