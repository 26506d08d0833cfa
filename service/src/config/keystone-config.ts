import type { SettingReader } from '@corral/base/config/setting-reader';
import type { Settings, ValuesOf } from '@corral/base/config/setting';
import { secondsOrNever, seconds, secret, text, type ValueType } from '@corral/base/config/value-types';
import { pemFile } from './certificate-authority.ts';
import type { KeystoneConfig } from './service-config.ts';

const keystoneUrl: ValueType<string> = {
  expected: 'an http or https address such as https://keystone.example.org:5000/v3',
  parse: (given, wrong) => {
    if (given === '') return given;
    const url = addressOf(given);
    if (url === null) wrong();
    return url ?? '';
  },
};

const addressOf = (given: string): string | null => {
  const url = URL.canParse(given) ? new URL(given) : null;
  const isPlain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain || !/^https?:$/.test(url.protocol)) return null;
  // Operators write it with the version or without, as OpenStack's own settings do.
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path.endsWith('/v3') ? path : `${path}/v3`}`;
};

/** The settings of the `keystone` backend. */
export const keystoneSettings = {
  'keystone.url': {
    takes: keystoneUrl,
    about:
      'Address of [Keystone](auth/keystone.md), such as `https://keystone.example.org:5000/v3`; with or without the version.',
  },
  'keystone.username': { takes: text, about: "The service's own user there, who may validate tokens." },
  'keystone.password': { takes: secret, about: "That user's password." },
  'keystone.user_domain': { takes: text, fallback: 'Default', about: 'Name of the domain that the user is in.' },
  'keystone.project': { takes: text, about: 'Name of the project in which the user may validate tokens.' },
  'keystone.project_domain': { takes: text, fallback: 'Default', about: 'Name of the domain that the project is in.' },
  'keystone.application_credential_id': {
    takes: text,
    about: 'Instead of user, password and project: an application credential.',
  },
  'keystone.application_credential_secret': { takes: secret, about: 'Its secret.' },
  'keystone.ca': {
    takes: pemFile,
    about: "PEM file of the authority that Keystone's certificate is from. None: those that Node.js trusts.",
  },
  'keystone.timeout': {
    takes: seconds(60),
    fallback: '5',
    about: 'How long a token may take to be validated, up to 60.',
  },
  'keystone.cache': {
    takes: secondsOrNever(60),
    fallback: '60',
    about: 'How long a validated token is not asked about again, up to 60; 0: every time.',
  },
  'keystone.admin_role': {
    takes: text,
    fallback: 'admin',
    about: 'The role whose holders have administrative access here.',
  },
} as const satisfies Settings;

type KeystoneValues = ValuesOf<typeof keystoneSettings>;
type NeededKey =
  | 'keystone.url'
  | 'keystone.username'
  | 'keystone.password'
  | 'keystone.project'
  | `keystone.application_credential_${'id' | 'secret'}`;

/** Reads the settings of the `keystone` backend. What is missing is a mistake only if the backend is to be used. */
export const keystoneConfig = (
  read: SettingReader<KeystoneValues>,
  mistakes: string[],
  isUsed: boolean,
): KeystoneConfig | null => {
  const needed = (key: NeededKey): string => {
    const given = read.value(key);
    if (isUsed && given === null) mistakes.push(`${key}: missing; required by auth "keystone"`);
    return given ?? '';
  };
  const config = {
    url: needed('keystone.url'),
    credentials: credentials(read, needed, mistakes),
    ca: read.value('keystone.ca'),
    timeoutMs: read.value('keystone.timeout'),
    cacheMs: read.value('keystone.cache'),
    adminRole: read.value('keystone.admin_role'),
  };
  return isUsed ? config : null;
};

const credentials = (
  read: SettingReader<KeystoneValues>,
  needed: (key: NeededKey) => string,
  mistakes: string[],
): KeystoneConfig['credentials'] => {
  const isApplication = (
    ['keystone.application_credential_id', 'keystone.application_credential_secret'] as const
  ).some((key) => read.value(key) !== null);
  if (!isApplication) {
    return {
      kind: 'password',
      username: needed('keystone.username'),
      password: needed('keystone.password'),
      userDomain: read.value('keystone.user_domain'),
      project: needed('keystone.project'),
      projectDomain: read.value('keystone.project_domain'),
    };
  }
  if (read.value('keystone.username') !== null || read.value('keystone.password') !== null) {
    mistakes.push('keystone: a user with a password, or an application credential; give one of them');
  }
  return {
    kind: 'application',
    id: needed('keystone.application_credential_id'),
    secret: needed('keystone.application_credential_secret'),
  };
};
