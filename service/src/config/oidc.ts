import type { SettingReader } from '@corral/base/config/reader';
import type { Setting } from '@corral/base/config/setting';
import { isLoopback } from '@corral/base/http/loopback';
import { authority } from './authority.ts';

/** The settings of the `oidc` backend, and where browsers find this service. */
export const oidcSettings = [
  {
    key: 'public_url',
    env: 'CORRAL_PUBLIC_URL',
    takes: 'text',
    fallback: null,
    about:
      'the address that browsers have for this service, such as https://corral.example.org; default: what they ask for',
  },
  {
    key: 'oidc.issuer',
    env: 'CORRAL_OIDC_ISSUER',
    takes: 'text',
    fallback: null,
    about: 'the OpenID provider, exactly as its tokens name it in `iss`',
  },
  {
    key: 'oidc.audience',
    env: 'CORRAL_OIDC_AUDIENCE',
    takes: 'text',
    fallback: null,
    about: 'what bearer tokens for this service hold in `aud`',
  },
  {
    key: 'oidc.client_id',
    env: 'CORRAL_OIDC_CLIENT_ID',
    takes: 'text',
    fallback: null,
    about: 'what this service is called at the provider, for logins of browsers; none: no such logins',
  },
  {
    key: 'oidc.client_secret',
    env: 'CORRAL_OIDC_CLIENT_SECRET',
    takes: 'secret',
    fallback: null,
    about: 'its secret there; none: it is registered as a public client',
  },
  {
    key: 'oidc.device_client_id',
    env: 'CORRAL_OIDC_DEVICE_CLIENT_ID',
    takes: 'text',
    fallback: null,
    about: 'what command lines are called at the provider: a public client with the device flow; none: no such logins',
  },
  {
    key: 'oidc.scopes',
    env: 'CORRAL_OIDC_SCOPES',
    takes: 'text',
    fallback: 'openid profile',
    about: 'what a login asks the provider for, separated by spaces; `openid` is always among them',
  },
  {
    key: 'oidc.name_claim',
    env: 'CORRAL_OIDC_NAME_CLAIM',
    takes: 'text',
    fallback: 'preferred_username',
    about: "the claim that holds a person's name; where it is missing, `sub` does",
  },
  {
    key: 'oidc.projects_claim',
    env: 'CORRAL_OIDC_PROJECTS_CLAIM',
    takes: 'text',
    fallback: 'groups',
    about: "the claim that lists a person's projects; with dots for claims within claims",
  },
  {
    key: 'oidc.projects_prefix',
    env: 'CORRAL_OIDC_PROJECTS_PREFIX',
    takes: 'text',
    fallback: null,
    about: 'only what begins with this is a project, and what follows is its label; none: all of it is',
  },
  {
    key: 'oidc.admin_claim',
    env: 'CORRAL_OIDC_ADMIN_CLAIM',
    takes: 'text',
    fallback: null,
    about: 'the claim that marks administrators; none: there are none',
  },
  {
    key: 'oidc.admin_value',
    env: 'CORRAL_OIDC_ADMIN_VALUE',
    takes: 'text',
    fallback: null,
    about: 'what that claim holds for an administrator',
  },
  {
    key: 'oidc.ca',
    env: 'CORRAL_OIDC_CA',
    takes: 'text',
    fallback: null,
    about: "PEM file of the authority that the provider's certificate is from; default: those that Node.js trusts",
  },
  {
    key: 'oidc.clock_skew',
    env: 'CORRAL_OIDC_CLOCK_SKEW',
    takes: 'seconds',
    fallback: '30',
    about: "how far the provider's clock may be off, up to 300; 0: not at all",
  },
  {
    key: 'oidc.timeout',
    env: 'CORRAL_OIDC_TIMEOUT',
    takes: 'seconds',
    fallback: '5',
    about: 'how long the provider may take to answer, up to 60',
  },
] as const satisfies readonly Setting[];

type OidcSettingKey = (typeof oidcSettings)[number]['key'];

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
export const oidcConfig = (
  read: SettingReader<OidcSettingKey>,
  mistakes: string[],
  isUsed: boolean,
): OidcConfig | null => {
  const needed = (key: OidcSettingKey): string => {
    const text = read.text(key);
    if (isUsed && text === null) mistakes.push(`${key}: missing; required by auth "oidc"`);
    return text ?? '';
  };
  const issuer = needed('oidc.issuer');
  if (issuer !== '' && !isIssuer(issuer)) {
    read.wrong('oidc.issuer', 'an https address without a query, such as https://id.example.org/realms/lab');
  }
  const scopes = scopesOf(read);
  const device = read.text('oidc.device_client_id');
  const config = {
    issuer,
    audience: needed('oidc.audience'),
    client: clientOf(read, scopes, mistakes),
    device: device === null ? null : { id: device, scopes },
    claims: {
      name: read.text('oidc.name_claim') ?? '',
      projects: read.text('oidc.projects_claim') ?? '',
      projectsPrefix: read.text('oidc.projects_prefix') ?? '',
      admin: adminOf(read, mistakes),
    },
    ca: authority(read, 'oidc.ca'),
    clockSkewMs: read.millisecondsOrNever('oidc.clock_skew', 300),
    timeoutMs: read.milliseconds('oidc.timeout', 60),
  };
  return isUsed ? config : null;
};

/** Reads where browsers find this service: an origin, without anything after it. */
export const publicUrl = (read: SettingReader<OidcSettingKey>): string | null => {
  const text = read.text('public_url');
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(text);
  if (!isOrigin) read.wrong('public_url', 'an address without a path, such as https://corral.example.org');
  return url?.origin ?? null;
};

/** Unencrypted only on this machine: an attacker who can change the provider's responses can act as any user. */
const isIssuer = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return false;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(host));
};

const scopesOf = (read: SettingReader<OidcSettingKey>): string => {
  const scopes = (read.text('oidc.scopes') ?? '').split(/\s+/).filter((scope) => scope !== '');
  // What RFC 6749 has for a scope.
  if (!scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
    read.wrong('oidc.scopes', 'words separated by spaces, such as "openid profile groups"');
  }
  return [...new Set(['openid', ...scopes])].join(' ');
};

const clientOf = (read: SettingReader<OidcSettingKey>, scopes: string, mistakes: string[]): OidcConfig['client'] => {
  const id = read.text('oidc.client_id');
  const secret = read.text('oidc.client_secret');
  if (id === null) {
    if (secret !== null)
      mistakes.push('oidc.client_secret: must be given together with oidc.client_id; give both, or neither');
    return null;
  }
  return { id, secret, scopes };
};

const adminOf = (read: SettingReader<OidcSettingKey>, mistakes: string[]): OidcConfig['claims']['admin'] => {
  const claim = read.text('oidc.admin_claim');
  const value = read.text('oidc.admin_value');
  if (claim !== null && value !== null) return { claim, value };
  if (claim !== null || value !== null) {
    mistakes.push('oidc.admin_claim: must be given together with oidc.admin_value; give both, or neither');
  }
  return null;
};
