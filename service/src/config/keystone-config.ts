import type { SettingReader } from '@corral/base/config/setting-reader';
import type { Setting, ValuesOf } from '@corral/base/config/setting';
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
export const keystoneSettings = [
  {
    key: 'keystone.url',
    env: 'CORRAL_KEYSTONE_URL',
    takes: keystoneUrl,
    fallback: null,
    about:
      'Address of [Keystone](auth/keystone.md), such as `https://keystone.example.org:5000/v3`; with or without the version.',
  },
  {
    key: 'keystone.username',
    env: 'CORRAL_KEYSTONE_USERNAME',
    takes: text,
    fallback: null,
    about: "The service's own user there, who may validate tokens.",
  },
  {
    key: 'keystone.password',
    env: 'CORRAL_KEYSTONE_PASSWORD',
    takes: secret,
    fallback: null,
    about: "That user's password.",
  },
  {
    key: 'keystone.user_domain',
    env: 'CORRAL_KEYSTONE_USER_DOMAIN',
    takes: text,
    fallback: 'Default',
    about: 'Name of the domain that the user is in.',
  },
  {
    key: 'keystone.project',
    env: 'CORRAL_KEYSTONE_PROJECT',
    takes: text,
    fallback: null,
    about: 'Name of the project in which the user may validate tokens.',
  },
  {
    key: 'keystone.project_domain',
    env: 'CORRAL_KEYSTONE_PROJECT_DOMAIN',
    takes: text,
    fallback: 'Default',
    about: 'Name of the domain that the project is in.',
  },
  {
    key: 'keystone.application_credential_id',
    env: 'CORRAL_KEYSTONE_APPLICATION_CREDENTIAL_ID',
    takes: text,
    fallback: null,
    about: 'Instead of user, password and project: an application credential.',
  },
  {
    key: 'keystone.application_credential_secret',
    env: 'CORRAL_KEYSTONE_APPLICATION_CREDENTIAL_SECRET',
    takes: secret,
    fallback: null,
    about: 'Its secret.',
  },
  {
    key: 'keystone.ca',
    env: 'CORRAL_KEYSTONE_CA',
    takes: pemFile,
    fallback: null,
    about: "PEM file of the authority that Keystone's certificate is from. None: those that Node.js trusts.",
  },
  {
    key: 'keystone.timeout',
    env: 'CORRAL_KEYSTONE_TIMEOUT',
    takes: seconds(60),
    fallback: '5',
    about: 'How long a token may take to be validated, up to 60.',
  },
  {
    key: 'keystone.cache',
    env: 'CORRAL_KEYSTONE_CACHE',
    takes: secondsOrNever(60),
    fallback: '60',
    about: 'How long a validated token is not asked about again, up to 60; 0: every time.',
  },
  {
    key: 'keystone.admin_role',
    env: 'CORRAL_KEYSTONE_ADMIN_ROLE',
    takes: text,
    fallback: 'admin',
    about: 'The role whose holders have administrative access here.',
  },
] as const satisfies readonly Setting[];

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
