import type { SettingReader } from '@corral/base/config/reader';
import type { Setting } from '@corral/base/config/setting';
import { authority } from './authority.ts';
import type { KeystoneConfig } from './config.ts';

/** The settings of the `keystone` backend. */
export const keystoneSettings = [
  {
    key: 'keystone.url',
    env: 'CORRAL_KEYSTONE_URL',
    takes: 'text',
    fallback: null,
    about: 'address of Keystone, such as https://keystone.example.org:5000/v3',
  },
  {
    key: 'keystone.username',
    env: 'CORRAL_KEYSTONE_USERNAME',
    takes: 'text',
    fallback: null,
    about: "the service's own user there, who may validate tokens",
  },
  {
    key: 'keystone.password',
    env: 'CORRAL_KEYSTONE_PASSWORD',
    takes: 'secret',
    fallback: null,
    about: "that user's password",
  },
  {
    key: 'keystone.user_domain',
    env: 'CORRAL_KEYSTONE_USER_DOMAIN',
    takes: 'text',
    fallback: 'Default',
    about: 'name of the domain that the user is in',
  },
  {
    key: 'keystone.project',
    env: 'CORRAL_KEYSTONE_PROJECT',
    takes: 'text',
    fallback: null,
    about: 'name of the project in which the user may validate tokens',
  },
  {
    key: 'keystone.project_domain',
    env: 'CORRAL_KEYSTONE_PROJECT_DOMAIN',
    takes: 'text',
    fallback: 'Default',
    about: 'name of the domain that the project is in',
  },
  {
    key: 'keystone.application_credential_id',
    env: 'CORRAL_KEYSTONE_APPLICATION_CREDENTIAL_ID',
    takes: 'text',
    fallback: null,
    about: 'instead of user, password and project: an application credential',
  },
  {
    key: 'keystone.application_credential_secret',
    env: 'CORRAL_KEYSTONE_APPLICATION_CREDENTIAL_SECRET',
    takes: 'secret',
    fallback: null,
    about: 'its secret',
  },
  {
    key: 'keystone.ca',
    env: 'CORRAL_KEYSTONE_CA',
    takes: 'text',
    fallback: null,
    about: "PEM file of the authority that Keystone's certificate is from; default: those that Node.js trusts",
  },
  {
    key: 'keystone.timeout',
    env: 'CORRAL_KEYSTONE_TIMEOUT',
    takes: 'seconds',
    fallback: '5',
    about: 'how long a token may take to be validated, up to 60',
  },
  {
    key: 'keystone.cache',
    env: 'CORRAL_KEYSTONE_CACHE',
    takes: 'seconds',
    fallback: '60',
    about: 'how long a validated token is not asked about again, up to 60; 0: every time',
  },
  {
    key: 'keystone.admin_role',
    env: 'CORRAL_KEYSTONE_ADMIN_ROLE',
    takes: 'text',
    fallback: 'admin',
    about: 'the role whose holders have administrative access here',
  },
] as const satisfies readonly Setting[];

type KeystoneSettingKey = (typeof keystoneSettings)[number]['key'];

/** Reads the settings of the `keystone` backend. What is missing is a mistake only if the backend is to be used. */
export const keystoneConfig = (
  read: SettingReader<KeystoneSettingKey>,
  mistakes: string[],
  isUsed: boolean,
): KeystoneConfig | null => {
  const needed = (key: KeystoneSettingKey): string => {
    const text = read.text(key);
    if (isUsed && text === null) mistakes.push(`${key}: missing; required by auth "keystone"`);
    return text ?? '';
  };
  const url = addressOf(needed('keystone.url'), () =>
    read.wrong('keystone.url', 'an http or https address such as https://keystone.example.org:5000/v3'),
  );
  const config = {
    url,
    credentials: credentials(read, needed, mistakes),
    ca: authority(read, 'keystone.ca'),
    timeoutMs: read.milliseconds('keystone.timeout', 60),
    cacheMs: read.millisecondsOrNever('keystone.cache', 60),
    adminRole: read.text('keystone.admin_role') ?? '',
  };
  return isUsed ? config : null;
};

const addressOf = (text: string, wrong: () => void): string => {
  if (text === '') return text;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    wrong();
    return '';
  }
  // Operators write it with the version or without, as OpenStack's own settings do.
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path.endsWith('/v3') ? path : `${path}/v3`}`;
};

const credentials = (
  read: SettingReader<KeystoneSettingKey>,
  needed: (key: KeystoneSettingKey) => string,
  mistakes: string[],
): KeystoneConfig['credentials'] => {
  const isApplication = (
    ['keystone.application_credential_id', 'keystone.application_credential_secret'] as const
  ).some((key) => read.text(key) !== null);
  if (!isApplication) {
    return {
      kind: 'password',
      username: needed('keystone.username'),
      password: needed('keystone.password'),
      userDomain: read.text('keystone.user_domain') ?? '',
      project: needed('keystone.project'),
      projectDomain: read.text('keystone.project_domain') ?? '',
    };
  }
  if (read.text('keystone.username') !== null || read.text('keystone.password') !== null) {
    mistakes.push('keystone: a user with a password, or an application credential; give one of them');
  }
  return {
    kind: 'application',
    id: needed('keystone.application_credential_id'),
    secret: needed('keystone.application_credential_secret'),
  };
};
